import type { Representation } from "../../agents/agent.ts";
import { estimateParsed } from "../../cost/estimate-seats.ts";
import { type SeatRules, seatRules } from "../../cost/seat-rules.ts";
import { serveParsed } from "../../cost/serve-list.ts";
import type { ListServing } from "../../cost/serving.ts";
import type { FlowClassifier } from "../../fairness/matching/flow-classifier.ts";
import { isGateEnabled } from "../../kubernetes/feature-gates.ts";
import { parseRequest } from "../../kubernetes/request.ts";
import type { StormAgent, StormCluster, StormCollection, StormInformer } from "../storm-input.ts";
import type { MemoryFactor, ServiceCoefficients, ServiceSource, StormModel } from "../storm-model.ts";
import { ANY, LAST, LIST, UNSET, WATCH, WATCH_LIST } from "./compact-reflector.ts";

/** One kind of request of one informer, as it comes to an API server. */
export interface RequestShape {
  readonly verb: number;
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  /** `null`: each copy is a flow of its own. */
  readonly flowDistinguisher: string | null;
  readonly seats: number;
  readonly cpuSeconds: number;
  /** Seconds that it holds its seats without work on this server. */
  readonly idleSeconds: number;
  /** Runs to its end within one turn of the scheduler. */
  readonly isSmall: boolean;
  readonly wireBytes: number;
  /** Sent while it is encoded; else when all of it is there. */
  readonly isStreamed: boolean;
  /** Ends with the request deadline. */
  readonly hasDeadline: boolean;
  readonly heldBytes: MemoryFactor;
  /** Requests that a LIST of this shape takes: more than one where it comes in pages. */
  readonly pages: number;
  /** The API server refuses it: a watch-list where it has none. */
  readonly isRefused: boolean;
  /** What its work was reckoned with; `null` for what is no LIST. */
  readonly coefficients: ServiceCoefficients | null;
}

/** What an API server knows of a collection. */
export const STATISTICS = ["known", "size-unknown", "not-tracked"] as const;
export type Statistics = (typeof STATISTICS)[number];

export interface ShapeContext {
  readonly cluster: StormCluster;
  readonly model: StormModel;
  readonly classifier: FlowClassifier;
  /** Most seats of one request at a level; 0: the level sets no cap. */
  readonly levelMaxSeats: (priorityLevelName: string) => number;
}

export interface ShapeQuestion {
  readonly agent: StormAgent;
  readonly informer: StormInformer;
  readonly collection: StormCollection;
  readonly statistics: Statistics;
  readonly verb: number;
  readonly version: number;
  readonly limit: number;
  readonly isContinued: boolean;
}

/** A continue token of a first page at resource version 12345. */
const TOKEN = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIzNDUsInN0YXJ0IjoieCJ9";
const SEEN_VERSION = "12345";
/** Of a small request's work, what is left when it has been read. */
const SERVE_SHARE = 0.6;
const GZIP_FROM_BYTES = 131_072;
const NO_MEMORY: MemoryFactor = { low: 0, likely: 0, high: 0 };

