import { stringify } from "yaml";
import { formatCounted, formatNumber } from "../../../domain/rollout/figure.ts";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "../../../format/markdown.ts";
import type { StormAnswer } from "../../commands/storm-answer.ts";
import type { StormReplay } from "../../commands/storm-examples.ts";
import type { NamedScenario } from "../../commands/storm-scenario.ts";
import { PLAIN } from "../style.ts";
import { figureTable, neighbourTable, remedyTable, solvedLines, type Table } from "./storm-tables.ts";
import { checkLines, verdictLines } from "./storm-text.ts";

/** For tickets and pull requests. */
export function formatStormMarkdown(
  scenario: NamedScenario,
  answers: readonly StormAnswer[],
  replay: StormReplay | null,
): string {
  return joinBlocks([
    ...answers.flatMap((answer) => blocksOf(scenario, answer)),
    ...(replay === null ? [] : [`## ${escapeMarkdown(replay.title)}`, listOf(replay.lines)]),
  ]).trimEnd();
}

function blocksOf({ scenario, text }: NamedScenario, answer: StormAnswer): readonly (string | null)[] {
  const { cluster, verdict, failure, agents, nodes, seeds, comparison, ownLevel, check } = answer;
  const name = escapeMarkdown(cluster.name ?? "cluster");
  if (failure !== null || verdict === null)
    return [`## ${name}: not simulated`, escapeMarkdown(failure ?? "It is not known why.")];
  const copies = agents.map((agent) => `${escapeMarkdown(agent.name)} × ${formatNumber(agent.copies)}`);
  const where = nodes === null ? "" : `, ${formatNumber(nodes)} nodes`;
  return [
    `## ${name}: ${verdict}`,
    `${copies.join(", ")}${where}. ${scenario.kind}: ${escapeMarkdown(text)}.`,
    listOf(verdictLines(answer, PLAIN).map((line) => line.trim())),
    tableOf(figureTable(answer)),
    `Simulated, ${formatCounted(seeds.length, "seed")} from ${seeds[0] ?? 0}; nothing here was measured.`,
    tableOf(neighbourTable(answer)),
    comparison === null ? null : tableOf(remedyTable(comparison)),
    comparison === null
      ? null
      : listOf([
          ...comparison.rows.map(({ title, costs }) => `${title}: ${costs.join(" ")}`),
          ...comparison.notApplicable.map(({ title, reason }) => `${title}: not here. ${reason}`),
        ]),
    listOf(solvedLines(answer)),
    check === null ? null : listOf(checkLines(check)),
    ownLevel === null
      ? null
      : `\`\`\`yaml\n${ownLevel.manifests.map((manifest) => stringify(manifest)).join("---\n")}\`\`\``,
    answer.assumptions.length === 0 ? null : `Assumed:\n\n${listOf(answer.assumptions)}`,
  ];
}

const listOf = (lines: readonly string[]): string =>
  lines.map((line) => `- ${escapeMarkdown(line.trim())}`).join("\n");

const tableOf = (table: Table | null): string | null =>
  table === null ? null : toMarkdownTable(table.heads, table.rows);
