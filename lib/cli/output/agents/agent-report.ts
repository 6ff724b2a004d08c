import type { AgentsReport } from "../../../contracts/agents-report.ts";
import {
  type Agent,
  type AgentCost,
  assessEvidence,
  costAtNodes,
  costOfAgent,
  type EvidenceAssessment,
  projectCluster,
} from "../../../domain/agents/index.ts";
import { HEADROOM_VERSION } from "../../../version.ts";
import type { AgentSources, ReportCluster } from "../../commands/agents-sources.ts";

/** One agent on one cluster. */
export interface ReportedAgent {
  readonly agent: Agent;
  readonly assessment: EvidenceAssessment;
  readonly cost: AgentCost;
  readonly atNodes: readonly { readonly nodes: number; readonly cost: AgentCost | null }[];
}

export interface ReportedCluster {
  readonly cluster: ReportCluster;
  /** Most seats of all copies first; those whose cost is not known last. */
  readonly agents: readonly ReportedAgent[];
}

/** `nodes`: other numbers of nodes to tell the cost at. */
export function reportAgents(
  cluster: ReportCluster,
  agents: readonly Agent[],
  { nodes, now }: { readonly nodes: readonly number[]; readonly now: number },
): ReportedCluster {
  const { facts } = cluster;
  const projection = projectCluster(facts);
  const reported = agents.map((agent) => ({
    agent,
    assessment: assessEvidence(agent, now),
    cost: costOfAgent(agent, facts, projection),
    atNodes: nodes.map((count) => ({ nodes: count, cost: costAtNodes(agent, facts, count) })),
  }));
  return { cluster, agents: reported.sort(byCost) };
}

function byCost(a: ReportedAgent, b: ReportedAgent): number {
  const seats = ({ cost }: ReportedAgent) =>
    !cost.isKnown || cost.total === null ? -1 : cost.total.seats.value;
  return seats(b) - seats(a) || (a.agent.id < b.agent.id ? -1 : 1);
}

/** The complete form, as `public/schemas/agents-report.schema.json` describes it. */
export function formatAgentsJson(
  clusters: readonly ReportedCluster[],
  { problems, notRead }: Pick<AgentSources, "problems" | "notRead">,
): string {
  const report = {
    schemaVersion: 1 as const,
    tool: { name: "headroom" as const, version: HEADROOM_VERSION },
    clusters: clusters.map(({ cluster, agents }) => ({ ...clusterAsJson(cluster), agents })),
    problems,
    notRead,
  } satisfies ReadonlyOf<AgentsReport>;
  return JSON.stringify(report, null, 2);
}

/** What is read-only here is not so in the contract's types; the values are the same. */
export type ReadonlyOf<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyOf<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyOf<T[Key]> }
    : T;

export const clusterAsJson = ({ name, source, facts, doubts }: ReportCluster) => ({
  name,
  source,
  kubernetesVersion: facts.kubernetesVersion,
  nodes: facts.nodes,
  apiServers: facts.apiServers,
  observedAt: facts.observedAt === null ? null : new Date(facts.observedAt).toISOString(),
  doubts,
});
