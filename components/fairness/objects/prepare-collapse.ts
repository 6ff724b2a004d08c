import type { Account, FlowControlResponse } from "@/lib/contracts/flow-control";
import {
  type CollapsedFlow,
  collapseFlows,
  type RequestShape,
} from "@/lib/domain/fairness/matching/collapse-flows";
import { ruleVersion } from "@/lib/domain/kubernetes/version";
import { usableVersion } from "./usable-version";

/** What each account is taken to send while the tool holds no request of its own. */
export const DEFAULT_SHAPE: RequestShape = { method: "GET", path: "/api/v1/pods" };

export interface FlowRow extends Omit<CollapsedFlow, "accounts"> {
  readonly key: string;
  /** Most pods first. */
  readonly accounts: readonly Account[];
  /** True where more pods than can wait are behind it: when all ask at once, the others are rejected. */
  readonly isOverfull: boolean;
}

export interface Collapse {
  /** Most pods first. */
  readonly rows: readonly FlowRow[];
  readonly shape: RequestShape;
  readonly accounts: number;
  /** Pods of stored workloads. */
  readonly pods: number;
  /** Pods of the cluster whose account is not stored; `null` where their number is not known. */
  readonly podsNotKnown: number | null;
}

/**
 * Which service accounts share a flow when each sends the request; `null` where accounts, objects or version were not
 * read. Accounts come from workloads: those of Jobs and of pods without a workload are not stored.
 */
export function prepareCollapse(response: FlowControlResponse, shape: RequestShape | null): Collapse | null {
  const { flowSchemas, priorityLevels, accounts, podsTotal } = response;
  const gitVersion = usableVersion(response.gitVersion);
  if (gitVersion === null || flowSchemas === null || priorityLevels === null || accounts === null)
    return null;
  const { minor } = ruleVersion(gitVersion);
  const asked = shape ?? DEFAULT_SHAPE;
  const byName = new Map(accounts.map((each) => [nameOf(each), each]));
  const rows = collapseFlows({ minor, flowSchemas, priorityLevels }, accounts, asked).map(
    (flow): FlowRow => ({
      ...flow,
      key: `${flow.flowSchemaName}|${flow.flowDistinguisher}`,
      accounts: flow.accounts.flatMap((each) => byName.get(nameOf(each)) ?? []),
      isOverfull: flow.waitingCapacity !== null && flow.pods > flow.waitingCapacity,
    }),
  );
  const pods = accounts.reduce((sum, each) => sum + each.pods, 0);
  return {
    rows,
    shape: asked,
    accounts: accounts.length,
    pods,
    podsNotKnown: podsTotal === null ? null : Math.max(0, podsTotal - pods),
  };
}

export const nameOf = ({ namespace, name }: Pick<Account, "namespace" | "name">): string =>
  `${namespace}/${name}`;

/** Accounts named before the rest are counted. */
const NAMED = 3;

/** `kube-system/coredns, kube-system/kube-proxy and 4 more`. */
export function accountsText(accounts: readonly Account[]): string {
  const rest = accounts.length - NAMED;
  return `${accounts.slice(0, NAMED).map(nameOf).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The flow by what tells it apart, or that nothing does. */
export function flowName({ flowDistinguisher, waitingCapacity, flowSchemaName }: FlowRow): string {
  if (flowDistinguisher !== "") return flowDistinguisher;
  return waitingCapacity === null ? `no flows at this level` : `one flow for all of ${flowSchemaName}`;
}
