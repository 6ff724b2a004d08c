import { describe, expect, test } from "vitest";
import { CONTROLLER_RATE } from "./client-rate-limit.ts";
import {
  type DeploymentPlanInput,
  planDeployment,
  planStatefulSet,
  type StatefulSetPlanInput,
} from "./plan-replicas.ts";
import { ASSUMED_DURATIONS } from "./pod-durations.ts";
import { statefulSetRules } from "./statefulset-step.ts";

const COMMON = {
  replicas: 10,
  oldUnavailable: 0,
  minReadySeconds: 0,
  durations: ASSUMED_DURATIONS,
  newPods: "healthy",
  client: CONTROLLER_RATE,
  requestSeconds: 0.01,
} as const;

describe("a Deployment", () => {
  const plan = (fields: Partial<DeploymentPlanInput> = {}) =>
    planDeployment({
      ...COMMON,
      strategy: "RollingUpdate",
      maxSurge: "25%",
      maxUnavailable: "25%",
      ...fields,
    });

  test("starts the surge first, with each limit as it is rounded", () => {
    const { now, reasons, outcome, figures } = plan();
    expect(now).toEqual({ created: 3, deleted: 0 });
    expect(reasons[0]).toBe(
      "maxSurge 25% of 10 replicas, rounded up: 3. maxUnavailable 25%, rounded down: 2.",
    );
    expect(outcome).toMatchObject({ kind: "complete", availableMin: 8, podsMax: 13 });
    expect(figures.find(({ name }) => name === "at a time")?.value).toBe(5);
  });

  test("Recreate deletes all first", () => {
    expect(plan({ strategy: "Recreate" })).toMatchObject({
      now: { created: 0, deleted: 10 },
      outcome: { availableMin: 0 },
    });
  });

  test("says what is left where new pods never turn Ready", () => {
    const { figures } = plan({ newPods: "never-ready" });
    expect(figures.find(({ name }) => name === "stands still after")?.reason).toContain(
      "8 old pods are left",
    );
  });
});

describe("a StatefulSet", () => {
  const plan = (fields: Partial<StatefulSetPlanInput> = {}) =>
    planStatefulSet({
      ...COMMON,
      strategy: "RollingUpdate",
      isParallel: false,
      partition: 0,
      maxUnavailable: 3,
      rules: statefulSetRules("1.36.3"),
      ...fields,
    });

  test("goes one by one where maxUnavailable has no effect yet, by three where it has", () => {
    expect(plan()).toMatchObject({ now: { deleted: 1 }, outcome: { kind: "complete", availableMin: 9 } });
    const recent = plan({ rules: statefulSetRules("1.37.2") });
    expect(recent).toMatchObject({ now: { deleted: 3 }, outcome: { kind: "complete", availableMin: 7 } });
  });

  test("a broken pod stops OrderedReady, and the plan says so", () => {
    const { outcome, reasons } = plan({ oldUnavailable: 1 });
    expect(outcome).toMatchObject({ kind: "stalled", started: 0 });
    expect(reasons.join(" ")).toContain("Delete such a pod by hand");
  });

  test("OnDelete replaces nothing", () => {
    expect(plan({ strategy: "OnDelete" })).toMatchObject({ now: { created: 0, deleted: 0 }, outcome: null });
  });
});
