import type { PaletteResponse } from "../../contracts/fleet.ts";
import { RULES } from "../../domain/findings/index.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/** What the command palette finds besides pages: clusters, worst first, and rules. */
export async function getPalette(context: ServiceContext): Promise<PaletteResponse> {
  const { clusters } = await loadFleet(context);
  return {
    clusters: clusters.map(({ cluster, assessment, summary }) => ({
      clusterId: cluster.id,
      name: cluster.name,
      state: assessment.state,
      version: summary?.gitVersion ?? null,
    })),
    rules: RULES.map(({ name, title }) => ({ name, title })),
  };
}
