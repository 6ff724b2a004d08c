import type { PreparedChart } from "./prepare-chart";

/** What every drawing of a chart takes: prepared data, the place of the crosshair, and whom to tell of a new one. */
export interface DrawingProps {
  readonly chart: PreparedChart;
  readonly height: number;
  readonly timeZone: string;
  /** Index into the chart's times; `null` without a crosshair. */
  readonly index: number | null;
  readonly onIndex: (index: number | null) => void;
}

/** Room for the labels of the y axis, pixels. */
export const AXIS_WIDTH = 56;
