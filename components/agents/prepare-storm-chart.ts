import { roundUp } from "@/components/charts/chart-value";
import type { Band, StormBandSeries } from "@/lib/domain/storm/bands";
import type { DrawnServer } from "@/lib/domain/what-if/drawn-storm";
import { formatByteRate, formatMemory } from "@/lib/format/bytes";
import { formatCount, formatRate } from "@/lib/format/number";

/** What the first of the three charts shows. */
export const LENSES = ["seats", "bytes", "memory"] as const;
export type Lens = (typeof LENSES)[number];

/** One line over the steps of a storm. */
export interface StormLine {
  readonly key: string;
  readonly label: string;
  readonly colour: "s1" | "s2" | "limit" | "error";
  readonly look: "line" | "step" | "bars";
  readonly isFilled: boolean;
  readonly values: readonly number[];
}

/** p5 and p95 over the seeds, of the first line of a pane. */
export interface StormArea {
  readonly stepSeconds: number;
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** A level that does not move, with its name on the line. */
interface StormLimit {
  readonly value: number;
  readonly label: string;
}

export interface StormPane {
  readonly id: "lens" | "waiting" | "rejected";
  readonly title: string;
  readonly yMax: number;
  readonly format: (value: number) => string;
  readonly lines: readonly StormLine[];
  /** The line of the storm before, drawn dimmed while the new one is not there. */
  readonly before: readonly StormLine[];
  readonly area: StormArea | null;
  readonly limit: StormLimit | null;
}

/** Three charts on one axis of time, in seconds from the begin of the scenario. */
export interface StormChart {
  readonly panes: readonly StormPane[];
  readonly stepSeconds: number;
  readonly beforeStepSeconds: number;
  readonly endSeconds: number;
  readonly xTicks: readonly number[];
}

const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400] as const;
/** Ticks at most, and at least where the storm is long enough. */
const TICKS = 9;

export function prepareStormChart(options: {
  readonly lens: Lens;
  /** The storm to draw, whole or as far as it has come; `null`: there is no picture of it yet. */
  readonly server: DrawnServer | null;
  /** The one before. */
  readonly before: DrawnServer | null;
  readonly bands: StormBandSeries | null;
}): StormChart {
  const { lens, server, before, bands } = options;
  const ends = [server, before].map((one) =>
    one === null ? 0 : one.bytesPerSecond.length * one.stepSeconds,
  );
  const bandEnd = bands === null ? 0 : bands.waitingRequests.length * bands.stepSeconds;
  const longest = Math.max(1, ...ends, bandEnd);
  const tick =
    STEPS.find((step) => longest / step <= TICKS) ?? 86_400 * Math.ceil(longest / (86_400 * TICKS));
  const endSeconds = Math.ceil(longest / tick - 1e-9) * tick;
  const panes = [
    lensPane(lens, server, before, bands),
    pane({
      id: "waiting",
      title: "waiting",
      format: formatCount,
      lines: linesOf(server, waitingLines),
      before: linesOf(before, waitingLines),
      area: areaOf(bands, (series) => series.waitingRequests),
    }),
    pane({
      id: "rejected",
      title: "rejected per second",
      format: formatRate,
      lines: linesOf(server, rejectedLines),
      before: linesOf(before, rejectedLines),
      area: null,
    }),
  ];
  return {
    panes,
    stepSeconds: server?.stepSeconds ?? 1,
    beforeStepSeconds: before?.stepSeconds ?? 1,
    endSeconds,
    xTicks: Array.from({ length: Math.round(endSeconds / tick) + 1 }, (_, index) => index * tick),
  };
}

const linesOf = (
  server: DrawnServer | null,
  make: (server: DrawnServer) => readonly StormLine[],
): readonly StormLine[] => (server === null ? [] : make(server));

const waitingLines = ({ waitingRequests }: DrawnServer): readonly StormLine[] => [
  { key: "waiting", label: "waiting", colour: "s1", look: "line", isFilled: true, values: waitingRequests },
];

