import { type Agent, type AgentCost, describeInformer, type Evidence } from "../../../domain/agents/index.ts";
import { formatCounted, formatNumber } from "../../../domain/rollout/figure.ts";
import { formatMemory } from "../../../format/bytes.ts";
import { formatDuration } from "../../../format/duration.ts";
import { formatFull } from "../../../format/instant.ts";
import { formatShare } from "../../../format/number.ts";
import { plain } from "../price.ts";
import { printable, type Style } from "../style.ts";
import { formatTable } from "../table.ts";
import type { ReportedAgent, ReportedCluster } from "./agent-report.ts";
import { formatAmount, formatByteAmount, formatFigure, formatRateAmount } from "./amounts.ts";
import { formatClusterHead } from "./list-text.ts";

/** An agent on each cluster that has it. */
export function formatAgentShow(clusters: readonly ReportedCluster[], style: Style): readonly string[] {
  return clusters.flatMap(({ cluster, agents }, index) => [
    ...(index > 0 ? [""] : []),
    ...formatClusterHead(cluster, style),
    ...agents.flatMap((each) => ["", ...formatAgent(each, style)]),
  ]);
}

function formatAgent({ agent, assessment, cost, atNodes }: ReportedAgent, style: Style): readonly string[] {
  return [
    `${style.bold(printable(agent.id))}  ${style.dim(printable(describeIdentity(agent)))}`,
    ...assessment.doubts.map(({ text }) => style.yellow(`  ${printable(text)}`)),
    ...section("reads", formatReads(agent, cost, style), style),
    ...section("costs", formatCost(cost, style), style),
    ...section("queues", formatLevels(cost, style), style),
    ...section("while nothing happens", formatSteady(cost), style),
    ...section("at other numbers of nodes", atNodes.map(formatAtNodes), style),
    ...section("evidence disagrees", formatConflicts(agent), style),
    ...section("not known", cost.unknown.map(printable), style),
    ...section("assumed", cost.assumptions.map(printable), style),
  ];
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : [`  ${style.bold(title)}`, ...lines.map((line) => `    ${line}`)];
}

function describeIdentity({ userName, image, version, replicas, client, catalogueIds }: Agent): string {
  const copies =
    replicas.kind === "per-node"
      ? "on every node"
      : replicas.kind === "fixed"
        ? formatCounted(replicas.count, "copy", "copies")
        : "copies not known";
  const library = client.version === null ? client.library : `${client.library} ${client.version}`;
  return [
    copies,
    userName ?? "user not known",
    ...(image === null ? [] : [image]),
    ...(version === null ? [] : [`version ${version}`]),
    `client ${library} (${client.evidence.grade})`,
    ...((catalogueIds ?? []).length === 0 ? [] : [`catalogue: ${catalogueIds?.join(", ")}`]),
  ].join(", ");
}

function formatReads(agent: Agent, cost: AgentCost, style: Style): readonly string[] {
  if (!cost.isKnown) return ["not known"];
  if (agent.informers.length === 0) return ["nothing"];
  return agent.informers.flatMap((informer) => {
    const { evidence } = informer;
    const better = evidence.raisedBy === null ? [] : [style.dim(`  better: ${printable(evidence.raisedBy)}`)];
    return [
      `${printable(describeInformer(informer))}  ${style.dim(printable(describeEvidence(evidence)))}`,
      ...better,
    ];
  });
}

function describeEvidence({ grade, source, observedAt, citation, otherVersion }: Evidence): string {
  return [
    grade,
    source,
    ...(citation === null ? [] : [citation]),
    ...(observedAt === null ? [] : [formatFull(observedAt, "UTC")]),
    ...(otherVersion === undefined || otherVersion === null ? [] : [`of another version: ${otherVersion}`]),
  ].join(", ");
}

