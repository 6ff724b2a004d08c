import { roundUp } from "@/components/charts/chart-value";
import type { ChartSeries } from "@/lib/contracts/common";
import type { NodeCount, NodeGrowth } from "@/lib/domain/storm/solvers/forecast-nodes";
import type { VerdictForecast } from "@/lib/domain/storm/solvers/verdict-forecast";

const DAY_MS = 86_400_000;

/** One count a day, the last of each: neighbouring hours say the same twice. */
export function dailyNodes(series: ChartSeries | null): readonly NodeCount[] {
  const days = new Map<number, NodeCount>();
  for (const [seconds, , nodes] of series?.points ?? []) {
    const at = seconds * 1000;
    days.set(Math.floor(at / DAY_MS), { at, nodes });
  }
  return [...days.values()].sort((a, b) => a.at - b.at);
}

export interface ForecastChart {
  /** Milliseconds since the epoch. */
  readonly fromAt: number;
  readonly toAt: number;
  readonly yMin: number;
  readonly yMax: number;
  readonly measured: readonly NodeCount[];
  /** Two points of the straight line; empty without growth. */
  readonly projected: readonly NodeCount[];
  /** Nodes from which on the verdict is worse; `null`: none that is near. */
  readonly limit: {
    readonly nodes: number;
    readonly earliestAt: number | null;
    readonly latestAt: number | null;
  } | null;
}

const AHEAD_DAYS = 35;

/** Nodes as measured, the straight line ahead, and where the next change of the verdict lies. */
export function prepareForecast(
  points: readonly NodeCount[],
  forecast: VerdictForecast | null,
): ForecastChart {
  const growth: NodeGrowth | null = forecast?.growth ?? null;
  const last = points.at(-1) ?? { at: 0, nodes: 0 };
  const change = forecast?.changes[0] ?? null;
  const crossing = change?.crossing ?? null;
  const ahead = Math.max(AHEAD_DAYS * DAY_MS, crossing?.at == null ? 0 : 1.2 * (crossing.at - last.at));
  const toAt = last.at + Math.min(ahead, 400 * DAY_MS);
  const projected =
    growth === null
      ? []
      : [
          { at: last.at, nodes: growth.nodes },
          { at: toAt, nodes: Math.max(0, growth.nodes + (growth.nodesPerDay * (toAt - last.at)) / DAY_MS) },
        ];
  const all = [...points, ...projected].map(({ nodes }) => nodes);
  const highest = Math.max(1, ...all);
  // One far above what is projected would press the line to the ground: it is said beside the chart.
  const isNear = change !== null && change.nodes.p50 <= 2 * highest;
  return {
    fromAt: points[0]?.at ?? last.at,
    toAt,
    yMin: 0,
    yMax: roundUp(Math.max(highest, isNear ? change.nodes.p50 : 0), false),
    measured: points,
    projected,
    limit: isNear
      ? {
          nodes: change.nodes.p50,
          earliestAt: crossing?.earliestAt ?? null,
          latestAt: crossing?.latestAt ?? null,
        }
      : null,
  };
}
