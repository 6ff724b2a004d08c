import { MANDATORY_NAMES } from "../configuration/api-objects.ts";
import { defaultFlowSchemas, defaultPriorityLevels } from "../configuration/expand-objects.ts";
import { findLevelFault } from "../configuration/level-fault.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../fairness-part.ts";
import { explainMismatch, findMatch, type Mismatch, type RuleMatch } from "./explain-mismatch.ts";
import { matchesRule, type RequestToMatch } from "./match-rule.ts";
import { type PolicyRule, readPolicyRules } from "./policy-rules.ts";

/** Where a request goes. */
export interface Classification {
  readonly flowSchema: FlowSchemaObject;
  readonly priorityLevel: PriorityLevelObject;
  /** Empty where flows are not told apart, see `flowDistinguisherOf`. */
  readonly flowDistinguisher: string;
}

/**
 * How one FlowSchema fared. `skipped`: the API server does not use it. `fallback`: nothing matched, and catch-all
 * takes what is left.
 */
export interface FlowSchemaTrace {
  readonly flowSchemaName: string;
  readonly matchingPrecedence: number;
  readonly priorityLevelName: string;
  readonly verdict: "skipped" | "not-matched" | "matched" | "fallback";
  /** True where no such object was given and the API server supplies it. */
  readonly isSupplied: boolean;
  /** Why it is skipped, as a sentence; else `null`. */
  readonly skipReason: string | null;
  /** Why it does not match; empty where it does or is skipped. */
  readonly mismatches: readonly Mismatch[];
  readonly match: RuleMatch | null;
}

export interface TracedClassification extends Classification {
  /** In the order in which the API server tries them, up to the one that takes the request. */
  readonly trace: readonly FlowSchemaTrace[];
}

interface Candidate {
  readonly flowSchema: FlowSchemaObject;
  readonly rules: readonly PolicyRule[];
  readonly skipReason: string | null;
  readonly isSupplied: boolean;
}

export interface FlowConfiguration {
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevels: readonly PriorityLevelObject[];
  /** Whose mandatory objects are supplied where they are missing: 26 or later. */
  readonly minor: number;
}

/**
 * Tells where requests go under a configuration: FlowSchemas by matchingPrecedence, then by name; the first that
 * matches takes the request. Those that point to a missing or broken priority level are skipped. A missing `exempt`
 * is supplied in front of all others, a missing `catch-all` behind them, whatever their precedence.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26 to v1.37.
 */
export class FlowClassifier {
  readonly #candidates: readonly Candidate[];
  readonly #levels: ReadonlyMap<string, PriorityLevelObject>;

  constructor({ flowSchemas, priorityLevels, minor }: FlowConfiguration) {
    const faults = new Map(priorityLevels.map((level) => [level.name, findLevelFault(level)]));
    const supplied = defaultPriorityLevels(minor).filter(({ name }) => MANDATORY_NAMES.includes(name));
    const usable = priorityLevels.filter(({ name }) => faults.get(name) === null);
    this.#levels = new Map([...supplied, ...usable].map((level) => [level.name, level]));
    const candidates = flowSchemas.toSorted(compareFlowSchemas).map((flowSchema) => ({
      flowSchema,
      rules: readPolicyRules(flowSchema.rules),
      skipReason: findSkipReason(flowSchema, faults),
      isSupplied: false,
    }));
    this.#candidates = supplyMandatory(candidates, minor);
  }

  classify(request: RequestToMatch): Classification {
    for (const { flowSchema, rules, skipReason } of this.#candidates) {
      if (skipReason === null && rules.some((rule) => matchesRule(rule, request))) {
        return this.#classified(flowSchema, request);
      }
    }
    return this.#classified(this.#fallback().flowSchema, request);
  }

