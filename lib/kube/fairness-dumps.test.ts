import { describe, expect, it } from "vitest";
import { parsePriorityLevelDump, parseQueueDump, parseRequestDump } from "./fairness-dumps.ts";

/**
 * Lays rows out as the API server does: cells joined by a comma, filled up with blanks, at least 8 wide; the last one
 * as it is.
 */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(8, ...rows.map((row) => [...(row[column] ?? "")].length + 2)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1
            ? cell
            : `${cell},`.padEnd((widths[column] ?? 8) + `${cell},`.length - [...cell].length - 1),
        )
        .join(""),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const REQUEST_COLUMNS = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];
const DETAIL_COLUMNS = [
  "UserName",
  "Verb",
  "APIPath",
  "Namespace",
  "Name",
  "APIVersion",
  "Resource",
  "SubResource",
];
const WAITING = [
  "workload-low",
  "service-accounts",
  "14",
  "0",
  "system:serviceaccount:a:b",
  "2026-01-02T03:04:05.678901234Z",
  "10",
  "0",
  "0s",
  "0001-01-01T00:00:00Z",
];

describe("parsePriorityLevelDump", () => {
  it("reads the columns of 1.27 and later", () => {
    const text = table([
      [
        "PriorityLevelName",
        "ActiveQueues",
        "IsIdle",
        "IsQuiescing",
        "WaitingRequests",
        "ExecutingRequests",
        "DispatchedRequests",
        "RejectedRequests",
        "TimedoutRequests",
        "CancelledRequests",
      ],
      ["exempt", "0", "false", "false", "0", "1", "4711", "0", "0", "0"],
      ["workload-low", "3", "false", "false", "120", "5", "88", "7", "0", "2"],
    ]);
    expect(parsePriorityLevelDump(text)).toEqual({
      malformedLines: 0,
      rows: [
        expect.objectContaining({ priorityLevelName: "exempt", dispatchedRequests: 4711 }),
        {
          priorityLevelName: "workload-low",
          activeQueues: 3,
          isIdle: false,
          isQuiescing: false,
          waitingRequests: 120,
          executingRequests: 5,
          dispatchedRequests: 88,
          rejectedRequests: 7,
          timedoutRequests: 0,
          cancelledRequests: 2,
        },
      ],
    });
  });

  it("columns that 1.26 does not have, and its <none> cells, are unknown rather than zero", () => {
    const text =
      "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, \n" +
      "exempt,            <none>,       <none>, <none>,      <none>,          <none>,            \n" +
      "system,            0,            true,   false,       0,               0,                 \n";
    const { rows } = parsePriorityLevelDump(text);
    expect(rows[0]).toEqual({
      priorityLevelName: "exempt",
      activeQueues: null,
      isIdle: null,
      isQuiescing: null,
      waitingRequests: null,
      executingRequests: null,
      dispatchedRequests: null,
      rejectedRequests: null,
      timedoutRequests: null,
      cancelledRequests: null,
    });
    expect(rows[1]).toMatchObject({ isIdle: true, waitingRequests: 0, dispatchedRequests: null });
  });

  it("a column that does not exist yet is passed over", () => {
    const text = "PriorityLevelName, NewColumn, WaitingRequests, \nsystem, x, 4, \n";
    expect(parsePriorityLevelDump(text).rows[0]).toMatchObject({
      waitingRequests: 4,
      executingRequests: null,
    });
  });

  it.each(["", "\n", "404 page not found\n", '{"kind":"Status"}', "PriorityLevelName, Index, \n"])(
    "%j is no such dump",
    (text) => {
      expect(() => parsePriorityLevelDump(text)).toThrow(expect.objectContaining({ reason: "bad-body" }));
    },
  );
});

