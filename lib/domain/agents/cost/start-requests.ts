import type { ReflectorRequest } from "../../informers/reflector-request.ts";
import { toQueryString } from "../../informers/reflector-request.ts";
import { reflectorRequests } from "../../informers/situations.ts";
import { isGateEnabled } from "../../kubernetes/feature-gates.ts";
import type { AgentInformer } from "../agent.ts";
import { OWN_NODE } from "../informer-text.ts";
import type { ResolvedClient } from "./informer-client.ts";
import type { Projection } from "./projection.ts";

/** A request that one copy sends for one informer when it starts. */
export interface StartRequest {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /**
   * `list`: loads the collection, or the first page of it. `watch-list`: a WATCH that sends the whole state first.
   * `watch`: sends changes only. `refused`: answered with an error. `get`: one object.
   */
  readonly kind: "list" | "watch-list" | "watch" | "refused" | "get";
}

/** Any name will do: prices and volumes are the same for all. */
const A_NODE = "node-1";
const A_NAMESPACE = "namespace-1";
/** Stands for the version of a collection. */
const A_VERSION = "100";

/** What a copy sends at its start, in order; pages after the first are left to `pageRequest`. */
export function startRequests(
  informer: AgentInformer,
  client: ResolvedClient,
  projection: Projection,
): StartRequest[] {
  const path = collectionPath(informer);
  const selectors = selectorsOf(informer);
  const request = (kind: StartRequest["kind"], query: Readonly<Record<string, string>>): StartRequest => ({
    path,
    query: toQueryString(sortByName({ ...query, ...selectors })),
    kind,
  });
  switch (informer.mode) {
    case "get":
      return [{ path: `${path}/${A_NODE}`, query: "", kind: "get" }];
    case "watch":
      // From no version, or from 0, the whole state comes before changes.
      return [request("watch-list", { watch: "true", ...versionOf(informer, "") })];
    case "list":
    case "poll":
      return [request("list", listQuery(informer, {}))];
    case "informer":
      return informerRequests(informer, client, projection).map(({ kind, query }) => request(kind, query));
  }
}

/** A page after the first: it carries a token in place of a version. `null`: the request asks for no pages. */
export function pageRequest(first: StartRequest): StartRequest | null {
  const query = new URLSearchParams(first.query);
  if (Number(query.get("limit") ?? 0) <= 0) return null;
  query.delete("resourceVersion");
  query.set("continue", "page");
  return { ...first, query: query.toString() };
}

interface InformerRequest {
  readonly kind: StartRequest["kind"];
  readonly query: Readonly<Record<string, string>>;
}

function informerRequests(
  informer: AgentInformer,
  { informerClient }: ResolvedClient,
  { version, facts }: Projection,
): InformerRequest[] {
  if (informerClient === null) {
    const list: InformerRequest = { kind: "list", query: listQuery(informer, {}) };
    return [list, { kind: "watch", query: { watch: "true", resourceVersion: A_VERSION } }];
  }
  const wantsWatchList = informer.watchList ?? informerClient.watchListDefault;
  const isServed = isGateEnabled("WatchList", version, facts.featureGates);
  const situation = wantsWatchList && !isServed ? "start-without-server-watch-list" : "start";
  const { requests } = reflectorRequests(informerClient, situation, wantsWatchList);
  return requests.map((request) => ({
    kind: kindOf(request, isServed),
    query: request.verb === "list" ? listQuery(informer, request.query) : request.query,
  }));
}

function kindOf(request: ReflectorRequest, isServed: boolean): StartRequest["kind"] {
  if (request.verb === "list") return "list";
  if (!request.isWatchList) return "watch";
  return isServed ? "watch-list" : "refused";
}

/** What the informer sets counts more than what its library does. */
function listQuery(
  informer: AgentInformer,
  library: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { limit, resourceVersion, ...rest } = library;
  const pageSize = informer.pageSize ?? (limit === undefined ? 0 : Number(limit));
  return {
    ...rest,
    ...(pageSize > 0 ? { limit: String(pageSize) } : {}),
    ...versionOf(informer, resourceVersion ?? ""),
  };
}

function versionOf(
  { resourceVersion }: AgentInformer,
  otherwise: string,
): { readonly resourceVersion?: string } {
  const version = resourceVersion ?? otherwise;
  return version === "" ? {} : { resourceVersion: version };
}

/** The version in the path plays no role: v1 stands for all. */
export function collectionPath({ apiGroup, resource, scope, namespace }: AgentInformer): string {
  const prefix = apiGroup === "" ? "/api/v1" : `/apis/${encodeURIComponent(apiGroup)}/v1`;
  const isNamespaced = scope === "namespace" || (scope === "single-object" && namespace !== null);
  const within = isNamespaced ? `/namespaces/${encodeURIComponent(namespace ?? A_NAMESPACE)}` : "";
  return `${prefix}${within}/${encodeURIComponent(resource)}`;
}

function selectorsOf({ fieldSelector, labelSelector }: AgentInformer): Readonly<Record<string, string>> {
  return {
    ...(fieldSelector === null ? {} : { fieldSelector: fieldSelector.replaceAll(OWN_NODE, A_NODE) }),
    ...(labelSelector === null ? {} : { labelSelector }),
  };
}

const sortByName = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
