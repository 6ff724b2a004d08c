import { markdownOf } from "@/components/tables/column";
import type { ChangesResponse, FleetResponse, FleetRow } from "@/lib/contracts/fleet";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { formatCount, formatFixed, formatPlural } from "@/lib/format/number";
import { fleetColumns } from "./fleet-columns";
import { CLUSTER_STATES, countStates } from "./prepare-fleet-rows";

/** The fleet page as Markdown: what changed, then the clusters as they are filtered and sorted. All figures are measured. */
export function fleetMarkdown(options: {
  readonly response: FleetResponse;
  readonly rows: readonly FleetRow[];
  readonly changes: ChangesResponse | undefined;
  readonly url: string;
}): string {
  const { response, rows, changes, url } = options;
  const { frame, totals } = response;
  const counts = countStates(response.rows);
  const states = CLUSTER_STATES.filter((state) => counts[state] > 0).map(
    (state) => `${counts[state]} ${state}`,
  );
  const table = markdownOf(fleetColumns(frame.now), rows);
  return joinBlocks([
    `## Fleet, ${formatMarkdownInstant(frame.now)}${frame.isDemo ? " (demo fleet)" : ""}`,
    `[${url}](${url})`,
    `${formatPlural(totals.clusters, "cluster")}, ${formatCount(totals.nodes)} nodes: ${states.join(", ")}. All figures measured.`,
    changes === undefined || changes.changes.length === 0
      ? null
      : `### Changed since the last review, ${formatCount(changes.total)}`,
    toMarkdownTable(
      ["When", "Severity", "Cluster", "Change"],
      (changes?.changes ?? []).map(({ at, severity, clusterName, lead, text }) => [
        formatMarkdownInstant(at),
        severity,
        clusterName,
        `${lead} ${text}`.trim(),
      ]),
    ),
    `### Clusters${rows.length === response.rows.length ? "" : `, ${rows.length} of ${response.rows.length}`}`,
    toMarkdownTable(table.heads, table.rows),
    `Headroom's own cost: ${formatFixed(totals.ownCost.requestsPerMinute, 1)} requests/min, ${formatFixed(totals.ownCost.wireBytesPerMinute / 1e6, 1)} MB/min.`,
  ]);
}
