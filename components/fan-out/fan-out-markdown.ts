import { clusterMarkdownHead } from "@/components/clusters/overview-markdown";
import { describeFailure } from "@/components/clusters/part-words";
import { type Column, markdownOf } from "@/components/tables/column";
import type { FanOutAgent, FanOutResponse } from "@/lib/contracts/fan-out";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { AGENTS_TITLE } from "./agents-panel";
import { CAPACITY_TITLE, capacityColumns } from "./capacity-panel";
import { LIST_COLUMNS, LISTS_TITLE } from "./lists-panel";

/** The fan-out page as Markdown: the tables as shown, what they rest on, model and seeds. */
export function fanOutMarkdown(options: {
  readonly response: FanOutResponse;
  readonly columns: readonly Column<FanOutAgent>[];
  /** As sorted on the page. */
  readonly rows: readonly FanOutAgent[];
  readonly url: string;
}): string {
  const { response, columns, rows, url } = options;
  const { header, frame, notice, projection, capacity, lists, facts, inventory, doubts } = response;
  const agents = markdownOf(columns, rows);
  const levels = markdownOf(capacityColumns(capacity[0]?.apiServers ?? facts?.apiServers ?? 1), capacity);
  const prices = markdownOf(LIST_COLUMNS, lists);
  return joinBlocks([
    clusterMarkdownHead({ header, page: "fan-out", now: frame.now, isDemo: frame.isDemo, url }),
    notice === null ? null : `> **${escapeMarkdown(notice.lead)}** ${escapeMarkdown(notice.text)}`,
    `### ${AGENTS_TITLE}`,
    projection === null
      ? "Not simulated yet."
      : `All copies start within ${projection.windowSeconds} s. Simulated ${formatMarkdownInstant(projection.at)}, model ${projection.model}, seeds 1 to ${projection.seedsWanted}${projection.isCurrent ? "" : "; figures changed since"}. Bytes are estimated, seats follow from the rules of the version.`,
    doubts.length === 0 ? null : escapeMarkdown(doubts.join(" ")),
    toMarkdownTable(agents.heads, agents.rows),
    inventory === null || inventory.notRead.length === 0
      ? null
      : escapeMarkdown(
          `Not read: ${inventory.notRead.map(({ what, failure }) => `${what} (${describeFailure(failure)})`).join("; ")}.`,
        ),
    capacity.length === 0 ? null : `### ${CAPACITY_TITLE}`,
    capacity.length === 0 ? null : toMarkdownTable(levels.heads, levels.rows),
    lists.length === 0 ? null : `### ${LISTS_TITLE}`,
    lists.length === 0 ? null : toMarkdownTable(prices.heads, prices.rows),
  ]);
}
