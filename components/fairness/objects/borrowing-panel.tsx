"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo } from "react";
import { TimeChart } from "@/components/charts/time-chart";
import { PanelAge, panelStateOf } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf, markdownOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel, PanelBody } from "@/components/ui/panel";
import { EmptyState, FailedState } from "@/components/ui/panel-states";
import { Segments } from "@/components/ui/segments";
import type { FairnessLevelRow, FairnessResponse, FairnessServer } from "@/lib/contracts/cluster";
import { toMarkdownTable } from "@/lib/format/markdown";
import { formatCount } from "@/lib/format/number";
import { historyQuery } from "@/lib/queries/clusters";
import { type BorrowingRow, borrowingNow, borrowingText, prepareBorrowing } from "./prepare-borrowing";

const RANGES = ["2h", "24h", "7d"] as const;

interface BorrowingProps {
  readonly clusterId: string;
  readonly clusterName: string;
  readonly server: FairnessServer;
  readonly level: FairnessLevelRow;
  readonly part: FairnessResponse["part"];
}

/** Who lends what now, and how the chosen level's limit moved around its nominal one. */
export function BorrowingPanel({ clusterId, clusterName, server, level, part }: BorrowingProps) {
  const columns = useMemo(borrowingColumns, []);
  const rows = useMemo(() => borrowingNow(server.levels), [server.levels]);
  const isLimited = level.type !== "Exempt";
  return (
    <Panel
      title={`Borrowing, ${server.server.name}`}
      state={panelStateOf(part)}
      meta={
        <>
          <PanelAge part={part} at={server.observedAt} />
          <DownloadCsv
            fileName={`headroom-${clusterName}-${server.server.name}-borrowing`}
            columns={csvColumnsOf(columns)}
            rows={rows}
          />
        </>
      }
      foot="Against the nominal limit. Levels borrow what others do not use and give it back within 10 s; nobody lends below its minimum. The upper limit is a setting, not capacity, and is not drawn."
    >
      {rows.length === 0 ? (
        <EmptyState lead="Limits are not known">
          This server publishes no nominal and current limits, or was not read.
        </EmptyState>
      ) : (
        <DataTable
          caption={`Borrowing now on ${server.server.name}`}
          columns={columns}
          rows={rows}
          rowKey={({ priorityLevelName }) => priorityLevelName}
          isCompact
        />
      )}
      {isLimited && <LimitOverTime clusterId={clusterId} server={server} level={level} />}
    </Panel>
  );
}

function LimitOverTime({ clusterId, server, level }: Omit<BorrowingProps, "clusterName" | "part">) {
  const [range, setRange] = useQueryState(
    "range",
    parseAsStringLiteral(RANGES).withDefault("24h").withOptions({ history: "push", scroll: false }),
  );
  const { priorityLevelName, nominalSeats } = level;
  const query = useQuery(
    historyQuery(clusterId, { range, server: server.server.id, level: priorityLevelName, chart: "seats" }),
  );
  const history = query.data;
  // A level without a history of its own is answered with another one.
  const isOfLevel = history?.priorityLevelName === priorityLevelName && history.serverId === server.server.id;
  const prepared = useMemo(
    () => (history === undefined || !isOfLevel ? null : prepareBorrowing(history, nominalSeats)),
    [history, isOfLevel, nominalSeats],
  );
  return (
    <PanelBody className="grid gap-2 border-t border-line pt-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3>{priorityLevelName} over time</h3>
        <span className="ml-auto">
          <Segments
            label="Range of the limits"
            value={range}
            onChange={(next) => void setRange(next)}
            options={RANGES.map((value) => ({ value, label: value }))}
          />
        </span>
      </div>
      {prepared !== null ? (
        <>
          <TimeChart chart={prepared.chart} drawing="dense" height={150} />
          <p className="text-s text-fg-2">
            {prepared.summary}{" "}
            {nominalSeats === null
              ? "The nominal limit is not known."
              : "The nominal limit is that of now; earlier ones are not stored."}
          </p>
        </>
      ) : query.isError ? (
        <FailedState
          what="The history of the limits"
          error={query.error}
          unaffected="The table above does not need it."
          onRetry={() => void query.refetch()}
        />
      ) : (
        <p className="grid h-[150px] place-items-center text-fg-3">
          {history === undefined || query.isPlaceholderData
            ? "Reading the store"
            : "Nothing is stored of this level yet."}
        </p>
      )}
    </PanelBody>
  );
}

export function borrowingMarkdown(server: FairnessServer | null): readonly string[] {
  const rows = borrowingNow(server?.levels ?? []);
  if (server === null || rows.length === 0) return [];
  const table = markdownOf(borrowingColumns(), rows);
  return [`### Borrowing, ${server.server.name}`, toMarkdownTable(table.heads, table.rows)];
}

function borrowingColumns(): readonly Column<BorrowingRow>[] {
  return [
    {
      id: "level",
      label: "Priority level",
      cell: ({ priorityLevelName }) => <b>{priorityLevelName}</b>,
      text: ({ priorityLevelName }) => priorityLevelName,
      csv: ({ priorityLevelName }) => priorityLevelName,
    },
    seats("current", "Current limit", ({ currentLimitSeats }) => currentLimitSeats),
    seats("nominal", "Nominal", ({ nominalSeats }) => nominalSeats),
    {
      id: "borrowing",
      label: "Against nominal",
      isNumeric: true,
      cell: (row) => (
        <span className={row.borrowedSeats > 0 ? "font-medium" : "text-fg-3"}>{borrowingText(row)}</span>
      ),
      text: borrowingText,
      csv: ({ borrowedSeats }) => borrowedSeats,
    },
  ];
}

function seats(id: string, label: string, read: (row: BorrowingRow) => number): Column<BorrowingRow> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (row) => formatCount(read(row)),
    text: (row) => formatCount(read(row)),
    csv: read,
  };
}
