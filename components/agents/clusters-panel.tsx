import { useMemo } from "react";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { parseSort, writeSort } from "@/components/tables/sort-text";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { RowLink } from "@/components/ui/row-link";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { AgentClusterRow, AgentResponse } from "@/lib/contracts/agent-pages";
import { VERDICT_ORDER } from "@/lib/domain/fan-out/fan-out-summary";
import { VERDICT_THRESHOLDS } from "@/lib/domain/storm/verdict";
import { formatBytes } from "@/lib/format/bytes";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, formatPlural, UNIT_SPACE } from "@/lib/format/number";
import { agentHref } from "./agent-href";
import { Dim, EstimatedBytes, NotKnown, Sim, SimTag, TwoLines } from "./cells";
import { formatWait } from "./storm-figures";
import { VerdictCounts } from "./verdict-counts";

export const CLUSTERS_TITLE = "Verdict on all clusters, start-all";

const countText = (value: number | null): string => (value === null ? "not known" : formatCount(value));
const bytesText = (bytes: number | null): string =>
  bytes === null ? "not known" : `≈${UNIT_SPACE}${formatBytes(bytes)}`;

/** `165 s`, `never`; of one that was not simulated `–`. */
const drainText = ({ drainSeconds, undrained }: AgentClusterRow): string =>
  undrained > 0 ? "never" : drainSeconds === null ? "–" : formatDuration(drainSeconds);

export function clusterColumns(agentId: string): readonly Column<AgentClusterRow>[] {
  return [
    {
      id: "cluster",
      label: "Cluster",
      sort: ({ clusterName }) => clusterName,
      cell: ({ clusterId, clusterName }) => (
        <RowLink href={agentHref(agentId, clusterId)}>{clusterName}</RowLink>
      ),
      text: ({ clusterName }) => clusterName,
      csv: ({ clusterName }) => clusterName,
    },
    {
      id: "version",
      label: "Version",
      sort: ({ version }) => version,
      cell: ({ version }) => version ?? <NotKnown />,
      text: ({ version }) => version ?? "not known",
      csv: ({ version }) => version,
    },
    amount("nodes", "Nodes", ({ nodes }) => nodes),
    amount("copies", "Copies", ({ copies }) => copies),
    {
      id: "startBytes",
      label: "Per start, bytes",
      head: <TwoLines first="Per start," second="bytes" />,
      isNumeric: true,
      sort: ({ perStartBytes }) => perStartBytes,
      firstDirection: "descending",
      cell: ({ perStartBytes }) => <EstimatedBytes bytes={perStartBytes} />,
      text: ({ perStartBytes }) => bytesText(perStartBytes),
      csv: ({ perStartBytes }) => perStartBytes,
    },
    {
      ...amount("startSeats", "Per start, seats", ({ perStartSeats }) => perStartSeats),
      head: <TwoLines first="Per start," second="seats" />,
    },
    {
      id: "bytes",
      label: "× copies, bytes",
      head: <TwoLines first="× copies," second="bytes" />,
      isNumeric: true,
      sort: ({ bytes }) => bytes,
      firstDirection: "descending",
      cell: ({ bytes }) => <EstimatedBytes bytes={bytes} />,
      text: ({ bytes }) => bytesText(bytes),
      csv: ({ bytes }) => bytes,
    },
    {
      id: "drains",
      label: "Drains in (simulated)",
      head: <TwoLines first="Drains in" second={<SimTag />} />,
      isNumeric: true,
      sort: ({ drainSeconds, undrained }) => (undrained > 0 ? Number.MAX_VALUE : drainSeconds),
      firstDirection: "descending",
      cell: (row) => (drainText(row) === "–" ? <Dim>–</Dim> : <Sim>{drainText(row)}</Sim>),
      text: drainText,
      csv: ({ drainSeconds }) => drainSeconds,
    },
    {
      id: "rejected",
      label: "Rejected (simulated)",
      head: <TwoLines first="Rejected" second={<SimTag />} />,
      isNumeric: true,
      sort: ({ rejected }) => rejected,
      firstDirection: "descending",
      cell: ({ rejected }) => (rejected === null ? <Dim>–</Dim> : <Sim>{formatCount(rejected)}</Sim>),
      text: ({ rejected }) => (rejected === null ? "–" : formatCount(rejected)),
      csv: ({ rejected }) => rejected,
    },
    {
      id: "neighbours",
      label: "Neighbours wait p99 (simulated)",
      head: (
        <TwoLines
          first="Neighbours"
          second={
            <>
              p99 <SimTag />
            </>
          }
        />
      ),
      isNumeric: true,
      sort: ({ neighbourWaitSeconds }) => neighbourWaitSeconds,
      firstDirection: "descending",
      cell: ({ neighbourWaitSeconds }) =>
        neighbourWaitSeconds === null ? <Dim>–</Dim> : <Sim>{formatWait(neighbourWaitSeconds)}</Sim>,
      text: ({ neighbourWaitSeconds }) =>
        neighbourWaitSeconds === null ? "–" : formatWait(neighbourWaitSeconds),
      csv: ({ neighbourWaitSeconds }) => neighbourWaitSeconds,
    },
    {
      id: "verdict",
      label: "Verdict",
      sort: ({ verdict }) => VERDICT_ORDER.length - VERDICT_ORDER.indexOf(verdict),
      firstDirection: "descending",
      cell: ({ verdict, reason }) => <VerdictMark verdict={verdict} title={reason ?? undefined} />,
      text: ({ verdict }) => verdict,
      csv: ({ verdict }) => verdict,
    },
    {
      id: "note",
      label: "Note",
      cellClass: "wrap text-s text-fg-2",
      cell: noteText,
      text: noteText,
      csv: noteText,
    },
  ];
}

