import type { FlowFigures, LevelFigures } from "./figures.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { spread } from "./spread.ts";

const WAIT_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
/** Shares of the waits by bucket (upper bound as above), while the level has room and while it is full. */
const CALM_WAITS = [0.9, 0.095, 0.004, 0.001, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const LATE_WAITS = [0, 0, 0, 0, 0, 0, 0.01, 0.02, 0.05, 0.16, 0.26, 0.45, 0.05, 0];
const EXECUTION_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/**
 * The `apiserver_flowcontrol_*` families of this minor.
 * Source: apiserver pkg/util/flowcontrol/metrics/metrics.go, v1.26 to v1.37.
 */
export function addFlowControl(page: MetricsPage, levels: readonly LevelFigures[], minor: number): void {
  const prefix = "apiserver_flowcontrol_";
  const grade = minor >= 28 ? "BETA" : "ALPHA";
  const family = (name: string, kind: "counter" | "gauge" | "histogram", stability: string, help: string) =>
    page.family(prefix + name, kind, stability, help);
  const byLevel = (
    name: string,
    stability: string,
    help: string,
    value: (level: LevelFigures) => number | null,
  ) => {
    const rows = family(name, "gauge", stability, help);
    for (const level of levels) {
      const reading = value(level);
      if (reading !== null) rows.add({ priority_level: level.name }, reading);
    }
  };
  byLevel(
    "nominal_limit_seats",
    grade,
    "Nominal number of execution seats configured for each priority level",
    (l) => l.nominalSeats,
  );
  byLevel(
    "lower_limit_seats",
    "ALPHA",
    "Configured lower bound on number of execution seats available to each priority level",
    (l) => l.lowerSeats,
  );
  byLevel(
    "upper_limit_seats",
    "ALPHA",
    "Configured upper bound on number of execution seats available to each priority level",
    (l) => l.upperSeats,
  );
  byLevel(
    "current_limit_seats",
    "ALPHA",
    "current derived number of execution seats available to each priority level",
    (l) => l.currentLimitSeats,
  );
  byLevel(
    "demand_seats_high_watermark",
    "ALPHA",
    "High watermark, over last adjustment period, of demand_seats",
    (l) => l.demand.highWatermark,
  );
  byLevel(
    "demand_seats_average",
    "ALPHA",
    "Time-weighted average, over last adjustment period, of demand_seats",
    (l) => l.demand.average,
  );
  byLevel(
    "demand_seats_stdev",
    "ALPHA",
    "Time-weighted standard deviation, over last adjustment period, of demand_seats",
    (l) => l.demand.stdev,
  );
  byLevel("demand_seats_smoothed", "ALPHA", "Smoothed seat demands", (l) => l.demand.smoothed);
  byLevel("target_seats", "ALPHA", "Seat allocation targets", (l) => l.demand.target);
  if (minor < 37) {
    byLevel(
      "request_concurrency_limit",
      "ALPHA",
      minor >= 30
        ? "(Deprecated since 1.30.0) Nominal number of execution seats configured for each priority level"
        : "Nominal number of execution seats configured for each priority level",
      (l) => (l.type === "Exempt" ? null : l.nominalSeats),
    );
  }

  const executing = family(
    "current_executing_requests",
    "gauge",
    grade,
    "Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
  );
  const seats =
    minor >= 28
      ? family(
          "current_executing_seats",
          "gauge",
          "BETA",
          "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        )
      : null;
  const inUse =
    minor < 37
      ? family(
          "request_concurrency_in_use",
          "gauge",
          "ALPHA",
          minor >= 31
            ? "(Deprecated since 1.31.0) Concurrency (number of seats) occupied by the currently executing requests"
            : "Concurrency (number of seats) occupied by the currently executing requests",
        )
      : null;
  const waiting = family(
    "current_inqueue_requests",
    "gauge",
    grade,
    "Number of requests currently pending in queues of the API Priority and Fairness subsystem",
  );
  const waitingSeats =
    minor >= 29
      ? family(
          "current_inqueue_seats",
          "gauge",
          "ALPHA",
          "Number of seats currently pending in queues of the API Priority and Fairness subsystem",
        )
      : null;
  const dispatched = family(
    "dispatched_requests_total",
    "counter",
    grade,
    "Number of requests executed by API Priority and Fairness subsystem",
  );
  const rejected = family(
    "rejected_requests_total",
    "counter",
    grade,
    "Number of requests rejected by API Priority and Fairness subsystem",
  );
  const waits = family(
    "request_wait_duration_seconds",
    "histogram",
    grade,
    "Length of time a request spent waiting in its queue",
  );
  const runs = family(
    "request_execution_seconds",
    "histogram",
    "ALPHA",
    "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
  );

  for (const level of levels) {
    for (const flow of bySchema(level.flows)) {
      const labels = { flow_schema: flow.name, priority_level: level.name };
      executing.add(labels, flow.executingRequests);
      seats?.add(labels, flow.executingSeats);
      inUse?.add(labels, flow.executingSeats);
      dispatched.add(labels, flow.dispatchedTotal);
      for (const [reason, total] of flow.rejected) rejected.add({ ...labels, reason }, total);
      runs.addHistogram(
        { ...labels, type: "regular" },
        EXECUTION_BOUNDS,
        executionCounts(flow.dispatchedTotal, flow.executionSeconds),
        flow.dispatchedTotal * flow.executionSeconds,
      );
      if (level.queues === 0) continue;
      waiting.add(labels, flow.waitingRequests);
      waitingSeats?.add(labels, flow.waitingSeats);
      addWaits(waits, labels, flow, minor);
    }
  }
}

interface SchemaSum {
  readonly name: string;
  executingRequests: number;
  executingSeats: number;
  waitingRequests: number;
  waitingSeats: number;
  dispatchedTotal: number;
  lateTotal: number;
  executionSeconds: number;
  readonly rejected: Map<string, number>;
}

/** The flows of a level summed by FlowSchema, which is as fine as metrics go. */
function bySchema(flows: readonly FlowFigures[]): SchemaSum[] {
  const sums = new Map<string, SchemaSum>();
  for (const flow of flows) {
    const sum: SchemaSum = sums.get(flow.flowSchemaName) ?? {
      name: flow.flowSchemaName,
      executingRequests: 0,
      executingSeats: 0,
      waitingRequests: 0,
      waitingSeats: 0,
      dispatchedTotal: 0,
      lateTotal: 0,
      executionSeconds: flow.executionSeconds,
      rejected: new Map(),
    };
    sum.executingRequests += flow.executingRequests;
    sum.executingSeats += flow.executingRequests * flow.seatsEach;
    sum.waitingRequests += flow.waitingRequests;
    sum.waitingSeats += flow.waitingRequests * flow.seatsEach;
    sum.dispatchedTotal += flow.dispatchedTotal;
    sum.lateTotal += flow.dispatchedLateTotal;
    for (const [reason, total] of Object.entries(flow.rejectedTotals)) {
      sum.rejected.set(reason, (sum.rejected.get(reason) ?? 0) + total);
    }
    sums.set(flow.flowSchemaName, sum);
  }
  return [...sums.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Requests that were executed, and those that waited out their limit of 15 s and were not. */
function addWaits(
  waits: ReturnType<MetricsPage["family"]>,
  labels: Record<string, string>,
  flow: SchemaSum,
  minor: number,
): void {
  // The bound at 15 s came with 1.28; before it, what it holds lies below the one at 30 s.
  const dropsFifteen = minor < 28;
  const bounds = dropsFifteen ? WAIT_BOUNDS.filter((bound) => bound !== 15) : WAIT_BOUNDS;
  const fold = (counts: readonly number[]) => {
    const [fifteen = 0, thirty = 0] = counts.slice(11, 13);
    return dropsFifteen ? [...counts.slice(0, 11), fifteen + thirty, ...counts.slice(13)] : counts;
  };
  const late = Math.min(flow.lateTotal, flow.dispatchedTotal);
  const calmCounts = spread(flow.dispatchedTotal - late, CALM_WAITS);
  const lateCounts = spread(late, LATE_WAITS);
  const counts = calmCounts.map((value, index) => value + (lateCounts[index] ?? 0));
  waits.addHistogram(
    { ...labels, execute: "true" },
    bounds,
    fold(counts),
    (flow.dispatchedTotal - late) * 0.0006 + late * 9.4,
  );
  const timedOut = flow.rejected.get("time-out") ?? 0;
  if (timedOut > 0) {
    const out = WAIT_BOUNDS.map(() => 0);
    out[12] = timedOut;
    waits.addHistogram({ ...labels, execute: "false" }, bounds, fold([...out, 0]), timedOut * 15.0004);
  }
}

/** Executions lie around their mean: most in its bucket, some in the one above. */
function executionCounts(total: number, meanSeconds: number): number[] {
  const at = Math.max(
    1,
    EXECUTION_BOUNDS.findIndex((bound) => bound >= meanSeconds),
  );
  const shares = [...EXECUTION_BOUNDS, 0].map((_, index) =>
    index === at ? 0.92 : index === at + 1 ? 0.08 : 0,
  );
  return spread(total, shares);
}
