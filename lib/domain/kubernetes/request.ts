import { requiredValue } from "./field-selector.ts";
import { isLabelSelector } from "./label-selector.ts";
import { type ListOptions, parseListOptions } from "./list-options.ts";
import { unescapePath } from "./query.ts";
import { NEWEST_KNOWN_MINOR } from "./version.ts";

/** What the API server makes of method, path and query before it classifies and prices a request. */
export interface RequestInfo {
  /** False for `/healthz`, `/apis`, `/api/v1` and other paths that name no resource. */
  readonly isResourceRequest: boolean;
  /** Escapes resolved. */
  readonly path: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `proxy`; empty for a resource
   * request of another method; the method in lower case for a non-resource request.
   */
  readonly verb: string;
  /** `api`, `apis`, or empty. */
  readonly apiPrefix: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Empty for a cluster-wide request; the name of a Namespace object for requests on that object. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** From the path, else what `metadata.name` of the field selector of a LIST or WATCH requires; else empty. */
  readonly name: string;
  /** The parameters of a LIST or WATCH; `null` for every other verb. */
  readonly options: ListOptions | null;
  /** Why the API server answers 500 before it classifies the request, or `null`. */
  readonly error: string | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const SLASH = 47;

/**
 * Resolves a request. `path` and `query` are raw: escapes are resolved here, a path whose escapes are broken is taken
 * as it is. `minor` matters for one corner of label selectors only (see `isLabelSelector`).
 * Source: apiserver pkg/endpoints/request/requestinfo.go, v0.26 to v0.37 alike in what is resolved here.
 */
export function parseRequest(
  method: string,
  path: string,
  query = "",
  minor: number = NEWEST_KNOWN_MINOR,
): RequestInfo {
  const info = parsePath(method, path);
  const { verb } = info;
  if (!info.isResourceRequest || info.error !== null) return info;
  if (verb === "get" && info.name === "") {
    const options = parseListOptions(query);
    info.options = options;
    info.verb = options.watch ? "watch" : "list";
    if (options.fieldSelector !== "") info.name = nameOfSelectors(options, minor);
  } else if (verb === "watch") {
    info.options = parseListOptions(query);
  } else if (verb === "delete" && info.name === "") {
    info.verb = "deletecollection";
  }
  return info;
}

/**
 * The value a field selector requires of `field`, or `null`: none, or parameters that do not decode, in which case the
 * API server drops all of them.
 */
export function requiredField(options: ListOptions, field: string, minor: number): string | null {
  if (options.fieldSelector === "" || !options.isDecodable) return null;
  const value = requiredValue(options.fieldSelector, field);
  return value !== null && isLabelSelector(options.labelSelector, minor) ? value : null;
}

function nameOfSelectors(options: ListOptions, minor: number): string {
  const name = requiredField(options, "metadata.name", minor);
  return name !== null && isPathSegment(name) ? name : "";
}

/** Names that cannot stand in a path are not taken. Source: apimachinery IsPathSegmentName. */
const isPathSegment = (name: string) =>
  name !== "." && name !== ".." && !name.includes("/") && !name.includes("%");

function parsePath(method: string, rawPath: string): Mutable<RequestInfo> {
  const path = rawPath.includes("%") ? (unescapePath(rawPath) ?? rawPath) : rawPath;
  const info: Mutable<RequestInfo> = {
    isResourceRequest: false,
    path,
    verb: "",
    apiPrefix: "",
    apiGroup: "",
    apiVersion: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    options: null,
    error: null,
  };
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start++;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--;
  readParts(info, method, start, end);
  return info;
}

/** Reads prefix, group, version and what follows from `path` between `start` and `end`, which no slash touches. */
function readParts(info: Mutable<RequestInfo>, method: string, start: number, end: number): void {
  const { path } = info;
  const prefixEnd = partEnd(path, start, end);
  const prefix = prefixEnd - start <= 4 ? path.slice(start, prefixEnd) : "";
  const isCore = prefix === "api";
  const isGrouped = prefix === "apis";
  const groupEnd = isGrouped ? partEnd(path, prefixEnd + 1, end) : prefixEnd;
  const versionStart = groupEnd + 1;
  const versionEnd = partEnd(path, versionStart, end);
  if (isGrouped && groupEnd < end) info.apiPrefix = "apis";
  if (!(isCore || isGrouped) || versionEnd >= end) {
    info.verb = method.toLowerCase();
    return;
  }
  info.isResourceRequest = true;
  if (isCore) info.apiPrefix = "api";
  else info.apiGroup = path.slice(prefixEnd + 1, groupEnd);
  info.apiVersion = path.slice(versionStart, versionEnd);
  let at = versionEnd + 1;
  const firstEnd = partEnd(path, at, end);
  const special = firstEnd - at === 5 ? specialVerbAt(path, at) : "";
  if (special === "") info.verb = verbOf(method);
  else if (firstEnd >= end) {
    info.verb = method.toLowerCase();
    info.error = `The path ends in /${special}: no resource can be told from it.`;
    return;
  } else {
    info.verb = special;
    at = firstEnd + 1;
  }
  readResource(info, at, end);
}

/** What begins at `at` is resource/name/subresource, with `namespaces/NAME` before it or not. */
function readResource(info: Mutable<RequestInfo>, at: number, end: number): void {
  const { path } = info;
  let start = at;
  let firstEnd = partEnd(path, start, end);
  if (firstEnd - start === 10 && path.startsWith("namespaces", start) && firstEnd < end) {
    const namespaceEnd = partEnd(path, firstEnd + 1, end);
    info.namespace = path.slice(firstEnd + 1, namespaceEnd);
    if (namespaceEnd < end) {
      const thirdEnd = partEnd(path, namespaceEnd + 1, end);
      if (!isNamespaceSubresource(path, namespaceEnd + 1, thirdEnd)) {
        start = namespaceEnd + 1;
        firstEnd = thirdEnd;
      }
    }
  }
  info.resource = path.slice(start, firstEnd);
  if (firstEnd >= end) return;
  const nameEnd = partEnd(path, firstEnd + 1, end);
  info.name = path.slice(firstEnd + 1, nameEnd);
  if (nameEnd >= end || info.verb === "proxy") return;
  info.subresource = path.slice(nameEnd + 1, partEnd(path, nameEnd + 1, end));
}

/** Where the part that begins at `start` ends: at a slash, or at `end`. */
function partEnd(path: string, start: number, end: number): number {
  const slash = path.indexOf("/", start);
  return slash < 0 || slash > end ? end : slash;
}

function specialVerbAt(path: string, start: number): string {
  if (path.startsWith("watch", start)) return "watch";
  return path.startsWith("proxy", start) ? "proxy" : "";
}

/** `status` and `finalize` behind the name of a Namespace are its subresources; anything else is a resource in it. */
function isNamespaceSubresource(path: string, start: number, end: number): boolean {
  if (end - start === 6) return path.startsWith("status", start);
  return end - start === 8 && path.startsWith("finalize", start);
}

function verbOf(method: string): string {
  switch (method) {
    case "GET":
    case "HEAD":
      return "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      return "";
  }
}
