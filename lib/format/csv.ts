/** A column of a CSV file: its head, and what a row puts there; `null` writes an empty cell. */
export interface CsvColumn<Row> {
  readonly head: string;
  readonly value: (row: Row) => string | number | null;
}

/** What a spreadsheet takes for a formula when a cell begins with it. Source: OWASP, CSV injection. */
const FORMULA_START = /^[=+\-@\t\r\n]/;

/**
 * RFC 4180 text with a head row and CRLF ends. A text cell that a spreadsheet would run as a formula is written with
 * an apostrophe before it; numbers are numbers and stay as they are.
 */
export function toCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => cell(column.head)),
    ...rows.map((row) => columns.map((column) => cell(column.value(row)))),
  ];
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
