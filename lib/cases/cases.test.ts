import { describe, expect, test } from "vitest";
import { RULES } from "../domain/findings/index.ts";
import { scanInputs } from "../inputs/scan-inputs.ts";
import { judgeCase, readCases } from "./judge-case.ts";

/** Kinds whose rules are written. The others come with their areas: 1 schemas, 3 probes, 4 webhooks. */
const COVERED_KINDS = [2, 5];

/** Cases of these kinds that no rule answers yet. It may only become shorter. */
const OPEN_CASES: readonly string[] = [];

const CASES = readCases();
const covered = CASES.filter(({ kind }) => COVERED_KINDS.includes(kind));
const NOW = Date.parse("2026-11-30T12:00:00Z");

const judge = async ({ paths, expected }: (typeof CASES)[number]) =>
  judgeCase(expected, await scanInputs({ paths, rules: RULES, now: NOW }));

describe.each(covered.map((each) => [each.id, each] as const))("%s", (id, each) => {
  test(each.title, async () => {
    const faults = await judge(each);
    if (OPEN_CASES.includes(id))
      expect(faults, `${id} is answered now: take it off OPEN_CASES`).not.toEqual([]);
    else expect(faults).toEqual([]);
  });
});

test("open cases are cases of the covered kinds, and no other case with inputs is left out", () => {
  const ids = covered.map(({ id }) => id);
  expect(OPEN_CASES.filter((id) => !ids.includes(id))).toEqual([]);
  expect(CASES.length).toBe(63);
  expect(CASES.filter(({ kind }) => !COVERED_KINDS.includes(kind)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([1, 3, 4]),
  );
});

test("inputs of every kind can be read, those whose rules are not written too", async () => {
  for (const each of CASES) {
    const report = await scanInputs({ paths: each.paths, rules: RULES, now: NOW });
    expect([each.id, report.problems]).toEqual([each.id, []]);
    const unread = report.skipped.filter(({ reason }) => !/no rule that was asked reads it/.test(reason));
    expect([each.id, unread]).toEqual([each.id, []]);
  }
});
