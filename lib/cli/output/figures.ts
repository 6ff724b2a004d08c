import type { PlanFigure } from "../../domain/rollout/figure.ts";
import { formatNumber } from "../../domain/rollout/figure.ts";
import { formatDuration } from "../../format/duration.ts";
import type { Style } from "./style.ts";

/** Figures as a table: name, value, what kind of figure, and its reason. */
export function formatFigureLines(figures: readonly PlanFigure[], style: Style): readonly string[] {
  const rows = figures.map(({ name, value, unit, kind, reason }) => ({
    name,
    value: formatValue(value, unit),
    kind,
    reason,
  }));
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const names = widest(rows.map(({ name }) => name));
  const values = widest(rows.map(({ value }) => value));
  return rows.map(
    ({ name, value, kind, reason }) =>
      `  ${name.padEnd(names)}  ${style.bold(value.padStart(values))}  ${style.dim(kind.padEnd(9))}  ${style.dim(reason)}`,
  );
}

/** With plain blanks: a terminal's reader searches and splits by them. */
function formatValue(value: number, unit: PlanFigure["unit"]): string {
  if (unit === "s") return formatDuration(value).replace(/\s/g, " ");
  const singular = value === 1 && unit.endsWith("s") ? unit.slice(0, -1) : unit;
  return `${formatNumber(value)} ${singular}`;
}
