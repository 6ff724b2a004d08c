import { expect, test } from "vitest";
import { relayOutput } from "./relay-output.ts";

function collect() {
  const passed: string[] = [];
  const relay = relayOutput({
    onLogLine: (line) => passed.push(`log ${line}`),
    onText: (text) => passed.push(`text ${text}`),
  });
  return { passed, add: (text: string) => relay.add(Buffer.from(text)), flush: () => relay.flush() };
}

test("log lines go on at once, whole, however they are cut", () => {
  const { passed, add } = collect();
  add('{"level":"info","msg":"sta');
  expect(passed).toEqual([]);
  add('rted — ");');
  add('"}\n{"level":"warn"}\n');
  expect(passed).toEqual(['text {"level":"info","msg":"started — ");"}', 'log {"level":"warn"}']);
});

test("a stack is passed on as one text when the process has ended", () => {
  const { passed, add, flush } = collect();
  add("Error: boom\n    at main\n");
  expect(passed).toEqual([]);
  add("Node.js v24");
  flush();
  flush();
  expect(passed).toEqual(["text Error: boom\n    at main\nNode.js v24"]);
});

test("a key that runs over many lines and chunks is taken out as a whole", () => {
  const { passed, add, flush } = collect();
  add("Error: cannot read -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n");
  add("hkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\nBearer abcdefghijklmnop\n");
  add('{"level":"error","msg":"next"}\n');
  flush();
  expect(passed.join("\n")).not.toMatch(/MIIEvQ|hkiG9w|abcdefghij/);
  expect(passed[0]).toContain("[redacted PEM]");
  expect(passed[1]).toBe('log {"level":"error","msg":"next"}');
});

test("output without end is passed on within bounds", () => {
  const { passed, add, flush } = collect();
  for (let index = 0; index < 40; index++) add("x".repeat(10_000));
  flush();
  expect(passed.length).toBeGreaterThan(3);
  for (const text of passed) expect(text.length).toBeLessThanOrEqual(64_000 * 2 + 10);
});
