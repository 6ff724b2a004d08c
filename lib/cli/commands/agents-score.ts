import { type Agent, agentsOfManifests } from "../../domain/agents/index.ts";
import { measuredOf } from "../../domain/agents/learn/measured-of.ts";
import { SCORE_SCENARIO_NAMES, scoreAgents, worstVerdict } from "../../domain/scores/index.ts";
import type { VerdictName } from "../../domain/storm/index.ts";
import { formatScoreJson, type ScoredCluster, type ScoreOutput } from "../output/agents/score-report.ts";
import { formatScoreText } from "../output/agents/score-text.ts";
import type { FailOn } from "../output/scan/scan-output.ts";
import { chooseStyle } from "../output/style.ts";
import type { AgentsScoreFlags } from "../register/agent-reports.ts";
import { AGENTS_EXIT, end, print, say } from "./agents-report.ts";
import { type AgentSources, type ReportCluster, readAgentSources } from "./agents-sources.ts";

/** `headroom agents score`. Returns the exit code. */
export async function runAgentsScore(paths: readonly string[], flags: AgentsScoreFlags): Promise<number> {
  const sources = await readAgentSources(paths, flags, say);
  if (sources === null) return AGENTS_EXIT.unusable;
  const { clusters, inputs } = sources;
  const agents = agentsOfInput(sources);
  if (clusters.length === 0 && inputs !== null && agents.length > 0) {
    end(sources);
    say("No cluster to score on: name one with --cluster FILE, --cluster NAME (of the store) or --context.");
    return AGENTS_EXIT.unusable;
  }
  const seeds = Array.from({ length: flags.seeds }, (_, index) => flags.seed + index);
  const output: ScoreOutput = {
    agents,
    seeds,
    clusters: agents.length === 0 ? [] : clusters.map((cluster) => scoreOn(cluster, agents, seeds, flags)),
  };
  const style = chooseStyle(process.stdout, process.env);
  print(
    flags,
    () => formatScoreJson(output, sources),
    () => formatScoreText(output, style),
  );
  const code = end(sources);
  if (agents.length === 0 && code !== AGENTS_EXIT.unusable) {
    say("No agent to score: name manifests, a rendered chart or agent.yaml.");
    return AGENTS_EXIT.unusable;
  }
  if (code !== AGENTS_EXIT.done) return code;
  return output.clusters.some((cluster) => fails(cluster, flags.failOn))
    ? AGENTS_EXIT.found
    : AGENTS_EXIT.done;
}

const agentsOfInput = ({ inputs, catalogue, learned }: AgentSources): readonly Agent[] =>
  inputs === null
    ? []
    : agentsOfManifests(inputs, {
        catalogue,
        sampled: inputs.sampled,
        measured: measuredOf(learned, inputs.workloads),
      });

function scoreOn(
  cluster: ReportCluster,
  agents: readonly Agent[],
  seeds: readonly number[],
  { nodes, scenario }: AgentsScoreFlags,
): ScoredCluster {
  const groups = [...agents.map((agent) => [agent]), ...(agents.length > 1 ? [agents] : [])];
  const counts: readonly (number | undefined)[] = nodes ?? [undefined];
  const scores = counts.flatMap((count) =>
    groups.map((group) => ({
      nodes: count ?? cluster.facts.nodes,
      agents: group.map(({ id }) => id),
      score: scoreAgents({
        agents: group,
        facts: cluster.facts,
        factDoubts: cluster.doubts,
        ...(count === undefined ? {} : { nodes: count }),
        scenarios: scenario ?? SCORE_SCENARIO_NAMES,
        seeds,
        now: Date.now(),
      }),
    })),
  );
  const verdict = worstVerdict(scores.map(({ score }) => score.verdict)) ?? "inconclusive";
  const simulated = worstVerdict(scores.flatMap(({ score }) => score.simulated ?? []));
  return { cluster, verdict, simulated: simulated === "inconclusive" ? null : simulated, scores };
}

/** What cannot be told is a warning, but for figures that say by themselves that it is unsafe. */
function fails({ verdict, simulated }: ScoredCluster, failOn: FailOn): boolean {
  if (failOn === "never") return false;
  const isError = verdict === "unsafe" || (verdict === "inconclusive" && simulated === "unsafe");
  const warnings: readonly VerdictName[] = ["visible", "inconclusive"];
  return isError || (failOn === "warning" && warnings.includes(verdict));
}
