import type { LevelMetric, SeriesKey, SeriesSample, ServerMetric } from "../domain/clusters/series.ts";
import {
  dispatchedTotalOf,
  executingRequestsOf,
  executingSeatsOf,
  type LevelFigures,
  rejectedTotalOf,
  type ServerFigures,
  waitingRequestsOf,
} from "../fake-api-server/figures.ts";
import type { ClusterScenario } from "../fake-api-server/scenario.ts";
import { identityLeaseName } from "../fake-api-server/server-collections.ts";

/** A server of a cluster and the stretch of time that rates are taken over. */
export interface ReadingOf {
  readonly scenario: ClusterScenario;
  readonly serverIndex: number;
  /** End of the stretch; gauges are read here. Milliseconds since the epoch. */
  readonly at: number;
  /** Rates are the growth of a counter over so many seconds before `at`, as between two scrapes. */
  readonly windowSeconds: number;
}

/**
 * All samples of one server at one instant, from the figures that its /metrics page is made of. Empty while the server
 * does not answer: a gap, not zeros. A server that started inside the stretch has rates since its start.
 */
export function serverSamples({ scenario, serverIndex, at, windowSeconds }: ReadingOf): SeriesSample[] {
  if ((scenario.availabilityAt?.(serverIndex, at) ?? "serving") !== "serving") return [];
  const now = scenario.figuresAt(serverIndex, at);
  const from = Math.max(at - windowSeconds * 1000, now.startedAt);
  const before = from > now.startedAt ? scenario.figuresAt(serverIndex, from) : null;
  const seconds = Math.max(1, (at - from) / 1000);
  const keys = keysOf(scenario, serverIndex);
  const perSecond = (total: (figures: ServerFigures) => number) =>
    Math.max(0, total(now) - (before === null ? 0 : total(before))) / seconds;
  const server = (metric: ServerMetric, value: number): SeriesSample => ({
    key: keys.of(metric, null, null),
    value,
  });
  const { levels } = now;
  const sum = (pick: (level: LevelFigures) => number, of: readonly LevelFigures[] = levels) =>
    of.reduce((all, level) => all + pick(level), 0);
  return [
    server("up", 1),
    server(
      "requests-per-second",
      perSecond((figures) => sum(requestsOf, figures.levels)),
    ),
    server(
      "rejected-per-second",
      perSecond((figures) => sum(rejectedTotalOf, figures.levels)),
    ),
    server("inflight-requests", sum(executingRequestsOf)),
    server(
      "cpu-cores",
      perSecond((figures) => figures.cpuSecondsTotal),
    ),
    server("resident-memory-bytes", now.residentMemoryBytes),
    server("storage-bytes", now.storageBytes),
    server(
      "long-running-requests",
      now.watches.reduce((all, watch) => all + watch.open, 0),
    ),
    server("executing-seats", sum(executingSeatsOf)),
    server("current-limit-seats", sum(limitOf)),
    server("waiting-requests", sum(waitingRequestsOf)),
    ...levels.flatMap((level) => levelSamples(level, { keys, perSecond })),
  ];
}

/** The keys of one server's series, each made once: a month of history names every one of them a thousand times. */
class ServerKeys {
  readonly #serverId: string;
  readonly #byLevel = new Map<string | null, Map<string, SeriesKey>>();

  constructor(serverId: string) {
    this.#serverId = serverId;
  }

  of(metric: ServerMetric | LevelMetric, priorityLevelName: string | null, rejectReason: string | null) {
    let ofLevel = this.#byLevel.get(priorityLevelName);
    if (ofLevel === undefined) {
      ofLevel = new Map();
      this.#byLevel.set(priorityLevelName, ofLevel);
    }
    const name = rejectReason === null ? metric : `${metric}/${rejectReason}`;
    let key = ofLevel.get(name);
    if (key === undefined) {
      key = { metric, serverId: this.#serverId, priorityLevelName, rejectReason };
      ofLevel.set(name, key);
    }
    return key;
  }
}

const keysByScenario = new WeakMap<ClusterScenario, ServerKeys[]>();

function keysOf(scenario: ClusterScenario, serverIndex: number): ServerKeys {
  const known = keysByScenario.get(scenario) ?? [];
  keysByScenario.set(scenario, known);
  known[serverIndex] ??= new ServerKeys(identityLeaseName(scenario.servers[serverIndex] ?? ""));
  return known[serverIndex];
}

const requestsOf = (level: LevelFigures) => dispatchedTotalOf(level) + rejectedTotalOf(level);
/** Exempt has no limit. */
const limitOf = (level: LevelFigures) => (level.type === "Exempt" ? 0 : level.currentLimitSeats);

function levelSamples(
  level: LevelFigures,
  { keys, perSecond }: { keys: ServerKeys; perSecond: (total: (figures: ServerFigures) => number) => number },
): SeriesSample[] {
  const sample = (metric: LevelMetric, value: number, rejectReason: string | null = null): SeriesSample => ({
    key: keys.of(metric, level.name, rejectReason),
    value,
  });
  const reasons = new Set<string>();
  for (const flow of level.flows) for (const reason in flow.rejectedTotals) reasons.add(reason);
  const rejected = (reason: string) => (figures: ServerFigures) =>
    figures.levels
      .filter((other) => other.name === level.name)
      .flatMap((other) => other.flows)
      .reduce((all, flow) => all + (flow.rejectedTotals[reason] ?? 0), 0);
  return [
    sample("executing-seats", executingSeatsOf(level)),
    ...(level.type === "Exempt" ? [] : [sample("current-limit-seats", level.currentLimitSeats)]),
    ...(level.queues === 0 ? [] : [sample("waiting-requests", waitingRequestsOf(level))]),
    ...[...reasons]
      .sort()
      .map((reason) => sample("rejected-per-second", perSecond(rejected(reason)), reason)),
  ];
}

/** One value of one series, or `null` where there is none at that instant. `level` is `null` for a server's own. */
export function valueAt(
  reading: ReadingOf,
  metric: ServerMetric | LevelMetric,
  level: string | null,
  rejectReason: string | null = null,
): number | null {
  const found = serverSamples(reading).find(
    ({ key }) =>
      key.metric === metric && key.priorityLevelName === level && key.rejectReason === rejectReason,
  );
  return found?.value ?? null;
}
