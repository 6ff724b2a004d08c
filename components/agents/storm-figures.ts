import type { Band, BandFigure } from "@/lib/domain/storm/bands";
import type { DrawnStorm } from "@/lib/domain/what-if/drawn-storm";
import { formatDuration, formatDurationAtLeast, formatTenths } from "@/lib/format/duration";
import { formatCount, formatPlural, formatShare, formatSignificant } from "@/lib/format/number";
import type { WhatIfState } from "./what-if-state";

/** A headline figure of a storm: simulated, with its band and one line that explains it. */
export interface StormFigure {
  readonly name: string;
  readonly figure: string;
  /** Behind the figure, dimmed: `/ 368`; `null`: nothing. */
  readonly behind: string | null;
  /** p5 to p95 over the seeds that are in, or how far they have come. */
  readonly band: string;
  readonly detail: string;
  readonly isBad: boolean;
}

/** The longest that a request may wait in its queue: a quarter of the request timeout. */
const QUEUE_WAIT_SECONDS = 15;

/** A wait; at the limit of the queue it may have been longer, had it not been ended. */
export const formatWait = (seconds: number): string =>
  seconds >= QUEUE_WAIT_SECONDS - 0.001
    ? formatDurationAtLeast(QUEUE_WAIT_SECONDS)
    : seconds === 0
      ? formatDuration(0)
      : formatTenths(seconds);

export const formatDrain = (outcome: DrawnStorm["drain"]["outcome"], seconds: number | null): string =>
  outcome === "collapse" ? "collapses" : seconds === null ? "never" : formatDuration(seconds);

const REASON_WORDS: Readonly<Record<string, string>> = {
  "time-out": "time-out",
  "queue-full": "queue-full",
  "concurrency-limit": "concurrency-limit",
};

/** Figures in the order of the page. */
export function stormFigures(
  storm: DrawnStorm,
  { bands, seedsWanted }: Pick<WhatIfState, "bands" | "seedsWanted">,
): readonly StormFigure[] {
  const { drain, peaks, totals, agents, server } = storm;
  const band = (figure: BandFigure, format: (value: number) => string) =>
    bandText(bands?.figures[figure] ?? null, bands?.seeds.length ?? 1, seedsWanted, format);
  const undrained = bands?.undrained ?? 0;
  const attempts = agents[0]?.attemptsPerList ?? null;
  const neighbourWait = worstNeighbourWait(storm);
  const reasons = Object.entries(totals.rejected).flatMap(([reason, count]) =>
    count === undefined || count === 0 ? [] : [`${formatCount(count)} ${REASON_WORDS[reason] ?? reason}`],
  );
  return [
    {
      name: "Drains in",
      figure: formatDrain(drain.outcome, drain.seconds),
      behind: null,
      band:
        undrained > 0
          ? `not in ${formatCount(undrained)} of ${formatPlural(bands?.seeds.length ?? 1, "seed")}`
          : band("drainSeconds", formatDuration),
      detail:
        drain.seconds === null
          ? `${formatCount(drain.copiesDone)} of ${formatCount(drain.copies)} copies done after ${formatDuration(drain.simulatedSeconds)}`
          : `${formatPlural(drain.copies, "copy", "copies")}, the last starts at ${formatDuration(drain.lastStartSeconds)}`,
      isBad: drain.outcome !== "drained",
    },
    {
      name: "Peak seats / limit",
      figure: formatCount(peaks.executingSeats),
      behind: `/ ${formatCount(peaks.limitSeats)}`,
      band: band("executingSeats", formatCount),
      detail:
        server.priorityLevelName === null
          ? "nothing came to a level with limits"
          : `${server.priorityLevelName}, nominal ${formatCount(server.nominalSeats)}`,
      isBad: false,
    },
    {
      name: "Waiting, peak",
      figure: formatCount(peaks.waitingRequests),
      behind: null,
      band: band("waitingRequests", formatCount),
      detail: ownWaitText(storm),
      isBad: false,
    },
    {
      name: storm.apiServers === 1 ? "Rejected" : "Rejected, all servers",
      figure: formatCount(totals.rejectedAll),
      behind: null,
      band: band("rejected", formatCount),
      detail:
        totals.timeouts > 0
          ? `${reasons.join(", ")}${reasons.length > 0 ? "; " : ""}${formatCount(totals.timeouts)} ended at the deadline`
          : reasons.length > 0
            ? reasons.join(", ")
            : "nobody is told to come back",
      isBad: totals.rejectedAll > 0,
    },
    {
      name: "Attempts per LIST",
      figure: attempts === null ? "–" : formatSignificant(attempts, 2),
      behind: null,
      band: band("attemptsPerList", (value) => formatSignificant(value, 2)),
      detail: `${formatPlural(totals.requests, "request")}, ${formatPlural(agents[0]?.calls ?? 0, "call")} to get through`,
      isBad: false,
    },
    {
      name: "Neighbours wait p99",
      figure: neighbourWait === null ? "–" : formatWait(neighbourWait),
      behind: null,
      band: band("neighbourWaitSecondsP99", formatWait),
      detail:
        neighbourWait === null
          ? "none came meanwhile"
          : `${formatCount(totals.neighboursRejected)} of theirs rejected`,
      isBad: totals.neighboursRejected > 0,
    },
  ];
}

