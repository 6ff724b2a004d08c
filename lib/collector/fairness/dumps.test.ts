import { describe, expect, test } from "vitest";
import { parsePriorityLevelDump, type RequestDumpRow } from "../../kube/fairness-dumps.ts";
import { decideFlows, FLOWS_KEPT } from "./decide-flows.ts";
import { decideLevelsFromDump } from "./decide-levels.ts";

const REQUEST: RequestDumpRow = {
  priorityLevelName: "workload-low",
  flowSchemaName: "service-accounts",
  queueIndex: 12,
  requestIndexInQueue: 0,
  flowDistinguisher: "system:serviceaccount:observability:agent",
  arrivedAt: Date.parse("2026-11-30T10:00:00Z"),
  initialSeats: 10,
  finalSeats: 0,
  additionalLatencySeconds: 0,
  startedAt: null,
  userName: "agent",
  verb: "list",
  apiPath: "/api/v1/pods",
  namespace: null,
  name: null,
  apiVersion: "v1",
  resource: "pods",
  subResource: null,
};

test("levels from dump_priority_levels hold requests executing and waiting, and no seats", () => {
  const { rows } = parsePriorityLevelDump(
    [
      "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, ",
      "system, 0, true, false, 0, 2, 500, ",
      "exempt, <none>, <none>, <none>, <none>, <none>, <none>, ",
    ].join("\n"),
  );
  const levels = decideLevelsFromDump(rows);
  expect(levels.map((level) => level.priorityLevelName)).toEqual(["exempt", "system"]);
  expect(levels[0]).toMatchObject({ executingRequests: null, waitingRequests: null });
  expect(levels[1]).toMatchObject({ executingRequests: 2, executingSeats: null, nominalSeats: null });
});

describe("decideFlows", () => {
  test("sums requests of one flow, and measures the wait on the server's own clock", () => {
    const { flows, total } = decideFlows(
      [
        REQUEST,
        { ...REQUEST, queueIndex: 40, arrivedAt: Date.parse("2026-11-30T10:00:04Z") },
        {
          ...REQUEST,
          requestIndexInQueue: -1,
          arrivedAt: Date.parse("2026-11-30T09:59:58Z"),
          initialSeats: 1,
          finalSeats: 8,
          verb: "update",
          resource: "leases",
        },
      ],
      Date.parse("2026-11-30T10:00:06Z"),
    );
    expect(total).toBe(1);
    expect(flows).toEqual([
      {
        priorityLevelName: "workload-low",
        flowSchemaName: "service-accounts",
        flowDistinguisher: "system:serviceaccount:observability:agent",
        executingRequests: 1,
        executingSeats: 8,
        waitingRequests: 2,
        waitingSeats: 20,
        queues: [12, 40],
        longestWaitSeconds: 6,
        requestKinds: ["list pods", "update leases"],
      },
    ]);
  });

  test("keeps the flows with the most seats, and says how many there were", () => {
    const requests = Array.from(
      { length: FLOWS_KEPT + 50 },
      (_, i): RequestDumpRow => ({
        ...REQUEST,
        queueIndex: null,
        flowDistinguisher: `user-${String(i).padStart(4, "0")}`,
        arrivedAt: null,
        initialSeats: i + 1,
        requestIndexInQueue: i % 2 === 0 ? -1 : 3,
        verb: null,
      }),
    );
    const { flows, total } = decideFlows(requests, 0);
    expect(total).toBe(FLOWS_KEPT + 50);
    expect(flows).toHaveLength(FLOWS_KEPT);
    expect(flows[0]?.flowDistinguisher).toBe("user-0249");
    expect(flows[0]).toMatchObject({ longestWaitSeconds: null, requestKinds: [], queues: [] });
  });
});