/** Price, level, flow and work of a request: rules where there are rules, the model for CPU and memory. */
export function shapeRequest(context: ShapeContext, question: ShapeQuestion): RequestShape {
  const { cluster, model, classifier } = context;
  const { agent, informer, collection, statistics, verb } = question;
  const rules = seatRules(cluster.kubernetesVersion, cluster.featureGates, cluster.etcdProgress);
  const line = requestLine(question);
  const request = parseRequest(line.method, line.path, line.query, rules.version.minor);
  const isPerCopy = agent.userName.includes("*");
  const userName = agent.userName.replace("*", "copy-0");
  const { flowSchema, priorityLevel, flowDistinguisher } = classifier.classify({
    user: { name: userName, groups: agent.userGroups },
    requestInfo: request,
  });
  const facts = {
    stats: statistics === "not-tracked" ? ("notfound" as const) : ("ok" as const),
    objects: collection.objects,
    size: statistics === "known" ? storedObjectBytes(collection) : -1,
  };
  const plMax = context.levelMaxSeats(priorityLevel.name);
  const { initialSeats } = estimateParsed(rules, request, { ...facts, plMax });
  const place = {
    verb,
    priorityLevelName: priorityLevel.name,
    flowSchemaName: flowSchema.name,
    flowDistinguisher: isPerCopy && flowDistinguisher === userName ? null : flowDistinguisher,
    seats: initialSeats,
    idleSeconds: 0,
    hasDeadline: verb === LIST,
  };
  const small = {
    ...place,
    isSmall: true,
    wireBytes: 0,
    isStreamed: true,
    heldBytes: NO_MEMORY,
    pages: 1,
    isRefused: false,
    coefficients: null,
  };
  const sendsState = verb === WATCH_LIST || (verb === WATCH && question.version !== LAST);
  if (verb === WATCH_LIST && !isGateEnabled("WatchList", rules.version, cluster.featureGates)) {
    return { ...small, cpuSeconds: SERVE_SHARE * model.requestSeconds, isRefused: true };
  }
  if (verb !== LIST && !sendsState) return { ...small, cpuSeconds: model.watchSeconds };
  const serving = serveParsed(rules, request, {
    ...line,
    v: cluster.kubernetesVersion,
    gates: cluster.featureGates,
    etcdProgress: cluster.etcdProgress,
    ...facts,
    // What it knows for its price, and what there is.
    stats: "ok",
    size: storedObjectBytes(collection),
    matchingObjects: informer.matchingObjects,
    namespaceObjects: informer.scope === "namespace" ? informer.matchingObjects : null,
  });
  const work = workOf({ context, question, serving, rules });
  return {
    ...place,
    cpuSeconds: work.cpuSeconds,
    isSmall: work.cpuSeconds <= model.schedulerQuantumSeconds,
    wireBytes: work.wireBytes,
    isStreamed: serving?.isStreamed ?? true,
    heldBytes: work.heldBytes,
    pages: work.pages,
    isRefused: serving?.source === "none",
    coefficients: work.coefficients,
  };
}

/** Mean stored bytes of an object, as the API server computes them. */
export const storedObjectBytes = ({ objects, storedBytes }: StormCollection): number =>
  objects > 0 ? Math.floor(storedBytes / objects) : 0;

function requestLine({ informer, verb, version, limit, isContinued }: ShapeQuestion): {
  readonly method: string;
  readonly path: string;
  readonly query: string;
} {
  const { apiGroup, resource, namespace, fieldSelector, labelSelector } = informer;
  const prefix = apiGroup === "" ? "/api/v1" : `/apis/${apiGroup}/v1`;
  const inNamespace = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const parameters: string[] = [];
  const add = (name: string, value: string) => {
    if (value !== "") parameters.push(`${name}=${encodeURIComponent(value)}`);
  };
  add("fieldSelector", fieldSelector.replaceAll("$(NODE_NAME)", "copy-0"));
  add("labelSelector", labelSelector);
  add("limit", limit > 0 ? String(limit) : "");
  add("continue", isContinued ? TOKEN : "");
  if (version !== UNSET) add("resourceVersion", version === ANY ? "0" : SEEN_VERSION);
  if (verb !== LIST) add("watch", "true");
  if (verb === WATCH_LIST) {
    add("sendInitialEvents", "true");
    add("resourceVersionMatch", "NotOlderThan");
  }
  return { method: "GET", path: `${prefix}${inNamespace}/${resource}`, query: parameters.join("&") };
}

interface WorkInput {
  readonly context: ShapeContext;
  readonly question: ShapeQuestion;
  /** `null` for a watch that sends the state. */
  readonly serving: ListServing | null;
  readonly rules: SeatRules;
}

interface Work {
  readonly cpuSeconds: number;
  readonly wireBytes: number;
  readonly heldBytes: MemoryFactor;
  readonly pages: number;
  readonly coefficients: ServiceCoefficients;
}

function workOf({ context, question, serving, rules }: WorkInput): Work {
  const { model } = context;
  const { agent, informer, collection, limit } = question;
  const matching = Math.min(informer.matchingObjects ?? collection.objects, collection.objects);
  const isPaged = serving?.isLimitHonoured === true && limit > 0;
  const returned = isPaged ? Math.min(limit, matching) : matching;
  // What a page walks past is in its measured cost.
  const handled = isPaged ? returned : Math.max(returned, serving?.handled.objects ?? matching);
  const bodyBytes = returned * objectBytes(collection, informer.representation);
  const source = sourceOf(serving, isPaged);
  const coefficients = findCoefficients(model, informer, source);
  const isCompressed = agent.client.acceptsGzip && bodyBytes > GZIP_FROM_BYTES && serving !== null;
  const cpuSeconds =
    SERVE_SHARE * model.requestSeconds +
    coefficients.baseSeconds * baseShare(returned) +
    coefficients.secondsPerObject * returned +
    coefficients.secondsPerByte * bodyBytes +
    model.scanSecondsPerObject * (handled - returned) +
    (isCompressed ? gzipRate(model, informer.representation) * bodyBytes : 0);
  const allocated =
    coefficients.allocatedBytesPerObject * returned + coefficients.allocatedBytesPerByte * bodyBytes;
  return {
    cpuSeconds,
    wireBytes: Math.round(isCompressed ? bodyBytes * model.gzipRatio : bodyBytes),
    heldBytes: heldBytes({
      model,
      serving,
      rules,
      allocated,
      bodyBytes,
      storedBytes: handled * storedObjectBytes(collection),
    }),
    pages: isPaged ? Math.max(1, Math.ceil(matching / limit)) : 1,
    coefficients,
  };
}

