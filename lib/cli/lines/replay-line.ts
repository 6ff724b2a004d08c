import { z } from "zod";
import {
  findConfigFault,
  type OutcomeLetter,
  type QueueSetAnswer,
  type RequestRow,
  replayQueueSet,
} from "../../domain/fairness/index.ts";
import { describeValue, type LineObject, LineProblem } from "../json-lines.ts";
import { MEBIBYTE } from "./answer-input.ts";
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

/** A scenario with a million requests takes about 60 MB as text. */
export const MAX_SCENARIO_BYTES = 256 * MEBIBYTE;

/** Queues are held one by one. The API allows ten million; who has that many is told so. */
export const MOST_QUEUES = 1_000_000;
/** Seats of a request or a level: beyond, work is not a whole number any more where it is held. */
export const MOST_SEATS = 1_000_000;
/** Eleven days. Times are kept in whole nanoseconds, and so must their sums be. */
const MOST_US = 1_000_000_000_000;
const LAST_US = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

const REQUEST =
  "[arrival us, flow index, initial seats, final seats, additional latency us, service us, wait limit us (0: none), gives up at us (-1: never)]";
const CHANGE = "[at us, queues, handSize, queueLengthLimit, concurrencyLimit]";
const queues = () => wholeNumber(-1, MOST_QUEUES);
const handSize = () => wholeNumber(0);
const seats = () => wholeNumber(0, MOST_SEATS);

/** Rows are checked one by one and kept as they are: a scenario may have a million of them. */
const requestRows = z.custom<readonly RequestRow[]>((value) => Array.isArray(value), {
  error: `a list of ${REQUEST}`,
});

const Line = z.object({
  v: optional(versionText()),
  config: z.object(
    { queues: queues(), handSize: handSize(), queueLengthLimit: count(), concurrencyLimit: seats() },
    { error: "queues, handSize, queueLengthLimit and concurrencyLimit" },
  ),
  changes: optional(
    list(
      z.tuple([wholeNumber(0, MOST_US), queues(), handSize(), count(), seats()], { error: CHANGE }),
      `a list of ${CHANGE}`,
    ),
  ),
  flows: list(
    z.tuple([text(), text()], { error: "[FlowSchema name, flow distinguisher]" }),
    "a list of [FlowSchema name, flow distinguisher]",
  ),
  requests: requestRows,
});
type Line = z.output<typeof Line>;

const KNOWN = new Set([...Object.keys(Line.shape), "outcomes", "totals"]);
/** What is read of a configuration. */
const CONFIG = { queues: 0, handSize: 0, queueLengthLimit: 0, concurrencyLimit: 0 };

/** A scenario in the fields of the vector set `queueset`, played to its end. */
export function answerReplayLine(line: LineObject): LineObject {
  const answer = replayScenario(line);
  return {
    ...answer,
    explanation: explainReplay(answer),
    ...ignoredFields(line, KNOWN, { config: CONFIG }),
  };
}

/** Checks a scenario and plays it. @throws {LineProblem} which names the field. */
export function replayScenario(line: LineObject): QueueSetAnswer {
  const fields = readFields(Line, line);
  checkScenario(fields);
  const { v, config, changes = [], flows, requests } = fields;
  const answer = replayQueueSet({ ...(v === undefined ? {} : { v }), config, changes, flows, requests });
  if (answer.totals.end <= LAST_US) return answer;
  throw new LineProblem({
    field: "requests",
    expected: `a scenario that ends within ${LAST_US} us`,
    got: `one that ends at ${answer.totals.end}`,
  });
}

function checkScenario({ config, changes = [], flows, requests }: Line): void {
  checkConfig("config", config);
  let before = 0;
  for (const [index, [atUs, queues, handSize, queueLengthLimit, concurrencyLimit]] of changes.entries()) {
    if (atUs < before) throw late(`changes[${index}][0]`, before, atUs);
    before = atUs;
    checkConfig(`changes[${index}]`, { queues, handSize, queueLengthLimit, concurrencyLimit });
  }
  before = 0;
  for (const [index, row] of requests.entries()) {
    checkRow(index, row, flows.length);
    if (row[0] < before) throw late(`requests[${index}][0]`, before, row[0]);
    before = row[0];
  }
}

function checkConfig(field: string, config: Line["config"]): void {
  const fault = findConfigFault(config);
  if (fault !== null) throw new LineProblem({ field, expected: `a queue set that can be used: ${fault}` });
}

/** Least and largest value of each column of a request. */
const BOUNDS = [
  [0, MOST_US],
  [0, Number.MAX_SAFE_INTEGER],
  [1, MOST_SEATS],
  [0, MOST_SEATS],
  [0, MOST_US],
  [0, MOST_US],
  [0, MOST_US],
  [-1, MOST_US],
] as const;

function checkRow(index: number, row: unknown, flows: number): asserts row is RequestRow {
  if (!Array.isArray(row) || row.length !== BOUNDS.length) {
    throw new LineProblem({ field: `requests[${index}]`, expected: REQUEST, got: describeValue(row) });
  }
  for (const [column, [least, most]] of BOUNDS.entries()) {
    const value: unknown = row[column];
    const isFlow = column === 1;
    const isTooLarge = typeof value === "number" && value > most;
    if (
      !Number.isSafeInteger(value) ||
      Number(value) < least ||
      isTooLarge ||
      (isFlow && Number(value) >= flows)
    ) {
      const expected = isFlow
        ? `the index of one of the ${flows} flows`
        : `a whole number of at ${isTooLarge ? `most ${most}` : `least ${least}`}`;
      throw new LineProblem({ field: `requests[${index}][${column}]`, expected, got: describeValue(value) });
    }
  }
}

function late(field: string, before: number, got: number): LineProblem {
  return new LineProblem({
    field,
    expected: `no earlier time than the one before it (${before})`,
    got: String(got),
  });
}

const OUTCOMES: Readonly<Record<OutcomeLetter, string>> = {
  E: "executed",
  F: "rejected as queue-full",
  L: "rejected as concurrency-limit",
  T: "rejected as time-out after waiting",
  C: "given up by the client in the queue",
  W: "waiting for ever",
};

/** How many requests ended in which way, most first; then the peaks. */
export function explainReplay({ outcomes, totals }: QueueSetAnswer): readonly string[] {
  const counts = new Map<OutcomeLetter, number>();
  for (const [letter] of outcomes) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return [
    ...sorted.map(([letter, number]) => `${number} ${OUTCOMES[letter]}`),
    `at most ${totals.peakSeats} seats in use, ${totals.peakWaiting} requests waiting, ${totals.peakQueueLen} in one queue`,
    ...(totals.seatsWaitingEnd === 0
      ? []
      : [
          `${totals.seatsWaitingEnd} seats still count as waiting though nothing waits: requests wider than the limit leave them in the demand`,
        ]),
  ];
}