  /** As `classify`, with how each FlowSchema fared that was tried. */
  trace(request: RequestToMatch): TracedClassification {
    const trace: FlowSchemaTrace[] = [];
    for (const candidate of this.#candidates) {
      const entry = traceOf(candidate, request);
      trace.push(entry);
      if (entry.verdict === "matched") {
        return { ...this.#classified(candidate.flowSchema, request), trace };
      }
    }
    const fallback = this.#fallback();
    const last = { ...traceOf(fallback, request), verdict: "fallback" as const };
    const tried = trace.filter(({ flowSchemaName }) => flowSchemaName !== fallback.flowSchema.name);
    return { ...this.#classified(fallback.flowSchema, request), trace: [...tried, last] };
  }

  #fallback(): Candidate {
    const found = this.#candidates.find(
      ({ flowSchema, skipReason }) => flowSchema.name === "catch-all" && skipReason === null,
    );
    if (found === undefined) throw new Error("catch-all was not supplied.");
    return found;
  }

  #classified(flowSchema: FlowSchemaObject, request: RequestToMatch): Classification {
    const priorityLevel = this.#levels.get(flowSchema.priorityLevelName);
    if (priorityLevel === undefined) throw new Error(`There is no level ${flowSchema.priorityLevelName}.`);
    return {
      flowSchema,
      priorityLevel,
      flowDistinguisher: flowDistinguisherOf(flowSchema, priorityLevel, request),
    };
  }
}

/**
 * What tells the flows of a FlowSchema apart: the user, the namespace of the request (empty for a cluster-wide one), or
 * nothing. Computed only where there are queues to choose from.
 */
export function flowDistinguisherOf(
  { distinguisherMethod }: FlowSchemaObject,
  { limitResponse, queues }: PriorityLevelObject,
  { user, requestInfo }: RequestToMatch,
): string {
  if (limitResponse !== "Queue" || (queues ?? 0) <= 1) return "";
  switch (distinguisherMethod) {
    case "ByUser":
      return user.name;
    case "ByNamespace":
      return requestInfo.namespace;
    default:
      return "";
  }
}

/** The order in which the API server tries FlowSchemas. */
export function compareFlowSchemas(a: FlowSchemaObject, b: FlowSchemaObject): number {
  return a.matchingPrecedence - b.matchingPrecedence || (a.name < b.name ? -1 : 1);
}

function findSkipReason(
  { priorityLevelName }: FlowSchemaObject,
  faults: ReadonlyMap<string, string | null>,
): string | null {
  const fault = faults.get(priorityLevelName);
  if (fault === undefined) return `It is not used: there is no priority level ${priorityLevelName}.`;
  return fault === null
    ? null
    : `It is not used: the priority level ${priorityLevelName} is broken (${fault}).`;
}

function supplyMandatory(candidates: readonly Candidate[], minor: number): Candidate[] {
  const isThere = (name: string) =>
    candidates.some(({ flowSchema, skipReason }) => flowSchema.name === name && skipReason === null);
  const supplied = (name: string) =>
    defaultFlowSchemas(minor)
      .filter((flowSchema) => flowSchema.name === name && !isThere(name))
      .map((flowSchema) => ({
        flowSchema,
        rules: readPolicyRules(flowSchema.rules),
        skipReason: null,
        isSupplied: true,
      }));
  return [...supplied("exempt"), ...candidates, ...supplied("catch-all")];
}

function traceOf(
  { flowSchema, rules, skipReason, isSupplied }: Candidate,
  request: RequestToMatch,
): FlowSchemaTrace {
  const match = skipReason === null ? findMatch(rules, request) : null;
  const verdict = skipReason !== null ? "skipped" : match === null ? "not-matched" : "matched";
  return {
    flowSchemaName: flowSchema.name,
    matchingPrecedence: flowSchema.matchingPrecedence,
    priorityLevelName: flowSchema.priorityLevelName,
    verdict,
    isSupplied,
    skipReason,
    mismatches: verdict === "not-matched" ? explainMismatch(rules, request) : [],
    match,
  };
}
