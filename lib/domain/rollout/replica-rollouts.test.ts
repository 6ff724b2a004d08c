import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTROLLER_RATE } from "./client-rate-limit.ts";
import { DeploymentRollout, type DeploymentRolloutInput } from "./deployment-rollout.ts";
import { decideRollingDeployment, resolveDeploymentLimits } from "./deployment-step.ts";
import { ASSUMED_DURATIONS, startingSeconds, stoppingSeconds, sumDurations } from "./pod-durations.ts";
import { StatefulSetRollout, type StatefulSetRolloutInput } from "./statefulset-rollout.ts";
import {
  decideStatefulSet,
  type ReplicaState,
  resolveStatefulSetLimit,
  statefulSetRules,
} from "./statefulset-step.ts";

const START = startingSeconds(ASSUMED_DURATIONS);
const STOP = stoppingSeconds(ASSUMED_DURATIONS);
const TAU = sumDurations(ASSUMED_DURATIONS);

describe("one sync of a Deployment", () => {
  test.each([
    [10, "25%", "25%", 3, 2],
    [4, "25%", "25%", 1, 1],
    [3, "25%", "25%", 1, 0],
    [3, 0, "25%", 0, 1],
    [1, "25%", "25%", 1, 0],
    [2, 0, 5, 0, 2],
  ] as const)(
    "of %i replicas, surge %s is rounded up and unavailable %s down",
    (replicas, s, m, surge, down) => {
      expect(resolveDeploymentLimits(replicas, s, m)).toEqual({ maxSurge: surge, maxUnavailable: down });
    },
  );

  const limits = { maxSurge: 3, maxUnavailable: 2 };
  const counts = (newSpec: number, newAvailable: number, oldSpec: number, oldAvailable = oldSpec) => ({
    replicas: 10,
    newSpec,
    newAvailable,
    oldSpec,
    oldAvailable,
  });

  test.each([
    ["it begins with the surge", counts(0, 0, 10), { kind: "scale-new", to: 3 }],
    [
      "then takes old ones down to what must be available",
      counts(3, 0, 10),
      { kind: "scale-old", to: 8, unhealthy: 0 },
    ],
    ["fills up to the surge", counts(3, 0, 8), { kind: "scale-new", to: 5 }],
    ["and waits while new ones are not available", counts(5, 0, 8), { kind: "none" }],
    ["an old one that fails then is not taken", counts(5, 0, 8, 7), { kind: "none" }],
    [
      "each available new one lets an old one go",
      counts(5, 1, 8),
      { kind: "scale-old", to: 7, unhealthy: 0 },
    ],
    [
      "old ones that are not available go first",
      counts(3, 0, 10, 6),
      { kind: "scale-old", to: 8, unhealthy: 2 },
    ],
    ["done", counts(10, 10, 0), { kind: "none" }],
  ])("%s", (_title, state, step) => {
    expect(decideRollingDeployment(state, limits)).toEqual(step);
  });
});