export function worstNeighbourWait({ neighbours }: DrawnStorm): number | null {
  const waits = neighbours.flatMap(({ isOwnFlow, waitSecondsP99 }) =>
    isOwnFlow ? [] : (waitSecondsP99 ?? []),
  );
  return waits.length === 0 ? null : Math.max(...waits);
}

function ownWaitText({ agents }: DrawnStorm): string {
  const wait = agents[0]?.waitSeconds ?? null;
  return wait === null ? "its own wait for nobody" : `its own wait ${formatWait(wait.p99)} at p99`;
}

/** `140 to 190 s, 20 seeds`; until all are in, how many are. */
function bandText(
  band: Band | null,
  seeds: number,
  wanted: number,
  format: (value: number) => string,
): string {
  const count =
    seeds < wanted ? `${formatCount(seeds)} of ${formatCount(wanted)} seeds` : formatPlural(seeds, "seed");
  if (band === null || seeds < 2) return count;
  const [low, high] = [format(band.p5), format(band.p95)];
  return low === high ? `${low}, ${count}` : `${low} to ${high}, ${count}`;
}

/** What bounds it, in one or two sentences. */
export function stormFoot(storm: DrawnStorm): readonly string[] {
  const { server, peaks, collapse, coefficients, exempt } = storm;
  const link =
    server.linkBytesPerSecond === null || peaks.linkRatio === null
      ? "The network link is not known and holds nothing back."
      : `The busiest 5 s take ${formatShare(peaks.linkRatio)} of the link.`;
  const predicted = collapse.find(({ isPredicted }) => isPredicted);
  const defaults = coefficients.filter(({ calibratedAt }) => calibratedAt === null);
  const worst = Math.max(0, ...coefficients.map(({ errorRatio }) => errorRatio));
  return [
    "Limits are borrowed anew every 10 s, so the first seconds have the idle limit.",
    link,
    ...(predicted === undefined
      ? []
      : [
          `By the rule of thumb it collapses: ${formatSignificant(predicted.executingAtOnce)} LISTs at once take ${formatDuration(predicted.secondsPerList)} each, and ${formatDuration(predicted.deadlineSeconds)} is the deadline.`,
        ]),
    ...(exempt === null ? [] : [`Exempt requests take ${formatTenths(exempt.p99Seconds)} at p99.`]),
    coefficients.length === 0
      ? ""
      : defaults.length > 0
        ? `Service times are defaults, not calibrated on this cluster: ± ${formatShare(worst)}.`
        : `Service times are calibrated on this cluster: ± ${formatShare(worst)}.`,
  ].filter((text) => text !== "");
}
