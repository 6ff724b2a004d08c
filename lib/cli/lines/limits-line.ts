import { z } from "zod";
import {
  DEFAULT_SERVER_CONCURRENCY_LIMIT,
  priorityLevels,
  serverConcurrencyLimit,
} from "../../contracts/flow-control-objects.ts";
import {
  type AdjustmentAnswer,
  type BorrowingAnswer,
  computeLimits,
  findBrokenLevels,
  type PriorityLevelList,
  replayBorrowing,
} from "../../domain/fairness/index.ts";
import { ruleVersion } from "../../domain/kubernetes/version.ts";
import { type LineObject, LineProblem } from "../json-lines.ts";
import {
  count,
  ignoredFields,
  list,
  optional,
  readFields,
  text,
  versionText,
  wholeNumber,
} from "./read-fields.ts";
import { definedOf } from "./seats-line.ts";

const CHANGE = "[microseconds since the start of the period, level, seats]";
const NUMBER = "a number";
/** An idle period precedes those of the line. */
const ADJUSTMENT_PERIOD_US = 10_000_000;
/** Eleven days, and a hundred: times are kept in whole nanoseconds, and so must their sums be. */
const MOST_US = 1_000_000_000_000;
const MOST_US_IN_ALL = Math.floor(Number.MAX_SAFE_INTEGER / 1000);
const period = z.object(
  {
    lengthUs: wholeNumber(0, MOST_US),
    demand: list(z.tuple([count(), text(), count()], { error: CHANGE }), `a list of ${CHANGE}`),
    injected: optional(
      z.record(
        z.string(),
        z.object(
          { highWatermark: count(), smoothed: z.number({ error: NUMBER }) },
          { error: "highWatermark and smoothed" },
        ),
        { error: "figures by level name" },
      ),
    ),
  },
  { error: "a period: lengthUs and demand" },
);

const Line = z.object({
  v: versionText(),
  scl: serverConcurrencyLimit(),
  priorityLevels: priorityLevels(),
  second: optional(z.object({ scl: wholeNumber(1), priorityLevels: priorityLevels() })),
  periods: optional(list(period, "a list of periods")),
});

const KNOWN = new Set([
  ...Object.keys(Line.shape),
  ...["limits", "secondLimits", "afterDigest", "adjustments"],
]);

/**
 * Priority levels in the fields of the vector set `max-seats`; a line with `periods` is a borrowing sequence, in the
 * fields of `borrowing`. Absent: a server concurrency limit of 600, the default levels.
 */
export function answerLimitsLine(line: LineObject): LineObject {
  const fields = readFields(Line, line);
  const levels = fields.priorityLevels ?? ["defaults"];
  const input = { v: fields.v, scl: fields.scl ?? DEFAULT_SERVER_CONCURRENCY_LIMIT, priorityLevels: levels };
  const { note } = ruleVersion(fields.v);
  const { priorityLevels: given, second: next, periods } = fields;
  const rest = {
    ...(note === null ? {} : { note }),
    ...brokenOf(fields.v, [...levels, ...(next?.priorityLevels ?? [])]),
    ...ignoredFields(line, KNOWN, { priorityLevels: given, second: next, periods }),
  };
  if (fields.periods !== undefined) {
    checkPeriods(fields.periods, input);
    const answer = replayBorrowing({ ...input, periods: fields.periods.map(definedOf) });
    return { ...borrowingOutputs(answer), explanation: answer.adjustments.map(explainAdjustment), ...rest };
  }
  const second = fields.second && {
    scl: fields.second.scl,
    priorityLevels: fields.second.priorityLevels ?? (["defaults"] as const),
  };
  return { ...computeLimits({ ...input, ...(second === undefined ? {} : { second }) }), ...rest };
}

/** Levels that are in no answer, and why. */
export function brokenOf(v: string, levels: PriorityLevelList): { readonly broken?: LineObject } {
  const broken = findBrokenLevels(v, levels);
  return Object.keys(broken).length === 0 ? {} : { broken };
}

/** The outputs of the vector set: per level [high watermark, average, deviation, smoothed demand, current limit]. */
export function borrowingOutputs({ afterDigest, adjustments }: BorrowingAnswer): LineObject {
  return { afterDigest: figuresOf(afterDigest), adjustments: adjustments.map(figuresOf) };
}

const figuresOf = ({ fairFrac, pl }: AdjustmentAnswer) => ({ fairFrac, pl });

/** How the limits of one adjustment came about. */
export function explainAdjustment(answer: AdjustmentAnswer): string {
  switch (answer.case) {
    case "shared":
      return `All nominal limits are shared in proportion to demand: ${answer.fairFrac?.toPrecision(4)} times what each level is after, within its bounds.`;
    case "squeezed":
      return "The exempt level leaves less than the others used: each gets part of that.";
    case "minimal":
      return "The exempt level leaves no more than the minimal limits: each gets its own.";
    case "kept":
      return `There is no solution (${answer.fault}): every level keeps its limit.`;
    default: {
      const never: never = answer.case;
      throw new Error(`unknown case ${String(never)}`);
    }
  }
}

type Period = z.output<typeof period>;

function checkPeriods(periods: readonly Period[], input: Parameters<typeof computeLimits>[0]): void {
  const known = new Set(Object.keys(computeLimits(input).limits));
  let lastUs = ADJUSTMENT_PERIOD_US;
  for (const [index, { demand, injected, lengthUs }] of periods.entries()) {
    let before = 0;
    lastUs += lengthUs;
    if (lastUs > MOST_US_IN_ALL) {
      throw new LineProblem({
        field: `periods[${index}].lengthUs`,
        expected: `periods of at most ${MOST_US_IN_ALL} us in all`,
        got: String(lengthUs),
      });
    }
    for (const [change, [atUs, level]] of demand.entries()) {
      const at = `periods[${index}].demand[${change}]`;
      if (!known.has(level)) throw unknownLevel(`${at}[1]`, known, level);
      if (atUs < before) {
        throw new LineProblem({
          field: `${at}[0]`,
          expected: `no earlier time than the one before it (${before})`,
          got: String(atUs),
        });
      }
      if (atUs > lengthUs) {
        throw new LineProblem({
          field: `${at}[0]`,
          expected: `at most the length of the period (${lengthUs})`,
          got: String(atUs),
        });
      }
      before = atUs;
    }
    for (const level of Object.keys(injected ?? {})) {
      if (!known.has(level)) throw unknownLevel(`periods[${index}].injected`, known, level);
    }
  }
}

function unknownLevel(field: string, known: ReadonlySet<string>, level: string): LineProblem {
  return new LineProblem({
    field,
    expected: `one of the levels ${[...known].join(", ")}`,
    got: JSON.stringify(level),
  });
}
