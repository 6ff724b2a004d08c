import type { PaletteResponse } from "../../contracts/fleet.ts";
import { RULES } from "../../domain/findings/index.ts";
import { getAgents } from "../agents/get-agents.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

const AGENTS_MAX = 500;

/** What the command palette finds besides pages: clusters and agents, worst first, and rules. */
export async function getPalette(context: ServiceContext): Promise<PaletteResponse> {
  const [{ clusters }, { agents }] = await Promise.all([loadFleet(context), getAgents(context)]);
  return {
    clusters: clusters.map(({ cluster, assessment, summary }) => ({
      clusterId: cluster.id,
      name: cluster.name,
      state: assessment.state,
      version: summary?.gitVersion ?? null,
    })),
    agents: agents.slice(0, AGENTS_MAX).map(({ agentId, title }) => ({ agentId, title })),
    rules: RULES.map(({ name, title }) => ({ name, title })),
  };
}
