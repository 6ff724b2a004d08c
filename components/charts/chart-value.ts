import type { ChartSeries } from "@/lib/contracts/common";
import { formatBytes, formatMemory } from "@/lib/format/bytes";
import { formatCount, formatRate, formatSignificant } from "@/lib/format/number";

export type ChartUnit = ChartSeries["unit"];

/** How a chart counts: memory in powers of 1024, everything else as its unit says. */
export interface ChartScale {
  readonly unit: ChartUnit;
  readonly isMemory: boolean;
}

/** A value of a chart as it is read out and labelled. */
export function formatChartValue({ unit, isMemory }: ChartScale, value: number): string {
  switch (unit) {
    case "bytes":
      return isMemory ? formatMemory(value) : formatBytes(value);
    case "bytes-per-minute":
      return `${formatBytes(value)}/min`;
    case "per-second":
      return formatRate(value);
    case "seats":
    case "requests":
    case "count":
      return Number.isInteger(value) || value >= 10 ? formatCount(value) : formatSignificant(value, 2);
    case "per-minute":
      return `${formatSignificant(value)} /min`;
    case "cores":
      return formatSignificant(value);
    default:
      return unit satisfies never;
  }
}

/** A round number at or above the largest value, so that the axis ends on a tick; 1 where everything is zero. */
export function roundUp(value: number, isBinary: boolean): number {
  if (value <= 0) return 1;
  const base = isBinary ? 2 ** (10 * Math.floor(Math.log2(value) / 10)) : 1;
  const scaled = value / base;
  const power = 10 ** Math.floor(Math.log10(scaled));
  const step = [1, 2, 2.5, 4, 5, 8, 10].find((factor) => factor * power >= scaled * 0.999_999) ?? 10;
  return step * power * base;
}
