import type { Column, Direction, Sort, SortValue } from "./column";

/** Reads `-nodes` (descending) or `nodes` (ascending) for a column that can be sorted; else `null`: the default order. */
export function parseSort<Row>(text: string, columns: readonly Column<Row>[]): Sort | null {
  const direction: Direction = text.startsWith("-") ? "descending" : "ascending";
  const columnId = text.replace(/^-/, "");
  const isKnown = columns.some((column) => column.id === columnId && column.sort !== undefined);
  return isKnown ? { columnId, direction } : null;
}

/** As it stands in the URL; empty for the default order, which is left out. */
export function writeSort(sort: Sort | null): string {
  if (sort === null) return "";
  return sort.direction === "descending" ? `-${sort.columnId}` : sort.columnId;
}

/** First press sorts as the column prefers, the second turns it round, the third returns to the default order. */
export function nextSort(current: Sort | null, columnId: string, first: Direction): Sort | null {
  if (current?.columnId !== columnId) return { columnId, direction: first };
  return current.direction === first
    ? { columnId, direction: first === "ascending" ? "descending" : "ascending" }
    : null;
}

/**
 * Rows in the order asked for; equal ones keep the order given, and unknown comes last in either direction. `null`
 * keeps the order given.
 */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const value = columns.find((column) => column.id === sort?.columnId)?.sort;
  if (sort === null || value === undefined) return rows;
  const sign = sort.direction === "ascending" ? 1 : -1;
  return rows
    .map((row) => ({ row, key: value(row) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return sign * compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

const collator = new Intl.Collator("en", { numeric: true });

function compare(a: NonNullable<SortValue>, b: NonNullable<SortValue>): number {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}