const rejectedLines = ({ rejectedPerSecond }: DrawnServer): readonly StormLine[] => [
  {
    key: "rejected",
    label: "rejected with 429",
    colour: "error",
    look: "bars",
    isFilled: true,
    values: rejectedPerSecond,
  },
];

function lensPane(
  lens: Lens,
  server: DrawnServer | null,
  before: DrawnServer | null,
  bands: StormBandSeries | null,
): StormPane {
  switch (lens) {
    case "seats":
      return pane({
        id: "lens",
        title: "seats",
        format: formatCount,
        lines: linesOf(server, seatLines),
        before: linesOf(before, seatLines),
        area: areaOf(bands, (series) => series.executingSeats),
        limit:
          server === null || server.nominalSeats === 0
            ? null
            : { value: server.nominalSeats, label: `nominal ${formatCount(server.nominalSeats)}` },
      });
    case "bytes":
      return pane({
        id: "lens",
        title: "bytes per second",
        format: formatByteRate,
        lines: linesOf(server, byteLines),
        before: linesOf(before, byteLines),
        area: areaOf(bands, (series) => series.bytesPerSecond),
        limit:
          server?.linkBytesPerSecond == null
            ? null
            : {
                value: server.linkBytesPerSecond,
                label: `network link, ${formatByteRate(server.linkBytesPerSecond)} usable`,
              },
      });
    case "memory":
      return pane({
        id: "lens",
        title: "memory of the process",
        format: formatMemory,
        isBinary: true,
        lines: linesOf(server, memoryLines),
        before: linesOf(before, memoryLines),
        area: areaOf(bands, (series) => series.memoryBytes),
        limit:
          server?.memoryLimitBytes == null
            ? null
            : { value: server.memoryLimitBytes, label: `memory, ${formatMemory(server.memoryLimitBytes)}` },
      });
  }
}

const seatLines = ({ executingSeats, limitSeats }: DrawnServer): readonly StormLine[] => [
  {
    key: "seats",
    label: "seats executing",
    colour: "s2",
    look: "line",
    isFilled: true,
    values: executingSeats,
  },
  {
    key: "limit",
    label: "current limit",
    colour: "limit",
    look: "step",
    isFilled: false,
    values: limitSeats,
  },
];
const byteLines = ({ bytesPerSecond }: DrawnServer): readonly StormLine[] => [
  {
    key: "bytes",
    label: "bytes per second",
    colour: "s2",
    look: "line",
    isFilled: true,
    values: bytesPerSecond,
  },
];
const memoryLines = ({ memoryBytes }: DrawnServer): readonly StormLine[] => [
  { key: "memory", label: "memory", colour: "s2", look: "line", isFilled: true, values: memoryBytes },
];

function pane(
  given: Omit<StormPane, "yMax" | "limit"> & {
    readonly limit?: StormLimit | null;
    readonly isBinary?: boolean;
  },
): StormPane {
  const { limit = null, isBinary = false, ...rest } = given;
  const highest = Math.max(
    0,
    ...[...given.lines, ...given.before].map(({ values }) => maxOf(values)),
    maxOf(given.area?.high ?? []),
    // A limit far above what happens would press the curve to the ground: it is then said, not drawn.
    limit === null ? 0 : limit.value,
  );
  return { ...rest, limit, yMax: roundUp(highest, isBinary) };
}

function areaOf(
  bands: StormBandSeries | null,
  read: (series: StormBandSeries) => readonly Band[],
): StormArea | null {
  if (bands === null) return null;
  const all = read(bands);
  return { stepSeconds: bands.stepSeconds, low: all.map(({ p5 }) => p5), high: all.map(({ p95 }) => p95) };
}

const maxOf = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

/** A storm in words, for those who do not see it. */
export function describeStormChart({ panes, stepSeconds }: StormChart): string {
  return panes
    .flatMap(({ lines, format }) =>
      lines.map(({ label, values }) => {
        const most = maxOf(values);
        const at = values.indexOf(most) * stepSeconds;
        return values.length === 0
          ? `${label}: nothing yet.`
          : `${label}: at most ${format(most)}, at ${formatCount(at)} s.`;
      }),
    )
    .join(" ");
}
