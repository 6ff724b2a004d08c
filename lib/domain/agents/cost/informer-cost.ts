import type { CollectionFacts } from "../../clusters/cluster-facts.ts";
import type { PriceInput, RequestServing } from "../../cost/index.ts";
import { priceRequest, serveList } from "../../cost/index.ts";
import { isNamespacedByDefault } from "../../cost/serving.ts";
import { type RequestUser, userOf } from "../../fairness/matching/request-user.ts";
import { parseRequest } from "../../kubernetes/request.ts";
import type { AgentInformer } from "../agent.ts";
import { ownNodeField, subjectOf } from "../informer-text.ts";
import { type Amount, addAmounts, amountOf, exactly, NOTHING } from "./amount.ts";
import type { ResolvedClient } from "./informer-client.ts";
import { objectBytes, storedObjectBytes } from "./object-bytes.ts";
import type { Projection } from "./projection.ts";
import { pageRequest, type StartRequest, startRequests } from "./start-requests.ts";

/** What one start of one copy costs. */
export interface StartCost {
  readonly requests: Amount;
  /** Most seats that its loading requests hold at once: pages of one LIST follow one another. Watches hold theirs for moments and are not counted. */
  readonly seats: Amount;
  /** What the API server goes through, in stored bytes. */
  readonly handledObjects: Amount;
  readonly handledBytes: Amount;
  /** What the client gets, before compression. */
  readonly receivedObjects: Amount;
  readonly receivedBytes: Amount;
  /** The same as it goes over the network. */
  readonly wireBytes: Amount;
}

export const NO_START_COST: StartCost = {
  requests: NOTHING,
  seats: NOTHING,
  handledObjects: NOTHING,
  handledBytes: NOTHING,
  receivedObjects: NOTHING,
  receivedBytes: NOTHING,
  wireBytes: NOTHING,
};

/** Where requests of an informer fall. */
export interface FlowShare {
  readonly flowSchemaName: string;
  readonly priorityLevelName: string;
  readonly flowDistinguisher: string;
  /** Seats of one copy's loading requests there. */
  readonly seats: Amount;
}

/** One informer's share of a start. */
export interface InformerCost {
  readonly informer: AgentInformer;
  readonly start: StartCost;
  readonly flow: FlowShare;
  /** Requests as they are priced, in order; of further pages one stands for all. */
  readonly requests: readonly PricedStartRequest[];
  /** What is not known, one phrase each; empty: all is. */
  readonly unknown: readonly string[];
  readonly assumptions: readonly string[];
}

export interface PricedStartRequest {
  readonly kind: StartRequest["kind"] | "page";
  /** Path and query. */
  readonly request: string;
  /** How many of it are sent. */
  readonly count: Amount;
  readonly seats: Amount;
  readonly source: RequestServing["source"] | null;
  /** Why it costs what it costs, in one line. */
  readonly summary: string;
}

/** The server compresses answers that are larger, to clients that ask for it. Source: apiserver responsewriters, v1.26. */
const GZIP_FROM_BYTES = 131_072;

export interface InformerToPrice {
  readonly informer: AgentInformer;
  readonly client: ResolvedClient;
  /** As APF sees it; `null`: not known. */
  readonly userName: string | null;
  readonly userGroups: readonly string[];
}

/** What one start of one copy costs for one informer. */
export function informerCost(input: InformerToPrice, projection: Projection): InformerCost {
  const { informer, client } = input;
  const collection = projection.collectionOf(informer.apiGroup, informer.resource);
  const matching = matchingObjects(informer, collection, projection.facts.nodes);
  const pricer = new InformerPricer(input, projection, collection, matching.objects);
  const requests = startRequests(informer, client, projection).flatMap((request) => pricer.price(request));
  const subject = subjectOf(informer);
  return {
    informer,
    requests,
    start: pricer.total(requests),
    flow: pricer.flow(requests),
    unknown: pricer.unknown.map((what) => `${subject}: ${what}`),
    assumptions: [...new Set([...matching.assumptions, ...pricer.assumptions])].map(
      (what) => `${subject}: ${what}.`,
    ),
  };
}

interface Matching {
  /** Objects that the selector leaves; `null`: not known, or there is none. */
  readonly objects: number | null;
  readonly assumptions: readonly string[];
}

function matchingObjects(
  informer: AgentInformer,
  collection: CollectionFacts | null,
  nodes: number | null,
): Matching {
  const none: Matching = { objects: null, assumptions: [] };
  if (informer.scope !== "own-node" || collection === null) return none;
  // By name it is one object, which the pricing sees by itself.
  if (ownNodeField(informer) === "metadata.name") return { objects: 1, assumptions: [] };
  if (collection.objectsPerNode !== null) return { objects: collection.objectsPerNode, assumptions: [] };
  if (collection.objects === null || nodes === null || nodes === 0) return none;
  return {
    objects: collection.objects / nodes,
    assumptions: ["the mean of all nodes is taken for what one node has"],
  };
}

