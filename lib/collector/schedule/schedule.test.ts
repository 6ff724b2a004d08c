import { describe, expect, test } from "vitest";
import { PART_NAMES, type PartName, type PartOutcome } from "../../domain/clusters/part.ts";
import { FakeClock } from "../../kube/test-support/fake-clock.ts";
import { type PeriodicJob, Schedule, type ScheduledCluster, type ScheduleLimits } from "./schedule.ts";

interface SeenPass {
  readonly key: string;
  readonly at: number;
  readonly due: readonly PartName[];
  readonly mustProbe: boolean;
}

type Behaviour = "answers" | "hangs" | "refuses" | "breaks";

/** A schedule over pretended clusters on pretended time. */
function setUp(
  options: { readonly limits?: Partial<ScheduleLimits>; readonly jobs?: readonly PeriodicJob[] } = {},
) {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const passes: SeenPass[] = [];
  const errors: string[] = [];
  const behaviours = new Map<string, Behaviour>();
  const incident = new Set<string>();
  const closed: string[] = [];
  const running = new Map<string, number>();
  let mostAtOnce = 0;
  const deadlineSeconds = 20;

  const open = (key: string): ScheduledCluster => ({
    key,
    isInIncident: (ids) => ids.has(key),
    close: async () => {
      closed.push(key);
    },
    pass: async ({ due, mustProbe, signal, plan }) => {
      passes.push({ key, at: (clock.now() - startedAt) / 1000, due, mustProbe });
      running.set(key, (running.get(key) ?? 0) + 1);
      if ((running.get(key) ?? 0) > 1) throw new Error(`${key} overlaps itself`);
      mostAtOnce = Math.max(
        mostAtOnce,
        [...running.values()].reduce((a, b) => a + b, 0),
      );
      try {
        const behaviour = behaviours.get(key) ?? "answers";
        if (behaviour === "breaks") throw new Error(`${key} broke`);
        const seconds = behaviour === "hangs" ? (mustProbe ? 5 : deadlineSeconds) : 1;
        await clock.sleep(seconds * 1000, signal);
        plan(due.map((part) => outcome(part, behaviour === "answers" ? "ok" : "failed")));
      } finally {
        running.set(key, (running.get(key) ?? 1) - 1);
      }
    },
  });
  const keys = new Set<string>();
  const schedule = new Schedule({
    clock,
    random: () => 0.5,
    listClusters: async () => new Map([...keys].map((key) => [key, () => open(key)])),
    listIncidentPace: async () => [...incident],
    jobs: options.jobs ?? [],
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onError: (what, error) => errors.push(`${what}: ${error instanceof Error ? error.message : ""}`),
  });
  return {
    clock,
    schedule,
    passes,
    errors,
    closed,
    incident,
    mostAtOnce: () => mostAtOnce,
    add: (key: string, behaviour: Behaviour = "answers") => {
      keys.add(key);
      behaviours.set(key, behaviour);
    },
    remove: (key: string) => keys.delete(key),
    behave: (key: string, behaviour: Behaviour) => behaviours.set(key, behaviour),
    timesOf: (key: string) => passes.filter((pass) => pass.key === key).map((pass) => pass.at),
  };
}

function outcome(part: PartName, status: "ok" | "failed"): PartOutcome {
  const failure = {
    reason: "timeout" as const,
    verb: null,
    path: null,
    status: null,
    message: "",
    retryAfterSeconds: null,
  };
  return {
    part,
    status,
    startedAt: 0,
    durationSeconds: 0,
    requests: 1,
    wireBytes: 0,
    answer: "",
    failure: status === "ok" ? null : failure,
    notRead: [],
  };
}

