import type { AgentsScoreReport } from "../../../contracts/agents-report.ts";
import type { Agent } from "../../../domain/agents/index.ts";
import { type AgentsScore, worstVerdict } from "../../../domain/scores/index.ts";
import type { VerdictName } from "../../../domain/storm/index.ts";
import { HEADROOM_VERSION } from "../../../version.ts";
import type { AgentSources, ReportCluster } from "../../commands/agents-sources.ts";
import { clusterAsJson, type ReadonlyOf } from "./agent-report.ts";

export interface ScoredCluster {
  readonly cluster: ReportCluster;
  /** The worst of its scores. */
  readonly verdict: VerdictName;
  readonly simulated: AgentsScore["simulated"];
  /** By number of nodes; of each first every agent by itself, then all together where there are several. */
  readonly scores: readonly {
    readonly nodes: number | null;
    /** Ids. */
    readonly agents: readonly string[];
    readonly score: AgentsScore;
  }[];
}

export interface ScoreOutput {
  /** Of the input. */
  readonly agents: readonly Agent[];
  readonly seeds: readonly number[];
  readonly clusters: readonly ScoredCluster[];
}

/** The complete form, as `public/schemas/agents-score.schema.json` describes it. */
export function formatScoreJson(
  { agents, seeds, clusters }: ScoreOutput,
  { problems, notRead }: Pick<AgentSources, "problems" | "notRead">,
): string {
  const report = {
    schemaVersion: 1 as const,
    tool: { name: "headroom" as const, version: HEADROOM_VERSION },
    verdict: worstVerdict(clusters.map(({ verdict }) => verdict)) ?? "inconclusive",
    seeds,
    agents,
    clusters: clusters.map(({ cluster, verdict, simulated, scores }) => ({
      ...clusterAsJson(cluster),
      verdict,
      simulated,
      scores,
    })),
    problems,
    notRead,
  } satisfies ReadonlyOf<AgentsScoreReport>;
  return JSON.stringify(report, null, 2);
}
