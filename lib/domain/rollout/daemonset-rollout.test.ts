import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTROLLER_RATE } from "./client-rate-limit.ts";
import { findCoreLoopChanges } from "./core-loop.ts";
import { crashLoopRules } from "./crash-loop.ts";
import type { DaemonNode } from "./daemonset-node.ts";
import { DaemonSetRollout } from "./daemonset-rollout.ts";
import type { DaemonSetRolloutInput, SyncRecord } from "./daemonset-rollout-types.ts";
import { daemonSetRules } from "./daemonset-rules.ts";
import { type NodeState, stateName } from "./node-states.ts";
import { nodeFromCodes } from "./pod-code.ts";
import { ASSUMED_DURATIONS, sumDurations } from "./pod-durations.ts";
import { findRollingUpdateChanges } from "./rolling-update.ts";
import { seededRandom } from "./seeded-random.ts";

const NEW = daemonSetRules("1.36.3");
const REGRESSED = daemonSetRules("1.30.4");
const TAU = sumDurations(ASSUMED_DURATIONS);

function input(
  counts: Partial<Record<NodeState, number>>,
  fields: Partial<DaemonSetRolloutInput> = {},
): DaemonSetRolloutInput {
  return {
    nodes: Object.entries(counts).flatMap(([state, count]) =>
      new Array<NodeState>(count).fill(state as NodeState),
    ),
    maxUnavailable: 1,
    maxSurge: 0,
    minReadySeconds: 0,
    rules: NEW,
    durations: ASSUMED_DURATIONS,
    newPods: { kind: "healthy" },
    client: CONTROLLER_RATE,
    requestSeconds: 0.01,
    limitSeconds: 7 * 86_400,
    ...fields,
  };
}

const run = (...args: Parameters<typeof input>) => new DaemonSetRollout(input(...args)).run();

describe("a healthy update", () => {
  test("one pod at a time takes nodes times the way of one pod, and some calls", () => {
    const outcome = run({ "old-available": 100 });
    expect(outcome).toMatchObject({ kind: "complete", started: 100, oldLeft: 0, availableMin: 99 });
    expect(outcome.seconds).toBeGreaterThan(100 * TAU);
    expect(outcome.seconds).toBeLessThan(100 * (TAU + 0.2));
  });

  test("ten at a time takes a tenth of it", () => {
    const outcome = run({ "old-available": 100 }, { maxUnavailable: 10 });
    expect(outcome.seconds).toBeGreaterThan(10 * TAU);
    expect(outcome.seconds).toBeLessThan(10 * (TAU + 2));
    expect(outcome.availableMin).toBe(90);
  });

  test("minReadySeconds adds itself and the second after which the controller looks again", () => {
    const outcome = run({ "old-available": 20 }, { minReadySeconds: 30 });
    expect(outcome.seconds).toBeGreaterThan(20 * (TAU + 31));
    expect(outcome.seconds).toBeLessThan(20 * (TAU + 31.2));
  });

  test("with everything at once 5,000 nodes are bounded by the client: 10,000 calls take 498.5 s", () => {
    const outcome = run({ "old-available": 5000 }, { maxUnavailable: 5000 });
    expect(outcome.kind).toBe("complete");
    expect(outcome.calls).toBeGreaterThanOrEqual(10_000);
    expect(outcome.replacedSeconds).toBeGreaterThan(498.5);
    expect(outcome.replacedSeconds).toBeLessThan(498.5 + 60);
  });

  test("with surge no node is ever without an available pod", () => {
    const outcome = run({ "old-available": 50 }, { maxUnavailable: 0, maxSurge: 5, minReadySeconds: 10 });
    expect(outcome).toMatchObject({ kind: "complete", started: 50, oldLeft: 0, availableMin: 50 });
  });

  test("with surge an old pod that is not Ready is replaced at once and makes room", () => {
    const outcome = run({ "old-available": 5, "old-unavailable": 20 }, { maxUnavailable: 0, maxSurge: 1 });
    expect(outcome).toMatchObject({ kind: "complete", started: 25, availableMin: 5 });
  });

  test("empty nodes and pods that are ending get a new pod too, and use the budget", () => {
    const outcome = run({ "old-available": 3, empty: 2, terminating: 2 }, { maxUnavailable: 2 });
    expect(outcome).toMatchObject({ kind: "complete", started: 7, availableMin: 3 });
  });

  test("no nodes: complete at once", () => {
    expect(run({})).toMatchObject({ kind: "complete", seconds: 0, started: 0 });
  });
});

