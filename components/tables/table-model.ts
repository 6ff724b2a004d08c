"use client";

import {
  type ColumnDef,
  columnFilteringFeature,
  columnVisibilityFeature,
  createFilteredRowModel,
  createSortedRowModel,
  functionalUpdate,
  type Header,
  type ReactTable,
  type RowData,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  sortFn_basic,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo } from "react";
import type { Column, ColumnLook, RowFilter } from "./column";

const FEATURES = tableFeatures({
  columnFilteringFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
  /** Present in every column that is drawn, absent in those that only filter. */
  columnMeta: {} as ColumnLook,
});
type Features = typeof FEATURES;

/** Rows narrowed and sorted, and what the heads need for it. */
export type TableModel<Row extends RowData> = ReactTable<Features, Row>;
export type ModelRow<Row extends RowData> = TableRow<Features, Row>;
export type ModelHeader<Row extends RowData> = Header<Features, Row>;

type Wanted = Readonly<Record<string, string | null>>;

export interface TableModelOptions<Row> {
  readonly columns: readonly Column<Row>[];
  /** In the default order. */
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Empty: the default order. */
  readonly sort?: SortingState | undefined;
  /** Without it the heads do not sort. */
  readonly onSort?: ((sort: SortingState) => void) | undefined;
  readonly filters?: readonly RowFilter<Row>[] | undefined;
  /** What is wanted, by the id of its filter; an empty text and `null` narrow nothing. */
  readonly wanted?: Wanted | undefined;
}

const NO_SORT: SortingState = [];

/**
 * The model behind a table: one column at most sorts, equal rows keep the default order, unknown comes last in either
 * direction, and the third press on a head returns to the default. Columns, rows, `sort`, filters and `wanted`
 * are compared by identity.
 */
export function useTableModel<Row extends RowData>(options: TableModelOptions<Row>): TableModel<Row> {
  const { columns, rows, rowKey, sort = NO_SORT, onSort, filters, wanted } = options;
  const defs = useMemo(
    () => [...columns.map(drawnColumn), ...(filters ?? []).map(filteringColumn)],
    [columns, filters],
  );
  const columnFilters = useMemo(() => filterState(wanted ?? {}), [wanted]);
  const columnVisibility = useMemo(
    () => Object.fromEntries((filters ?? []).map(({ id }) => [filteringId(id), false])),
    [filters],
  );
  return useTable({
    features: FEATURES,
    columns: defs,
    data: rows,
    getRowId: rowKey,
    enableSorting: onSort !== undefined,
    state: { sorting: sort, columnFilters, columnVisibility },
    onSortingChange: (update) => onSort?.(functionalUpdate(update, sort)),
  });
}

function drawnColumn<Row extends RowData>(column: Column<Row>): ColumnDef<Features, Row> {
  const { id, cell, sort, firstDirection } = column;
  return {
    id,
    meta: column,
    cell: ({ row }) => cell(row.original),
    ...(sort === undefined
      ? {}
      : {
          accessorFn: (row: Row) => sort(row) ?? undefined,
          sortUndefined: "last" as const,
          sortDescFirst: firstDirection === "descending",
          sortFn: (a, b, columnId) =>
            typeof a.getValue(columnId) === "number"
              ? sortFn_basic(a, b, columnId)
              : sortFn_alphanumeric(a, b, columnId),
        }),
  };
}

const filteringId = (id: string) => `filter:${id}`;

/** A filter is a column that is never drawn. */
function filteringColumn<Row extends RowData>({ id, fits }: RowFilter<Row>): ColumnDef<Features, Row> {
  return {
    id: filteringId(id),
    accessorFn: (row) => row,
    filterFn: (row, _columnId, wanted: string) => fits(row.original, wanted),
  };
}

const filterState = (wanted: Wanted) =>
  Object.entries(wanted)
    .filter(([, value]) => value !== null && value !== "")
    .map(([id, value]) => ({ id: filteringId(id), value }));
