import type { StormAgent, StormInformer, StormInput } from "../storm-input.ts";

/** A change that may help, with its parameters. Several are applied one after the other. */
export type RemedySpec =
  | { readonly name: "node-selector" }
  | { readonly name: "namespace"; readonly namespace: string | null; readonly objectsRatio: number }
  | { readonly name: "label-selector"; readonly objectsRatio: number }
  | { readonly name: "metadata-only" }
  | { readonly name: "endpoint-slices" }
  | { readonly name: "kubelet-pods" }
  | { readonly name: "paging"; readonly pageSize: number }
  | { readonly name: "watch-list" }
  | { readonly name: "shared-reads"; readonly copiesPerReader: number }
  | { readonly name: "node-proxy" }
  | { readonly name: "start-jitter"; readonly seconds: number }
  | { readonly name: "back-off"; readonly baseSeconds: number; readonly capSeconds: number }
  | { readonly name: "max-unavailable"; readonly limit: number | string }
  | { readonly name: "max-surge"; readonly limit: number | string }
  | { readonly name: "min-ready-seconds"; readonly seconds: number }
  | { readonly name: "on-delete"; readonly batchSize: number; readonly intervalSeconds: number }
  | { readonly name: "own-level"; readonly shares: number };

export const REMEDY_NAMES = [
  "node-selector",
  "namespace",
  "label-selector",
  "metadata-only",
  "endpoint-slices",
  "kubelet-pods",
  "paging",
  "watch-list",
  "shared-reads",
  "node-proxy",
  "start-jitter",
  "back-off",
  "max-unavailable",
  "max-surge",
  "min-ready-seconds",
  "on-delete",
  "own-level",
] as const satisfies readonly RemedySpec["name"][];
export type RemedyName = RemedySpec["name"];

/**
 * Who has to change what, cheapest first: a field of the rollout; objects of the cluster; configuration or one line of
 * the agent; what the agent reads from; how it is built.
 */
export const REMEDY_EFFORTS = ["rollout", "cluster", "agent-line", "agent-source", "agent-design"] as const;
export type RemedyEffort = (typeof REMEDY_EFFORTS)[number];

export interface RemedyText {
  /** As a heading. */
  readonly title: string;
  /** What is lost or has to be borne, one sentence. */
  readonly costs: string;
  readonly effort: RemedyEffort;
}

/** The changed input, or why there is nothing that it would change: one sentence. */
export type RemedyAnswer =
  | { readonly isApplicable: true; readonly input: StormInput; readonly assumptions: readonly string[] }
  | { readonly isApplicable: false; readonly reason: string };

export const notApplicable = (reason: string): RemedyAnswer => ({ isApplicable: false, reason });
export const applied = (input: StormInput, assumptions: readonly string[] = []): RemedyAnswer => ({
  isApplicable: true,
  input,
  assumptions,
});

/** What becomes of one informer: itself where nothing changes, another, or none. */
export type InformerChange = (informer: StormInformer, agent: StormAgent) => StormInformer | null;

/** Changes informers of all agents; `null`: none of them changed. Two that have become alike are one. */
export function changeInformers(input: StormInput, change: InformerChange): StormInput | null {
  let isChanged = false;
  const agents = input.agents.map((agent) => {
    const informers = agent.informers.map((informer) => change(informer, agent));
    if (informers.every((informer, index) => informer === agent.informers[index])) return agent;
    isChanged = true;
    const left = new Map<string, StormInformer>();
    for (const informer of informers) if (informer !== null) left.set(JSON.stringify(informer), informer);
    return { ...agent, informers: [...left.values()] };
  });
  return isChanged ? { ...input, agents } : null;
}

/** Reads a whole collection of the cluster. */
export const isWide = ({ scope, fieldSelector, labelSelector }: StormInformer): boolean =>
  scope === "cluster" && fieldSelector === "" && labelSelector === "";

export const isPods = ({ apiGroup, resource }: Pick<StormInformer, "apiGroup" | "resource">): boolean =>
  apiGroup === "" && resource === "pods";

const PER_NODE_KINDS: readonly string[] = ["DaemonSet", "StaticPod", "node-client"];

/** One copy on a node, so that the node says which objects are its own. */
export const isPerNode = ({ kind }: StormAgent): boolean => PER_NODE_KINDS.includes(kind);

export const resourceText = ({ apiGroup, resource }: Pick<StormInformer, "apiGroup" | "resource">): string =>
  apiGroup === "" ? resource : `${resource}.${apiGroup}`;

/** How many objects an informer gets. */
export function matchingOf(informer: StormInformer, { cluster }: StormInput): number {
  const collection = cluster.collections.find(
    ({ apiGroup, resource }) => apiGroup === informer.apiGroup && resource === informer.resource,
  );
  const all = collection?.objects ?? 0;
  return Math.min(all, informer.matchingObjects ?? all);
}
