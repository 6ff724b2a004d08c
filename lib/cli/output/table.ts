import type { Style } from "./style.ts";

/** A table in lines: the first column to the left, the others to the right. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): readonly string[] {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [style.bold(line(heads)), ...rows.map(line)];
}
