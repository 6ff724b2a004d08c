import { type Collection, jsonOf, metadataJsonOf } from "./collection.ts";
import type { Reply } from "./reply.ts";
import type { ResourceType } from "./resource-types.ts";
import { type ClusterScenario, instantOfResourceVersion, resourceVersionAt } from "./scenario.ts";
import { parseSelectors, type Selects } from "./selectors.ts";
import { badRequest, expired, invalid, tooLargeResourceVersion } from "./status.ts";

/** How the body is written: whole objects, or their metadata only. */
export type Representation = "full" | "metadata";

export interface ListRequest {
  readonly scenario: ClusterScenario;
  readonly minor: number;
  readonly collection: Collection;
  /** Version in the path. */
  readonly version: string;
  readonly namespace: string;
  readonly query: URLSearchParams;
  readonly representation: Representation;
  readonly now: number;
  /** Age at which a snapshot is compacted away: continue tokens and exact reads of it answer 410. */
  readonly historySeconds: number;
}

/** What a continue token holds. Clients see base64 and must treat it as opaque. */
interface Position {
  /** The snapshot the list belongs to. */
  readonly at: number;
  readonly index: number;
}

/**
 * Answers a LIST as the version would: which snapshot, how many items, whether a token follows. Items are made
 * while the body is sent.
 * @throws StatusError 400, 410, 422, 504.
 */
export function listReply(request: ListRequest): Reply {
  const { query, collection } = request;
  const selects = parseSelectors(query.get("fieldSelector") ?? "", query.get("labelSelector") ?? "");
  const { at, start, limit } = planList(request);
  const page = choosePage(request, { at, start, limit, selects });
  const meta = JSON.stringify({
    resourceVersion: resourceVersionAt(request.scenario, at),
    ...(page.next === null ? {} : { continue: encodePosition({ at, index: page.next }) }),
    ...(page.remaining === null ? {} : { remainingItemCount: page.remaining }),
  });
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: listBody(request, { at, indexes: page.indexes, meta, type: collection.type }),
    compression: "over-threshold",
  };
}

/** Snapshot, first index and limit (0: none), by resourceVersion, resourceVersionMatch, limit and continue. */
function planList({ query, scenario, collection, now, historySeconds }: ListRequest) {
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  const limitText = query.get("limit");
  const limit = limitText === null ? 0 : Number(limitText);
  if (limitText === "" || !Number.isInteger(limit)) {
    throw badRequest(`strconv.ParseInt: parsing "${limitText}": invalid syntax`);
  }
  if (query.has("sendInitialEvents")) {
    throw invalid("ListOptions", "sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list");
  }
  if (match !== "") checkMatch(match, resourceVersion, token);

  if (token !== "") {
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const position = decodePosition(token);
    if (position.at >= 0 && now - position.at > historySeconds * 1000) {
      throw expired(encodePosition({ at: -1, index: position.index }));
    }
    // A token without a snapshot (handed out with a 410) goes on in what is there now.
    return { at: position.at < 0 ? now : position.at, start: position.index, limit };
  }
  if (resourceVersion === "" || resourceVersion === "0") {
    // From the watch cache with rv=0 the limit is ignored in every version; uncached resources honour it.
    const isLimitIgnored = resourceVersion === "0" && collection.type.isUncached !== true;
    return { at: now, start: 0, limit: isLimitIgnored ? 0 : limit };
  }
  const asked = instantOfResourceVersion(scenario, resourceVersion);
  if (Number.isNaN(asked)) throw badRequest(`Invalid value: "${resourceVersion}": invalid resource version`);
  if (asked > now) throw tooLargeResourceVersion(resourceVersion, resourceVersionAt(scenario, now));
  const isExact = match === "Exact" || (match === "" && limit > 0);
  if (isExact && now - asked > historySeconds * 1000) throw expired(null);
  return { at: isExact ? asked : now, start: 0, limit };
}

