import type { Curve } from "./curve.ts";
import type { FlowFigures, LevelFigures, OpenWatches, RequestShape, ServerFigures } from "./figures.ts";
import { handOf } from "./hand.ts";
import { hashOf } from "./random.ts";
import { currentLimits, type DemandOfPeriod, type LevelConfiguration, staticLimits } from "./seat-limits.ts";

/** A flow of a level: who asks, for what, and how much. Functions take the index of the server. */
export interface FlowLoad {
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly userName: string;
  readonly shape: RequestShape;
  readonly seatsEach: number;
  readonly executionSeconds: number;
  /** Requests in the level now, executing or waiting: a whole number. */
  requestsAt(server: number, at: number): number;
  /** Requests per second that got through at once. */
  dispatchedAtOnce(server: number): Curve;
  /** Requests per second that got through after a long wait; `null`: never any. */
  dispatchedLate(server: number): Curve | null;
  /** By reason, per second. */
  rejected(server: number): Readonly<Record<string, Curve>>;
}

/** One priority level's load. */
export interface LevelLoad {
  readonly flows: readonly FlowLoad[];
  /** Seats of all its requests, executing or waiting: the sum over the flows, without working each one out. */
  seatsAskedAt(server: number, at: number): number;
}

export interface ClusterLoad {
  readonly minor: number;
  readonly serverConcurrencyLimit: number;
  readonly levels: readonly LevelConfiguration[];
  /** By level name; a level that is missing is idle. */
  readonly loads: Readonly<Record<string, LevelLoad>>;
  startedAt(server: number, at: number): number;
  cpuCores(server: number): Curve;
  residentMemoryBytes(server: number, at: number): number;
  /** Cores that each server may use; absent: none is published. */
  readonly cores?: number | undefined;
  storageBytes(at: number): number;
  watchesAt(server: number, at: number): readonly OpenWatches[];
}

/** Length of one adjustment of the limits. Source: apiserver apf_controller.go, borrowingAdjustmentPeriod. */
const ADJUSTMENT_MS = 10_000;
/**
 * How many past periods the smoothed demand is worked out over. The real one remembers for ever (half of it after
 * 5 min); here a surge is forgotten after one minute, which keeps the figures of any instant cheap.
 */
const SMOOTHED_PERIODS = 6;

/** The figures of one server at one instant. Pure: the same arguments give the same figures. */
export function figuresOf(load: ClusterLoad, server: number, at: number): ServerFigures {
  const startedAt = load.startedAt(server, at);
  const adjustedAt = startedAt + Math.floor((at - startedAt) / ADJUSTMENT_MS) * ADJUSTMENT_MS;
  const limits = staticLimitsOf(load);
  const demands = new Map(
    load.levels.map((level) => [level.name, demandOf(load, level.name, server, adjustedAt, startedAt)]),
  );
  const current = currentLimits(load.levels, limits, demands, load.minor);
  const levels = load.levels.map((configuration): LevelFigures => {
    const { name } = configuration;
    const fixed = limits.get(name) ?? { nominal: 0, lower: 0, upper: 0 };
    const demand = demands.get(name) ?? NO_DEMAND;
    const currentLimitSeats = current.seats.get(name) ?? fixed.nominal;
    return {
      name,
      type: configuration.type,
      queues: configuration.queues,
      handSize: configuration.handSize,
      nominalSeats: fixed.nominal,
      lowerSeats: fixed.lower,
      upperSeats: fixed.upper,
      currentLimitSeats,
      demand: { ...demand, target: current.targets.get(name) ?? 0 },
      flows: flowFigures(load, configuration, { server, at, startedAt, limit: currentLimitSeats }),
    };
  });
  const watches = load.watchesAt(server, at);
  const open = watches.reduce((sum, watch) => sum + watch.open, 0);
  return {
    at,
    startedAt,
    cpuSecondsTotal: load.cpuCores(server).total(startedAt, at) + 8,
    residentMemoryBytes: Math.round(load.residentMemoryBytes(server, at)),
    cores: load.cores ?? null,
    openFds: 140 + Math.round(open / 40),
    goroutines: 900 + open * 3,
    storageBytes: Math.round(load.storageBytes(at)),
    seatFairFrac: current.fairFrac,
    levels: levels.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    watches,
  };
}

const knownLimits = new WeakMap<ClusterLoad, ReturnType<typeof staticLimits>>();

/** Limits that never change, worked out once: figures are asked for thousands of instants. */
function staticLimitsOf(load: ClusterLoad) {
  const known = knownLimits.get(load) ?? staticLimits(load.levels, load.serverConcurrencyLimit);
  knownLimits.set(load, known);
  return known;
}

const NO_DEMAND = { highWatermark: 0, average: 0, stdev: 0, smoothed: 0 };

/** Demand over the periods that end at `until`, each read at its ends and in its middle. */
function demandOf(load: ClusterLoad, level: string, server: number, until: number, startedAt: number) {
  const levelLoad = load.loads[level];
  if (levelLoad === undefined) return NO_DEMAND;
  let last: DemandOfPeriod & { average: number; stdev: number } = NO_DEMAND;
  const periods = Math.min(SMOOTHED_PERIODS, Math.floor((until - startedAt) / ADJUSTMENT_MS));
  let end = levelLoad.seatsAskedAt(server, until - periods * ADJUSTMENT_MS);
  for (let back = periods; back >= 1; back--) {
    const start = end;
    const middle = levelLoad.seatsAskedAt(server, until - (back - 0.5) * ADJUSTMENT_MS);
    end = levelLoad.seatsAskedAt(server, until - (back - 1) * ADJUSTMENT_MS);
    const average = (start + middle + end) / 3;
    const square = (start * start + middle * middle + end * end) / 3;
    const stdev = Math.sqrt(Math.max(0, square - average * average));
    const envelope = average + stdev;
    const smoothed = Math.max(envelope, 0.977 * last.smoothed + 0.023 * envelope);
    last = { highWatermark: Math.max(start, middle, end), average, stdev, smoothed };
  }
  return last;
}

