import { displayVersion } from "@/components/fleet/prepare-fleet-rows";
import { markdownOf } from "@/components/tables/column";
import type { ClusterHeader, OverviewResponse } from "@/lib/contracts/cluster";
import { formatBytes } from "@/lib/format/bytes";
import { formatAge } from "@/lib/format/duration";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { formatCount, formatFixed, formatSeats } from "@/lib/format/number";
import { formatOwnSeats } from "@/lib/format/own-seats";
import { findingColumns } from "./findings-panel";
import { describeFailure, PART_TITLES } from "./part-words";
import { sizeColumns } from "./sizes-panel";

/** Title with time and link, then one line of facts: heads every cluster page as Markdown. */
export function clusterMarkdownHead(options: {
  readonly header: ClusterHeader;
  readonly page: string;
  readonly now: number;
  readonly isDemo: boolean;
  readonly url: string;
}): string {
  const { header, page, now, isDemo, url } = options;
  const count = (value: number | null, word: string) =>
    value === null ? `${word} not known` : `${formatCount(value)} ${word}`;
  const facts = [
    header.version === null
      ? "version not known"
      : `Kubernetes ${escapeMarkdown(displayVersion(header.version))}`,
    count(header.nodes, "nodes"),
    count(header.pods, "pods"),
    count(header.apiServers, "API servers"),
    header.dataAt === null ? "never read" : `data ${formatAge(header.dataAt, now)} old`,
  ];
  if (header.ownCost !== null) {
    const { requestsPerMinute, wireBytesPerMinute } = header.ownCost;
    facts.push(
      `Headroom’s own cost ${formatFixed(requestsPerMinute, 1)} requests/min, ${formatBytes(wireBytesPerMinute)}/min, ${formatOwnSeats(header.ownSeats)}`,
    );
  }
  if (header.unreachableSince !== null)
    facts.push(`unreachable since ${formatMarkdownInstant(header.unreachableSince)}`);
  return joinBlocks([
    `## ${escapeMarkdown(header.name)}, ${page}, ${formatMarkdownInstant(now)}${isDemo ? " (demo fleet)" : ""}`,
    `[${url}](${url})`,
    `${facts.join(" · ")}. All figures measured, those with ≈ estimated.`,
  ]).trimEnd();
}

/** The overview as Markdown: notice, findings, the collector part by part, counts and sizes, changes. */
export function overviewMarkdown({
  response,
  url,
}: {
  readonly response: OverviewResponse;
  readonly url: string;
}): string {
  const { header, notice, findings, parts, busiest, resources, recentChanges, frame } = response;
  const found = markdownOf(findingColumns(), findings);
  const sizes = markdownOf(sizeColumns(), resources);
  return joinBlocks([
    clusterMarkdownHead({ header, page: "overview", now: frame.now, isDemo: frame.isDemo, url }),
    notice === null ? null : `> **${escapeMarkdown(notice.lead)}** ${escapeMarkdown(notice.text)}`,
    busiest === null
      ? null
      : `Busiest level: ${escapeMarkdown(`${busiest.priorityLevelName} on ${busiest.serverName}`)}, ${formatSeats(busiest.executingSeats, busiest.currentLimitSeats)} seats.`,
    findings.length === 0 ? "No findings." : "### Findings",
    toMarkdownTable(found.heads, found.rows),
    "### Collector",
    toMarkdownTable(
      ["Part", "State", "At", "Answer"],
      parts.map((part) => [
        PART_TITLES[part.part],
        part.status,
        formatMarkdownInstant(part.attemptedAt),
        [
          part.answer,
          ...part.notRead.map(({ what, failure }) => `not read ${what}: ${describeFailure(failure)}`),
        ].join("; "),
      ]),
    ),
    resources.length === 0 ? null : "### Counts and sizes",
    toMarkdownTable(sizes.heads, sizes.rows),
    recentChanges.length === 0 ? null : "### Recent changes",
    toMarkdownTable(
      ["When", "Change"],
      recentChanges.map(({ at, lead, text, isGenerated }) => [
        formatMarkdownInstant(at),
        `${lead} ${text}${isGenerated ? " (generated)" : ""}`,
      ]),
    ),
  ]);
}
