import {
  executingRequestsOf,
  type FlowFigures,
  type LevelFigures,
  type RequestShape,
  waitingRequestsOf,
} from "./figures.ts";
import { queuesOfFlow } from "./load-model.ts";

export const DUMP_PREFIX = "/debug/api_priority_and_fairness/";

/**
 * A debug dump of the levels, or `null` where there is none of that name.
 * Source: apiserver pkg/util/flowcontrol/apf_controller_debug.go, v1.26 to v1.37.
 */
export function dumpOf(
  name: string,
  levels: readonly LevelFigures[],
  { minor, at, withDetails }: { minor: number; at: number; withDetails: boolean },
): string | null {
  switch (name) {
    case "dump_priority_levels":
      return dumpPriorityLevels(levels, minor);
    case "dump_queues":
      return dumpQueues(levels, at);
    case "dump_requests":
      return dumpRequests(levels, { minor, at, withDetails });
    default:
      return null;
  }
}

function dumpPriorityLevels(levels: readonly LevelFigures[], minor: number): string {
  const head = [
    "PriorityLevelName",
    "ActiveQueues",
    "IsIdle",
    "IsQuiescing",
    "WaitingRequests",
    "ExecutingRequests",
  ];
  const counters = ["DispatchedRequests", "RejectedRequests", "TimedoutRequests", "CancelledRequests"];
  const rows = levels.map((level) => {
    const { name, type, flows } = level;
    const waiting = waitingRequestsOf(level);
    const executing = executingRequestsOf(level);
    const total = (reasons: (reason: string) => boolean) =>
      flows
        .flatMap((flow) => Object.entries(flow.rejectedTotals))
        .reduce((sum, [reason, value]) => sum + (reasons(reason) ? value : 0), 0);
    if (type === "Exempt" && minor < 28) {
      return [name, ...Array.from({ length: minor < 27 ? 5 : 9 }, () => "<none>")];
    }
    const cells = [
      name,
      String(activeQueues(level).size),
      String(waiting + executing === 0),
      "false",
      String(waiting),
      String(executing),
    ];
    if (minor < 27) return cells;
    const dispatched = flows.reduce((sum, flow) => sum + flow.dispatchedTotal, 0);
    // What waited out its time counts as rejected and as cancelled; the column of time-outs stays at 0.
    const timedOut = total((reason) => reason === "time-out");
    return [...cells, String(dispatched), String(total(() => true)), "0", String(timedOut)];
  });
  return table(minor < 27 ? head : [...head, ...counters], rows);
}

/** Waiting requests by queue: a flow fills the queues of its hand in turn. */
function activeQueues(level: LevelFigures): Map<number, FlowFigures[]> {
  const queues = new Map<number, FlowFigures[]>();
  for (const flow of level.flows) {
    const hand = queuesOfFlow(level, flow);
    for (let k = 0; k < flow.waitingRequests && hand.length > 0; k++) {
      const queue = hand[k % hand.length] ?? 0;
      const waiting = queues.get(queue);
      if (waiting) waiting.push(flow);
      else queues.set(queue, [flow]);
    }
  }
  return queues;
}

function dumpQueues(levels: readonly LevelFigures[], at: number): string {
  const head = [
    "PriorityLevelName",
    "Index",
    "PendingRequests",
    "ExecutingRequests",
    "SeatsInUse",
    "NextDispatchR",
    "InitialSeatsSum",
    "MaxSeatsSum",
    "TotalWorkSum",
  ];
  const rows: string[][] = [];
  for (const level of levels) {
    const waiting = activeQueues(level);
    const executing = executingByQueue(level);
    const round = (at / 1000) % 1e6;
    for (let queue = 0; queue < level.queues; queue++) {
      const pending = waiting.get(queue) ?? [];
      const seats = pending.reduce((sum, flow) => sum + flow.seatsEach, 0);
      const runs = executing.get(queue) ?? [];
      const isActive = pending.length + runs.length > 0;
      rows.push([
        level.name,
        String(queue),
        String(pending.length),
        String(runs.length),
        String(runs.reduce((sum, flow) => sum + flow.seatsEach, 0)),
        `${(isActive ? round : 0).toFixed(8)}ss`,
        String(seats),
        String(seats),
        `${(seats * 0.003).toFixed(8)}ss`,
      ]);
    }
  }
  return table(head, rows);
}