interface Moment {
  readonly server: number;
  readonly at: number;
  readonly startedAt: number;
  readonly limit: number;
}

function flowFigures(load: ClusterLoad, level: LevelConfiguration, moment: Moment): FlowFigures[] {
  const { server, at, startedAt } = moment;
  const flows = load.loads[level.name]?.flows ?? [];
  const requests = flows.map((flow) => flow.requestsAt(server, at));
  const executing = allot(flows, requests, level, moment.limit);
  return flows.map((flow, index) => {
    const asked = requests[index] ?? 0;
    const runs = executing[index] ?? 0;
    const late = Math.floor(flow.dispatchedLate(server)?.total(startedAt, at) ?? 0);
    return {
      flowSchemaName: flow.flowSchemaName,
      flowDistinguisher: flow.flowDistinguisher,
      userName: flow.userName,
      shape: flow.shape,
      seatsEach: flow.seatsEach,
      executingRequests: runs,
      // A level without queues rejects what does not fit; nothing waits in it.
      waitingRequests: level.queues > 0 ? asked - runs : 0,
      // Floors of two growing amounts: their sum grows, and so does each part.
      dispatchedTotal: Math.floor(flow.dispatchedAtOnce(server).total(startedAt, at)) + late,
      dispatchedLateTotal: late,
      rejectedTotals: rejectedTotals(flow, server, startedAt, at),
      executionSeconds: flow.executionSeconds,
    };
  });
}

function rejectedTotals(flow: FlowLoad, server: number, startedAt: number, at: number) {
  const totals: Record<string, number> = {};
  const rejected = flow.rejected(server);
  for (const reason in rejected) {
    const curve = rejected[reason];
    if (curve === undefined) continue;
    const total = Math.floor(curve.total(startedAt, at));
    if (total > 0) totals[reason] = total;
  }
  return totals;
}

/**
 * How many requests of each flow execute. All, where they fit. In a full level the widest flow has nearly all seats,
 * one narrow request got in before its next one came to the head, and everything else waits behind that head.
 */
function allot(
  flows: readonly FlowLoad[],
  requests: readonly number[],
  level: LevelConfiguration,
  limit: number,
): readonly number[] {
  const asked = flows.reduce((sum, flow, index) => sum + flow.seatsEach * (requests[index] ?? 0), 0);
  if (level.type === "Exempt" || asked <= limit) return requests;
  const order = flows
    .map((flow, index) => ({ index, width: flow.seatsEach, seats: flow.seatsEach * (requests[index] ?? 0) }))
    .toSorted((a, b) => b.width - a.width || b.seats - a.seats || a.index - b.index);
  const executing = requests.map(() => 0);
  const widest = order[0];
  if (widest === undefined) return executing;
  let room = limit;
  if (widest.width > 1) {
    const first = Math.min(requests[widest.index] ?? 0, Math.floor((room - 1) / widest.width));
    executing[widest.index] = first;
    room -= first * widest.width;
    const narrow = order.find((row) => row.width === 1 && row.seats > 0);
    if (narrow && room > 0) executing[narrow.index] = 1;
    return executing;
  }
  for (const row of order) {
    const runs = Math.min(requests[row.index] ?? 0, Math.floor(room / row.width));
    executing[row.index] = runs;
    room -= runs * row.width;
  }
  return executing;
}

const hands = new Map<string, readonly number[]>();

/** The queues of a flow in its level; remembered, since hashing costs more than everything else here. */
export function queuesOfFlow(level: LevelFigures, flow: FlowFigures): readonly number[] {
  if (level.queues === 0) return [];
  const key = `${flow.flowSchemaName}\0${flow.flowDistinguisher}\0${level.queues}/${level.handSize}`;
  let hand = hands.get(key);
  if (hand === undefined) {
    hand = handOf(flow.flowSchemaName, flow.flowDistinguisher, level.queues, level.handSize);
    if (hands.size > 10_000) hands.clear();
    hands.set(key, hand);
  }
  return hand;
}

/** Splits a whole number by weights: the parts are whole and add up to it. Ties go to the earlier part. */
export function splitWhole(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const exact = weights.map((weight) => (sum === 0 ? 0 : (total * weight) / sum));
  const parts = exact.map(Math.floor);
  let left = total - parts.reduce((all, part) => all + part, 0);
  const order = exact
    .map((value, index) => ({ index, rest: value - Math.floor(value) }))
    .toSorted((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of order) {
    if (left <= 0) break;
    parts[index] = (parts[index] ?? 0) + 1;
    left -= 1;
  }
  return parts;
}

/** Ripples of different length whose phases depend on the text, as load has them. Amplitudes add up to `amplitude`. */
export function seededRipples(seed: string, amplitude: number) {
  const periods = [2460, 431, 97, 23];
  const shares = [0.3, 0.3, 0.25, 0.15];
  return periods.map((periodSeconds, index) => ({
    periodSeconds,
    amplitude: amplitude * (shares[index] ?? 0),
    phase: (hashOf(`${seed}/${index}`) / 4294967296) * 2 * Math.PI,
  }));
}
