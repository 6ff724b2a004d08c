import { BodyError } from "./body-error.ts";
import { excerpt } from "./redact.ts";

/** Where API servers serve the state of API Priority and Fairness, as text. */
export const FAIRNESS_DUMP_PATHS = {
  priorityLevels: "/debug/api_priority_and_fairness/dump_priority_levels",
  queues: "/debug/api_priority_and_fairness/dump_queues",
  requests: "/debug/api_priority_and_fairness/dump_requests",
  requestsWithDetails: "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
} as const;

/**
 * One priority level of `dump_priority_levels`. A figure is null where the version has no such column or prints
 * `<none>` (exempt levels up to 1.27). Source: apf_controller_debug.go of k8s.io/apiserver, v0.26 to v0.37.
 */
export interface PriorityLevelDumpRow {
  readonly priorityLevelName: string;
  /** Queues that hold waiting requests. */
  readonly activeQueues: number | null;
  readonly isIdle: boolean | null;
  readonly isQuiescing: boolean | null;
  readonly waitingRequests: number | null;
  readonly executingRequests: number | null;
  /** Since the server started, as are the three below; from 1.27. */
  readonly dispatchedRequests: number | null;
  readonly rejectedRequests: number | null;
  /** Never counted from 1.29 on: a time-out counts as rejected and cancelled. */
  readonly timedoutRequests: number | null;
  readonly cancelledRequests: number | null;
}

/** One queue of `dump_queues`. */
export interface QueueDumpRow {
  readonly priorityLevelName: string;
  readonly index: number;
  readonly pendingRequests: number | null;
  readonly executingRequests: number | null;
  readonly seatsInUse: number | null;
  /** Virtual time at which its next request would start, in seat-seconds. */
  readonly nextDispatchSeatSeconds: number | null;
  readonly initialSeatsSum: number | null;
  readonly maxSeatsSum: number | null;
  /** Work of its waiting requests, in seat-seconds. */
  readonly totalWorkSeatSeconds: number | null;
}

/** One request of `dump_requests`. The last eight fields are null without `includeRequestDetails`. */
export interface RequestDumpRow {
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  /** −1 (or null) where the priority level has no queues. */
  readonly queueIndex: number | null;
  /** −1 for a request that is executing (listed from 1.28). */
  readonly requestIndexInQueue: number | null;
  readonly flowDistinguisher: string;
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number | null;
  readonly initialSeats: number | null;
  readonly finalSeats: number | null;
  readonly additionalLatencySeconds: number | null;
  /** Milliseconds since the epoch; null while it waits, and before 1.28. */
  readonly startedAt: number | null;
  readonly userName: string | null;
  readonly verb: string | null;
  readonly apiPath: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly apiVersion: string | null;
  readonly resource: string | null;
  readonly subResource: string | null;
}

/** Rows of a dump, in the order of the text, and how many lines could not be told apart into columns. */
export interface FairnessDump<Row> {
  readonly rows: readonly Row[];
  readonly malformedLines: number;
}

/** @throws BodyError where the text is no such dump */
export function parsePriorityLevelDump(text: string): FairnessDump<PriorityLevelDumpRow> {
  return parseDump(text, "WaitingRequests", (cell) => ({
    priorityLevelName: cell("PriorityLevelName") ?? "",
    activeQueues: toNumber(cell("ActiveQueues")),
    isIdle: toBoolean(cell("IsIdle")),
    isQuiescing: toBoolean(cell("IsQuiescing")),
    waitingRequests: toNumber(cell("WaitingRequests")),
    executingRequests: toNumber(cell("ExecutingRequests")),
    dispatchedRequests: toNumber(cell("DispatchedRequests")),
    rejectedRequests: toNumber(cell("RejectedRequests")),
    timedoutRequests: toNumber(cell("TimedoutRequests")),
    cancelledRequests: toNumber(cell("CancelledRequests")),
  }));
}

/** @throws BodyError where the text is no such dump */
export function parseQueueDump(text: string): FairnessDump<QueueDumpRow> {
  return parseDump(text, "PendingRequests", (cell) => ({
    priorityLevelName: cell("PriorityLevelName") ?? "",
    index: toNumber(cell("Index")) ?? 0,
    pendingRequests: toNumber(cell("PendingRequests")),
    executingRequests: toNumber(cell("ExecutingRequests")),
    seatsInUse: toNumber(cell("SeatsInUse")),
    nextDispatchSeatSeconds: toSeatSeconds(cell("NextDispatchR")),
    initialSeatsSum: toNumber(cell("InitialSeatsSum")),
    maxSeatsSum: toNumber(cell("MaxSeatsSum")),
    totalWorkSeatSeconds: toSeatSeconds(cell("TotalWorkSum")),
  }));
}