function formatCost(
  { perStart, total, copies, linkSeconds, memory, isKnown }: AgentCost,
  style: Style,
): readonly string[] {
  if (!isKnown) return [];
  const row = (name: string, format: typeof formatAmount, field: keyof typeof perStart) => [
    name,
    format(perStart[field]),
    format(total?.[field] ?? null),
  ];
  const rows = [
    row("requests", formatAmount, "requests"),
    row("seats", formatAmount, "seats"),
    row("objects gone through", formatAmount, "handledObjects"),
    row("bytes gone through", formatByteAmount, "handledBytes"),
    row("objects received", formatAmount, "receivedObjects"),
    row("bytes received", formatByteAmount, "receivedBytes"),
    row("bytes on the wire", formatByteAmount, "wireBytes"),
  ];
  const heads = ["", "one start", copies === null ? "all (copies not known)" : `× ${formatNumber(copies)}`];
  return [
    ...formatTable(heads, rows, style),
    ...(linkSeconds === null
      ? []
      : [`The links of all API servers are full for ${plain(formatDuration(linkSeconds))}.`]),
    ...(memory === null
      ? []
      : [
          `Memory of one API server at the peak: ${plain(formatMemory(memory.peakBytesLow))} to ${plain(formatMemory(memory.peakBytesHigh))} more${memory.peakRatio === null ? "" : `, up to ${plain(formatShare(memory.peakRatio))} of it`}; a model.`,
        ]),
  ];
}

function formatLevels({ levels }: AgentCost, style: Style): readonly string[] {
  if (levels.length === 0) return [];
  const heads = ["FlowSchema → level", "flows", "seats asked", "idle", "nominal", "ceiling"];
  return formatTable(
    heads,
    levels.map(({ flowSchemaName, priorityLevelName, isOneFlow, seatsAsked, capacity, ...ratios }) => {
      const limit = (seats: number | undefined, ratio: number | null) =>
        seats === undefined
          ? "?"
          : capacity?.isExempt
            ? "exempt"
            : `${formatNumber(seats)}${ratio === null ? "" : ` (${plain(formatShare(ratio))})`}`;
      return [
        printable(`${flowSchemaName} → ${priorityLevelName}`),
        isOneFlow ? "one" : "one a copy",
        formatAmount(seatsAsked),
        limit(capacity?.idleSeats, ratios.ofIdleRatio),
        limit(capacity?.nominalSeats, ratios.ofNominalRatio),
        limit(capacity?.ceilingSeats, ratios.ofCeilingRatio),
      ];
    }),
    style,
  );
}

function formatSteady({ steady }: AgentCost): readonly string[] {
  if (steady === null) return [];
  const { openWatches, watchRenewalsPerSecond, listsPerSecond, listBytesPerSecond, eventsPerSecond } = steady;
  return [
    ...(openWatches.value === 0
      ? []
      : [`${formatAmount(openWatches)} watches, ${formatRateAmount(watchRenewalsPerSecond)} opened anew`]),
    ...(listsPerSecond.value === 0
      ? []
      : [`${formatRateAmount(listsPerSecond)} LISTs, ${formatByteAmount(listBytesPerSecond)}/s`]),
    ...(openWatches.value === 0
      ? []
      : [
          eventsPerSecond.isComplete || eventsPerSecond.value > 0
            ? `${formatRateAmount(eventsPerSecond)} events to all copies, ${formatByteAmount(steady.eventBytesPerSecond)}/s`
            : "events: how often the cluster changes is not known",
        ]),
    ...steady.widenedWrites.map(
      ({ subject, watchersPerServer, finalSeats, additionalLatencyMs, meanSeats }) =>
        `each write to ${printable(subject)} holds ${formatFigure(finalSeats)} seats for ${formatFigure(additionalLatencyMs)} ms after its answer, for ${formatFigure(Math.round(watchersPerServer))} watchers${meanSeats === null ? "" : `: ${formatFigure(meanSeats)} seats all the time`}`,
    ),
  ];
}

function formatAtNodes({ nodes, cost }: ReportedAgent["atNodes"][number]): string {
  if (cost === null) return `${formatCounted(nodes, "node")}: not known, as the cluster's nodes now are not`;
  const seats = formatAmount(cost.total?.seats ?? null);
  const bytes = formatByteAmount(cost.total?.wireBytes ?? null);
  const ratio = cost.levels[0]?.ofCeilingRatio ?? null;
  const share = ratio === null ? "" : `, ${plain(formatShare(ratio))} of the ceiling`;
  return `${formatCounted(nodes, "node")}: ${seats} seats${share}, ${bytes} on the wire`;
}

const formatConflicts = ({ conflicts }: Agent): readonly string[] =>
  conflicts.map(({ subject, claims }) =>
    printable(
      `${subject}: ${claims.map(({ says, evidence }) => `${says} (${evidence.grade}, ${evidence.source})`).join("; ")}`,
    ),
  );
