import { type inferParserType, parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs";
import { type RequestUser, serviceAccountUser, userOf } from "@/lib/domain/fairness/matching/request-user";
import { parseInt64 } from "@/lib/domain/kubernetes/list-options";
import { isRead, requestOfResource, VERBS } from "@/lib/domain/kubernetes/resource-request";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export const VERSION_MATCHES = ["NotOlderThan", "Exact"] as const;

const text = parseAsString.withDefault("");

/** The request asked about, as it stands in the URL; what has its default is left out. */
export const REQUEST_STATE = {
  who: parseAsStringLiteral(["account", "user"]).withDefault("account"),
  /** `namespace/name`. */
  account: text,
  user: text,
  /** One a line; `null`: what follows from the name. Empty: none at all. */
  groups: parseAsString,
  by: parseAsStringLiteral(["resource", "path"]).withDefault("resource"),
  verb: parseAsStringLiteral(VERBS).withDefault("list"),
  /** `pods`, `deployments.apps`, `pods/status`. */
  resource: parseAsString.withDefault("pods"),
  namespace: text,
  name: text,
  limit: text,
  rv: text,
  match: parseAsStringLiteral(VERSION_MATCHES),
  fields: text,
  labels: text,
  /** Of a watch: `sendInitialEvents`. */
  initial: parseAsBoolean.withDefault(false),
  method: parseAsStringLiteral(METHODS).withDefault("GET"),
  /** With its query: `/api/v1/pods?limit=500`. */
  path: text,
  watchers: text,
  /** Whether etcd answers progress requests: what no API server publishes. */
  progress: parseAsBoolean.withDefault(true),
  /** Every reason why a FlowSchema does not match, in place of the first. */
  why: parseAsBoolean.withDefault(false),
};
export type RequestForm = inferParserType<typeof REQUEST_STATE>;
export type RequestField = keyof RequestForm;

/** A request that can be answered. `groups` are those it is taken to have. */
export interface AskedRequest {
  readonly user: RequestUser;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Watches on what it writes; `null`: not said. */
  readonly watchers: number | null;
  /** Whether etcd is taken to answer progress requests (3.4.31, 3.5.13 and later). */
  readonly hasEtcdProgress: boolean;
}

export type ReadForm =
  /** Nobody is named yet, or no path: not a fault. */
  | { readonly state: "empty"; readonly missing: "who" | "path" }
  | { readonly state: "invalid"; readonly errors: Readonly<Partial<Record<RequestField, string>>> }
  | { readonly state: "ready"; readonly request: AskedRequest };

/** What the form asks, or what is wrong with it, field by field. A form in which nobody is named is empty. */
export function readRequestForm(form: RequestForm): ReadForm {
  const errors: Partial<Record<RequestField, string>> = {};
  const user = readUser(form, errors);
  const line = form.by === "path" ? readPath(form, errors) : readResource(form, errors);
  const watchers = readCount(form.watchers, "watchers", errors);
  if (Object.keys(errors).length > 0) return { state: "invalid", errors };
  if (user === null) return { state: "empty", missing: "who" };
  if (line === null) return { state: "empty", missing: "path" };
  return { state: "ready", request: { user, ...line, watchers, hasEtcdProgress: form.progress } };
}

type Errors = Partial<Record<RequestField, string>>;

function readUser({ who, account, user, groups }: RequestForm, errors: Errors): RequestUser | null {
  const named = who === "account" ? readAccount(account, errors) : user === "" ? null : userOf(user);
  return named === null || groups === null ? named : { name: named.name, groups: groupsOf(groups) };
}

function readAccount(account: string, errors: Errors): RequestUser | null {
  if (account === "") return null;
  const [namespace = "", name = "", ...rest] = account.split("/");
  if (namespace === "" || name === "" || rest.length > 0 || /\s/.test(account)) {
    errors.account = "expected namespace/name, such as monitoring/agent";
    return null;
  }
  return serviceAccountUser(namespace, name);
}

/** One a line; white space around a name and empty lines do not count. */
export const groupsOf = (groups: string): readonly string[] =>
  groups
    .split("\n")
    .map((group) => group.trim())
    .filter((group) => group !== "");

interface Line {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

function readPath({ method, path }: RequestForm, errors: Errors): Line | null {
  if (path === "") return null;
  if (!path.startsWith("/")) {
    errors.path = "expected a path that begins with /, such as /api/v1/pods?limit=500";
    return null;
  }
  const at = path.indexOf("?");
  return at < 0
    ? { method, path, query: "" }
    : { method, path: path.slice(0, at), query: path.slice(at + 1) };
}

/** The name of the object stands in the path, or is the first term of the selector. */
function readResource(form: RequestForm, errors: Errors): Line | null {
  const { verb, resource, namespace, name } = form;
  const asked = requestOfResource({ verb, resource, namespace, name });
  const own = isRead(verb) ? readOptions(form, errors) : [];
  if ("faults" in asked) {
    Object.assign(errors, asked.faults);
    return null;
  }
  const { method, path, options } = asked;
  return { method, path, query: queryOf([...options, ...own]) };
}

function readOptions(form: RequestForm, errors: Errors): readonly (readonly [string, string])[] {
  const { verb, rv, match, fields, labels, initial } = form;
  const limit = readCount(form.limit, "limit", errors);
  if (rv !== "" && !/^\d+$/.test(rv)) errors.rv = "expected a resource version as lists carry it, or 0";
  return [
    ["limit", limit === null ? "" : String(limit)],
    ["resourceVersion", rv],
    ["resourceVersionMatch", match ?? ""],
    ["fieldSelector", fields],
    ["labelSelector", labels],
    ["sendInitialEvents", verb === "watch" && initial ? "true" : ""],
  ];
}

/** Selectors of one key are joined; what is empty is left out. In the order in which clients send them. */
function queryOf(options: readonly (readonly [string, string])[]): string {
  const joined = Map.groupBy(
    options.filter(([, value]) => value !== ""),
    ([key]) => key,
  );
  return ORDER.flatMap((key) => {
    const values = joined.get(key)?.map(([, value]) => value) ?? [];
    return values.length === 0 ? [] : [`${key}=${encodeURIComponent(values.join(","))}`];
  }).join("&");
}

const ORDER = [
  "watch",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "fieldSelector",
  "labelSelector",
  "sendInitialEvents",
] as const;

function readCount(given: string, field: "limit" | "watchers", errors: Errors): number | null {
  if (given === "") return null;
  const count = parseInt64(given);
  if (count === null || count < 0) {
    errors[field] = "expected a whole number";
    return null;
  }
  return count;
}
