import type { KubeClock } from "./clock.ts";
import type { ListForm } from "./list-form.ts";
import type { MetricNames } from "./metric-names.ts";
import type { MetricSample, MetricsScanSummary } from "./metrics-scanner.ts";

/** What requests cost. Adds up over requests; all four are 0 at the start. */
export interface RequestCost {
  /** Requests sent, retries included. */
  readonly requests: number;
  /** Bytes received: bodies as sent (gzip counts compressed) plus an approximation of status line and headers. */
  readonly wireBytes: number;
  /** Bytes of the bodies after decompression. */
  readonly decodedBytes: number;
  /** Seconds from sending to the last byte, summed; waiting for the budget is not in it. */
  readonly requestSeconds: number;
}

/** A GET as it left, retries each for themselves. */
export interface SentRequest {
  /** With its query. Never stored or shown as it is: a continue token is part of it. */
  readonly path: string;
}

/** Counts the cost of every request of the clients it was given to. Give each part of a pass a meter of its own. */
export interface CostMeter {
  readonly add: (cost: RequestCost, request: SentRequest) => void;
  readonly read: () => RequestCost;
}

/** Limits of one request; every field has a default. A request that meets one ends in an `ApiServerError`. */
export interface RequestLimits {
  /** Seconds until the headers must be there, connecting included. Default 30. */
  readonly headersSeconds: number;
  /** Seconds until the last byte must be there. Default 60. */
  readonly totalSeconds: number;
  /** Default 64 MiB. */
  readonly wireBytes: number;
  /** Default 1 GiB for streamed reads, 32 MiB for those that return the whole body. */
  readonly decodedBytes: number;
}

/** Options that every read takes. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Query parameters, added to those in the path. `undefined` values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly accept?: string;
  /** Sends If-None-Match: 304, with an empty body, is then a result, not an error. */
  readonly ifNoneMatch?: string;
  /** Statuses that are a result besides 200 (health endpoints answer 500 with a body). Default none. */
  readonly alsoAccept?: readonly number[];
  readonly limits?: Partial<RequestLimits>;
}

/**
 * The TCP connection that answered: equal exactly where it was the same one. Unique in this process. Known only to
 * clients by `onConnection`, which ask one thing at a time; `null` otherwise, and behind a SOCKS proxy.
 */
export type ConnectionId = string;

/** What came back, whatever the form of the body. */
export interface ReadResult {
  readonly status: number;
  /** Response headers, lower-case names, last value wins; no `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cost of this read, its retries included. */
  readonly cost: RequestCost;
  readonly connectionId: ConnectionId | null;
}

/** Whole body as text. */
export interface TextResult extends ReadResult {
  readonly text: string;
}

/** Whole body as JSON, parsed. */
export interface JsonResult<T> extends ReadResult {
  readonly value: T;
}

/** Options of a read of JSON. */
export interface JsonOptions<T> extends Omit<ReadOptions, "ifNoneMatch"> {
  /** Turns the JSON into what the caller keeps; a throw ends the read as `bad-body`. Default: as parsed. */
  readonly parse?: (value: unknown) => T;
}

/** Whole body as bytes (protobuf documents and sizes). */
export interface BytesResult extends ReadResult {
  readonly body: Buffer;
}

/** Options of a paged LIST. */
export interface ListOptions<T> extends Omit<ReadOptions, "accept" | "ifNoneMatch" | "alsoAccept"> {
  /** Page size and resourceVersion, from {@link ListForm}; default `limit=500`, most recent. */
  readonly form?: Pick<ListForm, "limit" | "resourceVersion" | "resourceVersionMatch">;
  /** Ask for PartialObjectMetadata only. Default false. */
  readonly metadataOnly?: boolean;
  /** Turns each item into what the caller keeps; a throw ends the LIST as `bad-body`. Default: as parsed. */
  readonly parseItem?: (item: unknown) => T;
  /** How often an expired continue token may start the LIST again. Default 2. */
  readonly maxRestarts?: number;
  /** Largest single item in bytes. Default 16 MiB. */
  readonly maxItemBytes?: number;
}

/**
 * What a LIST yields. `items` come in batches as bytes arrive, never all of a page at once. On `restart` the consumer
 * drops everything that it has taken so far: the LIST begins again.
 */
export type ListEvent<T> =
  | { readonly type: "items"; readonly items: readonly T[] }
  | { readonly type: "page"; readonly page: ListPage }
  | { readonly type: "restart"; readonly restarts: number };

/** One page that has been read to its end. */
export interface ListPage {
  readonly itemCount: number;
  /** Sum of the bytes of the items as JSON; what is around them is not counted. */
  readonly itemBytes: number;
  readonly resourceVersion: string;
  /** Objects after this page, or null when the server does not say (with a selector it never does). */
  readonly remainingItemCount: number | null;
  readonly hasContinue: boolean;
}

/** What a LIST amounted to. Counts are those since the last restart; the cost covers everything. */
export interface ListSummary {
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly pages: number;
  readonly restarts: number;
  /** resourceVersion of the last page. */
  readonly resourceVersion: string;
  /** Kind of the list as the server names it, for example `NodeList`. */
  readonly kind: string;
  readonly cost: RequestCost;
}

