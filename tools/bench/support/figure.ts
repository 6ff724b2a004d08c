/** Units a figure can have; the table writes each in its own way. */
export type Unit = "seconds" | "milliseconds" | "bytes" | "cores" | "count" | "ratio";

/** One measured figure. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** What it is meant to stay below, in the same unit; `null`: measured for information. */
  readonly aim: number | null;
}

const MB = 1_000_000;

/** Figures as lines of a table: what, measured, aim, and measured over aim. */
export function formatFigures(figures: readonly Figure[]): string[] {
  const rows = figures.map(({ what, value, unit, aim }) => [
    what,
    formatValue(value, unit),
    aim === null ? "" : `< ${formatValue(aim, unit)}`,
    aim === null ? "" : `${(value / aim).toFixed(2)} of it`,
  ]);
  return rows.map(([what = "", value = "", aim = "", ratio = ""]) =>
    `  ${what.padEnd(58)} ${value.padStart(10)}  ${aim.padStart(9)}  ${ratio}`.trimEnd(),
  );
}

export function formatValue(value: number, unit: Unit): string {
  switch (unit) {
    case "seconds":
      return `${value.toFixed(value < 10 ? 2 : 1)} s`;
    case "milliseconds":
      return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
    case "bytes":
      return `${(value / MB).toFixed(value < 10 * MB ? 1 : 0)} MB`;
    case "cores":
      return `${value.toFixed(2)} cores`;
    case "ratio":
      return value.toFixed(2);
    case "count":
      return value.toLocaleString("en-GB", { maximumFractionDigits: 0 });
    default: {
      const never: never = unit;
      throw new Error(`unknown unit ${String(never)}`);
    }
  }
}

/** The value below which the given share of the values lies; values in any order, at least one. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);
