"use client";

import { useMemo, useState } from "react";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { OverviewResponse, ReadingValue } from "@/lib/contracts/cluster";
import type { PartReport } from "@/lib/contracts/common";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount } from "@/lib/format/number";
import { PanelAge, panelStateOf } from "./panel-age";

/** Rows shown before the rest is asked for. */
const SHOWN_AT_FIRST = 10;

type SizeRow = OverviewResponse["resources"][number];

/** The largest collections as one server knows them. A figure it cannot give says so, and what the server assumes. */
export function SizesPanel(props: {
  resources: readonly SizeRow[];
  total: number;
  part: PartReport | undefined;
  fileName: string;
  className?: string;
}) {
  const { resources, total, part, fileName, className } = props;
  const columns = useMemo(sizeColumns, []);
  const [isLong, setIsLong] = useState(false);
  const listed = isLong ? resources : resources.slice(0, SHOWN_AT_FIRST);
  return (
    <Panel
      title="Counts and sizes"
      className={className}
      state={panelStateOf(part)}
      meta={
        <>
          <PanelAge part={part} />
          <DownloadCsv fileName={fileName} columns={csvColumnsOf(columns)} rows={resources} />
        </>
      }
      foot={
        resources.length === 0 ? null : (
          <>
            {total > listed.length &&
              `The largest ${formatCount(listed.length)} of ${formatCount(total)} resources. `}
            {listed.length < resources.length && (
              <Button look="ghost" isSmall onClick={() => setIsLong(true)}>
                Show {formatCount(resources.length)}
              </Button>
            )}{" "}
            Stored bytes are what the API server prices a LIST by, all objects of the resource together.
          </>
        )
      }
    >
      {resources.length === 0 ? (
        <EmptyState lead={part === undefined ? "Not read yet" : "No counts were read"}>
          {part?.failure?.message ?? "Counts come with the first pass over this cluster, then once an hour."}
        </EmptyState>
      ) : (
        <DataTable
          caption="Counts and sizes, largest first"
          columns={columns}
          rows={listed}
          rowKey={({ group, resource, serverName }) => `${resource}.${group}|${serverName}`}
          isCompact
        />
      )}
    </Panel>
  );
}

/** `pods`, `daemonsets.apps`. */
const resourceName = ({ group, resource }: SizeRow) => (group === "" ? resource : `${resource}.${group}`);

export function sizeColumns(): readonly Column<SizeRow>[] {
  return [
    {
      id: "resource",
      label: "Resource",
      cell: (row) => <span className="font-mono text-s">{resourceName(row)}</span>,
      text: resourceName,
      csv: resourceName,
    },
    {
      id: "objects",
      label: "Objects",
      isNumeric: true,
      cell: ({ objects }) => <Reading reading={objects} format={formatCount} />,
      text: ({ objects }) => readingText(objects, formatCount),
      csv: ({ objects }) => (objects.state === "known" ? objects.value : null),
    },
    {
      id: "bytes",
      label: "Stored bytes",
      isNumeric: true,
      cell: ({ storedBytes }) => <Reading reading={storedBytes} format={formatBytes} />,
      text: ({ storedBytes }) => readingText(storedBytes, formatBytes),
      csv: ({ storedBytes }) => (storedBytes.state === "known" ? storedBytes.value : null),
    },
    {
      id: "server",
      label: "As known to",
      cellClass: "text-fg-3",
      cell: ({ serverName }) => serverName,
      text: ({ serverName }) => serverName,
      csv: ({ serverName }) => serverName,
    },
  ];
}

type Unknown = Extract<ReadingValue, { state: "unknown" }>;

const REASONS: Readonly<Record<Unknown["reason"], { readonly word: string; readonly why: string }>> = {
  "minus-one": {
    word: "not known",
    why: "The API server publishes −1: its own count failed or has not come yet.",
  },
  absent: { word: "not known", why: "The API server publishes no sample for this resource." },
  "not-published": { word: "not published", why: "This version has no such metric." },
  "not-read": { word: "not read", why: "The read failed; the collector says why." },
};

function Reading({ reading, format }: { reading: ReadingValue; format: (value: number) => string }) {
  if (reading.state === "known") return format(reading.value);
  const { word, why } = REASONS[reading.reason];
  return (
    <span title={why}>
      <span className="text-unknown">{word}</span>
      {reading.assumed !== null && (
        <span className="text-fg-3" title={reading.assumedBecause ?? undefined}>
          , the server assumes {format(reading.assumed)}
        </span>
      )}
    </span>
  );
}

/** The same in words, for Markdown. */
export function readingText(reading: ReadingValue, format: (value: number) => string): string {
  if (reading.state === "known") return format(reading.value);
  const assumed = reading.assumed === null ? "" : `, the server assumes ${format(reading.assumed)}`;
  return `${REASONS[reading.reason].word}${assumed}`;
}
