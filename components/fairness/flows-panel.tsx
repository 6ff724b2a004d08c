"use client";

import { useMemo } from "react";
import { PanelAge } from "@/components/clusters/panel-age";
import { csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Instant } from "@/components/time/instant";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { FairnessLevelRow, FairnessResponse, FairnessServer } from "@/lib/contracts/cluster";
import { formatCount } from "@/lib/format/number";
import { flowColumns } from "./flow-columns";
import { sumFlows } from "./prepare-levels";

/** Flows of the chosen level on the chosen API server: whose requests hold the seats, and whose wait. */
export function FlowsPanel(props: {
  server: FairnessServer;
  level: FairnessLevelRow;
  part: FairnessResponse["part"];
  fileName: string;
  className?: string;
}) {
  const { server, level, part, fileName, className } = props;
  const columns = useMemo(flowColumns, []);
  const flows =
    server.flows?.filter(({ priorityLevelName }) => priorityLevelName === level.priorityLevelName) ?? null;
  return (
    <Panel
      title={`Flows of ${level.priorityLevelName}, ${server.server.name}`}
      className={className}
      state={part?.isStale === true ? "stale" : "normal"}
      meta={
        <>
          {server.flowsObservedAt !== null && (
            <span>
              dump_requests
              {part?.isStale !== true && (
                <>
                  , <Instant at={server.flowsObservedAt} look="clock" />
                </>
              )}
            </span>
          )}
          {part?.isStale === true && <PanelAge part={part} at={server.flowsObservedAt} />}
          <DownloadCsv fileName={fileName} columns={csvColumnsOf(columns)} rows={flows ?? []} />
        </>
      }
      foot={flows === null || flows.length === 0 ? null : <Sums flows={flows} level={level} />}
    >
      {flows === null ? (
        <EmptyState kind="unknown" lead="Flows were not read">
          They come from /debug/api_priority_and_fairness/dump_requests. The ClusterRole in Settings grants
          it; the levels above do not need it.
        </EmptyState>
      ) : flows.length === 0 ? (
        <EmptyState lead="No request was in this level when it was read">
          A dump holds only what executes or waits at that moment.
        </EmptyState>
      ) : (
        <DataTable
          caption={`Flows of ${level.priorityLevelName} on ${server.server.name}`}
          columns={columns}
          rows={flows}
          rowKey={(flow) => `${flow.flowSchemaName}|${flow.flowDistinguisher}`}
          isCompact
        />
      )}
    </Panel>
  );
}

/** The sums, and that they were read a moment apart from the level's own row where they differ. */
function Sums({ flows, level }: { flows: Parameters<typeof sumFlows>[0]; level: FairnessLevelRow }) {
  const sums = sumFlows(flows);
  const isEqual = sums.seats === level.executingSeats && sums.waiting === level.waitingRequests;
  return (
    <>
      Sums: {formatCount(sums.executing)} executing, {formatCount(sums.seats)} seats,{" "}
      {formatCount(sums.waiting)} waiting.
      {!isEqual && " The level's row was read from the metrics at another moment."}
    </>
  );
}