/** Prices the requests of one informer and gathers what was not known. */
class InformerPricer {
  readonly #input: InformerToPrice;
  readonly #projection: Projection;
  readonly #collection: CollectionFacts | null;
  readonly #matching: number | null;
  readonly #user: RequestUser;
  readonly #volumes: StartCost[] = [];
  readonly #flows: Omit<FlowShare, "seats">[] = [];
  readonly unknown: string[] = [];
  readonly assumptions: string[] = [];

  constructor(
    input: InformerToPrice,
    projection: Projection,
    collection: CollectionFacts | null,
    matching: number | null,
  ) {
    this.#input = input;
    this.#projection = projection;
    this.#collection = collection;
    this.#matching = matching;
    this.#user = requestUser(input);
    if (collection === null) this.unknown.push("how many there are, and how large");
    else if (collection.objects === null) this.unknown.push("how many there are");
  }

  price(request: StartRequest): PricedStartRequest[] {
    const first = this.#priceOne(request, request.kind);
    const page = request.kind === "list" && first.serving?.isLimitHonoured ? pageRequest(request) : null;
    if (page === null) {
      this.#addVolume(request, first.serving);
      return [first.priced];
    }
    // Pages together go through the collection once.
    const pages = this.#pages(request, first.serving);
    this.#addVolume(request, this.#asList(request));
    if (pages.value <= 1 && pages.isComplete) return [first.priced];
    const next = this.#priceOne(page, "page");
    return [first.priced, { ...next.priced, count: { ...pages, value: Math.max(pages.value - 1, 0) } }];
  }

