import { expect } from "vitest";
import type {
  ObjectVolume,
  PricedRequest,
  RequestServing,
  ServingSource,
} from "../../lib/domain/cost/index.ts";
import type { Observed } from "./observe.ts";
import type { ServingCase } from "./requests.ts";
import { PODS, type ServedCluster } from "./served-cluster.ts";
import type { ServingCounters } from "./server-counters.ts";

/** What Headroom says of a request and a server shows of it, in one form. */
interface Answer {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly source: "etcd" | "memory" | "none" | "not told";
  readonly handled: number | "not told";
  readonly received: number;
  readonly seats: number;
}

/** Fails with both answers side by side where they differ. */
export function expectSame(
  cluster: ServedCluster,
  one: ServingCase,
  observed: Observed,
  priced: PricedRequest,
): void {
  const { serving } = priced;
  if (serving === null) throw new Error(`${one.path}: neither LIST nor WATCH`);
  const shown = shownBy(observed, serving, one);
  expect(shown).toEqual(saidBy(priced, serving, shown));
  expectState(cluster, observed, serving);
}

function shownBy(observed: Observed, serving: RequestServing, { of, isReadFirst }: ServingCase): Answer {
  const { counted, status, retryAfterSeconds, received, seats } = observed;
  const read = serving.isWatch
    ? watchRead(counted, serving, of === PODS)
    : { source: listSource(counted), handled: counted.cacheFetched + counted.etcdFetched };
  // Before etcd refuses it is asked, and up to 1.36 a LIST that fetches nothing asks for the current revision.
  const isRefused = serving.refusal !== null && (serving.isWatch || read.handled === 0 || isReadFirst);
  return {
    status,
    // A watch of its own on etcd is told to wait for 1 to 3 s, at random.
    retryAfterSeconds: serving.isWatch && of !== PODS ? null : retryAfterSeconds,
    source: isRefused ? "none" : read.source,
    handled: isReadFirst ? 0 : read.handled,
    received,
    seats,
  };
}

function listSource(counted: ServingCounters): Answer["source"] {
  if (counted.cacheLists > 0) return "memory";
  return counted.etcdLists > 0 ? "etcd" : "none";
}

/** A server counts what its cache hands a WATCH, and reads of etcd, but not the changes that etcd sends. */
function watchRead(
  { initialEvents, etcdRangeReads }: ServingCounters,
  { freshness }: RequestServing,
  isCached: boolean,
): Pick<Answer, "source" | "handled"> {
  if (freshness !== "after" && etcdRangeReads > 0) return { source: "etcd", handled: "not told" };
  const isTold = isCached && (freshness !== "after" || initialEvents > 0);
  return { source: isTold ? "memory" : "not told", handled: isCached ? initialEvents : "not told" };
}

const SOURCES: Readonly<Record<ServingSource, Answer["source"]>> = {
  cache: "memory",
  snapshot: "memory",
  history: "memory",
  etcd: "etcd",
  "etcd-page": "etcd",
  none: "none",
};

/** Where Headroom knows a bound, what is shown stands for it as long as it keeps to it. */
function saidBy({ initialSeats }: PricedRequest, serving: RequestServing, shown: Answer): Answer {
  const { refusal, source, handled, received } = serving;
  return {
    status: refusal?.status ?? 200,
    retryAfterSeconds: refusal?.retryAfterSeconds ?? null,
    source: shown.source === "not told" ? "not told" : SOURCES[source],
    handled: shown.handled === "not told" ? "not told" : within(handled, shown.handled),
    received: within(received, shown.received),
    seats: initialSeats,
  };
}

function within({ objects, isUpperBound }: ObjectVolume, shown: number): number {
  if (objects === null) throw new Error("the size of the collection was given");
  return isUpperBound ? Math.min(objects, shown) : objects;
}

/** The state that a LIST answered with is the one that Headroom says it asks for. */
function expectState(
  { names, current }: ServedCluster,
  { resourceVersion }: Observed,
  { isWatch, freshness, refusal }: RequestServing,
): void {
  if (isWatch || refusal !== null) return;
  const shown = Number(resourceVersion);
  const held = Number(current);
  if (freshness === "latest") expect(shown).toBeGreaterThanOrEqual(held);
  else if (freshness === "exact") expect([Number(names.past), held]).toContain(shown);
  // Nothing is written while the tests run: a cache that is fresh enough is at the end of its changes.
  else expect(shown).toBeGreaterThan(Number(names.past));
}
