"use client";

import { useMemo } from "react";
import { PanelAge, panelStateOf, StateFoot } from "@/components/clusters/panel-age";
import { describeRemedy } from "@/components/clusters/part-words";
import { csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { Segments } from "@/components/ui/segments";
import { SeverityMark } from "@/components/ui/severity";
import type { FairnessLevelRow, FairnessResponse, FairnessServer } from "@/lib/contracts/cluster";
import { formatCount } from "@/lib/format/number";
import { levelColumns } from "./level-columns";
import { barScale, sharedSeats } from "./prepare-levels";

const WINDOW_SECONDS = 3600;

/** Priority levels of one API server: who may use how much now, and who is refused. Choosing a row shows its flows. */
export function LevelsPanel(props: {
  response: FairnessResponse;
  server: FairnessServer | null;
  level: FairnessLevelRow | null;
  onServer: (name: string) => void;
  onLevel: (name: string) => void;
}) {
  const { response, server, level, onServer, onLevel } = props;
  const { part, servers, header } = response;
  const scale = barScale(server?.levels ?? []);
  const windowSeconds = server?.levels[0]?.rejected.windowSeconds ?? WINDOW_SECONDS;
  const columns = useMemo(() => levelColumns(scale, windowSeconds), [scale, windowSeconds]);
  const read = servers.filter(({ observedAt }) => observedAt !== null).length;
  return (
    <Panel
      title="Priority levels"
      state={panelStateOf(part)}
      meta={
        <>
          {part?.status === "partial" && !part.isStale && (
            <SeverityMark
              kind="unknown"
              word={read === servers.length ? "read in part" : `${read} of ${servers.length} API servers`}
            />
          )}
          {server !== null && servers.length > 1 && (
            <Segments
              label="API server"
              value={server.server.name}
              onChange={onServer}
              options={servers.map((each) => ({
                value: each.server.name,
                label: each.observedAt === null ? `${each.server.name} (not read)` : each.server.name,
                ...(each.server.hostname === null ? {} : { title: each.server.hostname }),
              }))}
            />
          )}
          {/* The part may be newer than any level: its objects are read along with the metrics. */}
          {server !== null && server.observedAt !== null && <PanelAge part={part} at={server.observedAt} />}
          {server !== null && (
            <DownloadCsv
              fileName={`headroom-${header.name}-${server.server.name}-levels`}
              columns={csvColumnsOf(columns)}
              rows={server.levels}
            />
          )}
        </>
      }
      foot={
        server === null || server.levels.length === 0 ? (
          <StateFoot part={part} />
        ) : (
          <Foot {...{ part, server, scale }} />
        )
      }
    >
      {server === null || server.levels.length === 0 ? (
        <NoLevels server={server} part={part} />
      ) : (
        <DataTable
          caption={`Priority levels of ${server.server.name}`}
          columns={columns}
          rows={server.levels}
          rowKey={({ priorityLevelName }) => priorityLevelName}
          onSelect={({ priorityLevelName }) => onLevel(priorityLevelName)}
          selectedKey={level?.priorityLevelName ?? null}
        />
      )}
    </Panel>
  );
}

function Foot(props: { part: FairnessResponse["part"]; server: FairnessServer; scale: number }) {
  const { part, server, scale } = props;
  const shared = sharedSeats(server.levels);
  return (
    <>
      <StateFoot part={part} /> Bar: seats in use; tick: current limit; scale 0 to {formatCount(scale)} seats.
      Max is a setting, not capacity
      {shared === null ? "." : `: all limited levels of this server share ${formatCount(shared)} seats.`}{" "}
      Limits move every 10 s.
    </>
  );
}

function NoLevels({ server, part }: { server: FairnessServer | null; part: FairnessResponse["part"] }) {
  if (part === null) {
    return (
      <EmptyState lead="Not read yet">
        Priority levels come with the first read of the fairness metrics, within a minute of the first pass.
      </EmptyState>
    );
  }
  const failure = part.failure ?? part.notRead[0]?.failure ?? null;
  if (server === null) {
    const remedy = failure === null ? null : describeRemedy(failure);
    return (
      <EmptyState kind="unknown" lead="Not read: priority levels">
        <p>Who uses which seats is not known without /metrics of an API server. {remedy}</p>
      </EmptyState>
    );
  }
  if (server.observedAt === null) {
    return (
      <EmptyState kind="unknown" lead={`${server.server.name} was not read`}>
        Its figures are its own; those of the other API servers say nothing about them.
      </EmptyState>
    );
  }
  return (
    <EmptyState lead={`API Priority and Fairness is off on ${server.server.name}`}>
      Its metrics hold no priority level. Requests are then limited by --max-requests-inflight and
      --max-mutating-requests-inflight alone.
    </EmptyState>
  );
}