/** A LIST held as a whole. Only for small collections. */
export interface ListResult<T> extends ListSummary {
  readonly items: readonly T[];
}

/** One page, never continued. */
export interface SamplePage extends ListPage {
  readonly items: readonly unknown[];
  /** Bytes of each item as JSON, in the order of `items`. */
  readonly bytesPerItem: readonly number[];
  readonly cost: RequestCost;
}

/** Answer to "how many are there", from one page of one item. */
export interface CountResult {
  /** Number of objects, or null when the server does not say. */
  readonly count: number | null;
  readonly resourceVersion: string;
  readonly cost: RequestCost;
}

/** Samples of a `/metrics` page that were asked for. */
export interface MetricsResult extends MetricsScanSummary {
  readonly cost: RequestCost;
  readonly connectionId: ConnectionId | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Names and sink of a metrics scan. */
export interface MetricsOptions extends Omit<ReadOptions, "accept" | "ifNoneMatch" | "alsoAccept"> {
  /** Default `/metrics`. */
  readonly path?: string;
  readonly names: MetricNames;
  /** Called once per wanted sample, in order. */
  readonly onSample: (sample: MetricSample) => void;
}

/** Scope of a derived client. */
export interface ClientScope {
  /** Ends every read of the derived client. */
  readonly signal?: AbortSignal;
  /** No read or pause of the derived client goes beyond this instant (milliseconds since the epoch). */
  readonly deadlineAt?: number;
  /** Counts the reads of the derived client, besides those meters that the parent has. */
  readonly meter?: CostMeter;
}

/** Address of one API server of a cluster. */
export interface AddressOptions {
  /**
   * Name to send as SNI and to check the certificate against. Without it the certificate must be valid for the address
   * itself, for the name in the kubeconfig, or (where the kubeconfig brings its own CA) for `kubernetes.default.svc`.
   */
  readonly serverName?: string;
}

/** How a kept connection counts. */
export interface ConnectionOptions {
  /**
   * The connection is known to lead to one server: its requests count against that one, not against every server that
   * the address may lead to. Default false.
   */
  readonly isOneServer?: boolean;
}

/**
 * Reads one cluster through one address. Every request passes the guard rails and the budget of the cluster; all
 * failures are `ApiServerError`. Derived clients (`withAddress`, `scoped`) share credentials, budget and connections.
 */
export interface ApiServerClient {
  readonly cluster: string;
  /** `host:port`. */
  readonly server: string;
  /** Whether the certificate of the server is not checked, as the kubeconfig asks. */
  readonly insecureSkipTlsVerify: boolean;
  /** The clock that this client was made with. */
  readonly clock: KubeClock;
  /** The same cluster and credentials at another address (`host:port`). */
  readonly withAddress: (address: string, options?: AddressOptions) => ApiServerClient;
  /**
   * The same address by one connection that is kept under this name. A load balancer leads each connection to one API
   * server for as long as it is open, so that a name stands for a server once met. One request at a time.
   */
  readonly onConnection: (connection: string, options?: ConnectionOptions) => ApiServerClient;
  /** Closes the connections of this client's address (and name); the next read opens others. */
  readonly renewConnection: () => Promise<void>;
  readonly scoped: (scope: ClientScope) => ApiServerClient;
  /** Everything read since the client was created, derived clients included. */
  readonly cost: () => RequestCost;
  readonly getText: (path: string, options?: ReadOptions) => Promise<TextResult>;
  readonly getJson: <T = unknown>(path: string, options?: JsonOptions<T>) => Promise<JsonResult<T>>;
  readonly getBytes: (path: string, options?: ReadOptions) => Promise<BytesResult>;
  /** A LIST in pages, as a stream with bounded memory. */
  readonly list: <T = unknown>(
    path: string,
    options?: ListOptions<T>,
  ) => AsyncGenerator<ListEvent<T>, ListSummary, undefined>;
  /** A LIST held as a whole; more than `maxItems` (default 50,000) items end in `too-large`. */
  readonly listAll: <T = unknown>(
    path: string,
    options?: ListOptions<T> & { readonly maxItems?: number },
  ) => Promise<ListResult<T>>;
  /** One page of at most `limit` full objects with the bytes of each; never continued. */
  readonly samplePage: (
    path: string,
    options: { readonly limit: number } & Pick<
      ListOptions<unknown>,
      "metadataOnly" | "signal" | "limits" | "query"
    >,
  ) => Promise<SamplePage>;
  /** `limit=1`: items plus `remainingItemCount`. */
  readonly count: (path: string, options?: Pick<ReadOptions, "signal" | "limits">) => Promise<CountResult>;
  /** `/metrics` as a stream, filtered by name. */
  readonly scanMetrics: (options: MetricsOptions) => Promise<MetricsResult>;
  /** Closes the connections of this client and all that were derived from it. */
  readonly close: () => Promise<void>;
}
