import { describePlace } from "../../../domain/findings/index.ts";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "../../../format/markdown.ts";
import { describeInputProblem } from "../../../inputs/input-problem.ts";
import type { ScanOutput } from "./scan-output.ts";

/** For tickets and comments of a pipeline. */
export function formatScanMarkdown({ report, notRead }: ScanOutput): string {
  const { findings, undecided, waived, problems, skipped, verdict } = report;
  const sections = findings.map(
    ({ severity, rule, subject, message, why, fix, related, evidence, ...rest }) =>
      [
        `### ${severity}: ${escapeMarkdown(rule)} at ${escapeMarkdown(subject)}`,
        "",
        escapeMarkdown(message),
        "",
        `- Why: ${escapeMarkdown(why)}`,
        `- Fix: ${escapeMarkdown(fix)}`,
        ...related.map((each) => `- Also: ${escapeMarkdown(each)}`),
        `- Evidence: ${evidence.grade}, ${escapeMarkdown(describePlace({ evidence, ...rest }))}`,
      ].join("\n"),
  );
  return joinBlocks([
    `# Headroom scan: ${verdict}`,
    toMarkdownTable(
      ["Severity", "Rule", "Subject", "Finding"],
      findings.map(({ severity, rule, subject, message }) => [severity, rule, subject, message]),
    ) || "Nothing was found.",
    ...sections,
    section(
      "Unknown",
      ["Rule", "Subject", "Missing"],
      undecided.map(({ rule, subject, missing }) => [rule, subject, missing]),
    ),
    section(
      "Waived",
      ["Rule", "Subject", "Until", "Reason"],
      waived.map(({ finding, waiver }) => [finding.rule, finding.subject, waiver.until, waiver.reason]),
    ),
    section(
      "Could not be read",
      ["Input"],
      [
        ...problems.map((problem) => [describeInputProblem(problem)]),
        ...notRead.map(({ part, message }) => [`${part}: ${message}`]),
      ],
    ),
    section(
      "Skipped",
      ["File", "Reason"],
      skipped.map(({ file, reason }) => [file, reason]),
    ),
  ]);
}

function section(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string | null {
  return rows.length === 0 ? null : `## ${title}\n\n${toMarkdownTable(heads, rows)}`;
}
