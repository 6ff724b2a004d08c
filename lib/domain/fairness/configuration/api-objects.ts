/**
 * FlowSchemas and PriorityLevelConfigurations as the API gives them, in all versions of the group
 * `flowcontrol.apiserver.k8s.io`: v1 (1.29), v1beta3 (1.26 to 1.31), v1beta2 (1.23 to 1.28), v1beta1 (1.20 to 1.25).
 * They differ in the name of the shares alone: `assuredConcurrencyShares` up to v1beta2, `nominalConcurrencyShares`
 * since. Fields that decide nothing are left out; unknown ones are no fault.
 */

export interface ObjectMetadata {
  readonly name: string;
  readonly generation?: number | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly managedFields?: readonly { readonly manager?: string | undefined }[] | null | undefined;
}

export interface Queuing {
  readonly queues?: number | null | undefined;
  readonly handSize?: number | null | undefined;
  readonly queueLengthLimit?: number | null | undefined;
}

export interface LimitResponse {
  readonly type: "Queue" | "Reject";
  readonly queuing?: Queuing | null | undefined;
}

export interface LimitedSpec {
  readonly nominalConcurrencyShares?: number | null | undefined;
  /** The name of the shares up to v1beta2. */
  readonly assuredConcurrencyShares?: number | null | undefined;
  readonly lendablePercent?: number | null | undefined;
  readonly borrowingLimitPercent?: number | null | undefined;
  readonly limitResponse?: LimitResponse | null | undefined;
}

export interface ExemptSpec {
  readonly nominalConcurrencyShares?: number | null | undefined;
  readonly lendablePercent?: number | null | undefined;
}

export interface PriorityLevelSpec {
  readonly type: "Exempt" | "Limited";
  readonly limited?: LimitedSpec | null | undefined;
  /** Since 1.28. */
  readonly exempt?: ExemptSpec | null | undefined;
}

export interface PriorityLevelConfiguration {
  readonly apiVersion?: string | undefined;
  readonly metadata: ObjectMetadata;
  readonly spec: PriorityLevelSpec;
}

export interface Subject {
  readonly kind: string;
  readonly user?: { readonly name: string } | null | undefined;
  readonly group?: { readonly name: string } | null | undefined;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | null | undefined;
}

export interface ResourceRule {
  readonly verbs?: readonly string[] | null | undefined;
  readonly apiGroups?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly clusterScope?: boolean | null | undefined;
  readonly namespaces?: readonly string[] | null | undefined;
}

export interface NonResourceRule {
  readonly verbs?: readonly string[] | null | undefined;
  readonly nonResourceURLs?: readonly string[] | null | undefined;
}

export interface PolicyRules {
  readonly subjects?: readonly Subject[] | null | undefined;
  readonly resourceRules?: readonly ResourceRule[] | null | undefined;
  readonly nonResourceRules?: readonly NonResourceRule[] | null | undefined;
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
  readonly matchingPrecedence?: number | null | undefined;
  readonly distinguisherMethod?: { readonly type: "ByUser" | "ByNamespace" } | null | undefined;
  readonly rules?: readonly PolicyRules[] | null | undefined;
}

export interface FlowSchema {
  readonly apiVersion?: string | undefined;
  readonly metadata: ObjectMetadata;
  readonly spec: FlowSchemaSpec;
  readonly status?:
    | {
        readonly conditions?:
          | readonly { readonly type: string; readonly status: string }[]
          | null
          | undefined;
      }
    | null
    | undefined;
}

/** "true" lets the API server keep the spec at its own default, "false" keeps the operator's edits. */
export const AUTOUPDATE_ANNOTATION = "apf.kubernetes.io/autoupdate-spec";

export const MANDATORY_NAMES: readonly string[] = ["exempt", "catch-all"];
