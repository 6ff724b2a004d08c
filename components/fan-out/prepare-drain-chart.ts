import type { Elsewhere } from "@/lib/contracts/fan-out";
import { type Crossing, type CurvePoint, findCrossing } from "@/lib/domain/fan-out/drain-curve";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, formatPlural } from "@/lib/format/number";

/** A point of the curve as it is drawn; values on a logarithmic axis are above 0. */
export interface DrawnPoint {
  readonly nodes: number;
  /** Median; `null`: it does not drain, a gap. */
  readonly seconds: number | null;
  /** p5 and p95; `null` as above. */
  readonly band: readonly [number, number] | null;
  readonly seeds: number;
  readonly undrained: number;
}

export interface PlacedCluster {
  readonly name: string;
  readonly nodes: number;
  readonly seconds: number;
  /** The page that is open. */
  readonly isHere: boolean;
}

export interface DrainChart {
  readonly points: readonly DrawnPoint[];
  /** Clusters with this agent in this version, as simulated there. */
  readonly clusters: readonly PlacedCluster[];
  readonly limitSeconds: number;
  readonly crossing: Crossing;
  readonly xMax: number;
  readonly yTicks: readonly number[];
  readonly xTicks: readonly number[];
  /** The whole picture in words. */
  readonly text: string;
}

/** Smallest value that is drawn: an axis of logarithms knows no zero. */
const LEAST_SECONDS = 0.1;

export interface DrainChartInput {
  readonly title: string;
  readonly version: string | null;
  readonly points: readonly CurvePoint[];
  readonly elsewhere: readonly Elsewhere[];
  readonly clusterName: string;
  readonly nodes: number | null;
  readonly limitSeconds: number;
}

/** Decides what is drawn: ticks, gaps, circles, the crossing and its words. */
export function prepareDrainChart(input: DrainChartInput): DrainChart {
  const { title, version, elsewhere, clusterName, nodes, limitSeconds } = input;
  const points = input.points.map(({ nodes: count, drainSeconds, undrained, seeds }): DrawnPoint => {
    const isGap = drainSeconds === null || 2 * undrained > seeds;
    return {
      nodes: count,
      seconds: isGap ? null : Math.max(LEAST_SECONDS, drainSeconds.p50),
      band: isGap
        ? null
        : [Math.max(LEAST_SECONDS, drainSeconds.p5), Math.max(LEAST_SECONDS, drainSeconds.p95)],
      seeds,
      undrained,
    };
  });
  const xMax = Math.max(0, ...points.map((each) => each.nodes));
  const here = points.find((each) => each.nodes === nodes);
  const clusters: PlacedCluster[] = [
    ...elsewhere.flatMap((each) =>
      each.drainSeconds === null || each.version !== version || each.nodes > xMax
        ? []
        : [
            {
              name: each.clusterName,
              nodes: each.nodes,
              seconds: Math.max(LEAST_SECONDS, each.drainSeconds),
              isHere: false,
            },
          ],
    ),
    ...(here?.seconds == null
      ? []
      : [{ name: clusterName, nodes: here.nodes, seconds: here.seconds, isHere: true }]),
  ];
  const crossing = findCrossing(input.points, limitSeconds);
  const highest = Math.max(
    limitSeconds,
    ...points.map(({ band }) => band?.[1] ?? 0),
    ...clusters.map(({ seconds }) => seconds),
  );
  const lowest = Math.min(
    limitSeconds,
    ...points.map(({ band }) => band?.[0] ?? limitSeconds),
    ...clusters.map(({ seconds }) => seconds),
  );
  return {
    points,
    clusters,
    limitSeconds,
    crossing,
    xMax,
    yTicks: logTicks(lowest, highest),
    xTicks: xMax === 0 ? [] : [0, 1, 2, 3, 4].map((part) => Math.round((part * xMax) / 4)),
    text: `Time to drain when all copies of ${title} start at once, against the number of nodes, simulated. ${describeCrossing(crossing, limitSeconds)}`,
  };
}

/** 1, 3, 10, 30 … from below the lowest value to above the highest. */
function logTicks(lowest: number, highest: number): readonly number[] {
  const ticks: number[] = [];
  const first = Math.floor(2 * Math.log10(lowest));
  const last = Math.ceil(2 * Math.log10(highest) + 0.02);
  for (let half = first; half <= last; half += 1) {
    ticks.push(half % 2 === 0 ? 10 ** (half / 2) : 3 * 10 ** ((half - 1) / 2));
  }
  return ticks;
}

/** Where the curve passes the queue wait limit, one sentence. */
export function describeCrossing(crossing: Crossing, limitSeconds: number): string {
  const limit = `the queue wait limit of ${formatDuration(limitSeconds)}`;
  switch (crossing.kind) {
    case "at":
      return `It passes ${limit} at ≈ ${formatPlural(Math.round(crossing.nodes), "node")}.`;
    case "stops-draining":
      return crossing.drainsAt === null
        ? `It does not drain from ${formatPlural(crossing.nodes, "node")} on.`
        : `It stops draining between ${formatCount(crossing.drainsAt)} and ${formatPlural(crossing.nodes, "node")}.`;
    case "always":
      return `It is above ${limit} at every number of nodes that was simulated.`;
    case "never":
      return `It stays below ${limit} at every number of nodes that was simulated.`;
  }
}
