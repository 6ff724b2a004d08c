import { describe, expect, it } from "vitest";
import { dumpOf } from "./dumps.ts";
import { executingRequestsOf, executingSeatsOf, type LevelFigures, waitingRequestsOf } from "./figures.ts";
import { shape } from "./shapes.ts";
import { NOW } from "./test-support.ts";

/** A level that is full: one flow of ten seats each, and one of one seat. */
const FULL: LevelFigures = {
  name: "workload-low",
  type: "Limited",
  queues: 128,
  handSize: 6,
  nominalSeats: 245,
  lowerSeats: 24,
  upperSeats: 845,
  currentLimitSeats: 56,
  demand: { highWatermark: 0, average: 0, stdev: 0, smoothed: 0, target: 0 },
  flows: [
    {
      flowSchemaName: "service-accounts",
      flowDistinguisher: "system:serviceaccount:monitoring:agent",
      userName: "system:serviceaccount:monitoring:agent",
      shape: shape("list", "pods"),
      seatsEach: 10,
      executingRequests: 5,
      waitingRequests: 13,
      dispatchedTotal: 900,
      dispatchedLateTotal: 40,
      rejectedTotals: { "time-out": 30, "queue-full": 4 },
      executionSeconds: 2,
    },
    {
      flowSchemaName: "service-accounts",
      flowDistinguisher: "system:serviceaccount:default:default",
      userName: "system:serviceaccount:default:default",
      shape: shape("get", "deployments", {
        group: "apps",
        scope: "resource",
        namespace: "default",
        name: "web",
      }),
      seatsEach: 1,
      executingRequests: 1,
      waitingRequests: 2,
      dispatchedTotal: 100,
      dispatchedLateTotal: 0,
      rejectedTotals: {},
      executionSeconds: 0.01,
    },
  ],
};
const EXEMPT: LevelFigures = { ...FULL, name: "exempt", type: "Exempt", queues: 0, handSize: 0, flows: [] };

function read(name: string, minor: number, withDetails = false) {
  const text = dumpOf(name, [EXEMPT, FULL], { minor, at: NOW, withDetails }) ?? "";
  const [head = [], ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(",").map((cell) => cell.trim()));
  return {
    text,
    head,
    rows: rows.map((row) => Object.fromEntries(head.map((column, index) => [column, row[index]]))),
  };
}

describe("dump_priority_levels", () => {
  it("has six columns up to 1.26 and ten from 1.27, and <none> for exempt up to 1.27", () => {
    expect(read("dump_priority_levels", 26).head).toHaveLength(6);
    expect(read("dump_priority_levels", 27).head).toHaveLength(10);
    expect(read("dump_priority_levels", 27).rows[0]?.IsIdle).toBe("<none>");
    expect(read("dump_priority_levels", 28).rows[0]?.IsIdle).toBe("true");
  });

  it("counts a time-out as rejected and cancelled, and never as timed out", () => {
    expect(read("dump_priority_levels", 34).rows[1]).toMatchObject({
      DispatchedRequests: "1000",
      RejectedRequests: "34",
      TimedoutRequests: "0",
      CancelledRequests: "30",
    });
  });
});

describe("dump_requests", () => {
  it("lists what waits and what executes, as many as the gauges say", () => {
    const { rows } = read("dump_requests", 34);
    const executing = rows.filter((row) => row.RequestIndexInQueue === "-1");
    expect(executing).toHaveLength(executingRequestsOf(FULL));
    expect(executing.reduce((sum, row) => sum + Number(row.InitialSeats), 0)).toBe(executingSeatsOf(FULL));
    expect(rows.length - executing.length).toBe(waitingRequestsOf(FULL));
  });

  it("has no executing requests and no StartTime before 1.28", () => {
    const { head, rows } = read("dump_requests", 27);
    expect(head).not.toContain("StartTime");
    expect(rows).toHaveLength(waitingRequestsOf(FULL));
  });

  it("puts each flow into the queues of its hand", () => {
    const { rows } = read("dump_requests", 34);
    const queuesOf = (distinguisher: string) =>
      new Set(
        rows.filter((row) => row.FlowDistingsher === distinguisher).map((row) => Number(row.QueueIndex)),
      );
    expect(queuesOf("system:serviceaccount:monitoring:agent")).toEqual(new Set([105, 116, 124, 73, 102, 80]));
  });

  it("appends details, with an empty last cell where there is no subresource", () => {
    const { text, rows } = read("dump_requests", 34, true);
    const web = rows.find((row) => row.Name === "web");
    expect(web).toMatchObject({ Verb: "get", APIVersion: "apps/v1", Namespace: "default", SubResource: "" });
    expect(text.split("\n")[0]?.endsWith("SubResource")).toBe(true);
  });

  it("gives those that wait a start in the year 1, the oldest at the head", () => {
    const waiting = read("dump_requests", 34).rows.filter((row) => row.RequestIndexInQueue !== "-1");
    expect(new Set(waiting.map((row) => row.StartTime))).toEqual(new Set(["0001-01-01T00:00:00Z"]));
    const queue = waiting.filter((row) => row.QueueIndex === "105");
    expect(queue.length).toBeGreaterThan(1);
    const arrivals = queue.map((row) => row.ArriveTime);
    expect(arrivals).toEqual(arrivals.toSorted());
  });
});

describe("dump_queues", () => {
  it("has a row for every queue, whose sums are those of the level", () => {
    const { rows } = read("dump_queues", 34);
    const sum = (column: string) => rows.reduce((all, row) => all + Number(row[column]), 0);
    expect(rows).toHaveLength(128);
    expect(sum("PendingRequests")).toBe(waitingRequestsOf(FULL));
    expect(sum("SeatsInUse")).toBe(executingSeatsOf(FULL));
    expect(sum("InitialSeatsSum")).toBe(132);
    expect(rows[0]?.TotalWorkSum).toMatch(/^\d+\.\d{8}ss$/);
  });
});

it("knows no other dump", () => {
  expect(dumpOf("dump_everything", [FULL], { minor: 34, at: NOW, withDetails: false })).toBeNull();
});
