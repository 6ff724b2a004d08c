import { formatCounted, formatNumber } from "../../../domain/rollout/figure.ts";
import type { Band, BandFigure, RemedyComparison, RemedyRow } from "../../../domain/storm/index.ts";
import { formatByteRate, formatBytes, formatMemory } from "../../../format/bytes.ts";
import { formatDuration } from "../../../format/duration.ts";
import { formatShare, formatSignificant } from "../../../format/number.ts";
import type { StormAnswer } from "../../commands/storm-answer.ts";
import { plain } from "../price.ts";

/** Tables of a storm, for a terminal and for Markdown alike: heads, then rows. */
export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Format = (value: number) => string;

const count: Format = (value) => formatNumber(Math.round(value));
/** What is under a tenth of a second is nothing that anybody waits for. */
const seconds: Format = (value) => (value > 0 && value < 0.1 ? "< 0.1 s" : plain(formatDuration(value)));
const share: Format = (value) => plain(formatShare(value));

const FIGURES: readonly (readonly [BandFigure, string, Format])[] = [
  ["drainSeconds", "drains in", seconds],
  ["afterLastStartSeconds", "after the last start", seconds],
  ["halfSeconds", "half are done in", seconds],
  ["executingSeats", "seats, peak", count],
  ["limitSeats", "current limit, peak", count],
  ["waitingRequests", "waiting, peak", count],
  ["rejected", "rejected", count],
  ["timeouts", "aborted at the deadline", count],
  ["attemptsPerList", "attempts per LIST", (value) => formatSignificant(value)],
  ["ownWaitSecondsP99", "own wait, p99", seconds],
  ["neighbourWaitSecondsP99", "neighbours wait, p99", seconds],
  ["neighboursRejected", "neighbours rejected", count],
  ["exemptSecondsP99", "exempt requests, p99", seconds],
  ["bytesPerSecond", "sent, busiest 5 s", (value) => plain(formatByteRate(value))],
  ["linkRatio", "of the link", share],
  ["memoryBytes", "memory of an API server", (value) => plain(formatMemory(value))],
];

export function figureTable({ figures, seeds }: Pick<StormAnswer, "figures" | "seeds">): Table {
  const isOne = seeds.length === 1;
  const rows = FIGURES.flatMap(([name, title, format]) => {
    const band = figures?.[name] ?? null;
    if (band === null) return [];
    if (isOne) return [[title, format(band.p50)]];
    // A figure that some seeds do not have is not that of all.
    const of = band.seeds < seeds.length ? `${band.seeds} of ${seeds.length} seeds` : "";
    return [[title, format(band.p5), format(band.p50), format(band.p95), of]];
  });
  if (isOne) return { heads: ["figure", "1 seed"], rows };
  const hasPart = rows.some((row) => row[4] !== "");
  return {
    heads: ["figure", "p5", "p50", "p95", ...(hasPart ? ["of"] : [])],
    rows: rows.map((row) => (hasPart ? row : row.slice(0, 4))),
  };
}

/** Who else waits, in the first seed; `null`: nobody was there but the storm. */
export function neighbourTable({ neighbours }: Pick<StormAnswer, "neighbours">): Table | null {
  const others = neighbours.filter(({ isOwnFlow, requests }) => !isOwnFlow && requests > 0);
  if (others.length === 0) return null;
  return {
    heads: ["who else", "level", "queues shared", "wait p50", "wait p99", "rejected"],
    rows: others.map((each) => [
      each.isProbe ? "probe, 5 a second" : each.flowDistinguisher || each.flowSchemaName,
      each.priorityLevelName,
      each.queuesShared === null || each.handSize === null ? "–" : `${each.queuesShared} of ${each.handSize}`,
      each.waitSecondsP50 === null ? "–" : seconds(each.waitSecondsP50),
      each.waitSecondsP99 === null ? "–" : seconds(each.waitSecondsP99),
      count(each.rejectedAll),
    ]),
  };
}

export function remedyTable({ asItIs, rows }: RemedyComparison): Table {
  return {
    heads: [
      "remedy",
      "verdict",
      "seats, all",
      "wire, all",
      "drains in",
      "rejected",
      "neighbours p99",
      "memory",
    ],
    rows: [asItIs, ...rows].map((row) => [
      row.title,
      row.verdict,
      count(row.start.seats),
      plain(formatBytes(row.start.wireBytes)),
      drainText(row),
      bandText(row.bands.figures.rejected, count),
      bandText(row.bands.figures.neighbourWaitSecondsP99, seconds),
      bandText(row.bands.figures.memoryBytes, (value) => plain(formatMemory(value))),
    ]),
  };
}

function drainText({ bands }: RemedyRow): string {
  if (bands.undrained === 0) return bandText(bands.figures.drainSeconds, seconds);
  return bands.undrained === bands.seeds.length
    ? "never"
    : `never for ${bands.undrained} of ${bands.seeds.length}`;
}

/** The median, and where its band is wider than what is printed the band. */
export function bandText(band: Band | null, format: Format): string {
  if (band === null) return "–";
  const [low, high] = [format(band.p5), format(band.p95)];
  return low === high ? low : `${low} to ${high}`;
}

/** What is still invisible, in sentences. */
export function solvedLines({ largest, pace }: Pick<StormAnswer, "largest" | "pace">): readonly string[] {
  const lines: string[] = [];
  if (largest !== null) {
    const { share: ofCopies, nodes } = largest;
    if (ofCopies.largest === null) lines.push("Not even one copy stays invisible.");
    else {
      const part = ofCopies.share === null ? "" : ` (${share(ofCopies.share)})`;
      const next =
        ofCopies.next === null
          ? ": that is all of them"
          : `; ${formatNumber(ofCopies.next)} are ${ofCopies.nextVerdict ?? "not"}`;
      lines.push(
        `${formatCounted(ofCopies.largest, "copy", "copies")} at once${part} stay invisible${next}.`,
      );
    }
    if (nodes !== null) {
      lines.push(
        nodes.largest === null
          ? "It is visible at any number of nodes."
          : `The whole fleet stays invisible up to ${nodes.next === null ? "at least " : nodes.isExact ? "" : "about "}${formatCounted(nodes.largest, "node")}${nodes.next === null ? "" : `; at ${formatNumber(nodes.next)} it is ${nodes.nextVerdict ?? "not"}`}.`,
      );
    }
    lines.push(
      `Found with ${formatCounted(ofCopies.simulations + (nodes?.simulations ?? 0), "simulation")} of one seed; a larger number may be milder than a smaller one, so it was tried again below.`,
    );
  }
  if (pace !== null) lines.push(...paceLines(pace));
  return lines;
}

function paceLines(pace: NonNullable<StormAnswer["pace"]>): readonly string[] {
  const { podsPerMinute, isAtLeast, scenarioPodsPerMinute, isWithin, maxUnavailable, secondsPerPod } = pace;
  if (podsPerMinute === null) return ["No pace is invisible: one pod a minute is noticed."];
  const than =
    scenarioPodsPerMinute === null
      ? ""
      : `; this scenario starts ${formatNumber(scenarioPodsPerMinute)} in its busiest minute, ${isWithin === true ? "within it" : "more than that"}`;
  const field =
    maxUnavailable === null || secondsPerPod === null
      ? ""
      : ` maxUnavailable ${formatNumber(maxUnavailable)} keeps a healthy update within it, at ${Math.round(secondsPerPod)} s a pod.`;
  return [
    `Safe pace: ${isAtLeast ? "at least " : ""}${formatCounted(podsPerMinute, "pod")} a minute${than}.${field}`,
  ];
}