/** With and without details. @throws BodyError where the text is no such dump */
export function parseRequestDump(text: string): FairnessDump<RequestDumpRow> {
  return parseDump(text, "FlowSchemaName", (cell) => ({
    priorityLevelName: cell("PriorityLevelName") ?? "",
    flowSchemaName: cell("FlowSchemaName") ?? "",
    queueIndex: toNumber(cell("QueueIndex")),
    requestIndexInQueue: toNumber(cell("RequestIndexInQueue")),
    // The column is misspelt upstream; the right spelling is taken too, should it ever come.
    flowDistinguisher: cell("FlowDistingsher") ?? cell("FlowDistinguisher") ?? "",
    arrivedAt: toInstant(cell("ArriveTime")),
    initialSeats: toNumber(cell("InitialSeats")),
    finalSeats: toNumber(cell("FinalSeats")),
    additionalLatencySeconds: toDurationSeconds(cell("AdditionalLatency")),
    startedAt: toInstant(cell("StartTime")),
    userName: cell("UserName"),
    verb: cell("Verb"),
    apiPath: cell("APIPath"),
    namespace: cell("Namespace"),
    name: cell("Name"),
    apiVersion: cell("APIVersion"),
    resource: cell("Resource"),
    subResource: cell("SubResource"),
  }));
}

type CellReader = (column: string) => string | null;

/**
 * Columns are taken from the header line, since they differ by version. Each cell but the last is followed by a comma
 * and filled up with at least one blank; a comma without a blank belongs to the cell.
 */
function parseDump<Row>(
  text: string,
  knownColumn: string,
  toRow: (cell: CellReader) => Row,
): FairnessDump<Row> {
  const lines = text.split(/\r?\n/);
  const headerAt = lines.findIndex((line) => line.trim() !== "");
  const header = lines[headerAt] ?? "";
  const endsInComma = /,[ \t]*$/.test(header);
  const columns = splitCells(header, endsInComma).filter((column) => column !== "");
  if (!columns.includes("PriorityLevelName") || !columns.includes(knownColumn)) {
    const begin = JSON.stringify(excerpt(header, [], 80));
    throw new BodyError(
      "bad-body",
      header === "" ? "the dump is empty" : `this is no such dump: it begins with ${begin}`,
    );
  }
  const offsets = columns.map((column) => header.search(new RegExp(`(?<![^ ,\\t])${column}(?![^ ,\\t])`)));
  const rows: Row[] = [];
  let malformedLines = 0;
  for (const line of lines.slice(headerAt + 1)) {
    if (line.trim() === "") continue;
    const cells = splitLine(line, offsets, endsInComma);
    if (cells === null) {
      malformedLines++;
      continue;
    }
    const byColumn = new Map(columns.map((column, index) => [column, cells[index] ?? ""]));
    rows.push(
      toRow((column) => {
        const value = byColumn.get(column);
        return value === undefined || value === "<none>" ? null : value;
      }),
    );
  }
  return { rows, malformedLines };
}

/**
 * The last cell is as a rule not followed by a comma and may be empty: most requests have no subresource. Where the
 * header ends in a comma every line does, and what follows it is no cell.
 */
function splitCells(line: string, endsInComma: boolean): string[] {
  const cells = line.split(/,(?:[ \t]+|$)/).map((cell) => cell.trim());
  if (endsInComma && cells.at(-1) === "") cells.pop();
  return cells;
}

/**
 * A user name may hold a comma and a blank ("Doe, Jane"); then the cells are cut where the header's columns begin,
 * counted in characters as the writer of the table counts them. null where that does not fit either.
 */
function splitLine(line: string, offsets: readonly number[], endsInComma: boolean): readonly string[] | null {
  const cells = splitCells(line, endsInComma);
  if (cells.length === offsets.length) return cells;
  const characters = [...line];
  const cut = offsets.map((offset, index) =>
    characters
      .slice(offset, offsets[index + 1] ?? characters.length)
      .join("")
      .trimEnd(),
  );
  const isFitting = cut.every(
    (cell, index) => cell.endsWith(",") || (!endsInComma && index === cut.length - 1),
  );
  return isFitting ? cut.map((cell) => cell.replace(/,$/, "").trim()) : null;
}

function toNumber(cell: string | null): number | null {
  return cell !== null && /^-?\d+$/.test(cell) ? Number(cell) : null;
}

function toBoolean(cell: string | null): boolean | null {
  return cell === "true" ? true : cell === "false" ? false : null;
}

/** `12.00300000ss` */
function toSeatSeconds(cell: string | null): number | null {
  const match = cell === null ? null : /^(-?\d+(?:\.\d+)?)ss$/.exec(cell);
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** RFC 3339; Go's zero time (year 1) means that it has not happened. */
function toInstant(cell: string | null): number | null {
  if (cell === null || cell.startsWith("0001-")) return null;
  const instant = Date.parse(cell);
  return Number.isNaN(instant) ? null : instant;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};

/** A duration as Go prints it: `0s`, `5ms`, `1m2.5s`. */
function toDurationSeconds(cell: string | null): number | null {
  if (cell === null || !/^(?:\d+(?:\.\d+)?(?:h|m|s|ms|us|µs|ns))+$/.test(cell)) return null;
  let seconds = 0;
  for (const [, amount, unit] of cell.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  return seconds;
}
