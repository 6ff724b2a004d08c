import { expect, test } from "vitest";
import { describeCrash } from "./describe-crash.ts";

const NODE_OUTPUT = `file:///srv/headroom/dist/collector.mjs:12
throw new RangeError("series out of bounds");
      ^

RangeError: series out of bounds
    at main (file:///srv/headroom/dist/collector.mjs:12:7)
    at node:internal/main/run_main_module:33:47

Node.js v24.21.0
`.split("\n");

test.each<[string, Parameters<typeof describeCrash>[0], string]>([
  [
    "an error that nobody caught",
    { code: 1, signal: null, lines: NODE_OUTPUT },
    "exit code 1: RangeError: series out of bounds.",
  ],
  ["nothing said", { code: 3, signal: null, lines: [] }, "exit code 3."],
  ["a signal", { code: null, signal: "SIGKILL", lines: ["", " "] }, "signal SIGKILL."],
  [
    "a JSON log line",
    {
      code: 2,
      signal: null,
      lines: [
        '{"level":"info","msg":"started"}',
        '{"level":"error","msg":"cannot start","err":{"message":"The store is of a newer release."}}',
      ],
    },
    "exit code 2: cannot start: The store is of a newer release.",
  ],
  [
    "plain words",
    { code: 1, signal: null, lines: ["HEADROOM_PORT: a whole number"] },
    "exit code 1: HEADROOM_PORT: a whole number.",
  ],
  [
    "a log line that tells of no error",
    { code: null, signal: "SIGKILL", lines: ['{"level":"warn","msg":"started again"}'] },
    "signal SIGKILL.",
  ],
  ["half a JSON line", { code: 1, signal: null, lines: ['{"level":"err'] }, 'exit code 1: {"level":"err.'],
  [
    "memory that ran out",
    {
      code: null,
      signal: "SIGABRT",
      lines: [
        "<--- Last few GCs --->",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "----- Native stack trace -----",
      ],
    },
    "signal SIGABRT: FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory.",
  ],
])("%s", (_title, crash, expected) => {
  expect(describeCrash(crash)).toBe(expected);
});

test("a credential in the last words is taken out, and long ones are cut", () => {
  const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln";
  const text = describeCrash({
    code: 1,
    signal: null,
    lines: [`Error: 401 for Bearer ${token} ${"x".repeat(900)}`],
  });
  expect(text).not.toContain(token);
  expect(text.length).toBeLessThan(340);
});