/** The base was measured on LISTs of thousands of objects; one of a few does not have it. */
export const baseShare = (returned: number) => Math.min(1, returned / 1000);

function sourceOf(serving: ListServing | null, isPaged: boolean): ServiceSource {
  if (serving === null) return "watch-list";
  if (serving.source === "etcd" || serving.source === "etcd-page") return "etcd";
  if (isPaged) return "page";
  return serving.freshness === "latest" ? "consistent" : "cache";
}

/** The first that fits; what was measured on the cluster stands first. */
export function findCoefficients(
  model: StormModel,
  { apiGroup, resource, representation }: Pick<StormInformer, "apiGroup" | "resource" | "representation">,
  source: ServiceSource,
): ServiceCoefficients {
  const found = model.service.find(
    (entry) =>
      (entry.apiGroup === null || entry.apiGroup === apiGroup) &&
      (entry.resource === null || entry.resource === resource) &&
      (entry.representation === null || entry.representation === representation) &&
      (entry.source === null || entry.source === source),
  );
  const any =
    found ?? model.service.find((entry) => entry.representation === representation) ?? model.service[0];
  if (any === undefined) throw new RangeError("The model has no coefficients of service time.");
  return any;
}

export function objectBytes(collection: StormCollection, representation: Representation): number {
  switch (representation) {
    case "json":
      return collection.jsonObjectBytes;
    case "protobuf":
      return collection.protobufObjectBytes;
    // Between the two; not measured.
    case "cbor":
      return (collection.jsonObjectBytes + collection.protobufObjectBytes) / 2;
    case "metadata-json":
      return collection.metadataJsonObjectBytes;
    case "metadata-protobuf":
      return collection.metadataProtobufObjectBytes;
  }
}

function gzipRate({ gzipSecondsPerByte }: StormModel, representation: Representation): number {
  switch (representation) {
    case "json":
      return gzipSecondsPerByte.json;
    case "protobuf":
    case "cbor":
      return gzipSecondsPerByte.protobuf;
    default:
      return gzipSecondsPerByte.metadata;
  }
}

interface HeldInput {
  readonly model: StormModel;
  readonly serving: ListServing | null;
  readonly rules: SeatRules;
  readonly allocated: number;
  readonly bodyBytes: number;
  readonly storedBytes: number;
}

/** Memory while it executes: by version, since before 1.33 the whole answer is built first. */
function heldBytes({ model, serving, allocated, bodyBytes, storedBytes }: HeldInput): MemoryFactor {
  const { memory } = model;
  if (serving === null) {
    const { watchListBytes } = memory;
    return {
      low: watchListBytes / 2,
      likely: watchListBytes,
      high: Math.max(watchListBytes, 0.4 * allocated),
    };
  }
  const held = scaleMemory(
    serving.isStreamed ? memory.streamedPerAllocatedByte : memory.bufferedPerBodyByte,
    serving.isStreamed ? allocated : bodyBytes,
  );
  const isFromEtcd = serving.source === "etcd" || serving.source === "etcd-page";
  return isFromEtcd ? larger(held, scaleMemory(memory.etcdPerStoredByte, storedBytes)) : held;
}

/** A factor applied to an amount. */
export const scaleMemory = ({ low, likely, high }: MemoryFactor, by: number): MemoryFactor => ({
  low: low * by,
  likely: likely * by,
  high: high * by,
});

const larger = (a: MemoryFactor, b: MemoryFactor): MemoryFactor => ({
  low: Math.max(a.low, b.low),
  likely: Math.max(a.likely, b.likely),
  high: Math.max(a.high, b.high),
});
