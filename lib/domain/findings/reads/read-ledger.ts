import { RequestStages } from "../../agents/audit/request-stages.ts";
import type { AuditEvent } from "../../agents/audit-event.ts";
import { NEWEST_KNOWN_MINOR, type RequestInfo, requiredField } from "../../kubernetes/index.ts";
import type { ScanFacts } from "../scan-facts.ts";
import { clientOf, copyOf, KUBELETS } from "./client-subject.ts";
import { requestOf } from "./parsed-request.ts";

/** How much of a collection a request asks for. */
export type ReadScope = "cluster" | "namespace" | "own-node" | "single-object";

/** Requests of one client that differ in nothing that matters: names of nodes, resource versions and tokens aside. */
export interface ReadShape {
  readonly apiGroup: string;
  readonly resource: string;
  readonly scope: ReadScope;
  /** A LIST, or a WATCH that asks for the initial state and stands for one. Else a WATCH of changes alone. */
  readonly isList: boolean;
  readonly isWatch: boolean;
  readonly hasLabelSelector: boolean;
  /** The first of them: path and query as sent. */
  readonly path: string;
  readonly query: string;
  readonly request: RequestInfo;
  /** Answered, pages after the first not counted. */
  count: number;
  readonly copies: Set<string>;
  firstAt: number | null;
  lastAt: number | null;
}

export interface ReadClient {
  /** The user, or `system:node:*` for kubelets. */
  readonly name: string;
  readonly groups: readonly string[];
  readonly shapes: Map<string, ReadShape>;
}

/** Bounds of what is kept, whatever the length of the log. More clients, shapes or copies say no more. */
const CLIENTS_KEPT = 5000;
const SHAPES_KEPT = 200;
const COPIES_KEPT = 20_000;

/** What clients listed and watched, as the audit log has it, in bounded memory. */
export class ReadLedger {
  readonly clients = new Map<string, ReadClient>();
  readonly #stages = new RequestStages();
  #last: AuditEvent | null = null;

  /** Of several rules that hand over one event the first counts it. */
  take(event: AuditEvent): void {
    if (event === this.#last) return;
    this.#last = event;
    if (event.verb !== "list" && event.verb !== "watch") return;
    if (this.#stages.roleOf(event) !== "counted" || (event.responseCode ?? 200) >= 400) return;
    const { path, query, info: request } = requestOf(event);
    const { options, verb } = request;
    if (options === null || request.resource === "") return;
    const isWatch = verb === "watch";
    const client = this.#client(event);
    if (client === null) return;
    const scope = scopeOf(request);
    const isList = !isWatch || asksInitialState(request);
    const key = shapeKey(request, scope, isList);
    let shape = client.shapes.get(key);
    if (shape === undefined) {
      if (client.shapes.size >= SHAPES_KEPT) return;
      shape = {
        apiGroup: request.apiGroup,
        resource: request.resource,
        scope,
        isList,
        isWatch,
        hasLabelSelector: options.labelSelector !== "",
        path,
        query,
        request,
        count: 0,
        copies: new Set(),
        firstAt: null,
        lastAt: null,
      };
      client.shapes.set(key, shape);
    }
    if (options.continue === "") shape.count++;
    if (shape.copies.size < COPIES_KEPT) shape.copies.add(copyOf(event));
    shape.firstAt = lesser(shape.firstAt, event.receivedAt);
    shape.lastAt = greater(shape.lastAt, event.receivedAt);
  }

  #client(event: AuditEvent): ReadClient | null {
    const name = clientOf(event.userName);
    const known = this.clients.get(name);
    if (known !== undefined || this.clients.size >= CLIENTS_KEPT) return known ?? null;
    const client = { name, groups: event.userGroups, shapes: new Map() };
    this.clients.set(name, client);
    return client;
  }
}

const ledgers = new WeakMap<ScanFacts, ReadLedger>();

/** The one ledger of a scan, which rules share. */
export function ledgerOf(facts: ScanFacts): ReadLedger {
  let ledger = ledgers.get(facts);
  if (ledger === undefined) {
    ledger = new ReadLedger();
    ledgers.set(facts, ledger);
  }
  return ledger;
}

export const isKubelets = ({ name }: ReadClient): boolean => name === KUBELETS;

/** WatchList, and a WATCH from no resource version or 0: the whole state comes first. */
export function asksInitialState({ options }: RequestInfo): boolean {
  if (options === null) return false;
  return (
    options.sendInitialEvents === true || options.resourceVersion === "" || options.resourceVersion === "0"
  );
}

/** Labels that hold the name of a node: a selector by them asks for the copy's own node. */
const NODE_LABEL = /(?:^|,)\s*(?:[\w./-]*\/)?(?:hostname|node|node-name|nodename|nodeName)\s*(?:==?|\sin\s)/;

export function scopeOf(request: RequestInfo): ReadScope {
  const { options, namespace, name } = request;
  if (options === null) return "cluster";
  if (name !== "" && namespace !== "") return "single-object";
  if (hasNodeField(request) || NODE_LABEL.test(options.labelSelector)) return "own-node";
  if (namespace !== "" || required(request, "metadata.namespace") !== null) return "namespace";
  return "cluster";
}

/** A field selector that requires a node (`spec.nodeName`, `spec.host`, …) or the name of one object. */
function hasNodeField(request: RequestInfo): boolean {
  return NODE_FIELDS.some((field) => required(request, field) !== null);
}
const NODE_FIELDS = [
  "spec.nodeName",
  "metadata.name",
  "spec.host",
  "spec.node",
  "status.nodeName",
  "nodeName",
];

function required({ options }: RequestInfo, field: string): string | null {
  return options === null ? null : requiredField(options, field, NEWEST_KNOWN_MINOR);
}

function shapeKey(
  { apiGroup, resource, options, namespace }: RequestInfo,
  scope: ReadScope,
  isList: boolean,
) {
  const rv = options?.resourceVersion ?? "";
  return [
    apiGroup,
    resource,
    scope,
    scope === "namespace" ? namespace : "",
    isList ? "list" : "watch",
    options?.watch === true ? "w" : "",
    rv === "" || rv === "0" ? rv : "n",
    options?.resourceVersionMatch ?? "",
    options?.limit ?? 0,
    options?.continue === "" ? "" : "c",
    scope === "own-node" ? "" : (options?.fieldSelector ?? ""),
    scope === "own-node" ? "" : (options?.labelSelector ?? ""),
  ].join("\u0000");
}

const lesser = (a: number | null, b: number | null) => (a === null || (b !== null && b < a) ? b : a);
const greater = (a: number | null, b: number | null) => (a === null || (b !== null && b > a) ? b : a);