describe("parseQueueDump", () => {
  it("reads seat-seconds", () => {
    const text = table([
      [
        "PriorityLevelName",
        "Index",
        "PendingRequests",
        "ExecutingRequests",
        "SeatsInUse",
        "NextDispatchR",
        "InitialSeatsSum",
        "MaxSeatsSum",
        "TotalWorkSum",
      ],
      ["workload-low", "7", "2", "1", "10", "12.00300000ss", "20", "20", "0.06000000ss"],
    ]);
    expect(parseQueueDump(text).rows).toEqual([
      {
        priorityLevelName: "workload-low",
        index: 7,
        pendingRequests: 2,
        executingRequests: 1,
        seatsInUse: 10,
        nextDispatchSeatSeconds: 12.003,
        initialSeatsSum: 20,
        maxSeatsSum: 20,
        totalWorkSeatSeconds: 0.06,
      },
    ]);
  });
});

describe("parseRequestDump", () => {
  it("without details: a waiting request has not started", () => {
    expect(parseRequestDump(table([REQUEST_COLUMNS, WAITING])).rows).toEqual([
      {
        priorityLevelName: "workload-low",
        flowSchemaName: "service-accounts",
        queueIndex: 14,
        requestIndexInQueue: 0,
        flowDistinguisher: "system:serviceaccount:a:b",
        arrivedAt: Date.parse("2026-01-02T03:04:05.678Z"),
        initialSeats: 10,
        finalSeats: 0,
        additionalLatencySeconds: 0,
        startedAt: null,
        userName: null,
        verb: null,
        apiPath: null,
        namespace: null,
        name: null,
        apiVersion: null,
        resource: null,
        subResource: null,
      },
    ]);
  });

  it("with details: empty cells, commas and blanks inside a cell, and characters of several bytes keep their place", () => {
    const details = ["Doe, Jané, 漢", "list", "/api/v1/pods?labelSelector=a,b", "", "", "v1", "pods", ""];
    const executing = WAITING.with(3, "-1").with(4, "").with(8, "1.5ms").with(9, "2026-01-02T03:04:06Z");
    const { rows, malformedLines } = parseRequestDump(
      table([
        [...REQUEST_COLUMNS, ...DETAIL_COLUMNS],
        [...executing, ...details],
        [...WAITING, ...details.with(0, "plain")],
        [...WAITING, ...details.with(0, "Doe, Jane")],
      ]),
    );
    expect(malformedLines).toBe(0);
    expect(rows[0]).toMatchObject({
      requestIndexInQueue: -1,
      flowDistinguisher: "",
      additionalLatencySeconds: 0.0015,
      startedAt: Date.parse("2026-01-02T03:04:06Z"),
      userName: "Doe, Jané, 漢",
      verb: "list",
      apiPath: "/api/v1/pods?labelSelector=a,b",
      namespace: "",
      name: "",
      apiVersion: "v1",
      resource: "pods",
      subResource: "",
    });
    expect(rows[1]).toMatchObject({ userName: "plain", resource: "pods", subResource: "" });
    expect(rows[2]).toMatchObject({ userName: "Doe, Jane", resource: "pods", subResource: "" });
  });

  it("the columns of 1.22 are enough", () => {
    const text = table([REQUEST_COLUMNS.slice(0, 6), WAITING.slice(0, 6)]);
    expect(parseRequestDump(text).rows[0]).toMatchObject({
      flowSchemaName: "service-accounts",
      initialSeats: null,
    });
  });

  it("a comma at the end of every line, as old servers write it, ends the last cell", () => {
    const text = table([REQUEST_COLUMNS, WAITING]).replaceAll("\n", ",\n");
    expect(parseRequestDump(text)).toMatchObject({
      malformedLines: 0,
      rows: [{ queueIndex: 14, startedAt: null }],
    });
  });

  it("a line that fits no columns is counted, not guessed", () => {
    const text = `${table([REQUEST_COLUMNS, WAITING])}workload-low, x, \n`;
    expect(parseRequestDump(text)).toMatchObject({ malformedLines: 1, rows: [{ queueIndex: 14 }] });
  });
});
