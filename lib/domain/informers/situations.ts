import type { InformerClient } from "./clients.ts";
import type { ServerScript } from "./server-script.ts";
import { ReflectorSimulation, type SentRequest } from "./simulate-reflector.ts";

/** What may happen to an informer, by name. */
export const REFLECTOR_SITUATIONS = [
  "start",
  "start-without-server-watch-list",
  "start-rejected",
  "start-expired",
  "start-paged",
  "watch-ends",
  "watch-lost",
  "watch-expired",
  "watch-expired-twice",
  "watch-rejected",
  "server-away",
] as const;

export type ReflectorSituation = (typeof REFLECTOR_SITUATIONS)[number];

/** The requests of one situation in order. Instants have the mean jitter: half of each base on top. */
export interface SituationRequests {
  readonly situation: ReflectorSituation;
  /** For people. */
  readonly title: string;
  readonly requests: readonly SentRequest[];
}

interface Situation {
  readonly title: string;
  readonly script: ServerScript;
  readonly requests: number;
}

/** Later than the last request of any situation. */
const LONGEST_SECONDS = 3600;

/** What an informer of a client sends in a situation, with WatchListClient as the client has it or as it is set. */
export function reflectorRequests(
  client: InformerClient,
  situation: ReflectorSituation,
  watchList: boolean = client.watchListDefault,
): SituationRequests {
  const { title, script, requests } = SITUATIONS[situation];
  const simulation = new ReflectorSimulation({
    rules: client.rules,
    watchList,
    random: () => 0.5,
    server: script,
  });
  return { situation, title, requests: simulation.runUntil(LONGEST_SECONDS, requests) };
}

const LISTED = { kind: "ok", rv: "100" } as const;
const HOLD = { kind: "hold" } as const;
const INITIAL = { kind: "initial", rv: "100" } as const;
const REJECTED = { kind: "status", code: 429, reason: "TooManyRequests", retryAfter: 1 } as const;
const EXPIRED = { kind: "status", code: 410, reason: "Expired" } as const;
const REFUSED = { kind: "refused" } as const;
const NO_WATCH_LIST = { kind: "status", code: 422, reason: "Invalid" } as const;
const ENDS = { kind: "close", rv: "100", afterMs: 300_000, events: 1 } as const;
const EXPIRES = { kind: "error", code: 410, reason: "Expired", afterMs: 300_000 } as const;

/** The server of each situation. An endless one is cut after so many requests as show its rhythm. */
const SITUATIONS: Readonly<Record<ReflectorSituation, Situation>> = {
  start: {
    title: "The informer starts and the watch stays open",
    script: { list: [LISTED], watch: [HOLD], watchList: [INITIAL] },
    requests: 2,
  },
  "start-without-server-watch-list": {
    title: "The informer starts against an API server without WatchList",
    script: { list: [LISTED], watch: [HOLD], watchList: [NO_WATCH_LIST] },
    requests: 3,
  },
  "start-rejected": {
    title: "Everything is answered with 429 and Retry-After 1",
    script: { list: [REJECTED], watch: [REJECTED], watchList: [REJECTED] },
    requests: 23,
  },
  "start-expired": {
    title: "The first LIST is answered with 410",
    script: { list: [EXPIRED, LISTED], watch: [HOLD], watchList: [EXPIRED, INITIAL] },
    requests: 3,
  },
  "start-paged": {
    title: "The resource has no cache: the first LIST comes in pages",
    script: {
      list: [{ ...LISTED, continue: "page-2" }, { ...LISTED, continue: "page-3" }, LISTED],
      watch: [HOLD],
      watchList: [NO_WATCH_LIST],
    },
    requests: 5,
  },
  "watch-ends": {
    title: "The watch ends after its time",
    script: {
      list: [LISTED],
      watch: [ENDS, HOLD],
      watchList: [{ ...INITIAL, kind: "initialClose", afterMs: 300_000 }],
    },
    requests: 3,
  },
  "watch-lost": {
    title: "The watch breaks at once, without any event",
    script: {
      list: [LISTED],
      watch: [{ kind: "close", rv: "100", afterMs: 100 }, HOLD],
      watchList: [{ ...INITIAL, kind: "initialClose", afterMs: 100 }, INITIAL],
    },
    requests: 4,
  },
  "watch-expired": {
    title: "The watch ends with 410",
    script: {
      list: [LISTED],
      watch: [EXPIRES, HOLD],
      watchList: [{ ...INITIAL, kind: "initial410", afterMs: 300_000 }, INITIAL],
    },
    requests: 4,
  },
  "watch-expired-twice": {
    title: "The watch ends with 410, and so does the LIST after it",
    script: {
      list: [LISTED, EXPIRED, LISTED],
      watch: [EXPIRES, HOLD],
      watchList: [{ ...INITIAL, kind: "initial410", afterMs: 300_000 }, EXPIRED, INITIAL],
    },
    requests: 5,
  },
  "watch-rejected": {
    title: "The watch ends, and opening it again is answered with 429 and Retry-After 1",
    script: {
      list: [LISTED],
      watch: [ENDS, REJECTED],
      watchList: [{ ...INITIAL, kind: "initialClose", afterMs: 300_000 }],
    },
    requests: 24,
  },
  "server-away": {
    title: "The API server refuses connections",
    script: { list: [REFUSED], watch: [REFUSED], watchList: [REFUSED] },
    requests: 8,
  },
};
