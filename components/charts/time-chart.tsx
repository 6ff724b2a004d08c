"use client";

import { clsx } from "clsx";
import dynamic from "next/dynamic";
import { type ComponentType, type KeyboardEvent, useId, useState } from "react";
import { usePreferences } from "@/components/preferences/preferences";
import { formatDayAndMinute, formatSecond } from "@/lib/format/instant";
import { ChartTable } from "./chart-table";
import { formatChartValue } from "./chart-value";
import { describeChart, latestIndex } from "./describe-chart";
import type { DrawingProps } from "./drawing";
import type { PreparedChart, PreparedSeries } from "./prepare-chart";

/** Libraries that draw come to the browser with the first chart, not with the page. */
const DRAWINGS: Readonly<Record<"small" | "dense", ComponentType<DrawingProps>>> = {
  small: dynamic(() => import("./small-drawing"), { ssr: false }),
  dense: dynamic(() => import("./dense-drawing"), { ssr: false }),
};

/** Seconds since the epoch under the crosshair, shared by charts that stand above each other. */
export type Crosshair = number | null;

/**
 * A prepared chart with its key, crosshair, text alternative and table. Arrow keys move the crosshair from point to
 * point, with Shift by ten; what stands under it is read out.
 */
export function TimeChart(props: {
  chart: PreparedChart;
  drawing: "small" | "dense";
  height?: number;
  crosshair?: Crosshair;
  onCrosshair?: (at: Crosshair) => void;
}) {
  const { chart, drawing, height = 190 } = props;
  const { timeZone } = usePreferences();
  const describedBy = useId();
  const [own, setOwn] = useState<Crosshair>(null);
  const [isByKeys, setIsByKeys] = useState(false);
  const crosshair = props.crosshair === undefined ? own : props.crosshair;
  const setCrosshair = props.onCrosshair ?? setOwn;
  const index = crosshair === null ? null : indexAt(chart.times, crosshair);
  const Drawing = DRAWINGS[drawing];

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "Escape") setCrosshair(null);
    if (step === 0 || chart.times.length === 0) return;
    event.preventDefault();
    const last = chart.times.length - 1;
    const next =
      index === null ? last : Math.max(0, Math.min(last, index + step * (event.shiftKey ? 10 : 1)));
    setIsByKeys(true);
    setCrosshair(chart.times[next] ?? null);
  };
  return (
    <figure className="min-w-0">
      <Keys chart={chart} index={index} timeZone={timeZone} isAnnounced={isByKeys} />
      {/* biome-ignore lint/a11y/useSemanticElements: the group is the picture with its crosshair, not a set of fields */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
        tabIndex={0}
        aria-label={`${chart.title}. Arrow keys read values.`}
        aria-describedby={describedBy}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setIsByKeys(false);
          setCrosshair(null);
        }}
        style={{ height }}
        className="relative"
      >
        {chart.isEmpty ? (
          <p className="grid h-full place-items-center text-fg-3">Nothing was read in this range.</p>
        ) : (
          <Drawing
            chart={chart}
            height={height}
            timeZone={timeZone}
            index={index}
            onIndex={(next) => {
              setIsByKeys(false);
              setCrosshair(next === null ? null : (chart.times[next] ?? null));
            }}
          />
        )}
      </div>
      <p id={describedBy} className="sr-only">
        {describeChart(chart, timeZone)}
      </p>
      {!chart.isEmpty && <ChartTable chart={chart} timeZone={timeZone} />}
    </figure>
  );
}

/** What each line is, and its value under the crosshair, or the latest one. */
function Keys(props: { chart: PreparedChart; index: number | null; timeZone: string; isAnnounced: boolean }) {
  const { chart, index, timeZone, isAnnounced } = props;
  const at = index === null ? undefined : chart.times[index];
  const cut = chart.seriesTotal > chart.series.length;
  return (
    <figcaption
      aria-live={isAnnounced ? "polite" : "off"}
      className="flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-0.5 pb-1.5 text-s text-fg-2 tabular-nums"
    >
      {chart.series.map((series) => (
        <span key={series.key} className="inline-flex items-center gap-1.5">
          <KeyLine series={series} />
          {series.label}
          <b className="min-w-8">{valueAt(chart, series, index)}</b>
        </span>
      ))}
      {cut && (
        <span className="text-fg-3">
          {chart.series.length} of {chart.seriesTotal}
        </span>
      )}
      {chart.series.some(({ isGenerated }) => isGenerated) && (
        <span className="rounded-1 border border-dashed border-control px-1 text-xs text-fg-3">
          generated history
        </span>
      )}
      <span className={clsx("ml-auto text-fg-3", at === undefined && "max-sm:hidden")}>
        {at === undefined ? "latest" : `${formatDayAndMinute(at * 1000, timeZone)}${secondsOf(at, timeZone)}`}
      </span>
    </figcaption>
  );
}

function KeyLine({ series }: { series: PreparedSeries }) {
  return (
    <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
      <path
        d="M0 4H20"
        stroke={`var(--${series.colour})`}
        strokeWidth={series.colour === "limit" ? 1.2 : 1.8}
        strokeDasharray={series.dash?.join(" ")}
      />
    </svg>
  );
}

/** The value at the crosshair; between two coarser points the one before; `not read` in a gap. */
function valueAt(chart: PreparedChart, { values, highs }: PreparedSeries, index: number | null): string {
  const position = index ?? latestIndex(values);
  const found = values[position] === undefined ? latestIndex(values, position) : position;
  const value = values[found];
  if (typeof value !== "number") return "not read";
  const high = highs[found];
  const text = formatChartValue(chart.scale, value);
  const highText = typeof high === "number" ? formatChartValue(chart.scale, high) : text;
  return index !== null && highText !== text ? `${text} (max ${highText})` : text;
}

const secondsOf = (at: number, timeZone: string): string => {
  const seconds = formatSecond(at * 1000, timeZone).slice(5);
  return seconds === ":00" ? "" : seconds;
};

/** Index of the time nearest to `at`; -1 never occurs in a chart with times. */
function indexAt(times: readonly number[], at: number): number | null {
  let best: number | null = null;
  for (const [index, time] of times.entries()) {
    if (best === null || Math.abs(time - at) < Math.abs((times[best] ?? 0) - at)) best = index;
    if (time > at) break;
  }
  return best;
}