describe("a Deployment's update", () => {
  const run = (fields: Partial<DeploymentRolloutInput>) =>
    new DeploymentRollout({
      replicas: 10,
      oldUnavailable: 0,
      strategy: { kind: "rolling-update", limits: { maxSurge: 3, maxUnavailable: 2 } },
      minReadySeconds: 0,
      durations: ASSUMED_DURATIONS,
      newPods: "healthy",
      client: CONTROLLER_RATE,
      requestSeconds: 0.01,
      limitSeconds: 86_400,
      ...fields,
    }).run();

  test("starts 5 at a time of 10 with surge 3 and unavailable 2: two waves, and no wait for pods that end", () => {
    const outcome = run({});
    expect(outcome).toMatchObject({
      kind: "complete",
      started: 10,
      oldLeft: 0,
      availableMin: 8,
      podsMax: 13,
    });
    expect(outcome.seconds).toBeGreaterThan(2 * START);
    expect(outcome.seconds).toBeLessThan(2 * START + 2);
  });

  test("with new pods that never turn Ready it stops with 8 old ones available", () => {
    expect(run({ newPods: "never-ready" })).toMatchObject({
      kind: "stalled",
      started: 5,
      oldLeft: 8,
      availableMin: 8,
    });
  });

  test("Recreate is without pods from the first deletion until the new ones are Ready", () => {
    const outcome = run({ strategy: { kind: "recreate" } });
    expect(outcome).toMatchObject({ kind: "complete", started: 10, availableMin: 0, podsMax: 10 });
    expect(outcome.seconds).toBeGreaterThan(STOP + START);
    expect(outcome.seconds).toBeLessThan(STOP + START + 2);
  });

  test("2,000 at once are bounded by the client of the ReplicaSet controller: 20 calls a second", () => {
    const outcome = run({
      replicas: 2000,
      strategy: { kind: "rolling-update", limits: { maxSurge: 2000, maxUnavailable: 0 } },
    });
    expect(outcome.kind).toBe("complete");
    expect(outcome.seconds).toBeGreaterThan((4000 - 30) / 20);
    expect(outcome.seconds).toBeLessThan(4000 / 20 + 3 * START);
  });

  test("minReadySeconds adds itself and a second to each wave", () => {
    const outcome = run({ minReadySeconds: 20 });
    expect(outcome.seconds).toBeGreaterThan(2 * (START + 21));
  });

  test("never fewer available than promised, never more pods than allowed, whatever the numbers", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 0, max: 8 }),
        (replicas, surge, down) => {
          const limits = resolveDeploymentLimits(replicas, surge, down);
          const outcome = run({ replicas, strategy: { kind: "rolling-update", limits } });
          expect(outcome.kind).toBe("complete");
          expect(outcome.started).toBe(replicas);
          expect(outcome.availableMin).toBeGreaterThanOrEqual(replicas - limits.maxUnavailable);
          expect(outcome.podsMax).toBeLessThanOrEqual(replicas + limits.maxSurge);
        },
      ),
      { seed: 9, numRuns: 150 },
    );
  });
});

describe("one sync of a StatefulSet", () => {
  const old = statefulSetRules("1.34.4");
  const several = statefulSetRules("1.37.2");
  const decide = (
    replicas: readonly ReplicaState[],
    fields: { isParallel?: boolean; partition?: number; maxUnavailable?: number; rules?: typeof old } = {},
  ) => {
    const limits = { isParallel: false, partition: 0, maxUnavailable: 1, rules: old, ...fields };
    const { created, deleted } = decideStatefulSet(replicas, limits);
    return { created, deleted };
  };
  const O: ReplicaState = "old-available";
  const N: ReplicaState = "new-available";

  test("the highest ordinal goes first, one at a time", () => {
    expect(decide([O, O, O])).toEqual({ created: [], deleted: [2] });
    expect(decide([O, O, "terminating"])).toEqual({ created: [], deleted: [] });
    expect(decide([O, O, "missing"])).toEqual({ created: [2], deleted: [] });
    expect(decide([O, O, "new-not-ready"])).toEqual({ created: [], deleted: [] });
    expect(decide([O, O, N])).toEqual({ created: [], deleted: [1] });
  });

  test("ordinals below the partition stay", () => {
    expect(decide([O, O, N], { partition: 2 })).toEqual({ created: [], deleted: [] });
  });

  test("OrderedReady does not replace a broken pod, Parallel does where its turn comes", () => {
    expect(decide([O, "old-not-ready", O])).toEqual({ created: [], deleted: [] });
    expect(decide([O, O, "old-not-ready"], { isParallel: true })).toEqual({ created: [], deleted: [2] });
  });

  test("with the gate maxUnavailable pods go at a time", () => {
    const fields = { maxUnavailable: 3, rules: several };
    expect(decide([O, O, O, O, O], fields)).toEqual({ created: [], deleted: [4, 3, 2] });
    expect(decide([O, O, O, O, "terminating"], { ...fields, isParallel: true })).toEqual({
      created: [],
      deleted: [3, 2],
    });
    expect(decide([O, O, O, O, O], { maxUnavailable: 3, rules: old })).toEqual({ created: [], deleted: [4] });
  });

  test("from 1.37 a Parallel set replaces all broken old pods at once, then what is left of the budget", () => {
    const replicas: ReplicaState[] = ["old-not-ready", "old-not-ready", O, O, O];
    const fields = { isParallel: true, maxUnavailable: 1, rules: several };
    expect(decide(replicas, fields)).toEqual({ created: [], deleted: [1, 0] });
    expect(decide(replicas, { ...fields, maxUnavailable: 3 })).toEqual({ created: [], deleted: [1, 0, 4] });
    const in135 = statefulSetRules("1.35.0");
    expect(decide(replicas, { ...fields, maxUnavailable: 3, rules: in135 })).toEqual({
      created: [],
      deleted: [4],
    });
  });

  test.each([
    ["1.34.4", false],
    ["1.35.0", true],
    ["1.35.3", true],
    ["1.35.4", false],
    ["1.36.3", false],
    ["1.37.2", true],
  ])("in %s maxUnavailable has an effect: %s", (version, expected) => {
    expect(statefulSetRules(version).hasMaxUnavailable).toBe(expected);
    expect(statefulSetRules(version, true).hasMaxUnavailable).toBe(true);
  });

  test("a percentage is rounded down, and is 1 at least", () => {
    expect([resolveStatefulSetLimit("10%", 5), resolveStatefulSetLimit("50%", 5)]).toEqual([1, 2]);
  });
});

