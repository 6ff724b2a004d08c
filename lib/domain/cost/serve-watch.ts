import { isGateEnabled } from "../kubernetes/feature-gates.ts";
import { parseRequest, type RequestInfo } from "../kubernetes/request.ts";
import { refusalOfOptions, refusalOfWatchOptions } from "./list-refusal.ts";
import { hasSelector, stateOf } from "./list-seats.ts";
import { type Count, countInRange, NOTHING, receivedCount, type VolumeInput, volume } from "./list-volume.ts";
import { type SeatRules, seatRules } from "./seat-rules.ts";
import { boundingNamespace, isPositive } from "./serve-list.ts";
import {
  isCachedByDefault,
  isNamespacedByDefault,
  type RequestServing,
  type ServingInput,
} from "./serving.ts";
import { decideWatchSource, type WatchDecision } from "./watch-source.ts";

/**
 * What the API server goes through for a WATCH before its first live change, where that is taken from, and what the
 * client receives of it; `null` for a request that is no WATCH.
 *
 * @throws {RangeError} where `v` is no version.
 * Source: apiserver pkg/storage/cacher, pkg/storage/etcd3/watcher.go, pkg/registry/generic/registry/store.go, v0.26 to v0.37.
 */
export function serveWatch(input: ServingInput): RequestServing | null {
  const rules = seatRules(input.v, input.gates, input.etcdProgress);
  const request = parseRequest(input.method, input.path, input.query ?? "", rules.version.minor);
  return serveParsedWatch(rules, request, input);
}

/** The same for a request that is parsed already. */
export function serveParsedWatch(
  rules: SeatRules,
  request: RequestInfo,
  input: ServingInput,
): RequestServing | null {
  const { options } = request;
  if (request.verb !== "watch" || options === null) return null;
  const { minor } = rules.version;
  const gates = input.gates ?? {};
  const hasWatchList = isGateEnabled("WatchList", rules.version, gates);
  // Behind the old path /watch/ the parameters are checked as those of a LIST.
  const refused = options.watch
    ? refusalOfWatchOptions(options, minor, hasWatchList)
    : refusalOfOptions(options, minor);
  const decision: WatchDecision =
    refused !== null
      ? {
          beginning: "nothing",
          source: "none",
          freshness: null,
          refusal: refused,
          steps: [`Refused with ${refused.status}: ${refused.message}.`],
        }
      : decideWatchSource({
          rules,
          gates,
          options,
          isCached: input.isCached ?? isCachedByDefault(request.apiGroup, request.resource),
          hasEtcdProgress: input.etcdProgress !== false,
          cacheState: input.cacheState ?? "ready",
          isHistoryHeld: input.isSnapshotHeld ?? input.versionState !== "compacted",
          versionState: input.versionState ?? "held",
        });
  const namespace = boundingNamespace(request, minor);
  const { apiGroup, resource, name } = request;
  const isKeyKnown =
    name !== "" && (namespace !== "" || !(input.isNamespaced ?? isNamespacedByDefault(apiGroup, resource)));
  const isSingleKey = isKeyKnown && decision.source !== "none" && decision.beginning === "state";
  const measured: MeasuredWatch = {
    rules,
    gates,
    // A continue token means nothing to a WATCH.
    request: { ...request, options: { ...options, continue: "" } },
    source: decision.source,
    isSingleKey,
    isLimitHonoured: false,
    objects: stateOf(input) === "ok" ? (input.objects ?? null) : null,
    namespace,
    namespaceObjects: input.namespaceObjects ?? null,
    matchingObjects: input.matchingObjects ?? null,
    storedBytes: isPositive(input.size) ? input.size : null,
    responseBytes: input.objectResponseBytes ?? null,
    changesSince: input.changesSince ?? null,
  };
  const { handled, received, step } = watchVolume(measured, decision);
  return {
    isWatch: true,
    source: decision.source,
    freshness: decision.freshness,
    isSingleKey,
    isLimitHonoured: false,
    isStreamed: true,
    refusal: decision.refusal,
    handled,
    received,
    steps: [...decision.steps, ...(step === null ? [] : [step])],
  };
}

interface MeasuredWatch extends VolumeInput {
  readonly changesSince: number | null;
}

interface WatchVolume extends Pick<RequestServing, "handled" | "received"> {
  readonly step: string | null;
}

function watchVolume(input: MeasuredWatch, { source, beginning }: WatchDecision): WatchVolume {
  if (source === "none" || beginning === "nothing")
    return { handled: NOTHING, received: NOTHING, step: null };
  const { handled, received, step } =
    beginning === "changes" ? changesCount(input) : stateCount(input, source === "etcd");
  return {
    handled: volume(handled, input.storedBytes),
    received: volume(received, input.responseBytes ?? input.storedBytes),
    step,
  };
}

interface Counted {
  readonly handled: Count;
  readonly received: Count;
  readonly step: string;
}

/** A WATCH knows no index and no namespace in the cache: all of the resource is gone through. */
function stateCount(input: MeasuredWatch, isFromEtcd: boolean): Counted {
  const { rules, request, isSingleKey, objects, matchingObjects } = input;
  const { minor } = rules.version;
  const inRange = countInRange(input);
  const received = receivedCount(input, inRange);
  if (isSingleKey && (isFromEtcd || minor >= 31)) {
    const handled = { objects: 1, isUpperBound: (matchingObjects ?? 0) === 0 };
    return { handled, received, step: "One object is read by its key." };
  }
  if (isFromEtcd)
    return { handled: inRange, received, step: "All objects of the range are read and decoded." };
  if (minor === 31 && request.name !== "") {
    const none = { objects: 0, isUpperBound: false };
    return {
      handled: none,
      received: none,
      step: "1.31 looks for the name without its namespace, and sends nothing at first.",
    };
  }
  return {
    handled: { objects, isUpperBound: false },
    received,
    step: "All objects of the resource are gone through, whatever is asked for; those that match are sent.",
  };
}

/** Changes are remembered in one line for the whole resource by the cache, and by etcd for each range. */
function changesCount({ request, source, namespace, changesSince }: MeasuredWatch): Counted {
  const isNarrow = namespace !== "" || (request.options !== null && hasSelector(request.options));
  const isRange = source === "etcd" && (namespace !== "" || request.name !== "");
  return {
    handled: { objects: changesSince, isUpperBound: isRange },
    received: { objects: changesSince, isUpperBound: isNarrow },
    step: isRange
      ? "All changes of the range are gone through; those that match are sent."
      : "All changes of the resource are gone through, whatever is asked for; those that match are sent.",
  };
}
