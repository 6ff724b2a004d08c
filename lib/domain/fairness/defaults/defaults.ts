/**
 * FlowSchemas and PriorityLevelConfigurations that an API server creates by itself, by minor. Three sets cover
 * 1.26 to 1.37: the exempt stanza came with 1.28, and 1.34 dropped endpoint-controller and workload-leader-election.
 * Source: kubernetes pkg/apis/flowcontrol/bootstrap/default.go, dumped from v1.26.3 to v1.37.2.
 */
import from126 from "./1.26.json" with { type: "json" };
import from128 from "./1.28.json" with { type: "json" };
import from134 from "./1.34.json" with { type: "json" };

/** A default object in the fields of `flowcontrol.apiserver.k8s.io/v1`; up to 1.27 the exempt level has no stanza. */
export interface DefaultFlowControlObject<Spec> {
  readonly name: string;
  /** The annotation `apf.kubernetes.io/autoupdate-spec` is "true": the spec follows upgrades. */
  readonly autoUpdate: boolean;
  /** Mandatory objects are restored when they are deleted; the others are suggested. */
  readonly mandatory: boolean;
  readonly spec: Spec;
}

export interface DefaultFlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
  readonly matchingPrecedence: number;
  readonly distinguisherMethod?: { readonly type: string };
  readonly rules: readonly object[];
}

export interface DefaultPriorityLevelSpec {
  readonly type: string;
  readonly exempt?: { readonly nominalConcurrencyShares: number; readonly lendablePercent: number };
  readonly limited?: {
    readonly nominalConcurrencyShares: number;
    readonly lendablePercent: number;
    readonly limitResponse: {
      readonly type: string;
      readonly queuing?: {
        readonly queues: number;
        readonly handSize: number;
        readonly queueLengthLimit: number;
      };
    };
  };
}

export interface DefaultFlowControl {
  /** By matchingPrecedence, then name, as the API server evaluates them. */
  readonly flowSchemas: readonly DefaultFlowControlObject<DefaultFlowSchemaSpec>[];
  /** By name. */
  readonly priorityLevelConfigurations: readonly DefaultFlowControlObject<DefaultPriorityLevelSpec>[];
}

/**
 * The defaults of Kubernetes 1.`minor`, for 26 and later. Above 37, the newest minor read, the set of 1.37 is
 * returned: it has not changed since 1.34.
 * @throws RangeError below 1.26, whose levels have no borrowing and other field names.
 */
export function defaultFlowControl(minor: number): DefaultFlowControl {
  if (!Number.isInteger(minor) || minor < 26) {
    throw new RangeError(`No flow control defaults for Kubernetes 1.${minor}: known from 1.26 on.`);
  }
  if (minor < 28) return from126;
  return minor < 34 ? from128 : from134;
}
