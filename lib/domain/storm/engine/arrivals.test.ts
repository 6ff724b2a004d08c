import { describe, expect, it } from "vitest";
import { CONTROLLER_RATE } from "../../rollout/client-rate-limit.ts";
import { ASSUMED_DURATIONS } from "../../rollout/pod-durations.ts";
import { seededRandom } from "../../rollout/seeded-random.ts";
import type { StormAgent } from "../storm-input.ts";
import type { RollingUpdateScenario, StormScenario } from "../storm-scenario.ts";
import { makeAgent, makeCluster } from "../testing/make-storm.ts";
import { startTicks } from "./arrivals.ts";

function starts(
  scenario: StormScenario,
  overrides: Partial<StormAgent> = {},
  version = "1.34.4",
  agents = 1,
) {
  const { ticks, notes } = startTicks({
    cluster: makeCluster({ kubernetesVersion: version }),
    agent: makeAgent(overrides),
    scenario,
    agents,
    random: seededRandom(1),
  });
  return { seconds: ticks.map((tick) => tick / 1e6), notes };
}

const pace = { controller: CONTROLLER_RATE, durations: ASSUMED_DURATIONS, jitterRatio: 0 };
const update = (overrides: Partial<RollingUpdateScenario> = {}): RollingUpdateScenario => ({
  kind: "rolling-update",
  ...pace,
  maxUnavailable: 1,
  maxSurge: 0,
  minReadySeconds: 0,
  unavailable: 0,
  ...overrides,
});
/** From its creation until the process runs: schedule, pull, start. */
const WAY = 18;

describe("when copies start", () => {
  it("start-all: within the window, all at once where it is 0", () => {
    const { seconds } = starts({ kind: "start-all", windowSeconds: 2 }, { replicas: 1000 });
    expect(seconds).toHaveLength(1000);
    expect(Math.min(...seconds)).toBeLessThan(0.05);
    expect(Math.max(...seconds)).toBeGreaterThan(1.95);
    expect(Math.max(...seconds)).toBeLessThan(2);
    expect(new Set(starts({ kind: "start-all", windowSeconds: 0 }).seconds)).toEqual(new Set([0]));
  });

  it("first rollout: 30 creations at once, then 20 a second, at most 250 a sync", () => {
    const { seconds } = starts({ kind: "first-rollout", ...pace }, { replicas: 500 });
    expect(seconds).toHaveLength(500);
    expect(seconds[0]).toBeGreaterThanOrEqual(WAY);
    expect(seconds[29]).toBeLessThan(WAY + 1);
    expect(seconds[249]).toBeGreaterThan(WAY + 10.9);
    expect(seconds[499]).toBeGreaterThan(WAY + 23.4);
    expect(seconds[499]).toBeLessThan(WAY + 28);
  });

  it("rolling update, healthy: maxUnavailable in flight, each for its whole way", () => {
    const { seconds } = starts(update({ maxUnavailable: 10 }), { replicas: 100 });
    expect(seconds).toHaveLength(100);
    const [first = 0] = seconds;
    expect(seconds.filter((at) => at < first + 1)).toHaveLength(10);
    expect(seconds.at(-1)).toBeGreaterThan(9 * 34);
  });

  it("rolling update with k of n unavailable: those go at once, outside the budget", () => {
    const { seconds } = starts(update({ unavailable: 100 }), { replicas: 100 });
    expect(seconds).toHaveLength(100);
    // 100 deletions and 100 creations at 20 calls a second, after a burst of 30.
    expect(seconds.at(-1)).toBeLessThan(40);
    const part = starts(update({ unavailable: 40 }), { replicas: 100 }).seconds;
    expect(part[39]).toBeLessThan(40);
    expect(part[45]).toBeGreaterThan(60);
  });

  it("rolling update: the regression up to 1.30.5 takes available pods beside the unavailable ones", () => {
    const first = (version: string) =>
      starts(update({ unavailable: 40 }), { replicas: 100 }, version).seconds.filter((at) => at < 40).length;
    expect([first("1.30.4"), first("1.34.4")]).toEqual([41, 40]);
  });

  it("rolling update of a Deployment and of a StatefulSet by their own controllers", () => {
    const deployment = starts(update({ maxUnavailable: "25%", maxSurge: "25%" }), {
      kind: "Deployment",
      replicas: 20,
    });
    expect(deployment.seconds).toHaveLength(20);
    const statefulSet = starts(update(), { kind: "StatefulSet", replicas: 5 });
    expect(statefulSet.seconds).toHaveLength(5);
    const gaps = statefulSet.seconds.slice(1).map((at, index) => at - (statefulSet.seconds[index] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThan(30);
  });

  it("batches: each at once", () => {
    const { seconds } = starts({ kind: "batches", batchSize: 3, intervalSeconds: 60 }, { replicas: 7 });
    expect(seconds).toEqual([0, 0, 0, 60, 60, 60, 120]);
  });

  it("crash recovery: at the next restart, so within the cap, and together where they crashed together", () => {
    const crash = { kind: "crash-recovery", initialSeconds: 10, capSeconds: 300, runSeconds: 5 } as const;
    const spread = starts({ ...crash, crashedSeconds: 3600, spreadSeconds: 600 }, { replicas: 500 }).seconds;
    expect(Math.max(...spread)).toBeLessThanOrEqual(305);
    expect(Math.max(...spread)).toBeGreaterThan(250);
    expect(spread.filter((at) => at < 60).length).toBeGreaterThan(50);
    const together = starts({ ...crash, crashedSeconds: 50, spreadSeconds: 0 }, { replicas: 10 }).seconds;
    // Starts at 0, 5, 20, 45, 90: the next after 50 s is 40 s away.
    expect(together).toEqual(new Array(10).fill(40));
  });

  it("node scale-out: one copy a node, at its pace, whatever runs already", () => {
    const { seconds } = starts(
      { kind: "node-scale-out", addedNodes: 200, nodesPerMinute: 100 },
      { replicas: 5000 },
    );
    expect(seconds).toHaveLength(200);
    expect(seconds.at(-1)).toBeGreaterThan(119);
    expect(seconds.at(-1)).toBeLessThan(121);
  });

  it("start-up jitter: a random part of it more for each", () => {
    const { seconds } = starts(
      { kind: "start-all", windowSeconds: 0 },
      { replicas: 200, startJitterSeconds: 60 },
    );
    expect(Math.max(...seconds)).toBeGreaterThan(55);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  });

  it("several agents share the controller's requests, and that is said", () => {
    const alone = starts({ kind: "first-rollout", ...pace }, { replicas: 300 });
    const shared = starts({ kind: "first-rollout", ...pace }, { replicas: 300 }, "1.34.4", 2);
    expect((shared.seconds.at(-1) ?? 0) - WAY).toBeGreaterThan(1.8 * ((alone.seconds.at(-1) ?? 0) - WAY));
    expect(shared.notes).toHaveLength(1);
    expect(starts(update(), { kind: "node-client", replicas: 3 }).notes[0]).toMatch(/taken for a DaemonSet/);
  });

  it("nobody where there is nobody", () => {
    expect(starts(update(), { replicas: 0 }).seconds).toEqual([]);
    expect(starts({ kind: "first-rollout", ...pace }, { replicas: 0 }).seconds).toEqual([]);
  });

  it("refuses limits that are none", () => {
    expect(() => starts(update({ maxUnavailable: "lots" }))).toThrow(/maxUnavailable must be/);
  });
});
