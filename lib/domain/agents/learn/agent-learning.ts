import type { ListOptions } from "../../kubernetes/list-options.ts";
import { smallKey } from "../audit/hash-text.ts";
import { keptText } from "../audit/kept-text.ts";
import type { AuditEvent, AuditObjectRef } from "../audit-event.ts";
import type { UserAgentFacts } from "./parse-user-agent.ts";
import { type FieldSelectorShapes, withoutValues } from "./read-selector.ts";
import { ReadShape, type ReadShapeKey } from "./read-shape.ts";
import { type LearnBudget, RequestFlow } from "./request-flow.ts";
import { guessWorkload, type WorkloadGuess } from "./workload-of-pods.ts";

/** What all agents of one log share. */
export interface LearnShared {
  readonly budget: LearnBudget;
  readonly selectors: FieldSelectorShapes;
  /** How many more things read may be told apart. */
  shapesLeft: number;
  /** Requests for things beyond that. */
  beyondShapes: number;
}

/** One counted request with what is made of it once. */
export interface LearnRequest {
  readonly event: AuditEvent;
  /** Kubernetes' verb. */
  readonly verb: string;
  /** `null`: no resource. */
  readonly ref: AuditObjectRef | null;
  /** Of a LIST or WATCH. */
  readonly options: ListOptions | null;
  /** Milliseconds since the epoch; `null`: no time. */
  readonly at: number | null;
  readonly elapsedSeconds: number | null;
}

const MAX_USER_AGENTS = 16;
const MAX_OTHERS = 64;
const MAX_TEXT_CHARACTERS = 256;
/** Longer selectors are no setting of a client. */
const MAX_SELECTOR_CHARACTERS = 2048;
const LONG_SELECTOR = "(longer than is looked at)";
const MAX_WORKLOADS = 8;
const MAX_GROUPS = 32;
const MAX_ALIASES = 256;
/** Namespaces and selectors of one resource that are told apart; beyond them they count as one. */
const TOLD_NAMESPACES = 10;
const TOLD_SELECTORS = 16;

/** What is learned of one user with one kind of user agent. */
export class AgentLearning {
  readonly userName: string;
  readonly facts: UserAgentFacts;
  readonly #shared: LearnShared;
  readonly #shapes = new Map<string, ReadShape>();
  /** By what was sent, for what comes again and again. */
  readonly #aliases = new Map<string, ReadShape>();
  /** Namespaces and selectors seen, by resource. */
  readonly #variety = new Map<string, { namespaces: Set<string>; selectors: Set<string> }>();
  /** Of all requests: copies, codes, times. */
  readonly all: RequestFlow;
  readonly throttled: RequestFlow;
  readonly userAgents = new Map<string, number>();
  readonly writes = new Map<string, number>();
  readonly others = new Map<string, number>();
  readonly workloads = new Map<string, { readonly guess: WorkloadGuess; pods: number }>();
  readonly loops = new Map<string, RequestFlow>();
  groups: readonly string[] = [];
  namedByPod = 0;
  namedByNode = 0;
  podsWithoutWorkload = 0;
  impersonated = 0;
  /** When a copy was seen that had not been seen before, last. */
  newCopyAt: number | null = null;

  constructor(userName: string, facts: UserAgentFacts, shared: LearnShared) {
    this.userName = userName;
    this.facts = facts;
    this.#shared = shared;
    this.all = new RequestFlow(shared.budget, "counted");
    this.throttled = new RequestFlow(shared.budget, "paced");
  }

  get shapes(): readonly ReadShape[] {
    return [...this.#shapes.values()];
  }

  observe(request: LearnRequest): void {
    const { event, at, elapsedSeconds } = request;
    const copy = this.#copyOf(event);
    const before = this.all.copies;
    const sent = { at, copy, same: copy, elapsedSeconds, code: event.responseCode };
    this.all.observe(sent);
    if (this.all.copies > before) {
      if (at !== null) this.newCopyAt = Math.max(this.newCopyAt ?? at, at);
      this.#observeWorkload(event);
    }
    if (event.responseCode === 429) this.throttled.observe(sent);
    if (event.impersonatorName !== null) this.impersonated++;
    if (this.groups.length === 0)
      this.groups = event.userGroups
        .slice(0, MAX_GROUPS)
        .map((group) => keptText(group, MAX_TEXT_CHARACTERS));
    count(this.userAgents, event.userAgent, MAX_USER_AGENTS);
    this.#observeRead(request, copy);
  }

  /** Pods where tokens name them; nodes where users do; else the address of the connection. */
  #copyOf({ podName, userName, sourceIps }: AuditEvent): number {
    if (podName !== null) {
      this.namedByPod++;
      return smallKey(podName, 1);
    }
    if (userName.startsWith(NODE_USER)) {
      this.namedByNode++;
      return smallKey(userName, 2);
    }
    return smallKey(sourceIps.at(-1) ?? "", 3);
  }

