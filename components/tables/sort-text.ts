import type { SortingState } from "@tanstack/react-table";
import type { Column } from "./column";

/** Reads `-nodes` (descending) or `nodes` (ascending) for a column that can be sorted; else empty: the default order. */
export function parseSort<Row>(text: string, columns: readonly Column<Row>[]): SortingState {
  const id = text.replace(/^-/, "");
  const isKnown = columns.some((column) => column.id === id && column.sort !== undefined);
  return isKnown ? [{ id, desc: text.startsWith("-") }] : [];
}

/** As it stands in the URL; empty for the default order, which is left out. */
export function writeSort([sort]: SortingState): string {
  if (sort === undefined) return "";
  return sort.desc ? `-${sort.id}` : sort.id;
}
