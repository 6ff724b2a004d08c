import { describe, expect, it } from "vitest";
import { clientGoRules } from "../../informers/client-go.ts";
import { Reflector, type ReflectorCommand } from "../../informers/reflector.ts";
import type { RequestAnswer, StreamEvent } from "../../informers/server-answer.ts";
import { ClientRateLimit } from "../../rollout/client-rate-limit.ts";
import { seededRandom } from "../../rollout/seeded-random.ts";
import { TICKS_PER_SECOND, toTicks } from "../../rollout/ticks.ts";
import * as compact from "./compact-reflector.ts";
import { CompactReflector, type ReflectorSettings } from "./compact-reflector.ts";

interface Case {
  readonly answer: RequestAnswer;
  readonly code: number;
  readonly retryAfter: number;
}

const status = (code: number, answer: number, extra: object = {}): readonly Case[] => [
  { answer: { kind: "status", code, ...extra }, code: answer, retryAfter: -1 },
  { answer: { kind: "status", code, ...extra, retryAfter: 1 }, code: answer, retryAfter: 1 },
  { answer: { kind: "status", code, ...extra, retryAfter: 8 }, code: answer, retryAfter: 8 },
];

const REFUSALS: readonly Case[] = [
  ...status(429, compact.TOO_MANY),
  ...status(429, compact.TOO_MANY),
  ...status(504, compact.TOO_LARGE, { cause: "ResourceVersionTooLarge" }),
  ...status(500, compact.SERVER_ERROR),
  ...status(503, compact.SERVER_ERROR),
  { answer: { kind: "status", code: 410 }, code: compact.EXPIRED, retryAfter: -1 },
  { answer: { kind: "status", code: 410 }, code: compact.EXPIRED, retryAfter: -1 },
  { answer: { kind: "status", code: 403 }, code: compact.CLIENT_ERROR, retryAfter: -1 },
  { answer: { kind: "status", code: 422 }, code: compact.CLIENT_ERROR, retryAfter: -1 },
  { answer: { kind: "failed", failure: "eof" }, code: compact.LOST, retryAfter: -1 },
  { answer: { kind: "failed", failure: "reset" }, code: compact.LOST, retryAfter: -1 },
  { answer: { kind: "failed", failure: "timeout" }, code: compact.TIMED_OUT, retryAfter: -1 },
  { answer: { kind: "failed", failure: "http2-lost" }, code: compact.HTTP2_LOST, retryAfter: -1 },
  { answer: { kind: "failed", failure: "refused" }, code: compact.REFUSED, retryAfter: -1 },
  { answer: { kind: "failed", failure: "dns" }, code: compact.BROKEN, retryAfter: -1 },
];

const STREAM_EVENTS: readonly (readonly [StreamEvent, number])[] = [
  [{ kind: "event", resourceVersion: "7" }, compact.EVENT],
  [{ kind: "closed" }, compact.CLOSED],
  [{ kind: "closed" }, compact.CLOSED],
  [{ kind: "error", error: { code: 410 } }, compact.ERROR_EXPIRED],
  [{ kind: "error", error: { code: 429 } }, compact.ERROR_TOO_MANY],
  [{ kind: "error", error: { code: 500 } }, compact.ERROR_OTHER],
];

/** What both did, in one line: the request or the wait, as the exact reflector tells it. */
function exactLine(command: ReflectorCommand): string {
  if (command.kind === "stream") return "stream";
  if (command.kind === "wait") return `wait ${command.until}`;
  const { verb, isWatchList, query, attempt } = command.request;
  const version = query.resourceVersion;
  const rv = version === undefined ? "unset" : version === "0" ? "any" : "last";
  const limit = query.limit ?? "0";
  const isContinued = query.continue !== undefined;
  const timeout = query.timeoutSeconds ?? "-";
  return `${isWatchList ? "watch-list" : verb} ${rv} ${limit} ${isContinued} ${timeout} ${attempt}`;
}

const VERBS = ["list", "watch", "watch-list"];
const VERSIONS = ["unset", "any", "last"];

function compactLine(reflector: CompactReflector, command: number): string {
  if (command === compact.STREAM) return "stream";
  if (command === compact.WAIT) return `wait ${reflector.until}`;
  const { verb, version, limit, isContinued, timeoutSeconds, attempt } = reflector;
  const timeout = verb === compact.LIST ? "-" : timeoutSeconds;
  return `${VERBS[verb]} ${VERSIONS[version]} ${limit} ${isContinued} ${timeout} ${attempt}`;
}

interface Play {
  readonly lines: readonly string[];
  readonly mismatch: string | null;
}