function checkMatch(match: string, resourceVersion: string, token: string): void {
  const field = "resourceVersionMatch";
  if (resourceVersion === "") {
    throw invalid(
      "ListOptions",
      field,
      `Forbidden: ${field} is forbidden unless resourceVersion is provided`,
    );
  }
  if (token !== "")
    throw invalid("ListOptions", field, `Forbidden: ${field} is forbidden when continue is provided`);
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw invalid("ListOptions", field, `Unsupported value: ${JSON.stringify(match)}`);
  }
  if (match === "Exact" && resourceVersion === "0") {
    throw invalid("ListOptions", field, `Forbidden: ${field} "Exact" is forbidden for resourceVersion "0"`);
  }
}

interface Page {
  readonly indexes: Iterable<number>;
  readonly next: number | null;
  readonly remaining: number | null;
}

/** The items of one page. The count of what remains is given only without selectors, as in the API. */
function choosePage(
  { collection, namespace }: ListRequest,
  { at, start, limit, selects }: { at: number; start: number; limit: number; selects: Selects | null },
): Page {
  const size = collection.size(at);
  if (namespace === "" && selects === null) {
    const end = limit > 0 ? Math.min(size, start + limit) : size;
    const isLast = end >= size;
    return { indexes: range(start, end), next: isLast ? null : end, remaining: isLast ? null : size - end };
  }
  const indexes: number[] = [];
  let beyond = 0;
  let next: number | null = null;
  for (let index = start; index < size; index++) {
    if (namespace !== "" && collection.keyAt(index, at).namespace !== namespace) continue;
    if (selects && !selects(collection, index, at)) continue;
    if (limit === 0 || indexes.length < limit) indexes.push(index);
    else {
      next ??= index;
      beyond += 1;
      if (selects) break;
    }
  }
  return { indexes, next, remaining: next === null || selects ? null : beyond };
}

function* range(start: number, end: number): Generator<number> {
  for (let index = start; index < end; index++) yield index;
}

const CHUNK_CHARACTERS = 64 * 1024;

async function* listBody(
  { collection, version, representation }: ListRequest,
  { at, indexes, meta, type }: { at: number; indexes: Iterable<number>; meta: string; type: ResourceType },
): AsyncGenerator<string> {
  const apiVersion = type.group === "" ? version : `${type.group}/${version}`;
  const isMetadata = representation === "metadata";
  const kind = isMetadata ? "PartialObjectMetadataList" : `${type.kind}List`;
  const listVersion = isMetadata ? "meta.k8s.io/v1" : apiVersion;
  // Custom resources are encoded with sorted keys, so that metadata, and the token in it, come after the items.
  const isSorted = type.isCustom === true && !isMetadata;
  let chunk = isSorted
    ? `{"apiVersion":"${listVersion}","items":[`
    : `{"kind":"${kind}","apiVersion":"${listVersion}","metadata":${meta},"items":[`;
  let isFirst = true;
  for (const index of indexes) {
    if (!isFirst) chunk += ",";
    isFirst = false;
    chunk += itemJson(collection, index, at, { isMetadata, apiVersion });
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = "";
    }
  }
  yield `${chunk}${isSorted ? `],"kind":"${kind}","metadata":${meta}}` : "]}"}\n`;
}

function itemJson(
  collection: Collection,
  index: number,
  at: number,
  { isMetadata, apiVersion }: { isMetadata: boolean; apiVersion: string },
): string {
  if (isMetadata) {
    const metadata = metadataJsonOf(collection, index, at);
    return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${metadata}}`;
  }
  if (collection.type.isCustom !== true) return jsonOf(collection, index, at);
  return JSON.stringify({ apiVersion, kind: collection.type.kind, ...collection.objectAt(index, at) });
}

function encodePosition(position: Position): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", at: position.at, start: position.index });
  return Buffer.from(text).toString("base64url");
}

function decodePosition(token: string): Position {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    const { at, start } = parsed as { at?: unknown; start?: unknown };
    if (Number.isInteger(at) && Number.isInteger(start)) return { at: Number(at), index: Number(start) };
  } catch {
    throw badRequest("continue key is not valid: not a token of this server");
  }
  throw badRequest("continue key is not valid: incorrect encoded start resourceVersion");
}
