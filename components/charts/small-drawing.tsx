"use client";

import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from "recharts";
import { formatChartValue } from "./chart-value";
import { AXIS_WIDTH, type DrawingProps, labelLimits, labelMarks } from "./drawing";
import type { PreparedSeries } from "./prepare-chart";
import { formatTick, timeTicks, valueTicks } from "./ticks";

const TICK = { fill: "var(--text-3)", fontSize: 11 } as const;
/** With an edge in the panel's colour, so that a line behind it does not cross the letters out. */
const LIMIT_TEXT = {
  fill: "var(--text-2)",
  fontSize: 11,
  stroke: "var(--panel)",
  strokeWidth: 3,
  style: { paintOrder: "stroke" },
} as const;

/** Draws a prepared chart of a few hundred points as SVG. */
export default function SmallDrawing({ chart, height, timeZone, index, onIndex }: DrawingProps) {
  const rows = chart.times.map((at, row) => ({
    at,
    ...Object.fromEntries(chart.series.map(({ values }, series) => [`v${series}`, values[row]])),
  }));
  const cursorAt = index === null ? undefined : chart.times[index];
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={rows}
        margin={{ top: 8, right: 14, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        onMouseMove={({ activeTooltipIndex }) =>
          onIndex(
            typeof activeTooltipIndex === "number"
              ? activeTooltipIndex
              : Number(activeTooltipIndex ?? Number.NaN) || null,
          )
        }
        onMouseLeave={() => onIndex(null)}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="at"
          type="number"
          domain={[chart.fromAt, chart.toAt]}
          allowDataOverflow
          ticks={[...timeTicks(chart.fromAt, chart.toAt, timeZone, 9)]}
          tickFormatter={(at: number) => formatTick(at, chart, timeZone)}
          tick={TICK}
          stroke="var(--line-strong)"
          height={22}
        />
        <YAxis
          width={AXIS_WIDTH}
          domain={[0, chart.yMax]}
          ticks={[...valueTicks(chart.yMax, chart.scale)]}
          tickFormatter={(value: number) => formatChartValue(chart.scale, value)}
          tick={TICK}
          axisLine={false}
          tickLine={false}
        />
        {chart.marks.map(({ letter, at }) => (
          <ReferenceLine key={letter} x={at} stroke="var(--text-3)" strokeDasharray="2 2" />
        ))}
        {labelMarks(chart).map(({ at, text }) => (
          <ReferenceLine
            key={text}
            x={at}
            stroke="none"
            label={{ value: text, position: "insideTop", fill: "var(--text-2)", fontSize: 11 }}
          />
        ))}
        {chart.series.map((series, number) => drawSeries(series, number))}
        {labelLimits(chart).map(({ key, at, value, text, isBelow, isBefore }) => (
          <ReferenceDot
            key={key}
            x={at}
            y={value}
            r={0}
            ifOverflow="visible"
            label={{
              value: text,
              position: `inside${isBelow ? "Top" : "Bottom"}${isBefore ? "Right" : "Left"}`,
              offset: 4,
              ...LIMIT_TEXT,
            }}
          />
        ))}
        {cursorAt !== undefined && <ReferenceLine x={cursorAt} stroke="var(--text-3)" />}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

function drawSeries(series: PreparedSeries, number: number) {
  const colour = `var(--${series.colour})`;
  const shape = {
    dataKey: `v${number}`,
    type: series.isStepped ? ("stepAfter" as const) : ("linear" as const),
    stroke: colour,
    strokeWidth: series.colour === "limit" ? 1.2 : 1.6,
    ...(series.dash === null ? {} : { strokeDasharray: series.dash.join(" ") }),
    dot: loneDot(series, colour),
    activeDot: false,
    connectNulls: false,
    isAnimationActive: false,
  };
  return series.isFilled ? (
    <Area key={series.key} {...shape} fill={colour} fillOpacity={0.13} />
  ) : (
    <Line key={series.key} {...shape} />
  );
}

/** A value without a neighbour is a dot; every other is part of the line. */
function loneDot({ alone }: PreparedSeries, colour: string) {
  if (alone.length === 0) return false;
  const indices = new Set(alone);
  return ({ index, cx, cy }: { index?: number; cx?: number | undefined; cy?: number | undefined }) =>
    index !== undefined && indices.has(index) ? (
      <circle key={index} cx={cx} cy={cy} r={2} fill={colour} />
    ) : (
      <g key={index} />
    );
}
