import { markdownOf } from "@/components/tables/column";
import type { AgentsResponse, FleetAgentRow } from "@/lib/contracts/agent-pages";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { FLEET_AGENT_COLUMNS } from "./agent-columns";
import { VERDICT_RULE } from "./clusters-panel";

/** The list of agents as Markdown, as it is filtered and sorted. */
export function agentsMarkdown(options: {
  readonly response: AgentsResponse;
  readonly rows: readonly FleetAgentRow[];
  readonly url: string;
}): string {
  const { response, rows, url } = options;
  const { frame, agents, clusters, clustersSimulated } = response;
  const table = markdownOf(FLEET_AGENT_COLUMNS, rows);
  return joinBlocks([
    `## Agents, ${formatMarkdownInstant(frame.now)}${frame.isDemo ? " (demo fleet)" : ""}`,
    `[${url}](${url})`,
    `${rows.length} of ${agents.length} agents, ${clustersSimulated} of ${clusters} clusters simulated. Every copy at once; bytes are estimated, times simulated.`,
    toMarkdownTable(table.heads, table.rows),
    escapeMarkdown(VERDICT_RULE),
  ]);
}