describe("pods that are not available", () => {
  test("crash-looping everywhere: all are replaced as fast as the client allows, whatever maxUnavailable", () => {
    const outcome = run({ "old-unavailable": 1000 });
    expect(outcome.kind).toBe("complete");
    expect(outcome.replacedSeconds).toBeLessThan(150);
  });

  test("new pods that never turn Ready stop the update after maxUnavailable", () => {
    expect(
      run({ "old-available": 100 }, { maxUnavailable: 3, newPods: { kind: "never-ready" } }),
    ).toMatchObject({
      kind: "stalled",
      started: 3,
      oldLeft: 97,
      availableMin: 97,
    });
  });

  test("in a version with the regression old unavailable pods do not stop it", () => {
    const nodes = { "old-available": 60, "old-unavailable": 40 };
    const fields = { maxUnavailable: 5, newPods: { kind: "never-ready" } } as const;
    expect(run(nodes, fields)).toMatchObject({ kind: "stalled", started: 40, availableMin: 60 });
    expect(run(nodes, { ...fields, rules: REGRESSED })).toMatchObject({ started: 45, availableMin: 55 });
  });

  const crash = (runSeconds: number) =>
    ({ kind: "crash-loop", runSeconds, backOff: crashLoopRules({ version: "1.36" }) }) as const;
  const quick = { ...ASSUMED_DURATIONS, readySeconds: 0 };

  test("without a readiness probe a version that crashes after two minutes walks through the whole cluster", () => {
    const outcome = run(
      { "old-available": 40 },
      { newPods: crash(120), durations: quick, maxUnavailable: 4 },
    );
    expect(outcome).toMatchObject({ kind: "replaced", started: 40, oldLeft: 0 });
    expect(outcome.availableMin).toBeLessThan(36);
  });

  test("one that crashes after five seconds gets beyond maxUnavailable while all new pods happen to run at once", () => {
    const outcome = run({ "old-available": 50 }, { newPods: crash(5), durations: quick });
    expect(outcome.kind).toBe("time-limit");
    expect(outcome.started).toBeGreaterThan(1);
    expect(outcome.oldLeft).toBeGreaterThan(0);
  });

  test("with minReadySeconds longer than it runs it stops after the first", () => {
    const outcome = run(
      { "old-available": 50 },
      { newPods: crash(5), durations: quick, minReadySeconds: 10 },
    );
    expect(outcome).toMatchObject({ kind: "stalled", started: 1, oldLeft: 49 });
  });

  test("minReadySeconds shorter than it runs lets it through", () => {
    const outcome = run(
      { "old-available": 10 },
      { newPods: crash(150), durations: quick, minReadySeconds: 10 },
    );
    expect(outcome).toMatchObject({ kind: "replaced", started: 10 });
  });
});

