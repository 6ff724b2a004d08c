import type { FlowSchemaObject, PriorityLevelObject } from "../fairness-part.ts";
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type ObjectMetadata,
  type PriorityLevelConfiguration,
} from "./api-objects.ts";

/** What the API puts in for fields that a manifest leaves out. Source: pkg/apis/flowcontrol/v1/defaults.go, v1.34. */
const DEFAULT_SHARES = 30;
const DEFAULT_QUEUES = 64;
const DEFAULT_HAND_SIZE = 8;
const DEFAULT_QUEUE_LENGTH_LIMIT = 50;
const DEFAULT_PRECEDENCE = 1000;

/**
 * A PriorityLevelConfiguration of any API version in the fields of v1, with what the API server would fill in.
 * `queues`, `handSize` and `queueLengthLimit` are `null` where it has no `queuing`.
 */
export function readPriorityLevel({ metadata, spec }: PriorityLevelConfiguration): PriorityLevelObject {
  const { limited } = spec;
  const common = { ...readMetadata(metadata), type: spec.type };
  if (spec.type === "Exempt" || limited === null || limited === undefined) {
    return {
      ...common,
      nominalConcurrencyShares: spec.exempt?.nominalConcurrencyShares ?? 0,
      lendablePercent: spec.exempt?.lendablePercent ?? 0,
      borrowingLimitPercent: null,
      limitResponse: null,
      queues: null,
      handSize: null,
      queueLengthLimit: null,
    };
  }
  const queuing = limited.limitResponse?.queuing ?? null;
  return {
    ...common,
    nominalConcurrencyShares:
      limited.nominalConcurrencyShares ?? limited.assuredConcurrencyShares ?? DEFAULT_SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    borrowingLimitPercent: limited.borrowingLimitPercent ?? null,
    limitResponse: limited.limitResponse?.type ?? null,
    queues: queuing && (queuing.queues ?? DEFAULT_QUEUES),
    handSize: queuing && (queuing.handSize ?? DEFAULT_HAND_SIZE),
    queueLengthLimit: queuing && (queuing.queueLengthLimit ?? DEFAULT_QUEUE_LENGTH_LIMIT),
  };
}

/** A FlowSchema of any API version, with what the API server would fill in. */
export function readFlowSchema({ metadata, spec, status }: FlowSchema): FlowSchemaObject {
  return {
    ...readMetadata(metadata),
    matchingPrecedence: spec.matchingPrecedence ?? DEFAULT_PRECEDENCE,
    priorityLevelName: spec.priorityLevelConfiguration.name,
    distinguisherMethod: spec.distinguisherMethod?.type ?? null,
    rules: spec.rules ?? [],
    isDangling:
      status?.conditions?.some((condition) => condition.type === "Dangling" && condition.status === "True") ??
      false,
  };
}

function readMetadata({ name, annotations, generation }: ObjectMetadata) {
  return {
    name,
    autoupdateSpec: annotations?.[AUTOUPDATE_ANNOTATION] ?? null,
    generation: generation ?? null,
  };
}
