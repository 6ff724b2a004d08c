import type { InformerScope, ReadMode } from "../agent.ts";
import type { Evidence } from "../evidence.ts";
import { OWN_NODE, subjectOf } from "../informer-text.ts";
import type {
  InformerObservation,
  LearnedInformer,
  ObservedLoop,
  ObservedPeak,
  ObservedPeriod,
} from "./learned-agents.ts";
import { loopOf } from "./loops.ts";
import { NAME_PLACE } from "./read-selector.ts";
import { FLOW_NAMES, type FlowName, ReadShape } from "./read-shape.ts";
import { joinCodes, RequestFlow } from "./request-flow.ts";

/** What one agent reads, out of what was counted. */
export interface ShapeReads {
  readonly informers: readonly LearnedInformer[];
  /** GETs without a period, by what they are. */
  readonly others: ReadonlyMap<string, number>;
  readonly loops: readonly ObservedLoop[];
  readonly notes: readonly string[];
}

/** So many intervals between requests of one copy tell a timer. */
const TELLING_INTERVALS = 4;
/** GETs of one object at longer intervals are no poll worth a line. */
const LONGEST_POLL_SECONDS = 3600;

export function describeReads(shapes: readonly ReadShape[], evidence: Evidence): ShapeReads {
  const informers: LearnedInformer[] = [];
  const others = new Map<string, number>();
  const loops: ObservedLoop[] = [];
  const notes = new Set<string>();
  const folded = foldNamespaces(shapes);
  for (const shape of folded) {
    const subject = subjectOf(shape.key);
    for (const name of FLOW_NAMES) {
      const flow = shape.flow(name);
      if (flow !== null)
        loops.push(...[loopOf(`${VERBS[name]} ${subject}`, flow)].filter((loop) => loop !== null));
    }
    if (shape.key.isObject) {
      const poll = pollOfObjects(shape, evidence);
      if (poll === null)
        others.set(
          `get ${subject}`,
          (others.get(`get ${subject}`) ?? 0) + (shape.flow("gets")?.requests ?? 0),
        );
      else informers.push(poll);
    } else informers.push(...readsOfCollection(shape, evidence));
    const note = noteOf(shape, subject);
    if (note !== null) notes.add(note);
  }
  return { informers, others, loops, notes: [...notes] };
}

const VERBS: Readonly<Record<FlowName, string>> = {
  lists: "list",
  newest: "list",
  pages: "list",
  watches: "watch",
  gets: "get",
};

/** Where a thing is read in more namespaces than are told apart, all of them are one informer. */
function foldNamespaces(shapes: readonly ReadShape[]): readonly ReadShape[] {
  const many = shapes.filter(({ key }) => key.namespace === null);
  if (many.length === 0) return shapes;
  const parts = Map.groupBy(shapes, (shape) => {
    const { namespace } = shape.key;
    return namespace === "" ? undefined : many.find((each) => isAlike(each, shape));
  });
  return [...parts].flatMap(([target, alike]) => {
    if (target === undefined) return alike;
    // A shape of its own: learning may go on with the others.
    const folded = new ReadShape(target.key, UNBOUNDED());
    for (const shape of alike) folded.absorb(shape);
    return [folded];
  });
}

/** What is only summed up needs no bound: its parts had theirs. */
const UNBOUNDED = () => ({ copies: Number.POSITIVE_INFINITY, timedCopies: 0, names: 0 });

function isAlike({ key: a }: ReadShape, { key: b }: ReadShape): boolean {
  return (
    a.resource === b.resource &&
    a.apiGroup === b.apiGroup &&
    a.fieldSelector === b.fieldSelector &&
    a.labelSelector === b.labelSelector &&
    a.isObject === b.isObject
  );
}

/**
 * LISTs and WATCHes of one thing are an informer. LISTs of what is newest beside an informer are a poll of its own where
 * they come by a timer; else they are how the informer lists anew when its version has expired.
 */
function readsOfCollection(shape: ReadShape, evidence: Evidence): LearnedInformer[] {
  const lists = shape.flow("lists");
  const newest = shape.flow("newest");
  const watches = shape.flow("watches");
  const newestPeriod = newest === null ? null : periodOf(newest);
  const isPollBeside =
    newest !== null &&
    newestPeriod?.isRegular === true &&
    (lists !== null || watches !== null) &&
    !isRelisting(newest, watches);
  const listFlows = (isPollBeside ? [lists] : [lists, newest]).filter((flow) => flow !== null);
  const result: LearnedInformer[] = [];
  if (listFlows.length > 0 || watches !== null) {
    const period = listFlows.map(periodOf).find((each) => each !== null) ?? null;
    const mode = modeOf(shape, { hasLists: listFlows.length > 0, period });
    result.push(toInformer(shape, { mode, flows: listFlows, watches, period, evidence }));
  }
  if (isPollBeside) {
    result.push(
      toInformer(shape, { mode: "poll", flows: [newest], watches: null, period: newestPeriod, evidence }),
    );
  }
  // Pages alone: the log begins in the midst of a LIST, of which nothing else is known.
  return result;
}

