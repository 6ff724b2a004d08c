import { formatCounted, formatNumber } from "../../../domain/rollout/figure.ts";
import { formatFull } from "../../../format/instant.ts";
import { formatShare } from "../../../format/number.ts";
import type { ReportCluster } from "../../commands/agents-sources.ts";
import { plain } from "../price.ts";
import { printable, type Style } from "../style.ts";
import { formatTable } from "../table.ts";
import type { ReportedAgent, ReportedCluster } from "./agent-report.ts";
import { formatAmount, formatByteAmount } from "./amounts.ts";

const HEADS = [
  "agent",
  "copies",
  "reads",
  "seats/start",
  "seats, all",
  "of ceiling",
  "wire, all",
  "evidence",
];

/** One cluster after the other, each a table of its agents. */
export function formatAgentList(
  clusters: readonly ReportedCluster[],
  { top, style }: { readonly top: number; readonly style: Style },
): readonly string[] {
  return clusters.flatMap(({ cluster, agents }, index) => {
    const shown = agents.slice(0, top);
    const rest = agents.length - shown.length;
    return [
      ...(index > 0 ? [""] : []),
      ...formatClusterHead(cluster, style),
      ...(agents.length === 0 ? ["  No agents are known."] : formatTable(HEADS, shown.map(rowOf), style)),
      ...(rest > 0 ? [style.dim(`${formatCounted(rest, "more agent")}: --top 0 shows all.`)] : []),
    ];
  });
}

/** Which cluster, what is known of it, and what speaks against that. */
export function formatClusterHead(
  { name, source, facts, doubts }: ReportCluster,
  style: Style,
): readonly string[] {
  const { kubernetesVersion, nodes, apiServers, observedAt } = facts;
  const parts = [
    kubernetesVersion ?? "version not known",
    nodes === null ? "nodes not known" : formatCounted(nodes, "node"),
    apiServers === null ? "API servers not known" : formatCounted(apiServers, "API server"),
    `from ${source}`,
    ...(observedAt === null ? [] : [`read ${plain(formatFull(observedAt, "UTC"))}`]),
  ];
  return [
    `${style.bold(printable(name ?? "no cluster"))}  ${style.dim(printable(parts.join(", ")))}`,
    ...doubts.map((doubt) => style.yellow(`  ${printable(doubt)}`)),
  ];
}

function rowOf({ agent, cost, assessment }: ReportedAgent): readonly string[] {
  const ratio = cost.levels[0]?.ofCeilingRatio ?? null;
  const isNothing = cost.isKnown && cost.informers.length === 0;
  return [
    printable(agent.id),
    cost.copies === null ? "?" : formatNumber(cost.copies),
    cost.isKnown ? formatNumber(cost.informers.length) : "?",
    cost.isKnown ? formatAmount(cost.perStart.seats) : "?",
    cost.isKnown ? formatAmount(cost.total?.seats ?? null) : "?",
    ratio === null
      ? isNothing
        ? "–"
        : (cost.levels[0]?.capacity?.isExempt ?? false)
          ? "exempt"
          : "?"
      : plain(formatShare(ratio)),
    cost.isKnown ? formatByteAmount(cost.total?.wireBytes ?? null) : "?",
    `${assessment.grade ?? (cost.isKnown ? "known" : "nothing known")}${assessment.isInconclusive && assessment.grade !== null ? ", weak" : ""}`,
  ];
}
