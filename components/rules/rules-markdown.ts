import { markdownOf } from "@/components/tables/column";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { ruleColumns } from "./rule-columns";
import type { RuleRow } from "./rule-row";

/** The rules that are shown, as a table. */
export function rulesMarkdown(rules: readonly RuleRow[], url: string): string {
  const { heads, rows } = markdownOf(ruleColumns(), rules);
  return joinBlocks([
    "## Rules",
    `[${url}](${url})`,
    toMarkdownTable(heads, rows) || "No rule fits the filter.",
  ]);
}

/** One rule explained, for a ticket. */
export function ruleMarkdown(rule: RuleRow, url: string): string {
  const paragraph = (head: string, text: string) => `**${head}** ${escapeMarkdown(text)}`;
  return joinBlocks([
    `## ${escapeMarkdown(rule.name)} (${rule.severity})`,
    `[${url}](${url})`,
    escapeMarkdown(`${rule.title}.`),
    paragraph("What", rule.what),
    paragraph("Why", rule.why),
    paragraph("Fix", rule.fix),
    paragraph("Kubernetes versions", rule.versions),
    rule.sources
      .map(({ text, url: source }) => `- ${escapeMarkdown(text)}${source === null ? "" : `: <${source}>`}`)
      .join("\n"),
  ]);
}