/** A client that lists before each watch it opens: the watches have the rhythm of the lists. */
const isRelisting = (lists: RequestFlow, watches: RequestFlow | null): boolean =>
  watches !== null && lists.requests <= 2 * watches.requests && watches.requests <= 2 * lists.requests;

function modeOf(
  shape: ReadShape,
  { hasLists, period }: { readonly hasLists: boolean; readonly period: ObservedPeriod | null },
): ReadMode {
  if (shape.flow("watches") !== null) {
    return hasLists || shape.watchLists > 0 || shape.continuedWatches > 0 ? "informer" : "watch";
  }
  return period === null ? "list" : "poll";
}

interface ReadParts {
  readonly mode: ReadMode;
  /** LISTs or GETs. */
  readonly flows: readonly RequestFlow[];
  readonly watches: RequestFlow | null;
  readonly period: ObservedPeriod | null;
  readonly evidence: Evidence;
}

function toInformer(shape: ReadShape, parts: ReadParts): LearnedInformer {
  const { key } = shape;
  const { mode, watches, period } = parts;
  const isOwnNode = shape.isOwnNode;
  const observed = observationOf(shape, parts);
  const hasLists = observed.lists > 0;
  const isWatchList = shape.watchLists > 0 && watches !== null;
  return {
    apiGroup: key.apiGroup,
    resource: key.resource,
    scope: scopeOf(shape, isOwnNode),
    namespace: namespaceOf(shape),
    fieldSelector: selectorOf(shape, isOwnNode),
    labelSelector: key.labelSelector,
    representation: null,
    mode,
    periodSeconds: mode === "poll" || period?.isRegular === true ? (period?.medianSeconds ?? null) : null,
    resourceVersion: hasLists ? versionOf(observed) : null,
    pageSize: hasLists ? (observed.limits[0]?.limit ?? null) : null,
    watchList: isWatchList ? true : watches !== null && hasLists ? false : null,
    evidence: {
      ...parts.evidence,
      observedAt: observed.lastAt === null ? parts.evidence.observedAt : Math.round(observed.lastAt),
      raisedBy:
        mode === "informer" && !hasLists && !isWatchList
          ? "A log over the start of a copy: its watches were seen, but not the LIST before them."
          : parts.evidence.raisedBy,
    },
    observed,
  };
}

/** An exact version is what client-go goes back to and no setting of it: as the library does. */
function versionOf({ resourceVersions: { zero, unset } }: InformerObservation): "0" | "" | null {
  if (zero > 0) return "0";
  return unset > 0 ? "" : null;
}

/** Objects by name are not told apart by their namespaces; where there is only one, it is named. */
function namespaceOf({ key, namespaces }: ReadShape): string | null {
  if (key.namespace !== "") return key.namespace;
  const [only] = namespaces;
  return namespaces.size === 1 && only !== undefined ? only : null;
}

function scopeOf({ key }: ReadShape, isOwnNode: boolean): InformerScope {
  if (isOwnNode) return "own-node";
  if (key.isObject || key.nameField === "metadata.name") return "single-object";
  return key.namespace === "" ? "cluster" : "namespace";
}

function selectorOf(shape: ReadShape, isOwnNode: boolean): string | null {
  const { key, names } = shape;
  const [only] = names;
  // A GET names its object in the path; as a selector it says the same.
  if (key.isObject) {
    const name = names.size === 1 ? only?.slice(only.indexOf("/") + 1) : undefined;
    return `metadata.name=${name ?? NAME_PLACE}`;
  }
  if (key.fieldSelector === null) return null;
  // One node for all copies is named; so is the one object that is asked for.
  const value =
    isOwnNode && !isOneForAll(shape) ? OWN_NODE : names.size === 1 && only !== undefined ? only : NAME_PLACE;
  return key.fieldSelector.replace(NAME_PLACE, () => value);
}

/** Several copies that all ask for the same node. */
const isOneForAll = (shape: ReadShape): boolean =>
  shape.key.nameField === "spec.nodeName" &&
  shape.names.size === 1 &&
  shape.ownNames === 0 &&
  FLOW_NAMES.some((name) => (shape.flow(name)?.copies ?? 0) > 1);

/** GETs of single objects that come by a timer; `null` for others. */
function pollOfObjects(shape: ReadShape, evidence: Evidence): LearnedInformer | null {
  const gets = shape.flow("gets");
  const period = gets === null ? null : periodOf(gets);
  if (gets === null || period === null || !period.isRegular || period.medianSeconds > LONGEST_POLL_SECONDS)
    return null;
  return toInformer(shape, { mode: "poll", flows: [gets], watches: null, period, evidence });
}

