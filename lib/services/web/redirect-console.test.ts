import { expect, test } from "vitest";
import { createLogger } from "../../logger.ts";
import { redirectConsole } from "./redirect-console.ts";

test("what is printed becomes JSON lines without credentials", () => {
  const lines: string[] = [];
  const nothing = () => undefined;
  const printed = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing };
  redirectConsole(
    createLogger("web", { level: "info", destination: { write: (line: string) => void lines.push(line) } }),
    printed as unknown as Console,
  );
  printed.log(...(["ready in %d ms", 12] as unknown as []));
  printed.error(...(["⨯", new Error("failed with Bearer abcdefghijkl")] as unknown as []));
  printed.log();
  printed.debug();
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records.map((each) => [each.level, each.msg])).toEqual([
    ["info", "ready in 12 ms"],
    ["error", "⨯ failed with Bearer [redacted]"],
  ]);
  expect(records[1]?.err).toMatchObject({ type: "Error", message: "failed with Bearer [redacted]" });
  expect(lines.join("")).not.toContain("abcdefghijkl");
});
