"use client";

import { clsx } from "clsx";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { formatDuration } from "@/lib/format/duration";
import { describeStormChart, type StormChart, type StormLine, type StormPane } from "./prepare-storm-chart";
import { StormTable } from "./storm-table";

const LEFT = 62;
const RIGHT = 10;
const TOP = 14;
const AXIS = 20;
const HEIGHTS: Readonly<Record<StormPane["id"], number>> = { lens: 170, waiting: 82, rejected: 82 };
const HEIGHT = Object.values(HEIGHTS).reduce((sum, height) => sum + height, 0);
const COLOURS: Readonly<Record<StormLine["colour"], string>> = {
  s1: "var(--s1)",
  s2: "var(--s2)",
  limit: "var(--limit)",
  error: "var(--error)",
};

/**
 * Three charts on one axis of time with one crosshair. Arrow keys move it, with Shift by ten steps; what stands under it
 * is read out.
 */
export function StormChartView({ chart, isPending }: { chart: StormChart; isPending: boolean }) {
  const { panes, stepSeconds, endSeconds, xTicks } = chart;
  const [box, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const [isByKeys, setIsByKeys] = useState(false);
  const describedBy = useId();
  const inner = Math.max(1, width - LEFT - RIGHT);
  const x = (seconds: number) => LEFT + (seconds / endSeconds) * inner;
  const steps = Math.max(0, ...panes.flatMap(({ lines }) => lines.map(({ values }) => values.length)));
  const index = at === null ? null : Math.min(Math.max(0, steps - 1), Math.floor(at / stepSeconds));
  const move = (by: number) => {
    const next = index === null ? (by > 0 ? 0 : steps - 1) : Math.max(0, Math.min(steps - 1, index + by));
    setIsByKeys(true);
    setAt(next * stepSeconds);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "Escape") setAt(null);
    if (by === 0 || steps === 0) return;
    event.preventDefault();
    move(event.shiftKey ? 10 * by : by);
  };
  let top = 0;
  return (
    <figure className="min-w-0">
      <Keys chart={chart} index={index} isAnnounced={isByKeys} isPending={isPending} />
      {/* biome-ignore lint/a11y/useSemanticElements: the group is the picture with its crosshair, not a set of fields */}
      <div
        ref={box}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
        tabIndex={0}
        aria-label="Storm over time. Arrow keys read values."
        aria-describedby={describedBy}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setIsByKeys(false);
          setAt(null);
        }}
        onPointerMove={(event) => {
          const left = event.currentTarget.getBoundingClientRect().left;
          const seconds = ((event.clientX - left - LEFT) / inner) * endSeconds;
          setIsByKeys(false);
          setAt(seconds >= 0 && seconds <= endSeconds ? seconds : null);
        }}
        onPointerLeave={() => setAt(null)}
        style={{ height: HEIGHT + AXIS }}
      >
        <svg width={width} height={HEIGHT + AXIS} aria-hidden="true" className="block">
          {panes.map((pane) => {
            const from = top;
            top += HEIGHTS[pane.id];
            return <Pane key={pane.id} {...{ pane, chart, top: from, x, right: width - RIGHT }} />;
          })}
          {xTicks.map((seconds, number) => (
            <text
              key={seconds}
              x={x(seconds)}
              y={HEIGHT + 14}
              textAnchor={number === 0 ? "start" : number === xTicks.length - 1 ? "end" : "middle"}
              className="fill-[var(--text-3)] text-xs tabular-nums"
            >
              {formatDuration(seconds)}
            </text>
          ))}
          {index !== null && (
            <line
              x1={x((index + 0.5) * stepSeconds)}
              x2={x((index + 0.5) * stepSeconds)}
              y1={TOP}
              y2={HEIGHT}
              stroke="var(--text-3)"
            />
          )}
        </svg>
      </div>
      <p id={describedBy} className="sr-only">
        {describeStormChart(chart)}
      </p>
      <StormTable chart={chart} />
    </figure>
  );
}

interface PaneProps {
  readonly pane: StormPane;
  readonly chart: StormChart;
  readonly top: number;
  readonly x: (seconds: number) => number;
  readonly right: number;
}

function Pane({ pane, chart, top, x, right }: PaneProps) {
  const { yMax, format, title, lines, before, area, limit } = pane;
  const bottom = top + HEIGHTS[pane.id] - 8;
  const y = (value: number) => bottom - (Math.min(value, yMax) / yMax) * (bottom - top - TOP);
  const ticks = pane.id === "lens" ? [0, yMax / 4, yMax / 2, (3 * yMax) / 4, yMax] : [0, yMax / 2, yMax];
  const scale = { x, y, bottom };
  return (
    <g>
      {ticks.map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={right} y1={y(value)} y2={y(value)} stroke="var(--line)" />
          <text
            x={LEFT - 6}
            y={y(value) + 4}
            textAnchor="end"
            className="fill-[var(--text-3)] text-xs tabular-nums"
          >
            {format(value)}
          </text>
        </g>
      ))}
      {area !== null && <path d={areaPath(area, scale)} fill={colourOf(lines)} opacity="var(--band)" />}
      {before.length > 0 && (
        <g opacity={lines.length > 0 ? 0.22 : 0.45}>
          {before.map((line) => (
            <Line key={line.key} line={line} stepSeconds={chart.beforeStepSeconds} scale={scale} />
          ))}
        </g>
      )}
      {lines.map((line) => (
        <Line key={line.key} line={line} stepSeconds={chart.stepSeconds} scale={scale} />
      ))}
      <text
        x={LEFT + 6}
        y={top + TOP + 9}
        stroke="var(--panel)"
        strokeWidth="3"
        className="fill-[var(--text-2)] text-xs [paint-order:stroke]"
      >
        {title}
      </text>
      {limit !== null && (
        <g>
          <line
            x1={LEFT}
            x2={right}
            y1={y(limit.value)}
            y2={y(limit.value)}
            stroke="var(--limit)"
            strokeWidth="1.2"
          />
          <text
            x={right - 4}
            y={y(limit.value) < top + TOP + 14 ? y(limit.value) + 13 : y(limit.value) - 4}
            textAnchor="end"
            stroke="var(--panel)"
            strokeWidth="3"
            className="fill-[var(--text-2)] text-xs [paint-order:stroke]"
          >
            {limit.label}
          </text>
        </g>
      )}
    </g>
  );
}