describe("a StatefulSet's update", () => {
  const run = (
    count: number,
    fields: Partial<StatefulSetRolloutInput["limits"]>,
    rest: Partial<StatefulSetRolloutInput> = {},
  ) =>
    new StatefulSetRollout({
      replicas: new Array<ReplicaState>(count).fill("old-available"),
      limits: {
        isParallel: false,
        partition: 0,
        maxUnavailable: 1,
        rules: statefulSetRules("1.36.3"),
        ...fields,
      },
      minReadySeconds: 0,
      durations: ASSUMED_DURATIONS,
      newPods: "healthy",
      client: CONTROLLER_RATE,
      requestSeconds: 0.01,
      limitSeconds: 86_400,
      ...rest,
    }).run();

  test("takes replicas times the way of one pod", () => {
    const outcome = run(10, {});
    expect(outcome).toMatchObject({ kind: "complete", started: 10, oldLeft: 0, availableMin: 9 });
    expect(outcome.seconds).toBeGreaterThan(10 * TAU);
    expect(outcome.seconds).toBeLessThan(10 * (TAU + 0.3));
  });

  test("Parallel is no faster without the gate: it concerns creation", () => {
    expect(run(10, { isParallel: true }).seconds).toBeGreaterThan(10 * TAU);
  });

  test("with the gate and maxUnavailable 5 a Parallel set takes two waves", () => {
    const outcome = run(10, { isParallel: true, maxUnavailable: 5, rules: statefulSetRules("1.37.2") });
    expect(outcome.availableMin).toBe(5);
    expect(outcome.seconds).toBeLessThan(3 * TAU);
  });

  test("a partition ends it early, and a broken pod stops it", () => {
    expect(run(10, { partition: 7 })).toMatchObject({ kind: "complete", started: 3, oldLeft: 7 });
    const replicas: ReplicaState[] = ["old-available", "old-not-ready", "old-available"];
    expect(run(3, {}, { replicas })).toMatchObject({ kind: "stalled", started: 0, oldLeft: 3 });
    expect(run(5, {}, { newPods: "never-ready" })).toMatchObject({ kind: "stalled", started: 1, oldLeft: 4 });
  });
});
