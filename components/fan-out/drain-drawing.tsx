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
import { formatDuration } from "@/lib/format/duration";
import { formatCount, formatSignificant } from "@/lib/format/number";
import type { DrainChart } from "./prepare-drain-chart";

const TICK = { fill: "var(--text-3)", fontSize: 11 } as const;
/** With an edge in the panel's colour, so that a line behind it does not cross the letters out. */
const LABEL = {
  fill: "var(--text-2)",
  fontSize: 11,
  stroke: "var(--panel)",
  strokeWidth: 3,
  style: { paintOrder: "stroke" },
} as const;

/** Draws a prepared drain chart as SVG and decides nothing. */
export default function DrainDrawing(props: { chart: DrainChart; height: number; index: number | null }) {
  const { chart, height, index } = props;
  const { points, clusters, crossing, limitSeconds, xMax, xTicks, yTicks } = chart;
  const cursor = index === null ? undefined : points[index];
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={[...points]}
        margin={{ top: 8, right: 14, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="nodes"
          type="number"
          domain={[0, xMax]}
          ticks={[...xTicks]}
          tickFormatter={(value: number) => formatCount(value)}
          tick={TICK}
          stroke="var(--line-strong)"
          height={22}
        />
        <YAxis
          width={56}
          scale="log"
          type="number"
          domain={[yTicks[0] ?? 1, yTicks.at(-1) ?? 10]}
          ticks={[...yTicks]}
          allowDataOverflow
          tickFormatter={(value: number) => `${formatSignificant(value)} s`}
          tick={TICK}
          axisLine={false}
          tickLine={false}
        />
        <Area
          dataKey="band"
          stroke="none"
          fill="var(--s2)"
          fillOpacity="var(--band)"
          isAnimationActive={false}
          activeDot={false}
          connectNulls={false}
        />
        <Line
          dataKey="seconds"
          type="linear"
          stroke="var(--s2)"
          strokeWidth={1.6}
          strokeDasharray="5 3"
          dot={{ r: 1.5, fill: "var(--s2)", strokeWidth: 0 }}
          activeDot={false}
          connectNulls={false}
          isAnimationActive={false}
        />
        <ReferenceLine
          y={limitSeconds}
          stroke="var(--limit)"
          strokeWidth={1.2}
          label={{
            value: `${formatDuration(limitSeconds)} queue wait limit`,
            position: "insideBottomRight",
            ...LABEL,
          }}
        />
        {crossing.kind === "at" && (
          <ReferenceDot
            x={crossing.nodes}
            y={limitSeconds}
            r={3.5}
            fill="var(--panel)"
            stroke="var(--text)"
            label={{
              value: `crosses at ≈ ${formatCount(crossing.nodes)} nodes`,
              position: crossing.nodes > xMax * 0.55 ? "insideTopRight" : "insideTopLeft",
              offset: 10,
              ...LABEL,
            }}
          />
        )}
        {clusters.map(({ name, nodes, seconds, isHere }) => (
          <ReferenceDot
            key={name}
            x={nodes}
            y={seconds}
            r={4}
            fill={isHere ? "var(--s2)" : "var(--panel)"}
            stroke="var(--s2)"
            strokeWidth={1.6}
            {...(isHere
              ? {
                  label: {
                    value: name,
                    position: nodes > xMax * 0.5 ? ("left" as const) : ("right" as const),
                    offset: 8,
                    ...LABEL,
                  },
                }
              : {})}
          />
        ))}
        {cursor !== undefined && <ReferenceLine x={cursor.nodes} stroke="var(--text-3)" />}
      </ComposedChart>
    </ResponsiveContainer>
  );
}
