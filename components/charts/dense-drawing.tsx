"use client";

import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatChartValue } from "./chart-value";
import { AXIS_WIDTH, type DrawingProps, labelLimits, labelMarks } from "./drawing";
import type { PreparedChart } from "./prepare-chart";
import { formatTick, timeTicks, valueTicks } from "./ticks";

const PIXELS_PER_TIME_TICK = 80;

/** Draws a prepared chart of thousands of points on a canvas. Redrawn from nothing when its series or theme change. */
export default function DenseDrawing({ chart, height, timeZone, index, onIndex }: DrawingProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ chart, onIndex });
  const isMoving = useRef(false);
  useEffect(() => {
    latest.current = { chart, onIndex };
  });

  const shape = `${chart.series.map(({ key, colour }) => `${key}:${colour}`).join()}|${chart.scale.unit}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new shape of the chart needs a new plot, new values do not
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const create = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf({
          element,
          height,
          timeZone,
          readChart: () => latest.current.chart,
          onCursor: (at) => {
            if (!isMoving.current) latest.current.onIndex(at);
          },
        }),
        dataOf(latest.current.chart),
        element,
      );
    };
    create();
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    const theme = new MutationObserver(create);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      resize.disconnect();
      theme.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, height, timeZone]);

  useEffect(() => {
    plot.current?.setData(dataOf(chart), true);
  }, [chart]);

  useEffect(() => {
    const u = plot.current;
    if (u === null || u.cursor.idx === index) return;
    const at = index === null ? undefined : chart.times[index];
    isMoving.current = true;
    u.setCursor(at === undefined ? { left: -10, top: -10 } : { left: u.valToPos(at, "x"), top: 0 });
    isMoving.current = false;
  }, [index, chart]);

  return <div ref={host} style={{ height }} className="overflow-hidden" />;
}

const dataOf = (chart: PreparedChart): uPlot.AlignedData => [
  [...chart.times],
  ...chart.series.map(({ values }) => [...values]),
];

function optionsOf(options: {
  element: HTMLElement;
  height: number;
  timeZone: string;
  readChart: () => PreparedChart;
  onCursor: (index: number | null) => void;
}): uPlot.Options {
  const { element, height, timeZone, readChart, onCursor } = options;
  const styles = getComputedStyle(element);
  const token = (name: string) => styles.getPropertyValue(`--${name}`).trim();
  const font = `11px ${styles.fontFamily}`;
  const axis = { stroke: token("text-3"), font, ticks: { stroke: token("line-strong"), size: 4, width: 1 } };
  const chart = readChart();
  return {
    width: element.clientWidth,
    height,
    padding: [14, 14, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: true, range: () => [readChart().fromAt, readChart().toAt] },
      y: { range: () => [0, readChart().yMax] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        gap: 3,
        splits: (u) => [
          ...timeTicks(
            readChart().fromAt,
            readChart().toAt,
            timeZone,
            Math.max(3, Math.floor(u.width / PIXELS_PER_TIME_TICK)),
          ),
        ],
        values: (_u, splits) => splits.map((at) => formatTick(at, readChart(), timeZone)),
      },
      {
        ...axis,
        grid: { stroke: token("line"), width: 1 },
        ticks: { show: false },
        size: AXIS_WIDTH,
        gap: 6,
        splits: () => [...valueTicks(readChart().yMax, readChart().scale)],
        values: (_u, splits) => splits.map((value) => formatChartValue(readChart().scale, value)),
      },
    ],
    series: [
      {},
      ...chart.series.map((series, number): uPlot.Series => {
        const colour = token(series.colour);
        const stepped = series.isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
        return {
          label: series.label,
          stroke: colour,
          width: series.colour === "limit" ? 1.2 : 1.6,
          points: {
            show: true,
            size: 4,
            fill: colour,
            filter: () => [...(readChart().series[number]?.alone ?? [])],
          },
          spanGaps: false,
          ...(series.dash === null ? {} : { dash: [...series.dash] }),
          ...(series.isFilled ? { fill: withAlpha(colour, 0.13) } : {}),
          ...(stepped === undefined ? {} : { paths: stepped }),
        };
      }),
    ],
    hooks: {
      draw: [
        (u) => drawMarks(u, readChart(), { line: token("text-3"), text: token("text-2"), font }),
        (u) => drawLimits(u, readChart(), { edge: token("panel"), text: token("text-2"), font }),
      ],
      setCursor: [(u) => onCursor(u.cursor.idx ?? null)],
    },
  };
}

/** A dotted line and a letter per change; what the letters mean stands beside the chart. */
function drawMarks(u: uPlot, chart: PreparedChart, look: { line: string; text: string; font: string }): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = look.line;
  ctx.fillStyle = look.text;
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 2 * ratio]);
  ctx.font = canvasFont(look.font);
  ctx.textAlign = "center";
  for (const { at } of chart.marks) {
    const x = u.valToPos(at, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  for (const { at, text } of labelMarks(chart))
    ctx.fillText(text, u.valToPos(at, "x", true), bbox.top - 4 * ratio);
  ctx.restore();
}

/** What a limit is called, on its line; an edge in the panel's colour keeps other lines off the letters. */
function drawLimits(
  u: uPlot,
  chart: PreparedChart,
  look: { edge: string; text: string; font: string },
): void {
  const { ctx } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = canvasFont(look.font);
  ctx.strokeStyle = look.edge;
  ctx.fillStyle = look.text;
  ctx.lineWidth = 3 * ratio;
  ctx.lineJoin = "round";
  for (const { at, value, text, isBelow, isBefore } of labelLimits(chart)) {
    ctx.textAlign = isBefore ? "right" : "left";
    ctx.textBaseline = isBelow ? "top" : "bottom";
    const x = u.valToPos(at, "x", true) + (isBefore ? -4 : 4) * ratio;
    const y = u.valToPos(value, "y", true) + (isBelow ? 4 : -4) * ratio;
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  }
  ctx.restore();
}

/** A canvas is drawn in the pixels of the screen. */
const canvasFont = (font: string): string => font.replace("11px", `${11 * devicePixelRatio}px`);

/** Tokens are hex colours of six digits; a canvas takes the opacity as two more. */
const withAlpha = (hex: string, alpha: number): string =>
  /^#[0-9a-f]{6}$/i.test(hex)
    ? `${hex}${Math.round(alpha * 255)
        .toString(16)
        .padStart(2, "0")}`
    : hex;
