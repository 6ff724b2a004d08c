"use client";

import { ObjectsAge, panelStateOf, StateFoot } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { GradeChip } from "@/components/ui/evidence-chip";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { FanOutResponse, ListPriceRowValue } from "@/lib/contracts/fan-out";
import { bytesQuantity } from "@/lib/format/bytes";
import { formatCount, joinQuantity } from "@/lib/format/number";

export const LISTS_TITLE = "What a LIST costs here";

/** One row per resource that agents read: how many, how large, and the price of a LIST from cache and of a page. */
export function ListsPanel({ response }: { response: FanOutResponse }) {
  const { lists, listsTotal, sizes, header } = response;
  const state = panelStateOf(sizes);
  return (
    <Panel
      title={LISTS_TITLE}
      state={state}
      meta={
        <>
          <ObjectsAge at={sizes?.valueAt ?? null} word="counted" state={state} />
          <DownloadCsv
            fileName={`headroom-${header.name}-list-prices`}
            columns={csvColumnsOf(LIST_COLUMNS)}
            rows={lists}
          />
        </>
      }
      foot={
        <>
          <StateFoot part={sizes} />{" "}
          {listsTotal > lists.length &&
            `${formatCount(lists.length)} of ${formatCount(listsTotal)} resources that agents read, by stored bytes.`}
        </>
      }
    >
      {lists.length === 0 ? (
        <EmptyState kind="unknown" lead="Not read: counts and sizes">
          What a LIST costs hangs on how many objects there are, and how large.
        </EmptyState>
      ) : (
        <DataTable
          caption={LISTS_TITLE}
          columns={LIST_COLUMNS}
          rows={lists}
          rowKey={({ apiGroup, resource }) => `${resource}.${apiGroup}`}
          isCompact
        />
      )}
    </Panel>
  );
}

export const LIST_COLUMNS: readonly Column<ListPriceRowValue>[] = [
  {
    id: "resource",
    label: "Resource",
    cell: ({ apiGroup, resource }) => (
      <>
        <span className="font-medium">{resource}</span>
        {apiGroup !== "" && <span className="text-s text-fg-3"> {apiGroup}</span>}
      </>
    ),
    text: ({ apiGroup, resource }) => (apiGroup === "" ? resource : `${resource}.${apiGroup}`),
    csv: ({ apiGroup, resource }) => (apiGroup === "" ? resource : `${resource}.${apiGroup}`),
  },
  {
    id: "objects",
    label: "Objects",
    isNumeric: true,
    cell: ({ objects }) => (objects === null ? <NotKnown /> : formatCount(objects)),
    text: ({ objects }) => (objects === null ? "not known" : formatCount(objects)),
    csv: ({ objects }) => objects,
  },
  bytes("each", "Bytes each, stored", ({ objectBytes }) => objectBytes),
  bytes("all", "All", ({ storedBytes }) => storedBytes),
  seats("cache", "Seats, rv=0 limit=500", ({ cacheSeats }) => cacheSeats),
  seats("page", "Seats, page of 500", ({ pageSeats }) => pageSeats),
  {
    id: "agents",
    label: "Agents",
    isNumeric: true,
    cell: ({ agents }) => formatCount(agents),
    text: ({ agents }) => formatCount(agents),
    csv: ({ agents }) => agents,
  },
  {
    id: "evidence",
    label: "Evidence",
    cell: ({ source, objectBytes }) => (
      <span title={source}>
        {objectBytes === null ? (
          <span className="text-fg-3">size not known</span>
        ) : (
          <GradeChip grade="measured" />
        )}
      </span>
    ),
    text: ({ source }) => source,
    csv: ({ source }) => source,
  },
];

const NotKnown = () => <span className="text-fg-3">not known</span>;

function bytes(
  id: string,
  label: string,
  read: (row: ListPriceRowValue) => number | null,
): Column<ListPriceRowValue> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (row) => {
      const value = read(row);
      if (value === null) return <NotKnown />;
      const { figure, unit } = bytesQuantity(value);
      return (
        <>
          {figure} <span className="unit">{unit}</span>
        </>
      );
    },
    text: (row) => {
      const value = read(row);
      return value === null ? "not known" : joinQuantity(bytesQuantity(value));
    },
    csv: read,
  };
}

function seats(
  id: string,
  label: string,
  read: (row: ListPriceRowValue) => number | null,
): Column<ListPriceRowValue> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (row) => {
      const value = read(row);
      return value === null ? <NotKnown /> : formatCount(value);
    },
    text: (row) => {
      const value = read(row);
      return value === null ? "not known" : formatCount(value);
    },
    csv: read,
  };
}