  #observeWorkload({ podName, nodeName }: AuditEvent): void {
    if (podName === null) return;
    const guess = guessWorkload(podName, nodeName);
    const key = guess === null ? "" : `${guess.kind}/${guess.name}`;
    const known = this.workloads.get(key);
    if (guess === null || (known === undefined && this.workloads.size >= MAX_WORKLOADS))
      this.podsWithoutWorkload++;
    else if (known === undefined)
      this.workloads.set(key, {
        guess: { ...guess, name: keptText(guess.name, MAX_TEXT_CHARACTERS) },
        pods: 1,
      });
    else known.pods++;
  }

  #observeRead(request: LearnRequest, copy: number): void {
    const { verb, ref, event } = request;
    if (ref === null) {
      count(this.others, `${verb} ${pathFamily(event.requestUri)}`, MAX_OTHERS);
      return;
    }
    const subject = `${ref.resource}${ref.apiGroup === "" ? "" : `.${ref.apiGroup}`}${ref.subresource === "" ? "" : `/${ref.subresource}`}`;
    if (verb !== "list" && verb !== "watch" && verb !== "get") {
      count(this.writes, `${verb} ${subject}`, MAX_OTHERS);
      this.#observeLoop(`${verb} ${subject}`, request, copy);
      return;
    }
    // `logs`, `proxy` and the like are no reads of objects; a WATCH of one object by an old path has a name.
    if (ref.subresource !== "") {
      count(this.others, `${verb} ${subject}`, MAX_OTHERS);
      return;
    }
    const shape = this.#shapeOf(request, ref);
    if (shape === null) {
      this.#shared.beyondShapes++;
      return;
    }
    observeShape(shape, request, ref, { copy, selectors: this.#shared.selectors });
  }

  /** The same object written again and again; of objects that are made anew each time only what is refused is a loop. */
  #observeLoop(what: string, { event, at, ref }: LearnRequest, copy: number): void {
    const name = ref?.name ?? "";
    if (name === "" && (event.responseCode ?? 0) < 400) return;
    let flow = this.loops.get(what);
    if (flow === undefined) {
      if (this.loops.size >= MAX_OTHERS || this.#shared.shapesLeft <= 0) return;
      this.#shared.shapesLeft--;
      flow = new RequestFlow(this.#shared.budget, "paced");
      this.loops.set(keptText(what, 4 * MAX_TEXT_CHARACTERS), flow);
    }
    const same = smallKey(`${ref?.namespace ?? ""}/${name}`, copy);
    flow.observe({ at, copy, same, elapsedSeconds: null, code: event.responseCode });
  }

  /** `null`: more things are read than can be told apart. */
  #shapeOf({ verb, options }: LearnRequest, ref: AuditObjectRef): ReadShape | null {
    const isObject = verb === "get";
    const field = this.#shared.selectors.of(options?.fieldSelector ?? "");
    const isByName = isObject || field.field === "metadata.name";
    const label = options?.labelSelector ?? "";
    const isSent = `${isObject ? "1" : "0"}\0${ref.resource}\0${ref.apiGroup}\0${isByName ? "" : ref.namespace}\0${field.template ?? ""}\0${label}`;
    const alike = this.#aliases.get(isSent);
    if (alike !== undefined) return alike;
    const selectors = this.#told(ref, field.template, label, isByName);
    const { namespace } = selectors;
    const key = `${isObject ? "1" : "0"}\0${ref.resource}\0${ref.apiGroup}\0${namespace ?? "\0"}\0${selectors.field ?? ""}\0${selectors.label ?? ""}`;
    const known = this.#shapes.get(key);
    if (known !== undefined) {
      if (this.#aliases.size < MAX_ALIASES && isSent.length <= MAX_SELECTOR_CHARACTERS)
        this.#aliases.set(isSent, known);
      return known;
    }
    if (this.#shared.shapesLeft <= 0) return null;
    this.#shared.shapesLeft--;
    const shapeKey: ReadShapeKey = {
      apiGroup: ref.apiGroup,
      resource: ref.resource,
      namespace,
      fieldSelector: selectors.field,
      nameField: isObject ? null : field.field,
      labelSelector: selectors.label,
      isObject,
      isMany: isByName || namespace === null || !selectors.isToldApart,
    };
    const shape = new ReadShape(shapeKey, this.#shared.budget);
    this.#shapes.set(key, shape);
    return shape;
  }

  /** Namespace and selectors as far as they are told apart for a resource; objects by name are so nowhere. */
  #told(ref: AuditObjectRef, field: string | null, sentLabel: string, isByName: boolean) {
    const label = sentLabel.length > MAX_SELECTOR_CHARACTERS ? LONG_SELECTOR : sentLabel;
    const resource = `${ref.resource}\0${ref.apiGroup}`;
    let variety = this.#variety.get(resource);
    if (variety === undefined) {
      variety = { namespaces: new Set(), selectors: new Set() };
      this.#variety.set(resource, variety);
    }
    const namespace = isByName
      ? ""
      : isKept(variety.namespaces, ref.namespace, TOLD_NAMESPACES)
        ? ref.namespace
        : null;
    const isToldApart = isKept(variety.selectors, `${field ?? ""}\0${label}`, TOLD_SELECTORS);
    return {
      namespace,
      isToldApart,
      field: field === null || isToldApart ? field : withoutValues(field),
      label: label === "" ? null : isToldApart ? label : withoutValues(label),
    };
  }
}

interface ShapeContext {
  readonly copy: number;
  readonly selectors: FieldSelectorShapes;
}

function observeShape(
  shape: ReadShape,
  { verb, options, event, at, elapsedSeconds }: LearnRequest,
  ref: AuditObjectRef,
  { copy, selectors }: ShapeContext,
): void {
  const isMany = shape.key.isMany && verb !== "get";
  const same = isMany
    ? smallKey(`${ref.namespace}\0${options?.fieldSelector ?? ""}\0${options?.labelSelector ?? ""}`, copy)
    : copy;
  const sent = { at, copy, same, elapsedSeconds, code: event.responseCode };
  shape.addNamespace(ref.namespace);
  const wait = event.latency?.queueWaitSeconds ?? null;
  if (wait !== null) shape.queueWaitSecondsMax = Math.max(shape.queueWaitSecondsMax ?? 0, wait);
  if (verb === "get") {
    shape.addName(`${ref.namespace}/${ref.name}`, copy, null);
    shape.observe("gets", { ...sent, same: smallKey(`${ref.namespace}/${ref.name}`, copy) });
    return;
  }
  const { value } = selectors.of(options?.fieldSelector ?? "");
  if (value !== null) shape.addName(value, copy, nodeOf(event));
  if (verb === "watch") {
    shape.observe("watches", { ...sent, elapsedSeconds: null });
    if (options?.sendInitialEvents === true) shape.watchLists++;
    else if (options !== null && options.resourceVersion !== "" && options.resourceVersion !== "0")
      shape.continuedWatches++;
    return;
  }
  if (options !== null && options.continue !== "") {
    shape.observe("pages", sent);
    return;
  }
  const version = options?.resourceVersion ?? "";
  const name = version === "" ? "newest" : "lists";
  shape.addLimit(name, options?.limit ?? 0);
  if (version === "0") shape.zeroLists++;
  else if (version !== "") shape.exactLists++;
  shape.observe(name, sent);
}

const NODE_USER = "system:node:";

function nodeOf({ nodeName, userName }: AuditEvent): string | null {
  return nodeName ?? (userName.startsWith(NODE_USER) ? userName.slice(NODE_USER.length) : null);
}

/** True where `value` is among the first `most` of a set, into which it is put if there is room. */
function isKept(set: Set<string>, value: string, most: number): boolean {
  if (set.has(value)) return true;
  if (set.size >= most) return false;
  set.add(keptText(value, 2 * MAX_SELECTOR_CHARACTERS));
  return true;
}

/** Counts by name, of which the beginning counts; names beyond the bound count as one. */
function count(counts: Map<string, number>, text: string, most: number): void {
  const name = text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;
  const known = counts.get(name);
  if (known !== undefined) counts.set(name, known + 1);
  else if (counts.size < most) counts.set(keptText(name, 2 * MAX_TEXT_CHARACTERS), 1);
  else counts.set(OTHERS, (counts.get(OTHERS) ?? 0) + 1);
}
export const OTHERS = "others";

/** `/openapi/v3/apis/apps/v1?hash=…` → `/openapi/v3`. */
function pathFamily(uri: string): string {
  const path = uri.split("?", 1)[0] ?? "";
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .slice(0, 2)
    .join("/")}`.slice(0, 64);
}