/** Executing requests by the queue they came from; -1 where the level has none. */
function executingByQueue(level: LevelFigures): Map<number, FlowFigures[]> {
  const found = new Map<number, FlowFigures[]>();
  for (const flow of level.flows) {
    const hand = queuesOfFlow(level, flow);
    for (let k = 0; k < flow.executingRequests; k++) {
      const queue = hand[k % Math.max(1, hand.length)] ?? -1;
      const running = found.get(queue);
      if (running) running.push(flow);
      else found.set(queue, [flow]);
    }
  }
  return found;
}

/** How long waiting requests of a full level have waited, at most: the limit at which they are rejected. */
const WAIT_LIMIT_SECONDS = 15;

function dumpRequests(
  levels: readonly LevelFigures[],
  { minor, at, withDetails }: { minor: number; at: number; withDetails: boolean },
): string {
  const head = [
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher",
    "ArriveTime",
    "InitialSeats",
    "FinalSeats",
    "AdditionalLatency",
  ];
  if (minor >= 28) head.push("StartTime");
  if (withDetails)
    head.push("UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource");
  const rows: string[][] = [];
  const row = (
    level: LevelFigures,
    flow: FlowFigures,
    queue: number,
    position: number,
    arrived: number,
    started: number | null,
  ) => {
    const cells = [
      level.name,
      flow.flowSchemaName,
      String(queue),
      String(position),
      flow.flowDistinguisher,
      goTime(arrived),
      String(flow.seatsEach),
      "0",
      "0s",
    ];
    if (minor >= 28) cells.push(started === null ? "0001-01-01T00:00:00Z" : goTime(started));
    if (withDetails) {
      const { shape } = flow;
      cells.push(
        flow.userName,
        shape.verb,
        shape.path,
        shape.namespace,
        shape.name,
        groupVersion(shape),
        shape.resource,
        shape.subresource,
      );
    }
    rows.push(cells);
  };
  for (const level of levels) {
    // Queue by queue, what waits in it and then what was dispatched from it; at last what never saw a queue.
    const waiting = activeQueues(level);
    const executing = minor >= 28 ? executingByQueue(level) : new Map<number, FlowFigures[]>();
    const queues = new Set([...waiting.keys(), ...executing.keys()]);
    for (const queue of [...queues].sort((a, b) => (a < 0 ? 1 : b < 0 ? -1 : a - b))) {
      for (const [position, flow] of (waiting.get(queue) ?? []).entries()) {
        const queued = waiting.get(queue)?.length ?? 1;
        const age = (WAIT_LIMIT_SECONDS * (queued - position)) / (queued + 1);
        row(level, flow, queue, position, at - age * 1000, null);
      }
      const running = executing.get(queue) ?? [];
      for (const [index, flow] of running.entries()) {
        const ran = flow.executionSeconds * ((index + 1) / (running.length + 1));
        row(level, flow, queue, -1, at - ran * 1000 - 2, at - ran * 1000);
      }
    }
  }
  return table(head, rows);
}

const groupVersion = ({ group, version }: RequestShape) => (group === "" ? version : `${group}/${version}`);

const goTime = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}412345Z`;

/** Columns joined by commas and padded with blanks, each at least 8 wide. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(8, ...all.map((cells) => (cells[column] ?? "").length + 2)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === head.length - 1 ? cell : `${cell},`.padEnd(widths[column] ?? 8)))
      .join("");
  return `${all.map(line).join("\n")}\n`;
}
