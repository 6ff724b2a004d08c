import { clusterMarkdownHead } from "@/components/clusters/overview-markdown";
import { describeFailure } from "@/components/clusters/part-words";
import { markdownOf } from "@/components/tables/column";
import type { FairnessResponse } from "@/lib/contracts/cluster";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { formatSeats } from "@/lib/format/number";
import { flowColumns } from "./flow-columns";
import { levelColumns } from "./level-columns";
import type { Shown } from "./prepare-levels";

/** The fairness page as Markdown: the levels of the server shown, the flows of the level shown, all servers beside it. */
export function fairnessMarkdown(options: {
  readonly response: FairnessResponse;
  readonly shown: Shown;
  /** Of the panels that rest on the flow control objects, in the order of the page. */
  readonly blocks?: readonly string[];
  readonly url: string;
}): string {
  const { response, shown, blocks = [], url } = options;
  const { header, frame, notice, part, servers } = response;
  const { server, level } = shown;
  const levels = server?.levels ?? [];
  const levelTable = markdownOf(levelColumns(1, levels[0]?.rejected.windowSeconds ?? 3600), levels);
  const flows = (server?.flows ?? []).filter(
    ({ priorityLevelName }) => priorityLevelName === level?.priorityLevelName,
  );
  const flowTable = markdownOf(flowColumns(), flows);
  const observed = server?.observedAt ?? null;
  return joinBlocks([
    clusterMarkdownHead({ header, page: "fairness", now: frame.now, isDemo: frame.isDemo, url }),
    notice === null ? null : `> **${escapeMarkdown(notice.lead)}** ${escapeMarkdown(notice.text)}`,
    server === null
      ? "No API server was read."
      : `### Priority levels of ${escapeMarkdown(server.server.name)}`,
    observed === null ? null : `Measured ${formatMarkdownInstant(observed)}. Max is a setting, not capacity.`,
    toMarkdownTable(levelTable.heads, levelTable.rows),
    part === null || part.notRead.length === 0
      ? null
      : escapeMarkdown(
          `Not read: ${part.notRead.map(({ what, failure }) => `${what} (${describeFailure(failure)})`).join("; ")}.`,
        ),
    flows.length === 0
      ? null
      : `### Flows of ${escapeMarkdown(`${level?.priorityLevelName}, ${server?.server.name}`)}`,
    toMarkdownTable(flowTable.heads, flowTable.rows),
    level === null ? null : `### ${escapeMarkdown(level.priorityLevelName)} per API server`,
    level === null
      ? null
      : toMarkdownTable(
          ["Server", "Seats / limit", "Waiting"],
          servers.map((each) => {
            const same = each.levels.find(
              ({ priorityLevelName }) => priorityLevelName === level.priorityLevelName,
            );
            return same === undefined
              ? [each.server.name, "not read", "not read"]
              : [
                  each.server.name,
                  formatSeats(same.executingSeats, same.currentLimitSeats),
                  String(same.waitingRequests ?? "–"),
                ];
          }),
        ),
    ...blocks,
  ]);
}