function observationOf(shape: ReadShape, { flows, watches, period }: ReadParts): InformerObservation {
  const lists = shape.flow("lists");
  const newest = shape.flow("newest");
  const isGets = shape.key.isObject;
  const isMain = !isGets && (flows.includes(lists ?? NONE) || watches !== null || lists === null);
  const pages = isMain ? shape.flow("pages") : null;
  const all = [...flows, watches, pages].filter((flow) => flow !== null);
  const requests = flows.reduce((sum, flow) => sum + flow.requests, 0);
  const codes = joinCodes(all);
  const codeCount = (wanted: number) => codes.find(({ code }) => code === wanted)?.requests ?? 0;
  const durations = joinedDurations(flows);
  return {
    firstAt: extreme(
      all.map(({ firstAt }) => firstAt),
      Math.min,
    ),
    lastAt: extreme(
      all.map(({ lastAt }) => lastAt),
      Math.max,
    ),
    lists: isGets ? 0 : requests,
    pages: pages?.requests ?? 0,
    watches: watches?.requests ?? 0,
    watchLists: watches === null ? 0 : shape.watchLists,
    gets: isGets ? requests : 0,
    resourceVersions: {
      zero: flows.includes(lists ?? NONE) ? shape.zeroLists : 0,
      exact: flows.includes(lists ?? NONE) ? shape.exactLists : 0,
      unset: flows.includes(newest ?? NONE) ? (newest?.requests ?? 0) : 0,
    },
    limits: limitsOf(shape, { lists: flows.includes(lists ?? NONE), newest: flows.includes(newest ?? NONE) }),
    copies: Math.max(0, ...all.map((flow) => flow.copies)),
    isCopiesAtLeast: all.some(({ isCopiesAtLeast }) => isCopiesAtLeast),
    namespaces: shape.namespaces.size,
    names: shape.names.size,
    relists: isGets ? 0 : Math.max(0, requests - Math.max(0, ...flows.map(({ copies }) => copies))),
    expired: codeCount(410),
    throttled: codeCount(429),
    codes,
    period,
    peak: highest(all.map(({ peakPerSecond, peakAt }) => [peakPerSecond, peakAt] as const)),
    peakOfOneCopy: highest(
      all.map(({ peakOfOneCopy, peakOfOneCopyAt }) => [peakOfOneCopy, peakOfOneCopyAt] as const),
    ),
    durationSecondsP50: durations?.[0] ?? null,
    durationSecondsP99: durations?.[1] ?? null,
    queueWaitSecondsMax: shape.queueWaitSecondsMax,
  };
}

/** Stands where there is no flow, and is in no list of flows. */
const NONE = new RequestFlow({ copies: 0, timedCopies: 0, names: 0 }, "counted");

/** LISTs by limit, most frequent first. */
function limitsOf(
  { limits }: ReadShape,
  isOf: Readonly<Record<"lists" | "newest", boolean>>,
): InformerObservation["limits"] {
  const sum = new Map<number, number>();
  for (const name of ["lists", "newest"] as const) {
    if (!isOf[name]) continue;
    for (const [limit, requests] of limits[name]) sum.set(limit, (sum.get(limit) ?? 0) + requests);
  }
  return [...sum]
    .map(([limit, requests]) => ({ limit, requests }))
    .sort((a, b) => b.requests - a.requests || b.limit - a.limit);
}

function joinedDurations(flows: readonly RequestFlow[]): readonly [number, number] | null {
  const [most] = flows.toSorted((a, b) => b.durations.count - a.durations.count);
  return most?.durations.quantiles([0.5, 0.99] as const) ?? null;
}

function highest(peaks: readonly (readonly [number, number | null])[]): ObservedPeak | null {
  let best: ObservedPeak | null = null;
  for (const [requestsPerSecond, at] of peaks) {
    if (at !== null && requestsPerSecond > (best?.requestsPerSecond ?? 0)) best = { requestsPerSecond, at };
  }
  return best;
}

function extreme(instants: readonly (number | null)[], pick: (...values: number[]) => number): number | null {
  const known = instants.filter((each) => each !== null);
  return known.length === 0 ? null : pick(...known);
}

/** `null` where fewer than four times between two requests of one copy are known. */
function periodOf({ intervals }: RequestFlow): ObservedPeriod | null {
  if (intervals.count < TELLING_INTERVALS) return null;
  const quantiles = intervals.quantiles([0.1, 0.25, 0.5, 0.75, 0.9] as const);
  if (quantiles === null) return null;
  const [p10, p25, median, p75, p90] = quantiles;
  return {
    medianSeconds: roundSeconds(median),
    secondsP10: roundSeconds(p10),
    secondsP90: roundSeconds(p90),
    intervals: intervals.count,
    isRegular: median > 0 && p75 - p25 <= 0.5 * median,
  };
}

/** To three digits: more would be noise of the network. */
const roundSeconds = (seconds: number): number => Number(seconds.toPrecision(3));

function noteOf(shape: ReadShape, subject: string): string | null {
  const { key, names, namespaces } = shape;
  if (key.namespace === null)
    return `It reads ${subject} in ${namespaces.size} namespaces, more than are told apart: one line stands for all.`;
  if (isOneForAll(shape)) return `All copies ask for ${subject} of the same node, ${[...names][0]}.`;
  return null;
}