  total(requests: readonly PricedStartRequest[]): StartCost {
    const sum = (pick: (cost: StartCost) => Amount) => addAmounts(this.#volumes.map(pick));
    return {
      requests: addAmounts(requests.map(({ count }) => count)),
      seats: this.#widest(requests),
      handledObjects: sum(({ handledObjects }) => handledObjects),
      handledBytes: sum(({ handledBytes }) => handledBytes),
      receivedObjects: sum(({ receivedObjects }) => receivedObjects),
      receivedBytes: sum(({ receivedBytes }) => receivedBytes),
      wireBytes: sum(({ wireBytes }) => wireBytes),
    };
  }

  flow(requests: readonly PricedStartRequest[]): FlowShare {
    const [first] = this.#flows;
    const flow = first ?? { flowSchemaName: "", priorityLevelName: "", flowDistinguisher: "" };
    return { ...flow, seats: this.#widest(requests) };
  }

  /** Requests of one informer follow one another: it holds at most the seats of the widest that loads. */
  #widest(requests: readonly PricedStartRequest[]): Amount {
    const loading = requests.filter(({ kind }) => kind !== "watch" && kind !== "refused");
    const seats = loading.map((each) => each.seats);
    const widest = seats.reduce<Amount>((a, b) => (b.value > a.value ? b : a), NOTHING);
    return { ...widest, isComplete: seats.every(({ isComplete }) => isComplete) };
  }

  #priceOne(
    request: StartRequest,
    kind: PricedStartRequest["kind"],
  ): { readonly priced: PricedStartRequest; readonly serving: RequestServing | null } {
    const { classifier, capacityOf, version } = this.#projection;
    const requestInfo = parseRequest("GET", request.path, request.query, version.minor);
    const { flowSchema, priorityLevel, flowDistinguisher } = classifier.classify({
      user: this.#user,
      requestInfo,
    });
    this.#flows.push({
      flowSchemaName: flowSchema.name,
      priorityLevelName: priorityLevel.name,
      flowDistinguisher,
    });
    const plMax = capacityOf(priorityLevel.name)?.maxRequestSeats ?? 0;
    const price = priceRequest({ ...this.#priceInput(request), plMax });
    return {
      priced: {
        kind,
        request: request.query === "" ? request.path : `${request.path}?${request.query}`,
        count: kind === "get" ? this.#objectsToGet() : exactly(1),
        seats: this.#seats(price.initialSeats, kind),
        source: price.serving?.source ?? null,
        summary: price.summary,
      },
      serving: price.serving,
    };
  }

  #seats(seats: number, kind: PricedStartRequest["kind"]): Amount {
    if (kind === "get" || kind === "watch" || kind === "refused") return exactly(seats);
    if (this.#collection === null || this.#collection.objects === null)
      return { ...exactly(1), isComplete: false };
    const isSizeGuessed =
      this.#storedSize() === null && this.#collection.objects > 0 && this.#projection.version.minor >= 34;
    if (isSizeGuessed)
      this.assumptions.push("its size is not known: priced as an API server prices an unknown size");
    return { ...exactly(seats), isUpperBound: isSizeGuessed };
  }

  #objectsToGet(): Amount {
    if (this.#input.informer.scope === "single-object") return exactly(1);
    return amountOf(
      this.#input.informer.scope === "own-node" ? this.#matching : (this.#collection?.objects ?? null),
    );
  }

  #priceInput(request: StartRequest): PriceInput {
    const { versionText, facts, hasEtcdProgress } = this.#projection;
    const { apiGroup, resource } = this.#input.informer;
    const objects = this.#collection?.objects ?? null;
    const size = this.#storedSize();
    return {
      method: "GET",
      path: request.path,
      query: request.query,
      v: versionText,
      gates: facts.featureGates,
      etcdProgress: hasEtcdProgress,
      objects: objects === null ? null : Math.round(objects),
      size: size === null ? null : Math.floor(size),
      stats: objects === null ? "notfound" : "ok",
      isNamespaced: isNamespacedByDefault(apiGroup, resource),
      matchingObjects: this.#matching,
      objectResponseBytes: this.#responseBytes(),
    };
  }

  #storedSize(): number | null {
    return this.#collection === null ? null : storedObjectBytes(this.#collection);
  }

  #responseBytes(): number | null {
    if (this.#collection === null) return null;
    const { bytes, assumption } = objectBytes(this.#collection, this.#input.informer.representation);
    if (assumption !== null) this.assumptions.push(assumption);
    if (bytes === null && this.#collection.objects !== 0) this.unknown.push("how large an object is");
    return bytes;
  }

  /** Number of pages of a LIST whose limit is honoured. */
  #pages(request: StartRequest, serving: RequestServing | null): Amount {
    const limit = Number(new URLSearchParams(request.query).get("limit"));
    const { namespace } = parseRequest("GET", request.path, request.query);
    const isNarrowed = namespace !== "" || request.query.includes("Selector=");
    const objects = this.#matching ?? this.#collection?.objects ?? null;
    if (objects === null || serving === null) return { value: 1, isComplete: false, isUpperBound: false };
    const pages = Math.max(1, Math.ceil(objects / limit));
    return { value: pages, isComplete: true, isUpperBound: isNarrowed && this.#matching === null };
  }

  #addVolume(request: StartRequest, serving: RequestServing | null): void {
    switch (request.kind) {
      case "watch":
      case "refused":
        break;
      case "get":
        this.#addObjects();
        break;
      case "watch-list":
        this.#addLoad(this.#asList(request), false);
        break;
      case "list":
        this.#addLoad(serving, true);
    }
  }

  /** Objects that are asked for one by one. */
  #addObjects(): void {
    const count = this.#objectsToGet();
    const bytes = (each: number | null): Amount => ({
      value: count.value * (each ?? 0),
      isComplete: count.isComplete && each !== null,
      isUpperBound: count.isUpperBound,
    });
    const received = bytes(this.#responseBytes());
    this.#volumes.push({
      ...NO_START_COST,
      handledObjects: count,
      handledBytes: bytes(this.#storedSize()),
      receivedObjects: count,
      receivedBytes: received,
      wireBytes: received,
    });
  }

  /** The volume of a WATCH with initial events, or of all pages of a LIST: that of one LIST of all. */
  #asList(request: StartRequest): RequestServing | null {
    const query = new URLSearchParams(request.query);
    for (const name of [
      "watch",
      "sendInitialEvents",
      "resourceVersionMatch",
      "allowWatchBookmarks",
      "limit",
    ]) {
      query.delete(name);
    }
    if (!query.has("resourceVersion")) query.set("resourceVersion", "0");
    return serveList(this.#priceInput({ ...request, query: query.toString() }));
  }

  #addLoad(serving: RequestServing | null, isList: boolean): void {
    if (serving === null) return;
    const { handled, received } = serving;
    const receivedBytes = amountOf(received.bytes, received.isUpperBound);
    this.#volumes.push({
      ...NO_START_COST,
      handledObjects: amountOf(handled.objects, handled.isUpperBound),
      handledBytes: amountOf(handled.bytes, handled.isUpperBound),
      receivedObjects: amountOf(received.objects, received.isUpperBound),
      receivedBytes,
      wireBytes: this.#onWire(receivedBytes, isList),
    });
  }

  #onWire(bytes: Amount, isList: boolean): Amount {
    const { version, facts } = this.#projection;
    // Watches are compressed from 1.37 on, and only while they load.
    const isCompressed = isList || (version.minor >= 37 && facts.featureGates.WatchListCompression !== false);
    if (!this.#input.client.acceptsGzip || !isCompressed || bytes.value <= GZIP_FROM_BYTES) return bytes;
    const ratio = this.#collection?.gzipRatio ?? null;
    if (ratio === null) {
      this.assumptions.push(
        "it may be compressed on the wire; by how much is not known, so that it is counted in full",
      );
      return { ...bytes, isUpperBound: true };
    }
    return { ...bytes, value: bytes.value * ratio };
  }
}

function requestUser({ userName, userGroups }: InformerToPrice): RequestUser {
  if (userName === null) return userOf("unknown");
  // One node stands for all of them.
  const user = userOf(userName === "system:node:*" ? "system:node:node-1" : userName);
  return userGroups.length === 0 ? user : { name: user.name, groups: userGroups };
}