describe("one cluster", () => {
  test("everything is read at once, then each part at its period", async () => {
    const world = setUp();
    world.add("a");
    world.schedule.start();
    await world.clock.advance(95_000);
    expect(world.passes.map(({ at, due }) => [at, due.join(" ")])).toEqual([
      [0, PART_NAMES.join(" ")],
      [30, "fairness"],
      [60, "servers fairness"],
      [90, "fairness"],
    ]);
    await world.schedule.stop();
  });

  test("a long pass is never overlapped by the next", async () => {
    const world = setUp();
    world.add("a", "hangs");
    world.schedule.start();
    await world.clock.advance(300_000);
    expect(world.errors).toEqual([]);
    // 20 s until it is given up, then probes of 5 s after pauses of 5, 10, 20, 40, 60 s.
    expect(world.timesOf("a").slice(0, 6)).toEqual([0, 25, 40, 65, 110, 175]);
    expect(world.passes.map(({ mustProbe }) => mustProbe).slice(0, 3)).toEqual([false, true, true]);
    await world.schedule.stop();
  });

  test("a cluster that comes back is read whole at once", async () => {
    const world = setUp();
    world.add("a", "refuses");
    world.schedule.start();
    await world.clock.advance(8_000);
    world.behave("a", "answers");
    await world.clock.advance(30_000);
    const back = world.passes.at(-2);
    expect(back?.due).toEqual(PART_NAMES);
    await world.schedule.stop();
  });

  test("an open incident page quickens fairness to 5 s, and closing it slows it down again", async () => {
    const world = setUp();
    world.add("a");
    world.schedule.start();
    await world.clock.advance(3_000);
    world.incident.add("a");
    await world.clock.advance(20_000);
    const quick = world.timesOf("a");
    expect(quick.slice(1)).toEqual([4, 9, 14, 19]);
    world.incident.clear();
    await world.clock.advance(70_000);
    const slow = world.passes.slice(quick.length).filter(({ due }) => due.includes("fairness"));
    // The pass at 24 s began before it was noticed that the page is closed.
    expect(slow.map(({ at }) => at)).toEqual([24, 29, 59, 89]);
    await world.schedule.stop();
  });

  test("an error of ours ends one turn, is told, and the next turn comes after a pause", async () => {
    const world = setUp();
    world.add("a", "breaks");
    world.schedule.start();
    await world.clock.advance(65_000);
    expect(world.timesOf("a")).toEqual([0, 30, 60]);
    expect(world.errors[0]).toBe("a: a broke");
    await world.schedule.stop();
  });
});

describe("many clusters", () => {
  test("with 190 of 200 hanging, the other ten are read on time from their first pass on", async () => {
    const world = setUp();
    for (let i = 0; i < 190; i++) world.add(`dead-${i}`, "hangs");
    for (let i = 0; i < 10; i++) world.add(`alive-${i}`);
    world.schedule.start();
    await world.clock.advance(600_000);
    for (let i = 0; i < 10; i++) {
      const times = world.timesOf(`alive-${i}`);
      const gaps = times.map((at, index) => at - (times[index - 1] ?? 0)).slice(2);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(31);
      expect(times.length).toBeGreaterThanOrEqual(18);
    }
    await world.schedule.stop();
  });

  test("no more passes at once than there is room for, and every cluster has its turn", async () => {
    const world = setUp({ limits: { passes: 3 } });
    for (let i = 0; i < 12; i++) world.add(`c${i}`);
    world.schedule.start();
    await world.clock.advance(30_000);
    expect(world.mostAtOnce()).toBe(3);
    expect(new Set(world.passes.map(({ key }) => key)).size).toBe(12);
    await world.schedule.stop();
  });

  test("clusters added and removed while it runs begin and end", async () => {
    const world = setUp();
    world.add("a");
    world.schedule.start();
    await world.clock.advance(10_000);
    world.add("b");
    world.remove("a");
    await world.clock.advance(60_000);
    expect(world.closed).toEqual(["a"]);
    expect(world.timesOf("a")).toEqual([0]);
    expect(world.timesOf("b").length).toBeGreaterThanOrEqual(2);
    expect(world.schedule.state().clusters).toBe(1);
    await world.schedule.stop();
  });
});

describe("stopping", () => {
  test("passes under way are given up, and nothing begins afterwards", async () => {
    const world = setUp();
    world.add("a", "hangs");
    world.add("b");
    world.schedule.start();
    await world.clock.advance(2_000);
    await world.schedule.stop();
    const before = world.passes.length;
    await world.clock.advance(120_000);
    expect(world.passes).toHaveLength(before);
    expect([...world.closed].sort()).toEqual(["a", "b"]);
    expect(world.errors).toEqual([]);
  });

  test("a cluster that waits in line leaves it", async () => {
    const world = setUp({ limits: { passes: 1 } });
    world.add("a", "hangs");
    world.add("b", "hangs");
    world.schedule.start();
    await world.clock.advance(1_000);
    expect(world.schedule.state().waiting).toBe(1);
    await world.schedule.stop();
    expect(world.schedule.state().waiting).toBe(0);
  });
});

test("a job comes back after its period, never twice at once, whatever it throws", async () => {
  const runs: number[] = [];
  const clock = { now: () => 0 };
  const job: PeriodicJob = {
    name: "heartbeat",
    periodSeconds: 5,
    run: async () => {
      runs.push(clock.now());
      throw new Error("store is full");
    },
  };
  const world = setUp({ jobs: [job] });
  const startedAt = world.clock.now();
  clock.now = () => (world.clock.now() - startedAt) / 1000;
  world.schedule.start();
  await world.clock.advance(12_000);
  expect(runs).toEqual([0, 5, 10]);
  expect(world.errors).toContain("heartbeat: store is full");
  await world.schedule.stop();
});