describe("the simulation and the exact rule agree at every sync", () => {
  const states = fc.array(
    fc.constantFrom<NodeState>(
      "old-available",
      "old-unavailable",
      "terminating",
      "empty",
      "new-unavailable",
      "new-available",
    ),
    { minLength: 1, maxLength: 40 },
  );

  /** What the rule does on the state that a sync found: the core loop, or the rolling update where that has nothing. */
  function byRule(sync: SyncRecord, { maxUnavailable, maxSurge, rules }: DaemonSetRolloutInput) {
    const nodes = Array.from(sync.states, (code, index) => nodeOf(stateName(code), index));
    const availability = { ...rules, minReadySeconds: 0 };
    const core = findCoreLoopChanges({ nodes, isSurging: maxSurge > 0, availability });
    if (core.created.count + core.deleted.count > 0) return { ...counts(core), step: "core-loop" };
    const { changes } = findRollingUpdateChanges({
      nodes,
      maxUnavailable,
      maxSurge,
      minReadySeconds: 0,
      rules,
    });
    return { ...counts(changes), step: "rolling-update" };
  }

  test("without surge, in versions with and without the regression, with spread durations", () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 8 }), fc.boolean(), fc.nat(), (nodes, m, isOld, seed) => {
        const wrong: unknown[] = [];
        const fields = input({}, { nodes, maxUnavailable: m, rules: isOld ? REGRESSED : NEW });
        const outcome = new DaemonSetRollout({
          ...fields,
          spread: { jitterRatio: 1, random: seededRandom(seed) },
          onSync: (sync) => {
            const rule = byRule(sync, fields);
            const { step, created, deleted } = sync;
            if (rule.step !== step || rule.created !== created || rule.deleted !== deleted)
              wrong.push([rule, sync]);
          },
        }).run();
        expect(wrong).toEqual([]);
        expect(outcome.kind).toBe("complete");
        const had = nodes.filter((state) => state.startsWith("new-")).length;
        expect(outcome.started).toBe(nodes.length - had);
      }),
      { seed: 3, numRuns: 150 },
    );
  });

  test("with surge", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 8 }),
        fc.nat(),
        (count, s, seed) => {
          const wrong: unknown[] = [];
          const fields = input({ "old-available": count }, { maxUnavailable: 0, maxSurge: s });
          const outcome = new DaemonSetRollout({
            ...fields,
            spread: { jitterRatio: 1, random: seededRandom(seed) },
            onSync: (sync) => {
              const rule = byRule(sync, fields);
              const { step, created, deleted } = sync;
              if (rule.step !== step || rule.created !== created || rule.deleted !== deleted)
                wrong.push([rule, sync]);
            },
          }).run();
          expect(wrong).toEqual([]);
          expect(outcome).toMatchObject({ kind: "complete", started: count, availableMin: count });
        },
      ),
      { seed: 5, numRuns: 100 },
    );
  });
});

describe("repeatable", () => {
  const spreadInput = (seed: number) =>
    input(
      { "old-available": 60, "old-unavailable": 10 },
      { maxUnavailable: 4, spread: { jitterRatio: 0.5, random: seededRandom(seed) } },
    );

  test("equal seeds give equal traces, other seeds others", () => {
    const traces = [1, 1, 2].map((seed) => {
      const rollout = new DaemonSetRollout(spreadInput(seed));
      const dumps: string[] = [];
      for (let event = 0; event < 300 && rollout.step(); event++) {
        if (event % 10 === 0) dumps.push(JSON.stringify(rollout.dump()));
      }
      return [...dumps, JSON.stringify(rollout.run())].join("\n");
    });
    expect(traces[0]).toBe(traces[1]);
    expect(traces[0]).not.toBe(traces[2]);
  });

  test("a dump names every node's state and what comes next", () => {
    const rollout = new DaemonSetRollout(input({ "old-available": 3 }));
    while (rollout.dump().counts.terminating === 0) rollout.step();
    expect(rollout.dump()).toMatchObject({
      nodes: ["terminating", "old-available", "old-available"],
      counts: { terminating: 1, "old-available": 2, "new-available": 0 },
      pending: expect.arrayContaining([expect.objectContaining({ kind: "gone", node: 0 })]),
    });
  });

  test("ends at the limit of time and says so", () => {
    expect(run({ "old-available": 100 }, { limitSeconds: 100 })).toMatchObject({
      kind: "time-limit",
      replacedSeconds: null,
    });
  });
});

function counts({ created, deleted }: { created: { count: number }; deleted: { count: number } }) {
  return { created: created.count, deleted: deleted.count };
}

const CODES: Readonly<Record<NodeState, readonly string[]>> = {
  "old-available": ["o"],
  "old-unavailable": ["o-"],
  terminating: ["ot"],
  empty: [],
  "new-unavailable": ["n-"],
  "new-available": ["n"],
  "both-new-unavailable": ["o", "n-"],
  "both-new-available": ["o", "n"],
};

function nodeOf(state: NodeState, index: number): DaemonNode {
  const node = nodeFromCodes(`n${index}`, CODES[state], true);
  if ("wrongCode" in node) throw new Error(`${node.wrongCode} is no code of a pod`);
  return node;
}
