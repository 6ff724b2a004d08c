import { estimateSeats } from "../../cost/index.ts";
import { MIN_WATCH_TIMEOUT_SECONDS } from "../../informers/reflector-request.ts";
import type { AgentInformer } from "../agent.ts";
import { ownNodeField, subjectOf } from "../informer-text.ts";
import { type Amount, addAmounts, exactly, NOTHING, timesAmount } from "./amount.ts";
import type { InformerCost } from "./informer-cost.ts";
import { objectBytes } from "./object-bytes.ts";
import type { Projection } from "./projection.ts";
import { collectionPath } from "./start-requests.ts";

/** What all copies cost while nothing happens but the cluster's own changes. */
export interface SteadyCost {
  readonly openWatches: Amount;
  /** Watches end after 300 to 600 s and are opened anew. */
  readonly watchRenewalsPerSecond: Amount;
  /** Polls and periodic relists. */
  readonly listsPerSecond: Amount;
  readonly listBytesPerSecond: Amount;
  /** Objects that the API server goes through for them. */
  readonly listObjectsPerSecond: Amount;
  /** Watch events to all copies together. */
  readonly eventsPerSecond: Amount;
  readonly eventBytesPerSecond: Amount;
  /** How the watches make writes dearer, one per resource, sorted; only where it is 10 watches and more. */
  readonly widenedWrites: readonly WidenedWrite[];
  /** What is not known, one phrase each. */
  readonly unknown: readonly string[];
}

/** What a write to one resource costs because of the watches of this agent on one API server. */
export interface WidenedWrite {
  /** `pods`. */
  readonly subject: string;
  /** On each API server, its watches spread evenly. */
  readonly watchersPerServer: number;
  /** Seats that a write holds after its answer, and for how long; without a cap of its level. */
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
  readonly seatSecondsPerWrite: number;
  /** Seats held all the time by it on one API server; `null`: the rate of writes is not known. */
  readonly meanSeats: number | null;
}

/** Drawn evenly from 300 to 600 s. */
const MEAN_WATCH_SECONDS = 1.5 * MIN_WATCH_TIMEOUT_SECONDS;

/** `copies`: those that read. */
export function steadyCost(
  informers: readonly InformerCost[],
  copies: number,
  projection: Projection,
): SteadyCost {
  const watching = informers.filter(
    ({ informer }) => informer.mode === "informer" || informer.mode === "watch",
  );
  const openWatches = exactly(watching.length * copies);
  const unknown: string[] = [];
  const events = watching.map((each) => eventsOf(each.informer, copies, projection, unknown));
  const lists = informers.map((each) => listsOf(each, copies, unknown));
  return {
    openWatches,
    watchRenewalsPerSecond: timesAmount(openWatches, 1 / MEAN_WATCH_SECONDS),
    listsPerSecond: addAmounts(lists.map(({ requests }) => requests)),
    listBytesPerSecond: addAmounts(lists.map(({ bytes }) => bytes)),
    listObjectsPerSecond: addAmounts(lists.map(({ objects }) => objects)),
    eventsPerSecond: addAmounts(events.map(({ count }) => count)),
    eventBytesPerSecond: addAmounts(events.map(({ bytes }) => bytes)),
    widenedWrites: widenedWrites(
      watching.map(({ informer }) => informer),
      copies,
      projection,
    ),
    unknown: [...new Set(unknown)],
  };
}

const UNKNOWN: Amount = { ...NOTHING, isComplete: false };

function listsOf({ informer, start }: InformerCost, copies: number, unknown: string[]) {
  const { mode, periodSeconds } = informer;
  if (mode === "poll" && periodSeconds === null) {
    unknown.push(`${subjectOf(informer)}: how often it is polled`);
    return { requests: UNKNOWN, bytes: UNKNOWN, objects: UNKNOWN };
  }
  if (periodSeconds === null) return { requests: NOTHING, bytes: NOTHING, objects: NOTHING };
  const perSecond = copies / periodSeconds;
  // A relist opens no second watch.
  const requests = mode === "informer" ? Math.max(1, start.requests.value - 1) : start.requests.value;
  return {
    requests: { ...start.requests, value: requests * perSecond },
    bytes: timesAmount(start.wireBytes, perSecond),
    objects: timesAmount(start.handledObjects, perSecond),
  };
}

function eventsOf(informer: AgentInformer, copies: number, { collectionOf }: Projection, unknown: string[]) {
  const collection = collectionOf(informer.apiGroup, informer.resource);
  const rate = collection?.changesPerSecond ?? null;
  if (collection === null || rate === null) {
    unknown.push(`${subjectOf(informer)}: how often it changes`);
    return { count: UNKNOWN, bytes: UNKNOWN };
  }
  const size = objectBytes(collection, informer.representation).bytes;
  // A change of an object goes to the one copy whose node it is on, or to all of them; a selector may leave fewer.
  const receivers = informer.scope === "own-node" ? Math.min(1, copies) : copies;
  const isUpperBound =
    informer.scope === "namespace" || informer.scope === "single-object" || informer.labelSelector !== null;
  const count: Amount = { value: rate * receivers, isComplete: true, isUpperBound };
  return { count, bytes: { ...count, value: count.value * (size ?? 0), isComplete: size !== null } };
}

function widenedWrites(
  informers: readonly AgentInformer[],
  copies: number,
  projection: Projection,
): WidenedWrite[] {
  const bySubject = Map.groupBy(informers.filter(countsForWrites), subjectOf);
  return [...bySubject]
    .flatMap(([subject, alike]) => {
      const [first] = alike;
      return first === undefined ? [] : [widenedWrite(subject, first, alike.length * copies, projection)];
    })
    .filter(({ finalSeats }) => finalSeats > 0)
    .sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

/** Watches of one object, and of pods by their node, do not make the writes of others dearer. */
function countsForWrites(informer: AgentInformer): boolean {
  if (informer.scope === "single-object" || informer.apiGroup === "*" || informer.resource === "*")
    return false;
  if (informer.scope !== "own-node") return true;
  const isIndexed = informer.resource === "pods" || ownNodeField(informer) === "metadata.name";
  return !isIndexed;
}

function widenedWrite(
  subject: string,
  informer: AgentInformer,
  watches: number,
  projection: Projection,
): WidenedWrite {
  const { versionText, facts, apiServers, collectionOf } = projection;
  const watchersPerServer = watches / apiServers;
  const { finalSeats, additionalLatencyMs } = estimateSeats({
    method: "PATCH",
    path: `${collectionPath({ ...informer, scope: "namespace" })}/x`,
    v: versionText,
    gates: facts.featureGates,
    watchers: Math.round(watchersPerServer),
  });
  const seatSecondsPerWrite = (finalSeats * additionalLatencyMs) / 1000;
  const rate = collectionOf(informer.apiGroup, informer.resource)?.changesPerSecond ?? null;
  return {
    subject,
    watchersPerServer,
    finalSeats,
    additionalLatencyMs,
    seatSecondsPerWrite,
    meanSeats: rate === null ? null : (rate / apiServers) * seatSecondsPerWrite,
  };
}
