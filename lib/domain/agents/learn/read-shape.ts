import { keptText } from "../audit/kept-text.ts";
import { type FlowRequest, type LearnBudget, RequestFlow } from "./request-flow.ts";
import { isMostly } from "./shares.ts";

/** What tells apart two things that an agent reads. */
export interface ReadShapeKey {
  readonly apiGroup: string;
  readonly resource: string;
  /**
   * Empty: the whole cluster, or objects by name wherever they are. `null`: of several namespaces, more than are told
   * apart.
   */
  readonly namespace: string | null;
  /** With `$(NAME)` for the node or name. */
  readonly fieldSelector: string | null;
  readonly nameField: "spec.nodeName" | "metadata.name" | null;
  readonly labelSelector: string | null;
  /** GETs of single objects. */
  readonly isObject: boolean;
  /** Several requests that are not told apart: by name, of many namespaces or of many selectors. */
  readonly isMany: boolean;
}

/**
 * What is counted apart. `lists` have a resourceVersion, as client-go's informers begin; `newest` have none; `pages` a
 * `continue`.
 */
export const FLOW_NAMES = ["lists", "newest", "pages", "watches", "gets"] as const;
export type FlowName = (typeof FLOW_NAMES)[number];

const MAX_NAMES = 4096;
const MAX_LIMITS = 16;
const NAMED_COPIES = 256;
const MAX_NAME_CHARACTERS = 253;

/** One thing that an agent reads. */
export class ReadShape {
  readonly key: ReadShapeKey;
  readonly #budget: LearnBudget;
  readonly #flows: Partial<Record<FlowName, RequestFlow>> = {};
  watchLists = 0;
  /** Watches that go on from an earlier LIST. */
  continuedWatches = 0;
  zeroLists = 0;
  exactLists = 0;
  /** LISTs by limit, of those with a resourceVersion and of those without. */
  readonly limits: Readonly<Record<"lists" | "newest", Map<number, number>>> = {
    lists: new Map(),
    newest: new Map(),
  };
  readonly namespaces = new Set<string>();
  readonly names = new Set<string>();
  /** How often the name asked for was that of the copy's node, and how often it was not; where the node is known. */
  ownNames = 0;
  otherNames = 0;
  /** The name that each of some copies asked for first. */
  readonly #nameOfCopy = new Map<number, string>();
  #changedNames = 0;
  queueWaitSecondsMax: number | null = null;

  constructor(key: ReadShapeKey, budget: LearnBudget) {
    this.key = key;
    this.#budget = budget;
  }

  /** `null` where there were no such requests. */
  flow(name: FlowName): RequestFlow | null {
    return this.#flows[name] ?? null;
  }

  observe(name: FlowName, request: FlowRequest): void {
    this.#flowFor(name).observe(request);
  }

  #flowFor(name: FlowName): RequestFlow {
    let flow = this.#flows[name];
    if (flow === undefined) {
      flow = new RequestFlow(this.#budget, name === "pages" || name === "watches" ? "paced" : "timed");
      this.#flows[name] = flow;
    }
    return flow;
  }

  addLimit(name: "lists" | "newest", limit: number): void {
    const limits = this.limits[name];
    if (limits.has(limit) || limits.size < MAX_LIMITS) limits.set(limit, (limits.get(limit) ?? 0) + 1);
  }

  addNamespace(namespace: string): void {
    if (namespace !== "") this.#addText(this.namespaces, namespace);
  }

  /** `nodeName`: of the copy; `null`: not known. */
  addName(name: string, copy: number, nodeName: string | null): void {
    this.#addText(this.names, name);
    if (nodeName !== null) {
      if (name === nodeName) this.ownNames++;
      else this.otherNames++;
    }
    const known = this.#nameOfCopy.get(copy);
    if (known === undefined) {
      if (this.#nameOfCopy.size < NAMED_COPIES && this.#budget.names-- > 0)
        this.#nameOfCopy.set(copy, keptText(name, MAX_NAME_CHARACTERS));
    } else if (known !== name) this.#changedNames++;
  }

  #addText(set: Set<string>, text: string): void {
    if (set.has(text) || set.size >= MAX_NAMES || this.#budget.names <= 0) return;
    this.#budget.names--;
    set.add(keptText(text, MAX_NAME_CHARACTERS));
  }

  /**
   * Whether copies ask for the node they run on, as far as that can be told. Of pods by node they do unless they are
   * known not to; names that differ from copy to copy, each copy keeping to its own, are nodes only of what is per node.
   */
  get isOwnNode(): boolean {
    const { nameField, resource } = this.key;
    if (nameField === null) return false;
    const told = this.ownNames + this.otherNames;
    if (told > 0 && isMostly(this.ownNames, told)) return true;
    if (nameField === "spec.nodeName") return true;
    const isPerNode = resource === "nodes" || resource === "csinodes";
    return (
      isPerNode && told === 0 && this.#nameOfCopy.size > 1 && this.names.size > 1 && this.#changedNames === 0
    );
  }

  /** Takes over what was counted of a like thing, which stays as it is. */
  absorb(other: ReadShape): void {
    for (const name of FLOW_NAMES) {
      const theirs = other.flow(name);
      if (theirs !== null) this.#flowFor(name).absorb(theirs);
    }
    this.watchLists += other.watchLists;
    this.continuedWatches += other.continuedWatches;
    this.zeroLists += other.zeroLists;
    this.exactLists += other.exactLists;
    for (const name of ["lists", "newest"] as const) {
      for (const [limit, requests] of other.limits[name])
        this.limits[name].set(limit, (this.limits[name].get(limit) ?? 0) + requests);
    }
    for (const namespace of other.namespaces) this.namespaces.add(namespace);
    for (const name of other.names) this.names.add(name);
    if (other.queueWaitSecondsMax !== null)
      this.queueWaitSecondsMax = Math.max(this.queueWaitSecondsMax ?? 0, other.queueWaitSecondsMax);
  }
}
