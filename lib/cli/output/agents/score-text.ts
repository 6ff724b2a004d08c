import { formatCounted } from "../../../domain/rollout/figure.ts";
import type { ScenarioScore } from "../../../domain/scores/index.ts";
import type { Band, VerdictName } from "../../../domain/storm/index.ts";
import { formatDuration } from "../../../format/duration.ts";
import { plain } from "../price.ts";
import { printable, type Style } from "../style.ts";
import { formatAmount, formatByteAmount, formatFigure } from "./amounts.ts";
import { formatClusterHead } from "./list-text.ts";
import type { ScoredCluster, ScoreOutput } from "./score-report.ts";

/** Cluster by cluster: the verdict, what it rests on, and what stands against it. */
export function formatScoreText({ clusters, seeds }: ScoreOutput, style: Style): readonly string[] {
  if (clusters.length === 0) return ["Nothing was scored."];
  return [
    ...clusters.flatMap((cluster, index) => [...(index > 0 ? [""] : []), ...formatCluster(cluster, style)]),
    "",
    style.dim(
      `Simulated, ${formatCounted(seeds.length, "seed")} from ${seeds[0] ?? 0}; a range is from the 5th to the 95th percentile, the verdict the worst.`,
    ),
  ];
}

function formatCluster({ cluster, verdict, scores }: ScoredCluster, style: Style): readonly string[] {
  const [first] = scores;
  const isOne = scores.length === 1 && first !== undefined;
  return [
    `${paint(verdict, style)}  ${formatClusterHead(cluster, style)[0] ?? ""}`,
    ...(isOne ? [] : cluster.doubts.map((doubt) => style.yellow(`  ${printable(doubt)}`))),
    ...scores.flatMap((each) => formatScore(each, cluster.facts.nodes, style)),
  ];
}

function formatScore(
  { nodes, agents, score }: ScoredCluster["scores"][number],
  nodesNow: number | null,
  style: Style,
): readonly string[] {
  const name = agents.length === 1 ? printable(agents[0] ?? "") : `all ${agents.length} together`;
  const at = nodes === null || nodes === nodesNow ? "" : ` at ${formatCounted(nodes, "node")}`;
  return [
    `  ${paint(score.verdict, style)}  ${style.bold(name)}${at}`,
    ...score.costs.map(({ isKnown, copies, perStart, total }) => {
      if (!isKnown) return "    what it reads is not known";
      const each = copies === null ? "copies not known" : formatCounted(copies, "copy", "copies");
      return `    ${each}: ${formatAmount(perStart.seats)} seats a start, ${formatAmount(total?.seats ?? null)} together, ${formatByteAmount(total?.wireBytes ?? null)} on the wire`;
    }),
    ...score.doubts.map((doubt) => style.yellow(`    ${printable(doubt)}`)),
    ...score.scenarios.flatMap((scenario) => formatScenario(scenario, style)),
  ];
}

function formatScenario(score: ScenarioScore, style: Style): readonly string[] {
  const { scenario, verdict, simulated, reasons, figures, undrained, failure } = score;
  if (failure !== null) return [`    ${scenario}  not simulated: ${printable(failure)}`];
  const says =
    verdict === "inconclusive" && simulated !== null
      ? `figures say ${paint(simulated, style)}`
      : paint(verdict ?? "inconclusive", style);
  const parts = [
    undrained > 0
      ? `does not drain for ${formatCounted(undrained, "seed")}`
      : range("drains in", figures?.drainSeconds, seconds),
    range("rejected", figures?.rejected, formatFigure),
    range("neighbours wait", figures?.neighbourWaitSecondsP99, seconds),
    range("own wait", figures?.ownWaitSecondsP99, seconds),
  ].filter((each) => each !== null);
  return [
    `    ${scenario}  ${says}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`,
    ...reasons.map(({ text }) => `      ${printable(text)}`),
  ];
}

const seconds = (value: number) => plain(formatDuration(value));

/** `null`: no seed has it, or it is 0 for all. */
function range(
  name: string,
  band: Band | null | undefined,
  format: (value: number) => string,
): string | null {
  if (band === null || band === undefined || band.p95 === 0) return null;
  const [low, high] = [format(band.p5), format(band.p95)];
  return `${name} ${low === high ? low : `${low} to ${high}`}`;
}

function paint(verdict: VerdictName, style: Style): string {
  switch (verdict) {
    case "unsafe":
      return style.red(verdict);
    case "visible":
    case "inconclusive":
      return style.yellow(verdict);
    case "invisible":
      return style.green(verdict);
  }
}