/** Plays one seeded script against both and compares every command. */
function play(seed: number): Play {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const rules = clientGoRules(pick(["1.26", "1.27", "1.28", "1.31", "1.32", "1.35", "1.36", "1.37"]));
  const watchList = random() < 0.4;
  const rate = random() < 0.5 ? { qps: pick([1, 5, 20]), burst: pick([1, 2, 10]) } : null;
  const failureRatio = pick([0.1, 0.5, 0.9, 1]);
  // Some scripts only tell to retry, so that the last retry is reached.
  const refusals = random() < 0.2 ? REFUSALS.filter(({ retryAfter }) => retryAfter > 0) : REFUSALS;
  const own = seededRandom(seed + 1);
  const other = seededRandom(seed + 1);
  const exact = new Reflector(
    { rules, watchList, random: own, rateLimit: rate && new ClientRateLimit(rate) },
    0,
  );
  const settings: ReflectorSettings = {
    rules,
    mode: "informer",
    watchList,
    firstVersion: compact.ANY,
    pageSize: -1,
    periodTicks: 0,
    qps: rate?.qps ?? 0,
    burst: rate?.burst ?? 0,
    maxRetries: 10,
    backOffBase: toTicks(0.8),
    backOffCap: toTicks(30),
    backOffJitter: 1,
    backOffReset: toTicks(120),
    random: other,
  };
  const fast = new CompactReflector(settings, { fullAt: 0 }, 0);
  let now = 0;
  let command = exact.start(now);
  let code: number = fast.start(now);
  const lines: string[] = [];
  for (let step = 0; step < 120; step++) {
    const expected = exactLine(command);
    lines.push(expected);
    const got = compactLine(fast, code);
    if (got !== expected)
      return { lines, mismatch: `seed ${seed}, step ${step}: ${got} instead of ${expected}` };
    if (command.kind === "wait") {
      now = command.until;
      command = exact.woke(now);
      code = fast.woke(now);
      continue;
    }
    now += pick([0, 1000, TICKS_PER_SECOND - 1, TICKS_PER_SECOND, 50 * TICKS_PER_SECOND]);
    if (command.kind === "stream") {
      const isInitial = exact.state.phase === "streaming-initial-state";
      const isEnd = isInitial && random() < 0.5;
      const [event, eventCode] = isEnd
        ? ([{ kind: "initial-events-end", resourceVersion: "9" }, compact.ENDED] as const)
        : pick(STREAM_EVENTS);
      const heard: StreamEvent = isInitial && event.kind === "event" ? { kind: "initial-event" } : event;
      command = exact.streamed(heard, now);
      code = fast.streamed(eventCode, now);
      continue;
    }
    const { request } = command;
    const isPaged = request.query.limit !== undefined || request.query.continue !== undefined;
    let { answer, code: answerCode, retryAfter } = pick(refusals);
    if (random() >= failureRatio) {
      retryAfter = -1;
      if (request.verb === "watch") [answer, answerCode] = [{ kind: "opened" }, compact.OPENED];
      else if (isPaged && random() < 0.4)
        [answer, answerCode] = [{ kind: "list", resourceVersion: "5", continue: "more" }, compact.LIST_MORE];
      else [answer, answerCode] = [{ kind: "list", resourceVersion: "5" }, compact.LIST_DONE];
    }
    command = exact.answered(answer, now);
    code = fast.answered(answerCode, retryAfter, now);
  }
  return { lines, mismatch: null };
}

describe("the compact reflector against the exact one", () => {
  it("sends the same requests at the same ticks over 1,500 seeded scripts of all answers and stream events", () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 1500; seed++) {
      const { lines, mismatch } = play(seed);
      expect(mismatch).toBeNull();
      for (const line of lines) seen.add(line.replace(/wait \d+/, "wait").replace(/ \d+ (\d+)$/, " t $1"));
    }
    // The scripts reach every kind of request, and the last retry of each.
    for (const line of ["list any 500 false - 11", "list unset 500 true - 1", "list last 0 false - 1"]) {
      expect(seen).toContain(line);
    }
    expect([...seen].some((line) => line.startsWith("watch-list last"))).toBe(true);
    expect([...seen].some((line) => line.startsWith("watch last"))).toBe(true);
  });
});

describe("clients that are no informers", () => {
  const settings: ReflectorSettings = {
    rules: clientGoRules("1.34"),
    mode: "list",
    watchList: false,
    firstVersion: compact.UNSET,
    pageSize: 100,
    periodTicks: 30 * TICKS_PER_SECOND,
    qps: 0,
    burst: 0,
    maxRetries: 0,
    backOffBase: toTicks(1),
    backOffCap: toTicks(4),
    backOffJitter: 0,
    backOffReset: toTicks(120),
    random: seededRandom(1),
  };
  const lines = (reflector: CompactReflector, codes: readonly number[]) =>
    codes.map((code) => compactLine(reflector, code));

  it("read once, in pages of the size they ask for, and are done", () => {
    const reflector = new CompactReflector(settings, { fullAt: 0 }, 0);
    expect(lines(reflector, [reflector.start(0)])).toEqual(["list unset 100 false - 1"]);
    expect(lines(reflector, [reflector.answered(compact.LIST_MORE, -1, 1)])).toEqual([
      "list unset 100 true - 1",
    ]);
    expect(reflector.answered(compact.LIST_DONE, -1, 2)).toBe(compact.DONE);
  });

  it("poll: read again after their period, from the version they always ask for", () => {
    const reflector = new CompactReflector({ ...settings, mode: "poll", pageSize: 0 }, { fullAt: 0 }, 0);
    reflector.start(0);
    expect(lines(reflector, [reflector.answered(compact.LIST_DONE, -1, 5)])).toEqual(["wait 30000005"]);
    expect(lines(reflector, [reflector.woke(30_000_005)])).toEqual(["list unset 0 false - 1"]);
  });

  it("without retries pass Retry-After over and back off by their own rule", () => {
    const reflector = new CompactReflector(settings, { fullAt: 0 }, 0);
    reflector.start(0);
    const waits: number[] = [];
    let now = 0;
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(reflector.answered(compact.TOO_MANY, 32, now)).toBe(compact.WAIT);
      waits.push(reflector.until - now);
      now = reflector.until;
      reflector.woke(now);
    }
    expect(waits.map((ticks) => ticks / TICKS_PER_SECOND)).toEqual([1, 2, 4, 4]);
  });

  it("watch without a LIST", () => {
    const reflector = new CompactReflector({ ...settings, mode: "watch" }, { fullAt: 0 }, 0);
    expect(reflector.start(0)).toBe(compact.SEND);
    expect([reflector.verb, reflector.version]).toEqual([compact.WATCH, compact.UNSET]);
    expect(reflector.answered(compact.OPENED, -1, 1)).toBe(compact.STREAM);
    expect(reflector.isWatching).toBe(true);
  });
});
