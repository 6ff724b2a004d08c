import type { FlowControlResponse, PricingServer } from "@/lib/contracts/flow-control";
import type { FlowSchemaObject, PriorityLevelObject } from "@/lib/domain/fairness/fairness-part";
import { FlowClassifier, type TracedClassification } from "@/lib/domain/fairness/matching/flow-classifier";
import { dealHand } from "@/lib/domain/fairness/shuffle-sharding/deal-hand";
import { hashFlow } from "@/lib/domain/fairness/shuffle-sharding/flow-hash";
import { parseRequest, type RequestInfo } from "@/lib/domain/kubernetes/request";
import { type RuleVersion, ruleVersion } from "@/lib/domain/kubernetes/version";
import { usableVersion } from "../objects/usable-version";
import type { AskedRequest } from "./request-form";

/** The configuration that a request meets. */
export interface Configuration {
  /** Kubernetes version: `v1.34.2`. */
  readonly v: string;
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevels: readonly PriorityLevelObject[];
}

/** The queues that requests of a flow may wait in. */
export interface Hand {
  /** In deal order. */
  readonly hand: readonly number[];
  readonly queues: number;
  readonly queueLengthLimit: number;
}

/** Where a request goes. `classified` is `null` where it fails before, and `info.error` says why. */
export interface MatchAnswer {
  readonly rule: RuleVersion;
  readonly info: RequestInfo;
  readonly classified: TracedClassification | null;
  /** `null` on levels without queues. */
  readonly hand: Hand | null;
}

/**
 * Which FlowSchema of the configuration takes a request, why the earlier ones do not, and where it may wait.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function matchRequest({ v, ...objects }: Configuration, request: AskedRequest): MatchAnswer {
  const rule = ruleVersion(v);
  const info = parseRequest(request.method, request.path, request.query, rule.minor);
  if (info.error !== null) return { rule, info, classified: null, hand: null };
  const classifier = new FlowClassifier({ ...objects, minor: rule.minor });
  const classified = classifier.trace({ user: request.user, requestInfo: info });
  return { rule, info, classified, hand: handOf(classified) };
}

function handOf({ flowSchema, priorityLevel, flowDistinguisher }: TracedClassification): Hand | null {
  const { queues, handSize, queueLengthLimit } = priorityLevel;
  if (queues === null || handSize === null || queueLengthLimit === null) return null;
  const hand = dealHand(hashFlow(flowSchema.name, flowDistinguisher), queues, handSize);
  return { hand, queues, queueLengthLimit };
}

/** What is stored of a cluster, as far as a request can be matched: which parts of it are missing. */
export type StoredConfiguration =
  | { readonly state: "ready"; readonly configuration: Configuration; readonly server: PricingServer | null }
  | { readonly state: "missing"; readonly missing: readonly string[] };

/** The configuration of the server named, else of the busiest, else of the cluster. */
export function storedConfiguration(
  response: FlowControlResponse,
  serverId: string | null,
): StoredConfiguration {
  const { servers, busiestServerId, flowSchemas, priorityLevels } = response;
  const server =
    servers.find(({ id }) => id === serverId) ?? servers.find(({ id }) => id === busiestServerId) ?? null;
  const v = usableVersion(server?.gitVersion ?? response.gitVersion);
  if (v === null || flowSchemas === null || priorityLevels === null) {
    const missing = [
      ...(flowSchemas === null ? ["FlowSchemas"] : []),
      ...(priorityLevels === null ? ["priority levels"] : []),
      ...(v === null ? ["the version of the API server"] : []),
    ];
    return { state: "missing", missing };
  }
  return { state: "ready", configuration: { v, flowSchemas, priorityLevels }, server };
}
