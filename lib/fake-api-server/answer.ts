import { authenticate, authorize } from "./authorization.ts";
import { type Collection, fixedCollection } from "./collection.ts";
import { discoveryReply } from "./discovery.ts";
import { DUMP_PREFIX, dumpOf } from "./dumps.ts";
import { convertFlowControl } from "./flow-control-objects.ts";
import { healthReply } from "./health.ts";
import { isGateOn, type KubernetesVersion, parseKubernetesVersion } from "./kubernetes-version.ts";
import { listReply, type Representation } from "./list.ts";
import { metricsBody, type ResourceFigures } from "./metrics.ts";
import { openApiReply } from "./open-api.ts";
import { jsonReply, type Reply, textReply } from "./reply.ts";
import { type RequestInfo, requestInfoOf } from "./request-info.ts";
import {
  BUILT_IN_TYPES,
  FLOW_CONTROL_GROUP,
  groupResource,
  type ResourceType,
  servedVersions,
} from "./resource-types.ts";
import type { ClusterScenario } from "./scenario.ts";
import { collectionKey } from "./server-collections.ts";
import { notFound, pathNotFound, StatusError } from "./status.ts";
import { type WatchHub, watchReply } from "./watch.ts";

/** One request, free of sockets. */
export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly authorization: string | undefined;
  readonly ifNoneMatch: string;
  readonly host: string;
  readonly serverIndex: number;
  /** The server's own idea of the time, skew included. */
  readonly now: () => number;
  readonly metricsFillerBytes: number;
  readonly signal: AbortSignal;
}

export interface AnswerContext {
  readonly scenario: ClusterScenario;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly hub: WatchHub;
  readonly historySeconds: number;
  readonly bookmarkMs: number;
}

/**
 * Answers one request as kube-apiserver of the scenario's version would. Only reads: anything else is refused.
 * @throws StatusError for every refusal.
 */
export function answer(asked: AskedRequest, context: AnswerContext): Reply {
  const { scenario } = context;
  const version = parseKubernetesVersion(scenario.kubernetesVersion);
  const info = requestInfoOf(asked.method, asked.path, asked.query);
  const identity = authenticate(scenario.identities, asked.authorization);
  authorize(identity, info);
  if (asked.method !== "GET" && asked.method !== "HEAD") {
    const message = "the server does not allow this method on the requested resource";
    throw new StatusError({ code: 405, reason: "MethodNotAllowed", message, details: {} });
  }
  return info.isResource
    ? answerResource(asked, info, context, version)
    : answerPath(asked, context, version);
}

function answerPath(asked: AskedRequest, context: AnswerContext, version: KubernetesVersion): Reply {
  const { path, query } = asked;
  const { scenario } = context;
  const at = asked.now();
  if (path === "/metrics") return metrics(asked, context, version);
  if (path.startsWith(DUMP_PREFIX)) {
    const text = dumpOf(path.slice(DUMP_PREFIX.length), scenario.figuresAt(asked.serverIndex, at).levels, {
      minor: version.minor,
      at,
      withDetails: query.has("includeRequestDetails"),
    });
    if (text !== null) return textReply(text);
  }
  const reply =
    healthReply(path, query, {
      minor: version.minor,
      extra: scenario.extraChecks ?? [],
      failing: scenario.failingChecksAt?.(asked.serverIndex, at) ?? [],
    }) ??
    (scenario.openApi === undefined ? null : openApiReply(path, query, asked, scenario.openApi)) ??
    discoveryReply(path, { version, types: typesOf(context), accept: asked.accept, host: asked.host });
  if (reply === null) throw pathNotFound();
  return reply;
}

function typesOf({ collections }: AnswerContext): ResourceType[] {
  const custom = [...collections.values()].map(({ type }) => type).filter((type) => type.isCustom === true);
  return [...BUILT_IN_TYPES, ...custom];
}

function answerResource(
  asked: AskedRequest,
  info: Extract<RequestInfo, { isResource: true }>,
  context: AnswerContext,
  version: KubernetesVersion,
): Reply {
  const type = typesOf(context).find(
    (candidate) => candidate.group === info.group && candidate.resource === info.resource,
  );
  if (!type || info.subresource !== "" || !servedVersions(type, version.minor).includes(info.version)) {
    throw pathNotFound();
  }
  const collection = converted(
    context.collections.get(collectionKey(type)) ?? fixedCollection(type, []),
    info.version,
  );
  const namespace = type.namespaced ? info.namespace : "";
  if (info.verb === "get") return getReply(asked, info, collection);
  const { scenario, historySeconds } = context;
  if (info.verb === "watch") {
    return watchReply({
      scenario,
      collection,
      version: info.version,
      namespace,
      query: asked.query,
      isWatchListOn: isGateOn(version.minor, "WatchList", scenario.featureGates),
      now: asked.now,
      historySeconds,
      bookmarkMs: context.bookmarkMs,
      hub: context.hub,
      hubKey: collectionKey(type),
      signal: asked.signal,
    });
  }
  const representation = representationOf(asked.accept, "PartialObjectMetadataList");
  return listReply({
    scenario,
    minor: version.minor,
    collection,
    version: info.version,
    namespace,
    query: asked.query,
    representation,
    now: asked.now(),
    historySeconds,
  });
}

