import { markdownOf } from "@/components/tables/column";
import type { AgentResponse } from "@/lib/contracts/agent-pages";
import { formatDuration } from "@/lib/format/duration";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { formatCount, formatPlural } from "@/lib/format/number";
import { AGENT_KIND_WORDS, versionsOf } from "./agent-head";
import { CLUSTERS_TITLE, clusterColumns, VERDICT_RULE } from "./clusters-panel";
import { NEIGHBOUR_COLUMNS, NEIGHBOURS_TITLE, shownNeighbours } from "./neighbours-panel";
import { REMEDIES_TITLE, remedyTableColumns } from "./remedies-panel";
import { formatDrain, stormFigures } from "./storm-figures";
import type { AgentChoice, AgentStorm } from "./use-agent-storm";

/** The agent page as Markdown: the storm that is shown with its figures, scenarios, neighbours, every cluster. */
export function agentMarkdown(options: {
  readonly response: AgentResponse;
  readonly storm: AgentStorm;
  readonly choice: AgentChoice;
  readonly url: string;
}): string {
  const { response, storm, choice, url } = options;
  const { frame, title, kind, subject, clusters, agentId } = response;
  const { view, prepared } = storm;
  const versions = versionsOf(response).map(
    ({ version, clusters: count, copies }) =>
      `${version ?? "version not known"} on ${formatPlural(count, "cluster")}, ${formatCount(copies)} copies`,
  );
  const neighbours = view.storm === null ? [] : shownNeighbours(view.storm);
  const neighbourTable = markdownOf(NEIGHBOUR_COLUMNS, neighbours);
  const remedyTable = markdownOf(
    remedyTableColumns(choice.replicas, storm.compared[0]?.start.bytes ?? 0),
    storm.compared,
  );
  const clusterTable = markdownOf(clusterColumns(agentId), clusters);
  return joinBlocks([
    `## ${escapeMarkdown(title)}, agent, ${formatMarkdownInstant(frame.now)}${frame.isDemo ? " (demo fleet)" : ""}`,
    `[${url}](${url})`,
    escapeMarkdown(`${AGENT_KIND_WORDS[kind]}, ${versions.join("; ")}.`),
    subject === null || prepared === null
      ? "Nothing can be simulated on the chosen cluster."
      : `### ${escapeMarkdown(`Storm on ${subject.clusterName}: ${prepared.chosen.title}`)}`,
    subject === null
      ? null
      : escapeMarkdown(
          `${formatPlural(choice.replicas, "copy", "copies")}, start jitter ${formatDuration(choice.jitterSeconds)}, seed ${choice.seed}${choice.remedies.length === 0 ? "" : `, with ${choice.remedies.join(", ")}`}. Simulated in the browser; waits, rejections and times are simulated, bytes estimated.`,
        ),
    view.isPending ? "The simulation was not done when this was copied." : null,
    ...(view.storm === null || view.isPending ? [] : stormBlocks(storm)),
    prepared === null ? null : "### Scenarios",
    prepared === null
      ? null
      : toMarkdownTable(
          ["Scenario", "Verdict", "Drains in"],
          prepared.offered.map((each) => {
            const side = storm.sideOf(each);
            return side == null
              ? [each.title, side === null ? "not possible" : "not simulated yet", "–"]
              : [
                  each.title,
                  side.verdict.verdict,
                  `${formatDrain(side.outcome, side.drainSeconds)} (simulated)`,
                ];
          }),
        ),
    storm.compared.length === 0 ? null : `### ${REMEDIES_TITLE}`,
    toMarkdownTable(remedyTable.heads, remedyTable.rows),
    neighbours.length === 0 ? null : `### ${NEIGHBOURS_TITLE}`,
    toMarkdownTable(neighbourTable.heads, neighbourTable.rows),
    clusters.length === 0 ? null : `### ${CLUSTERS_TITLE}`,
    toMarkdownTable(clusterTable.heads, clusterTable.rows),
    clusters.length === 0 ? null : escapeMarkdown(VERDICT_RULE),
  ]);
}

function stormBlocks({ view }: AgentStorm): readonly string[] {
  const { storm } = view;
  if (storm === null) return [];
  const { verdict, reasons } = storm.verdict;
  return [
    `**${verdict}.** ${escapeMarkdown(reasons.map(({ text }) => text).join(" "))}`.trim(),
    toMarkdownTable(
      ["Figure (simulated)", "Value", "p5 to p95", ""],
      stormFigures(storm, view).map(({ name, figure, behind, band, detail }) => [
        name,
        behind === null ? figure : `${figure} ${behind}`,
        band,
        detail,
      ]),
    ),
    storm.assumptions.length === 0 ? "" : escapeMarkdown(`Assumed: ${storm.assumptions.join(" ")}`),
  ];
}
