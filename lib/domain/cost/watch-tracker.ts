import { parseRequest, type RequestInfo, requiredField } from "../kubernetes/request.ts";
import { NEWEST_KNOWN_MINOR } from "../kubernetes/version.ts";
import type { RequestLine } from "./estimate-seats.ts";

/**
 * The watches that one API server counts to price writes. Each API server has its own; a watch counts for the resource
 * it names, whatever its label selector, and watches of pods that pin `spec.nodeName` to a node do not count at all.
 * Source: apiserver pkg/util/flowcontrol/watch_tracker.go, v0.26 to v0.37 alike.
 */
export interface WatchTracker {
  /** Counts a watch. The function returned forgets it, once. A request that is no watch is not counted. */
  readonly register: (request: RequestLine) => () => void;
  /** Watches interested in what the request writes; 0 for reads. */
  readonly countInterested: (request: RequestLine | RequestInfo) => number;
  /** Counts by watched resource, namespace and name, sorted: for drawing and debugging. */
  readonly dump: () => readonly WatchCount[];
}

export interface WatchCount {
  readonly apiGroup: string;
  readonly resource: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  /** Empty: all names. */
  readonly name: string;
  readonly watches: number;
}

const READ_VERBS = new Set(["get", "list", "watch", "proxy"]);
/** The field whose watches the cache dispatches by index, by resource. Of any group: `pods` of metrics.k8s.io, too. */
const INDEXED_FIELDS: Readonly<Record<string, string>> = { pods: "spec.nodeName" };
const SEPARATOR = "/";

/** `minor` matters for one corner of label selectors only (see `isLabelSelector`). */
export function createWatchTracker(minor: number = NEWEST_KNOWN_MINOR): WatchTracker {
  const counts = new Map<string, number>();
  const add = (key: string, step: number) => {
    const count = (counts.get(key) ?? 0) + step;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  const count = (key: string) => counts.get(key) ?? 0;
  return {
    register: ({ method, path, query }) => {
      const info = parseRequest(method, path, query ?? "", minor);
      if (info.verb !== "watch" || isDispatchedByIndex(info, minor)) return () => undefined;
      const key = keyOf(info.apiGroup, info.resource, info.namespace, info.name);
      add(key, 1);
      let isKnown = true;
      return () => {
        if (isKnown) add(key, -1);
        isKnown = false;
      };
    },
    countInterested: (request) => {
      const info =
        "verb" in request ? request : parseRequest(request.method, request.path, request.query ?? "", minor);
      if (READ_VERBS.has(info.verb)) return 0;
      const { apiGroup, resource, namespace, name } = info;
      let interested = count(keyOf(apiGroup, resource, "", ""));
      if (namespace !== "") interested += count(keyOf(apiGroup, resource, namespace, ""));
      if (name !== "") interested += count(keyOf(apiGroup, resource, namespace, name));
      return interested;
    },
    dump: () =>
      [...counts]
        .map(([key, watches]) => {
          const [apiGroup = "", resource = "", namespace = "", name = ""] = key.split(SEPARATOR);
          return { apiGroup, resource, namespace, name, watches };
        })
        .sort((a, b) => compareKeys(a, b)),
  };
}

/** W for one write against watches given as requests: the sum of what `createWatchTracker` would count. */
export function countInterestedWatchers(
  watches: readonly RequestLine[],
  request: RequestLine | RequestInfo,
  minor?: number,
): number {
  const tracker = createWatchTracker(minor);
  for (const watch of watches) tracker.register(watch);
  return tracker.countInterested(request);
}

/** A watch that requires one non-empty value of an indexed field. The empty value counts as none. */
function isDispatchedByIndex({ resource, options }: RequestInfo, minor: number): boolean {
  const field = Object.hasOwn(INDEXED_FIELDS, resource) ? INDEXED_FIELDS[resource] : undefined;
  if (field === undefined || options === null) return false;
  return (requiredField(options, field, minor) ?? "") !== "";
}

/** Parts of a path hold no slash once it is split, except names out of escapes, which split before as well. */
const keyOf = (...parts: readonly string[]) => parts.join(SEPARATOR);

function compareKeys(a: WatchCount, b: WatchCount): number {
  for (const part of ["apiGroup", "resource", "namespace", "name"] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  return 0;
}