const noteText = ({ verdict, reason, simulated }: AgentClusterRow): string =>
  verdict === "invisible"
    ? "roll normally"
    : verdict === "inconclusive" && simulated !== null
      ? `by its figures ${simulated}. ${reason ?? ""}`.trim()
      : (reason ?? "");

function amount(
  id: string,
  label: string,
  read: (row: AgentClusterRow) => number | null,
): Column<AgentClusterRow> {
  return {
    id,
    label,
    isNumeric: true,
    sort: read,
    firstDirection: "descending",
    cell: (row) => (read(row) === null ? <NotKnown /> : countText(read(row))),
    text: (row) => countText(read(row)),
    csv: read,
  };
}

/** Printed under the table. */
export const VERDICT_RULE = `Invisible: nobody is rejected, neighbours wait at most ${VERDICT_THRESHOLDS.invisibleNeighbourWaitSeconds} s at p99, its own requests at most ${VERDICT_THRESHOLDS.invisibleOwnWaitSeconds} s, link at most ${100 * VERDICT_THRESHOLDS.invisibleLinkRatio} %. Visible: only the agent itself is rejected, neighbours at most ${VERDICT_THRESHOLDS.visibleNeighbourWaitSeconds} s, drains within ${VERDICT_THRESHOLDS.visibleDrainSeconds} s of the last start. Unsafe: anything worse, or it never drains. Inconclusive: figures older than two of their periods, evidence of another version or older than 30 days or bounded only, or a cluster that rejects requests now.`;

/** The agent on every cluster that has it, worst first. Choosing a row simulates there. */
export function ClustersPanel(props: {
  response: AgentResponse;
  sort: string;
  onSort: (sort: string) => void;
  onCluster: (clusterId: string) => void;
}) {
  const { response, sort, onSort, onCluster } = props;
  const { clusters, verdicts, agentId, clusterId } = response;
  const columns = useMemo(() => clusterColumns(agentId), [agentId]);
  const sorting = useMemo(() => parseSort(sort, columns), [sort, columns]);
  return (
    <Panel
      title={CLUSTERS_TITLE}
      meta={
        <>
          <VerdictCounts counts={verdicts} />
          <span>{formatPlural(clusters.length, "cluster")}</span>
          {clusters.length > 0 && (
            <DownloadCsv
              fileName={`headroom-${agentId.replaceAll(/[^\w.-]+/g, "-")}-clusters`}
              columns={csvColumnsOf(columns)}
              rows={clusters}
            />
          )}
        </>
      }
      foot={VERDICT_RULE}
    >
      {clusters.length === 0 ? (
        <EmptyState lead="No simulation is stored yet">
          The collector simulates every agent of a cluster some time after its first pass. What stands above
          is simulated in this browser and needs none.
        </EmptyState>
      ) : (
        <DataTable
          caption={CLUSTERS_TITLE}
          columns={columns}
          rows={clusters}
          rowKey={(row) => row.clusterId}
          selectedKey={clusterId}
          onSelect={(row) => onCluster(row.clusterId)}
          sort={sorting}
          onSort={(next) => onSort(writeSort(next))}
        />
      )}
    </Panel>
  );
}
