"use client";

import { useMemo } from "react";
import { panelStateOf, StateFoot } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { CapacityRowValue, FanOutResponse } from "@/lib/contracts/fan-out";
import { formatByteRate } from "@/lib/format/bytes";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, formatPlural, formatShare } from "@/lib/format/number";
import { bytesAmount, bytesText, seatsAmount } from "./amount-text";

export const CAPACITY_TITLE = "Start-all cost against capacity";

const FLOWS: Readonly<Record<CapacityRowValue["flows"], string>> = {
  "one-per-agent": "one flow each",
  "one-each": "a flow per node",
  mixed: "some with a flow per node",
};

/** Seats asked against what each level has idle, by its share, and by borrowing; never against the upper limit field. */
export function CapacityPanel({ response }: { response: FanOutResponse }) {
  const { capacity, capacityTotal, facts, sizes, header } = response;
  const servers = capacity[0]?.apiServers ?? facts?.apiServers ?? 1;
  const columns = useMemo(() => capacityColumns(servers), [servers]);
  const link = facts?.server.linkBytesPerSecond ?? null;
  const bytes = bytesAmount(capacityTotal.bytes);
  return (
    <Panel
      title={CAPACITY_TITLE}
      state={panelStateOf(sizes)}
      meta={
        <>
          <span>
            ceiling: when all other levels are idle
            {link === null ? " · link not known" : ` · ${formatCount(servers)} × ${formatByteRate(link)}`}
          </span>
          <DownloadCsv
            fileName={`headroom-${header.name}-fan-out-capacity`}
            columns={csvColumnsOf(columns)}
            rows={capacity}
          />
        </>
      }
      foot={
        <>
          <StateFoot part={sizes} /> The upper limit of a level is a setting, not capacity, and is not used
          here.
          {link === null &&
            " What the network takes is not known: say what one API server has with the cluster label headroom.dev/api-server-link-bytes-per-second."}
        </>
      }
    >
      {capacity.length === 0 ? (
        <EmptyState lead="Nothing is asked for">No agent is known to LIST anything here.</EmptyState>
      ) : (
        <DataTable
          caption={CAPACITY_TITLE}
          columns={columns}
          rows={capacity}
          rowKey={({ priorityLevelName }) => priorityLevelName}
          foot={
            <tr>
              <td>all</td>
              <td className="n">{seatsAmount(capacityTotal.seatsAsked)}</td>
              <td />
              <td className="n">
                {capacityTotal.nominalSeats === null ? "not known" : formatCount(capacityTotal.nominalSeats)}
              </td>
              <td colSpan={2} />
              <td className="n">
                {bytes.figure} <span className="unit">{bytes.unit}</span>
              </td>
              <td className="n">{linkText(capacityTotal.linkSeconds)}</td>
            </tr>
          }
        />
      )}
    </Panel>
  );
}

/** `servers`: all figures of a level are of one API server times these. */
export function capacityColumns(servers: number): readonly Column<CapacityRowValue>[] {
  const times = servers === 1 ? "1 server" : `× ${formatCount(servers)} servers`;
  const limit = (id: string, label: string, pick: "idleSeats" | "nominalSeats" | "ceilingSeats") => ({
    id,
    label: `${label}, ${times}`,
    head: (
      <>
        {label.split(" by ").map((part, index) => (
          <span key={part} className="block">
            {index === 0 ? part : `by ${part}`}
          </span>
        ))}
        {times}
      </>
    ),
    isNumeric: true,
    cell: (row: CapacityRowValue) => limitText(row, pick),
    text: (row: CapacityRowValue) => limitText(row, pick),
    csv: ({ capacity, apiServers }: CapacityRowValue) =>
      capacity === null || capacity.isExempt ? null : capacity[pick] * apiServers,
  });
  return [
    {
      id: "level",
      label: "Priority level",
      cellClass: "wrap min-w-[150px]!",
      cell: (row) => (
        <>
          <span className="font-medium">{row.priorityLevelName}</span>
          <span className="block text-s text-fg-3">
            {formatPlural(row.agents, "agent")}; {FLOWS[row.flows]}
          </span>
        </>
      ),
      text: (row) => row.priorityLevelName,
      csv: (row) => row.priorityLevelName,
    },
    {
      id: "asked",
      label: "Seats asked",
      isNumeric: true,
      cell: (row) => seatsAmount(row.seatsAsked),
      text: (row) => seatsAmount(row.seatsAsked),
      csv: (row) => row.seatsAsked.value,
    },
    limit("idle", "Idle limit", "idleSeats"),
    limit("nominal", "Nominal", "nominalSeats"),
    limit("ceiling", "Ceiling by borrowing", "ceilingSeats"),
    {
      id: "ratio",
      label: "Asked ÷ ceiling",
      head: (
        <>
          Asked ÷
          <br />
          ceiling
        </>
      ),
      isNumeric: true,
      cell: (row) => (row.ofCeilingRatio === null ? "–" : <b>{formatShare(row.ofCeilingRatio)}</b>),
      text: (row) => (row.ofCeilingRatio === null ? "–" : formatShare(row.ofCeilingRatio)),
      csv: (row) => row.ofCeilingRatio,
    },
    {
      id: "bytes",
      label: "Bytes",
      isNumeric: true,
      cell: (row) => {
        const { figure, unit } = bytesAmount(row.bytes);
        return (
          <>
            {figure} <span className="unit">{unit}</span>
          </>
        );
      },
      text: (row) => bytesText(row.bytes),
      csv: (row) => row.bytes.value,
    },
    {
      id: "network",
      label: "Network alone takes",
      head: (
        <>
          Network
          <br />
          alone takes
        </>
      ),
      isNumeric: true,
      cell: (row) => linkText(row.linkSeconds),
      text: (row) => linkText(row.linkSeconds),
      csv: (row) => row.linkSeconds,
    },
  ];
}

function limitText(
  { capacity, apiServers }: CapacityRowValue,
  pick: "idleSeats" | "nominalSeats" | "ceilingSeats",
) {
  if (capacity === null) return "no such level";
  return capacity.isExempt ? "no limit" : formatCount(capacity[pick] * apiServers);
}

const linkText = (seconds: number | null) =>
  seconds === null ? "not known" : `≈ ${seconds < 1 ? "< 1 s" : formatDuration(Math.round(seconds))}`;
