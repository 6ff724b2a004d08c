import type { ReactNode } from "react";
import type { CsvColumn } from "@/lib/format/csv";

/** What a cell sorts by; `null` is unknown and comes last in either direction. */
type SortValue = number | string | null;

/** How a column looks, whatever its rows are. `label` names it where `head` is laid out or hidden. */
export interface ColumnLook {
  readonly label: string;
  readonly head?: ReactNode;
  readonly isHeadHidden?: boolean;
  readonly isNumeric?: boolean;
  readonly cellClass?: string;
  /** Width of the column where only some rows are drawn, so that columns stand still while one scrolls; else free. */
  readonly width?: string;
  /** How the cell lies in a stacked row. */
  readonly narrow?: "full" | "half" | "labelled" | "hidden";
}

/** One column in all its forms: on the page, as text in Markdown, as a value in CSV. */
export interface Column<Row> extends ColumnLook {
  readonly id: string;
  readonly cell: (row: Row) => ReactNode;
  readonly text?: (row: Row) => string;
  readonly csv?: (row: Row) => string | number | null;
  readonly sort?: (row: Row) => SortValue;
  /** What the first press sorts by: amounts descending, names ascending. */
  readonly firstDirection?: "ascending" | "descending";
}

/** What narrows the rows from beside the table: a field, a choice. It is asked only while something is wanted. */
export interface RowFilter<Row> {
  readonly id: string;
  readonly fits: (row: Row, wanted: string) => boolean;
}

/** Heads and rows for `toMarkdownTable`: the columns that have a text. */
export function markdownOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const written = columns.filter((column) => column.text !== undefined);
  return {
    heads: written.map((column) => column.label),
    rows: rows.map((row) => written.map((column) => column.text?.(row) ?? "")),
  };
}

/** The columns that have a value for CSV. */
export function csvColumnsOf<Row>(columns: readonly Column<Row>[]): readonly CsvColumn<Row>[] {
  return columns.flatMap(({ label, csv }) => (csv === undefined ? [] : [{ head: label, value: csv }]));
}
