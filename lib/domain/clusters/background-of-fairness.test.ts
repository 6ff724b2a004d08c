import { expect, test } from "vitest";
import type { FairnessPart, FlowSample, LevelSample } from "../fairness/fairness-part.ts";
import { backgroundOfFairness } from "./background-of-fairness.ts";

const level = (over: Partial<LevelSample>): LevelSample => ({
  priorityLevelName: "workload-low",
  nominalSeats: null,
  minSeats: null,
  maxSeats: null,
  currentLimitSeats: null,
  executingSeats: null,
  executingRequests: null,
  waitingRequests: null,
  waitingSeats: null,
  demandSeatsSmoothed: null,
  rejectedTotal: {},
  dispatchedTotal: null,
  rejectedPerSecond: null,
  dispatchedPerSecond: null,
  waitP99: null,
  ...over,
});

const flow = (flowDistinguisher: string, executingRequests: number): FlowSample => ({
  priorityLevelName: "workload-low",
  flowSchemaName: "service-accounts",
  flowDistinguisher,
  executingRequests,
  executingSeats: executingRequests,
  waitingRequests: 0,
  waitingSeats: 0,
  queues: [],
  longestWaitSeconds: null,
  requestKinds: [],
});

const part = (
  ...servers: readonly {
    readonly levels: readonly LevelSample[];
    readonly flows: readonly FlowSample[] | null;
  }[]
): FairnessPart => ({
  servers: servers.map((server, index) => ({
    serverId: `${index}`,
    observedAt: 0,
    isEnabled: true,
    flowsObservedAt: null,
    ...server,
  })),
  priorityLevels: null,
  flowSchemas: null,
  configurationReadAt: null,
  configurationApiVersion: null,
});

test("the busiest server counts; how long a request takes follows from Little's law", () => {
  const quiet = level({ dispatchedPerSecond: 5, executingRequests: 1, executingSeats: 1 });
  const busy = level({ dispatchedPerSecond: 40, executingRequests: 10, executingSeats: 30 });
  const [flowOf, ...others] = backgroundOfFairness(
    part({ levels: [quiet], flows: null }, { levels: [busy], flows: null }),
  );
  expect(flowOf).toMatchObject({
    requestsPerSecond: 40,
    serviceSeconds: 0.25,
    seats: 3,
    flowDistinguisher: "",
  });
  expect(others).toEqual([]);
});

test("flows of the dump share the rate by their requests", () => {
  const flows = [flow("system:serviceaccount:a:a", 3), flow("system:serviceaccount:b:b", 1)];
  const found = backgroundOfFairness(
    part({ levels: [level({ dispatchedPerSecond: 8, executingRequests: 4, executingSeats: 4 })], flows }),
  );
  expect(
    found.map(({ flowDistinguisher, requestsPerSecond }) => [flowDistinguisher, requestsPerSecond]),
  ).toEqual([
    ["system:serviceaccount:a:a", 6],
    ["system:serviceaccount:b:b", 2],
  ]);
});

test("a level without a rate, or with none, has no steady load", () => {
  expect(
    backgroundOfFairness(
      part({
        levels: [level({}), level({ priorityLevelName: "system", dispatchedPerSecond: 0 })],
        flows: null,
      }),
    ),
  ).toEqual([]);
});
