import { describe, expect, test } from "vitest";
import {
  PART_NAMES,
  type PartName,
  type PartOutcome,
  type ReadFailureReason,
} from "../../domain/clusters/part.ts";
import {
  changePace,
  duePartsAt,
  firstPlan,
  isClusterFailure,
  nextPassAt,
  type PartPlan,
  planNext,
} from "./plan-next.ts";

const NOW = 1_764_500_000_000;
const middle = () => 0.5;
const START = firstPlan(NOW, 0, middle);

const outcome = (
  part: PartName,
  status: PartOutcome["status"] = "ok",
  reason: ReadFailureReason = "forbidden",
  retryAfterSeconds: number | null = null,
): PartOutcome => ({
  part,
  status,
  startedAt: NOW,
  durationSeconds: 1,
  requests: 1,
  wireBytes: 1,
  answer: "",
  failure:
    status === "ok" ? null : { reason, verb: null, path: null, status: null, message: "", retryAfterSeconds },
  notRead: [],
});
const next = (plan: PartPlan, outcomes: readonly PartOutcome[], now = NOW, isIncident = false) =>
  planNext({ plan, outcomes, now, isIncident, random: middle });
const secondsUntil = (plan: PartPlan, part: PartName, now = NOW) => (plan.dueAt[part] - now) / 1000;
const dead = PART_NAMES.map((part) => outcome(part, "failed", "timeout"));

describe("planNext", () => {
  test("a part that was read, wholly or in part, is due one period after it was due", () => {
    const plan = next(
      START,
      PART_NAMES.map((part) => outcome(part, part === "sizes" ? "partial" : "ok")),
      NOW + 4000,
    );
    expect(PART_NAMES.map((part) => secondsUntil(plan, part))).toEqual([300, 60, 3600, 30, 300]);
  });

  test("a pass longer than the period begins the rhythm anew instead of catching up", () => {
    const plan = next(START, [outcome("fairness")], NOW + 100_000);
    expect(plan.dueAt.fairness).toBe(NOW + 130_000);
  });

  test("while an incident page is open, fairness is due every 5 s and nothing else is", () => {
    const plan = next(START, [outcome("fairness"), outcome("servers")], NOW, true);
    expect([secondsUntil(plan, "fairness"), secondsUntil(plan, "servers")]).toEqual([5, 60]);
  });

  test("a cluster that cannot be read is asked after 5, 10, 20, 40, 60, 60 s, all parts together", () => {
    const pauses: number[] = [];
    let plan = START;
    let now = NOW;
    for (let attempt = 0; attempt < 6; attempt++) {
      plan = next(plan, dead, now);
      pauses.push((nextPassAt(plan) - now) / 1000);
      now = nextPassAt(plan);
      expect(duePartsAt(plan, now)).toEqual(PART_NAMES);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    expect(
      next(
        plan,
        PART_NAMES.map((part) => outcome(part)),
        now,
      ).clusterFailures,
    ).toBe(0);
  });

  test("a part that fails by itself is tried again before a long period is over, ever later", () => {
    let plan = START;
    const pauses: number[] = [];
    let now = NOW;
    for (let attempt = 0; attempt < 6; attempt++) {
      plan = next(plan, [outcome("sizes", "failed", "server-error"), outcome("fairness")], now);
      pauses.push((plan.dueAt.sizes - now) / 1000);
      now = plan.dueAt.sizes;
    }
    expect(pauses).toEqual([60, 120, 240, 480, 900, 900]);
  });

  test("a short period is never shortened, and Retry-After never undercut", () => {
    expect(
      secondsUntil(
        next(START, [outcome("fairness", "failed", "server-error"), outcome("servers")]),
        "fairness",
      ),
    ).toBe(30);
    const throttled = next(START, [outcome("fairness", "failed", "throttled", 90), outcome("servers")]);
    expect(secondsUntil(throttled, "fairness")).toBe(90);
  });

  test("pauses are spread by a fifth both ways", () => {
    const at = (random: number) =>
      nextPassAt(
        planNext({ plan: START, outcomes: dead, now: NOW, isIncident: false, random: () => random }),
      ) - NOW;
    expect([at(0), at(1)]).toEqual([4000, 6000]);
  });
});

test("a cluster is unreadable when every part failed for its connection or credential", () => {
  expect(isClusterFailure(dead)).toBe(true);
  expect(isClusterFailure(PART_NAMES.map((part) => outcome(part, "failed", "unauthorized")))).toBe(true);
  expect(isClusterFailure([])).toBe(false);
  expect(isClusterFailure([...dead.slice(1), outcome("version")])).toBe(false);
  expect(isClusterFailure(PART_NAMES.map((part) => outcome(part, "failed", "forbidden")))).toBe(false);
  expect(isClusterFailure(PART_NAMES.map((part) => outcome(part, "failed", "throttled")))).toBe(false);
  expect(isClusterFailure(PART_NAMES.map((part) => outcome(part, "skipped", "budget")))).toBe(false);
});

test("parts that are due within three seconds are read together", () => {
  const plan = { ...START, dueAt: { ...START.dueAt, sizes: NOW + 2_900, inventory: NOW + 3_100 } };
  expect(duePartsAt(plan, NOW)).toEqual(["version", "servers", "sizes", "fairness"]);
});

test("the first passes of many clusters are spread", () => {
  expect(firstPlan(NOW, 20, () => 0.25).dueAt.fairness).toBe(NOW + 5000);
});

describe("changePace", () => {
  const waiting = { ...START, dueAt: { ...START.dueAt, fairness: NOW + 25_000 } };
  test("an incident page brings fairness forward", () => {
    expect(changePace(waiting, true, NOW).dueAt.fairness).toBe(NOW);
  });
  test("closing it leaves the turn as it is; a dead cluster is not asked more often", () => {
    expect(changePace(waiting, false, NOW)).toBe(waiting);
    expect(changePace({ ...waiting, clusterFailures: 3 }, true, NOW).dueAt.fairness).toBe(NOW + 25_000);
  });
});
