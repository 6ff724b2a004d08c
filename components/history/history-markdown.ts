import { describeChart } from "@/components/charts/describe-chart";
import { clusterMarkdownHead } from "@/components/clusters/overview-markdown";
import type { HistoryResponse } from "@/lib/contracts/history";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { prepareHistoryCharts } from "./prepare-history";

/** The history page as Markdown: the range, each chart in words, the changes. */
export function historyMarkdown({
  response,
  url,
}: {
  readonly response: HistoryResponse;
  readonly url: string;
}): string {
  const { header, frame, fromAt, toAt, events } = response;
  const charts = prepareHistoryCharts(response, []);
  const isGenerated = charts.some(({ chart }) => chart.series.some((series) => series.isGenerated));
  return joinBlocks([
    clusterMarkdownHead({ header, page: "history", now: frame.now, isDemo: frame.isDemo, url }),
    `From ${formatMarkdownInstant(fromAt)} to ${formatMarkdownInstant(toAt)}.${isGenerated ? " Part of it is generated history of the demo fleet." : ""}`,
    charts.map(({ chart }) => `- ${escapeMarkdown(describeChart(chart, "UTC"))}`).join("\n"),
    events.length === 0 ? "Nothing changed in this range." : "### Changes",
    toMarkdownTable(
      ["When", "Severity", "Change"],
      events.map(({ at, severity, lead, text, isGenerated: isMadeUp }) => [
        formatMarkdownInstant(at),
        severity,
        `${lead} ${text}${isMadeUp ? " (generated)" : ""}`,
      ]),
    ),
  ]);
}