/** What the client takes, best first; JSON is all this server writes of objects, so protobuf alone is refused. */
function representationOf(accept: string, metadataKind: string): Representation {
  const asks = accept.split(",").map((part) => part.trim());
  for (const ask of asks) {
    if (ask.includes(`as=${metadataKind}`) && ask.startsWith("application/json")) return "metadata";
    if (ask === "" || ask.startsWith("*/*") || ask.startsWith("application/*")) return "full";
    if (ask.startsWith("application/json") && !ask.includes("as=")) return "full";
  }
  const message = `only the following media types are accepted: application/json, application/json;as=${metadataKind};g=meta.k8s.io;v=v1`;
  throw new StatusError({ code: 406, reason: "NotAcceptable", message });
}

function getReply(
  asked: AskedRequest,
  info: Extract<RequestInfo, { isResource: true }>,
  collection: Collection,
): Reply {
  const at = asked.now();
  const { type } = collection;
  for (let index = 0; index < collection.size(at); index++) {
    const key = collection.keyAt(index, at);
    if (key.name !== info.name || (type.namespaced && key.namespace !== info.namespace)) continue;
    const object = collection.objectAt(index, at);
    if (representationOf(asked.accept, "PartialObjectMetadata") === "metadata") {
      return jsonReply({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: object.metadata,
      });
    }
    const apiVersion = type.group === "" ? info.version : `${type.group}/${info.version}`;
    return jsonReply({ kind: type.kind, apiVersion, ...object });
  }
  throw notFound(groupResource(type), info.name);
}

/** Flow control objects are kept in the fields of v1 and served in those of the version asked for. */
function converted(collection: Collection, version: string): Collection {
  if (collection.type.group !== FLOW_CONTROL_GROUP || version !== "v1beta2") return collection;
  return {
    type: collection.type,
    storedBytesEach: collection.storedBytesEach,
    size: (at) => collection.size(at),
    keyAt: (index, at) => collection.keyAt(index, at),
    objectAt: (index, at) => convertFlowControl(collection.objectAt(index, at), version),
  };
}

function metrics(asked: AskedRequest, context: AnswerContext, version: KubernetesVersion): Reply {
  const { scenario } = context;
  const figures = scenario.figuresAt(asked.serverIndex, asked.now());
  const body = metricsBody({
    version,
    featureGates: scenario.featureGates,
    figures,
    resources: resourceFigures(context, figures.at, figures.startedAt, version.minor),
    unavailableApiServices: unavailableApiServices(context, figures.at),
    fillerBytes: asked.metricsFillerBytes,
  });
  return {
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8; escaping=underscores" },
    body,
    compression: "always",
  };
}

/** For this long after a start, big collections are not counted: the first count ran before the cache was filled. */
const COUNTING_MS = 90_000;
const BIG_COLLECTION = 1000;

function resourceFigures(
  { collections }: AnswerContext,
  at: number,
  startedAt: number,
  minor: number,
): ResourceFigures[] {
  const figures: ResourceFigures[] = [];
  const add = (type: ResourceType, size: number, storedBytesEach: number | null) => {
    const isUnknown = at - startedAt < COUNTING_MS && size >= BIG_COLLECTION;
    // Resources without watch cache have a count and no size.
    const each = type.isUncached === true ? null : storedBytesEach;
    figures.push({
      group: type.group,
      resource: type.resource,
      objects: isUnknown ? null : size,
      storedBytes: isUnknown || each === null ? null : Math.round(size * each),
    });
  };
  for (const collection of collections.values()) {
    if (servedVersions(collection.type, minor).length === 0) continue;
    add(collection.type, collection.size(at), collection.storedBytesEach);
  }
  for (const type of BUILT_IN_TYPES) {
    if (servedVersions(type, minor).length > 0 && !collections.has(collectionKey(type))) add(type, 0, 0);
  }
  return figures.toSorted((a, b) =>
    a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : a.group < b.group ? -1 : 1,
  );
}

function unavailableApiServices({ collections }: AnswerContext, at: number): string[] {
  const services = collections.get("apiregistration.k8s.io/apiservices");
  const names: string[] = [];
  for (let index = 0; index < (services?.size(at) ?? 0); index++) {
    const object = services?.objectAt(index, at);
    const status = object?.status as { conditions?: { type: string; status: string }[] } | undefined;
    const available = status?.conditions?.find((condition) => condition.type === "Available");
    if (object && available?.status === "False") names.push(object.metadata.name);
  }
  return names;
}
