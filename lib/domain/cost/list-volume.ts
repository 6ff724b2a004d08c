import { type GateSettings, isGateEnabled } from "../kubernetes/feature-gates.ts";
import { parseFieldSelector } from "../kubernetes/field-selector.ts";
import type { RequestInfo } from "../kubernetes/request.ts";
import { requiredField } from "../kubernetes/request.ts";
import { hasSelector } from "./list-seats.ts";
import type { SeatRules } from "./seat-rules.ts";
import type { ObjectVolume, ServingSource } from "./serving.ts";

/** The largest page that the API server asks etcd for while it looks for matches. */
const LARGEST_ETCD_PAGE = 10_000;

export interface VolumeInput {
  readonly rules: SeatRules;
  readonly gates: GateSettings;
  /** With list options. */
  readonly request: RequestInfo;
  readonly source: ServingSource;
  readonly isSingleKey: boolean;
  readonly isLimitHonoured: boolean;
  /** Objects of the resource; `null`: not known. */
  readonly objects: number | null;
  /** The namespace that bounds the range, of the path or of the field selector; empty: none. */
  readonly namespace: string;
  readonly namespaceObjects: number | null;
  readonly matchingObjects: number | null;
  /** Mean stored bytes; `null`: not known. */
  readonly storedBytes: number | null;
  readonly responseBytes: number | null;
}

export interface ListVolume {
  readonly handled: ObjectVolume;
  readonly received: ObjectVolume;
  readonly steps: readonly string[];
}

export interface Count {
  readonly objects: number | null;
  readonly isUpperBound: boolean;
}

/** Objects and bytes that the API server goes through for a LIST, and that its client receives. */
export function listVolume(input: VolumeInput): ListVolume {
  if (input.source === "none") return { handled: NOTHING, received: NOTHING, steps: [] };
  const inRange = countInRange(input);
  const { count: handled, step } = handledCount(input, inRange);
  const received = receivedCount(input, inRange);
  return {
    handled: volume(handled, input.storedBytes),
    received: volume(received, input.responseBytes ?? input.storedBytes),
    steps: [step],
  };
}

export const NOTHING: ObjectVolume = { objects: 0, bytes: 0, isUpperBound: false };

export function volume({ objects, isUpperBound }: Count, objectBytes: number | null): ObjectVolume {
  const bytes =
    objects === null || (objectBytes === null && objects > 0) ? null : objects * (objectBytes ?? 0);
  return { objects, bytes, isUpperBound };
}

/** Objects of the namespace asked for, or of all; what a continue token has passed already is not known. */
export function countInRange({ namespace, namespaceObjects, objects, request }: VolumeInput): Count {
  const isContinued = request.options?.continue !== "";
  if (namespace === "") return { objects, isUpperBound: isContinued };
  if (namespaceObjects !== null) return { objects: namespaceObjects, isUpperBound: isContinued };
  return { objects, isUpperBound: true };
}

function handledCount(input: VolumeInput, inRange: Count): { readonly count: Count; readonly step: string } {
  const { source, isSingleKey } = input;
  // Whether there is one of this name, only a match tells.
  if (isSingleKey)
    return {
      count: { objects: 1, isUpperBound: (input.matchingObjects ?? 0) === 0 },
      step: "One object is read by its key.",
    };
  if (source === "etcd") {
    return { count: inRange, step: "All objects of the range are read from etcd and decoded." };
  }
  if (source === "etcd-page") return pagesFromEtcd(input, inRange);
  const index = indexUsed(input);
  if (index !== null) {
    const objects = input.matchingObjects;
    // What else is asked for narrows the matches further, but not what is looked at.
    return {
      count:
        objects === null || !selectsByIndexOnly(input, index)
          ? { objects: inRange.objects, isUpperBound: true }
          : { objects, isUpperBound: false },
      step: `Only what the index by ${index} holds for the value is looked at.`,
    };
  }
  if (input.namespace !== "" && !walksNamespaceOnly(input)) {
    return {
      count: { objects: input.objects, isUpperBound: false },
      step: "All objects of the resource are looked at, whatever namespace they are in.",
    };
  }
  return { count: inRange, step: "All objects of the range are looked at in memory." };
}

