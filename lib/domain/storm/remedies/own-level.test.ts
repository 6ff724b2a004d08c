import { describe, expect, it } from "vitest";
import { readFlowSchema, readPriorityLevel } from "../../fairness/configuration/read-objects.ts";
import { makeAgent, makeCluster, makeCollection, makeServer, makeStorm } from "../testing/make-storm.ts";
import { checkFlowSchema, type RecordedRequests } from "./check-flow-schema.ts";
import { compareRemedies } from "./compare-remedies.ts";
import { type OwnLevelObjects, ownLevelObjects } from "./own-level.ts";

const input = makeStorm({
  cluster: makeCluster({
    servers: [makeServer({ cores: 12 })],
    collections: [makeCollection({ objects: 10_000 })],
  }),
  agents: [makeAgent({ replicas: 300 })],
  scenario: { kind: "start-all", windowSeconds: 2 },
});

function objectsOf(shares: number, of = input): OwnLevelObjects {
  const objects = ownLevelObjects(of, shares);
  if (typeof objects === "string") throw new Error(objects);
  return objects;
}

const row = (over: Partial<RecordedRequests>): RecordedRequests => ({
  userName: "system:serviceaccount:observability:node-telemetry",
  verb: "list",
  apiGroup: "",
  resource: "pods",
  namespace: "",
  requests: 10,
  peakSeats: 10,
  ...over,
});

describe("a level of its own", () => {
  it("lets the neighbours go, and keeps cores and link as busy", () => {
    const { asItIs, rows } = compareRemedies(input, [1], [[{ name: "own-level", shares: 10 }]]);
    const [own] = rows;
    expect(asItIs.bands.figures.neighbourWaitSecondsP99?.p50).toBeGreaterThan(5);
    expect(own?.bands.figures.neighbourWaitSecondsP99?.p50).toBeLessThan(1);
    expect(own?.start.cpuSeconds).toBe(asItIs.start.cpuSeconds);
    expect(own?.bands.figures.rejected?.p50).toBeGreaterThan(asItIs.bands.figures.rejected?.p50 ?? 0);
  });

  it("helps nobody where the level had no neighbours waiting", () => {
    const small = { ...input, agents: [makeAgent({ replicas: 3 })] };
    const { asItIs, rows } = compareRemedies(small, [1], [[{ name: "own-level", shares: 10 }]]);
    expect([asItIs.verdict, rows[0]?.verdict, rows[0]?.saves.rejected]).toEqual([
      "invisible",
      "invisible",
      0,
    ]);
  });

  it("is written as API objects that read back the same", () => {
    const { manifests, flowSchemas, priorityLevel } = objectsOf(10);
    const [level, schema] = manifests;
    if (schema === undefined) throw new Error("There is a FlowSchema.");
    expect(manifests.map(({ kind }) => kind)).toEqual(["PriorityLevelConfiguration", "FlowSchema"]);
    expect(readPriorityLevel(level)).toMatchObject({
      name: priorityLevel.name,
      nominalConcurrencyShares: 10,
      queues: 16,
      handSize: 4,
      borrowingLimitPercent: 0,
    });
    expect(readFlowSchema(schema)).toMatchObject({
      matchingPrecedence: flowSchemas[0]?.matchingPrecedence,
      rules: flowSchemas[0]?.rules,
      priorityLevelName: priorityLevel.name,
    });
  });

  it("stands just before what takes the requests now, and not before what is exempt", () => {
    expect(objectsOf(10).flowSchemas[0]?.matchingPrecedence).toBe(8999);
    const master = makeAgent({ userName: "admin", userGroups: ["system:masters", "system:authenticated"] });
    expect(ownLevelObjects({ ...input, agents: [master] }, 10)).toContain("exempt");
  });

  it("takes a name that is free", () => {
    const taken = objectsOf(10);
    const cluster = {
      ...input.cluster,
      priorityLevels: [...input.cluster.priorityLevels, taken.priorityLevel],
    };
    expect(objectsOf(10, { ...input, cluster }).priorityLevel.name).toBe("node-telemetry-2");
  });
});

describe("the check against recorded traffic", () => {
  it("says who would have been caught, what was missed, and that the level is too small", () => {
    const check = checkFlowSchema(
      input.cluster,
      objectsOf(10),
      input.agents.map(({ userName }) => userName),
      [
        row({ requests: 40, peakSeats: 100 }),
        row({ resource: "services", requests: 7 }),
        row({ userName: "system:serviceaccount:cd:deployer", requests: 5 }),
      ],
    );
    expect(check.requests).toBe(52);
    expect(
      check.caught.map(({ what, isIntended, fromFlowSchemaName }) => [what, isIntended, fromFlowSchemaName]),
    ).toEqual([["list pods", true, "service-accounts"]]);
    expect(check.missed.map(({ what }) => what)).toEqual(["list services"]);
    expect([check.nominalSeats < 100, check.isThrottled]).toEqual([true, true]);
  });

  it("shows others that a group catches with it", () => {
    const perNode = makeAgent({
      kind: "node-client",
      userName: "system:node:*",
      userGroups: ["system:nodes", "system:authenticated"],
    });
    const of = { ...input, agents: [perNode] };
    const check = checkFlowSchema(
      of.cluster,
      objectsOf(100, of),
      ["system:node:*"],
      [
        row({ userName: "system:node:a", peakSeats: null }),
        row({ userName: "csi", userGroups: ["system:nodes"], peakSeats: 1 }),
      ],
    );
    expect(check.caught.map(({ userName, isIntended }) => [userName, isIntended])).toEqual([
      ["csi", false],
      ["system:node:a", true],
    ]);
    expect([check.peakSeats, check.isThrottled]).toEqual([null, null]);
  });
});