interface Scale {
  readonly x: (seconds: number) => number;
  readonly y: (value: number) => number;
  readonly bottom: number;
}

/** Simulated: dashed. A limit is solid, as every limit. */
function Line({ line, stepSeconds, scale }: { line: StormLine; stepSeconds: number; scale: Scale }) {
  const { colour, look, isFilled } = line;
  if (look === "bars") return <path d={barsPath(line, stepSeconds, scale)} fill={COLOURS[colour]} />;
  const path = linePath(line, stepSeconds, scale);
  const last = scale.x(Math.max(0, line.values.length - 1) * stepSeconds);
  return (
    <>
      {isFilled && line.values.length > 0 && (
        <path
          d={`${path}L${point(last)} ${point(scale.bottom)}L${point(scale.x(0))} ${point(scale.bottom)}Z`}
          fill={COLOURS[colour]}
          opacity="0.13"
        />
      )}
      <path
        d={path}
        fill="none"
        stroke={COLOURS[colour]}
        strokeWidth={colour === "limit" ? 1.2 : 1.6}
        strokeLinejoin="round"
        strokeDasharray={colour === "limit" ? undefined : "5 3"}
      />
    </>
  );
}

const point = (value: number): string => value.toFixed(1);

function linePath({ values, look }: StormLine, stepSeconds: number, { x, y }: Scale): string {
  const parts: string[] = [];
  for (const [index, value] of values.entries()) {
    const at = point(x(index * stepSeconds));
    if (index > 0 && look === "step") parts.push(`H${at}V${point(y(value))}`);
    else parts.push(`${index === 0 ? "M" : "L"}${at} ${point(y(value))}`);
  }
  return parts.join("");
}

function barsPath({ values }: StormLine, stepSeconds: number, { x, y, bottom }: Scale): string {
  const width = Math.max(1.5, x(stepSeconds) - x(0) - 0.5);
  return values
    .map((value, index) =>
      value <= 0
        ? ""
        : `M${point(x(index * stepSeconds))} ${point(bottom)}V${point(Math.min(bottom - 1, y(value)))}h${point(width)}V${point(bottom)}Z`,
    )
    .join("");
}

function areaPath({ low, high, stepSeconds }: NonNullable<StormPane["area"]>, { x, y }: Scale): string {
  if (high.length === 0) return "";
  const along = (values: readonly number[]) =>
    values.map((value, index) => `${point(x(index * stepSeconds))} ${point(y(value))}`);
  return `M${[...along(high), ...along(low).reverse()].join("L")}Z`;
}

const colourOf = (lines: readonly StormLine[]): string => COLOURS[lines[0]?.colour ?? "s2"];

/** What each line is, and its value under the crosshair. */
function Keys(props: { chart: StormChart; index: number | null; isAnnounced: boolean; isPending: boolean }) {
  const { chart, index, isAnnounced, isPending } = props;
  const hasBand = chart.panes.some(({ area }) => area !== null);
  return (
    <figcaption
      aria-live={isAnnounced ? "polite" : "off"}
      className="flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-0.5 pb-1.5 text-s text-fg-2 tabular-nums"
    >
      {chart.panes.flatMap(({ lines, before, format }) =>
        (lines.length > 0 ? lines : before).map((line) => (
          <span key={line.key} className="inline-flex items-center gap-1.5">
            <KeyLine line={line} />
            {line.label}
            {index !== null && lines.length > 0 && (
              <b className="min-w-8">{format(line.values[index] ?? 0)}</b>
            )}
          </span>
        )),
      )}
      {hasBand && (
        <span className="inline-flex items-center gap-1.5">
          <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
            <rect width="20" height="8" fill="var(--s2)" opacity="0.3" />
          </svg>
          p5 to p95 of the seeds
        </span>
      )}
      <span className={clsx("ml-auto text-fg-3", index === null && "max-sm:hidden")}>
        {index !== null
          ? `at ${formatDuration(index * chart.stepSeconds)}`
          : isPending
            ? "dimmed: the storm before"
            : ""}
      </span>
    </figcaption>
  );
}

function KeyLine({ line }: { line: StormLine }) {
  const colour = COLOURS[line.colour];
  return (
    <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
      {line.look === "bars" ? (
        <path d="M3 8V0H8V8ZM11 8V3H16V8Z" fill={colour} />
      ) : (
        <path
          d="M0 4H20"
          stroke={colour}
          strokeWidth={line.colour === "limit" ? 1.2 : 1.8}
          strokeDasharray={line.colour === "limit" ? undefined : "5 3"}
        />
      )}
    </svg>
  );
}

const FIRST_WIDTH = 900;

/** Width of an element in pixels, following it. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth || FIRST_WIDTH);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}
