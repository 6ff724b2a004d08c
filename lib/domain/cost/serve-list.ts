import { isGateEnabled } from "../kubernetes/feature-gates.ts";
import { parseRequest, type RequestInfo, requiredField } from "../kubernetes/request.ts";
import { continueResourceVersion } from "./continue-token.ts";
import { refusalOfOptions } from "./list-refusal.ts";
import { stateOf } from "./list-seats.ts";
import { decideSource, type SourceDecision } from "./list-source.ts";
import { listVolume } from "./list-volume.ts";
import { type SeatRules, seatRules } from "./seat-rules.ts";
import {
  isCachedByDefault,
  isNamespacedByDefault,
  type RequestServing,
  type ServingInput,
} from "./serving.ts";

/**
 * Where a LIST is served and how much that is for the API server and for the client; `null` for a request that is no
 * LIST. A resource that is not tracked (`notfound`) is taken for one of this API server: whether another one serves
 * it, the request does not tell.
 *
 * @throws {RangeError} where `v` is no version.
 * Source: apiserver pkg/storage/cacher, pkg/storage/etcd3/store.go, pkg/registry/generic/registry/store.go, v0.26 to v0.37.
 */
export function serveList(input: ServingInput): RequestServing | null {
  const rules = seatRules(input.v, input.gates, input.etcdProgress);
  return serveParsed(
    rules,
    parseRequest(input.method, input.path, input.query ?? "", rules.version.minor),
    input,
  );
}

/** The same for a request that is parsed already. */
export function serveParsed(
  rules: SeatRules,
  request: RequestInfo,
  input: ServingInput,
): RequestServing | null {
  const { options } = request;
  if (request.verb !== "list" || options === null) return null;
  const { minor } = rules.version;
  const gates = input.gates ?? {};
  const namespace = boundingNamespace(request, minor);
  const isSingleKey = readsSingleKey(request, namespace, input, minor);
  const decision: SourceDecision =
    refusedBy(request, minor) ??
    decideSource({
      rules,
      gates,
      options,
      isCached: input.isCached ?? isCachedByDefault(request.apiGroup, request.resource),
      isSingleKey,
      cacheState: input.cacheState ?? "ready",
      isSnapshotHeld: input.isSnapshotHeld ?? input.versionState !== "compacted",
      versionState: input.versionState ?? "held",
    });
  const { source, freshness, refusal } = decision;
  // The cache passes over a limit at resource version 0; etcd never does.
  const isFromMemory = source === "cache" || source === "snapshot";
  const isLimitHonoured =
    source !== "none" &&
    rules.isPaged &&
    options.limit > 0 &&
    !(isFromMemory && options.resourceVersion === "0");
  const { handled, received, steps } = listVolume({
    rules,
    gates,
    request,
    source,
    isSingleKey,
    isLimitHonoured,
    objects: stateOf(input) === "ok" ? (input.objects ?? null) : null,
    namespace,
    namespaceObjects: input.namespaceObjects ?? null,
    matchingObjects: input.matchingObjects ?? null,
    storedBytes: isPositive(input.size) ? input.size : null,
    responseBytes: input.objectResponseBytes ?? null,
  });
  return {
    isWatch: false,
    source,
    freshness,
    isSingleKey: isSingleKey && source !== "none",
    isLimitHonoured,
    isStreamed: isGateEnabled("StreamingCollectionEncodingToJSON", rules.version, gates),
    refusal,
    handled,
    received,
    steps: [
      ...decision.steps,
      ...tokenSteps(options.continue, source),
      ...steps,
      ...limitSteps(source !== "none" && options.limit > 0, isLimitHonoured),
    ],
  };
}

function refusedBy({ options }: RequestInfo, minor: number): SourceDecision | null {
  const refusal = options === null ? null : refusalOfOptions(options, minor);
  if (refusal === null) return null;
  const steps = [`Refused with ${refusal.status}: ${refusal.message}.`];
  return { source: "none", freshness: null, refusal, steps };
}

/** The API server decodes the token; for a question like this one a text in its place will do. */
function tokenSteps(token: string, source: RequestServing["source"]): readonly string[] {
  if (token === "" || source === "none" || continueResourceVersion(token) !== null) return [];
  return ["The continue token is a placeholder: one that no API server gave is refused with 400."];
}

function limitSteps(hasLimit: boolean, isHonoured: boolean): readonly string[] {
  if (!hasLimit || isHonoured) return [];
  return ["The limit is passed over: all objects that match are returned at once, without a continue token."];
}

/** The namespace of the path, or the one that the field selector of a cluster-wide request requires; else empty. */
export function boundingNamespace({ namespace, options }: RequestInfo, minor: number): string {
  if (namespace !== "" || options === null || options.continue !== "") return namespace;
  return requiredField(options, "metadata.namespace", minor) ?? "";
}

/** A name is read by its key where the key is known: of a namespaced object only within a namespace, and on no later page. */
function readsSingleKey(
  request: RequestInfo,
  namespace: string,
  input: ServingInput,
  minor: number,
): boolean {
  const { options, apiGroup, resource } = request;
  if (options === null || options.continue !== "") return false;
  if (requiredField(options, "metadata.name", minor) === null) return false;
  return namespace !== "" || !(input.isNamespaced ?? isNamespacedByDefault(apiGroup, resource));
}

export const isPositive = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && value > 0;