/** Pages are read until `limit` objects match; each is twice as large as the one before. */
function pagesFromEtcd(input: VolumeInput, inRange: Count): { readonly count: Count; readonly step: string } {
  const options = input.request.options;
  const limit = options?.limit ?? 0;
  const all = inRange.objects;
  if (options === null || !hasSelector(options)) {
    const objects = all === null ? limit : Math.min(limit, all);
    return {
      count: { objects, isUpperBound: inRange.isUpperBound || all === null },
      step: "One page is read from etcd and decoded.",
    };
  }
  const step = "Pages are read from etcd, each twice the size of the last, until enough objects match.";
  if (all === null || input.matchingObjects === null || inRange.isUpperBound) {
    return { count: { objects: all, isUpperBound: true }, step };
  }
  const matches = Math.min(limit, input.matchingObjects);
  const needed = input.matchingObjects < limit ? all : Math.ceil((matches * all) / input.matchingObjects);
  let read = 0;
  for (
    let page = limit;
    read < all && (read === 0 || read < needed);
    page = Math.min(2 * page, LARGEST_ETCD_PAGE)
  ) {
    read = Math.min(all, read + page);
  }
  return {
    count: { objects: read, isUpperBound: false },
    step: `${step} Matches are taken to be spread evenly.`,
  };
}

/** What of the range the client gets: what matches, up to the limit where that is honoured. */
export function receivedCount(input: VolumeInput, inRange: Count): Count {
  const { request, isLimitHonoured, matchingObjects, isSingleKey } = input;
  const options = request.options;
  if (isSingleKey) {
    return matchingObjects === null
      ? { objects: 1, isUpperBound: true }
      : { objects: Math.min(1, matchingObjects), isUpperBound: false };
  }
  const limit = isLimitHonoured ? (options?.limit ?? 0) : Number.POSITIVE_INFINITY;
  const isFiltered = options !== null && hasSelector(options);
  const matching: Count =
    matchingObjects !== null
      ? { objects: matchingObjects, isUpperBound: inRange.isUpperBound && options?.continue !== "" }
      : { objects: inRange.objects, isUpperBound: inRange.isUpperBound || isFiltered };
  if (matching.objects === null) {
    return Number.isFinite(limit) ? { objects: limit, isUpperBound: true } : matching;
  }
  return { objects: Math.min(limit, matching.objects), isUpperBound: matching.isUpperBound };
}

/** The field whose index the cache reads by, or `null`. Continued LISTs and snapshots use none. */
function indexUsed({ rules, request, source }: VolumeInput): string | null {
  const { options, apiGroup, resource } = request;
  if (source !== "cache" || options === null || options.continue !== "") return null;
  const isIndexed =
    (apiGroup === "" && resource === "pods") ||
    (apiGroup === "resource.k8s.io" && resource === "resourceslices" && rules.version.minor >= 33);
  if (!isIndexed) return null;
  return requiredField(options, "spec.nodeName", rules.version.minor) === null ? null : "spec.nodeName";
}

/** True where the index, and the namespace of the range, are all that the selectors ask for. */
function selectsByIndexOnly({ request }: VolumeInput, index: string): boolean {
  const { options } = request;
  if (options === null || options.labelSelector !== "") return false;
  const terms = parseFieldSelector(options.fieldSelector) ?? [];
  return terms.every(
    ({ field, operator }) => operator === "=" && (field === index || field === "metadata.namespace"),
  );
}

/** The cache is a B-tree by key since 1.32. Pods had an index by namespace in 1.30 and 1.31. */
function walksNamespaceOnly({ rules, gates, request }: VolumeInput): boolean {
  if (isGateEnabled("BtreeWatchCache", rules.version, gates)) return true;
  const { minor } = rules.version;
  return minor >= 30 && request.apiGroup === "" && request.resource === "pods";
}
