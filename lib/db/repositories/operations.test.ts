import { describe, expect, test } from "vitest";
import type { ConnectionTestResult, Store } from "../store.ts";
import { addCluster, makeOutcome, makePass, NOON, RETENTION } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

const result: ConnectionTestResult = {
  error: null,
  gitVersion: "v1.34.2",
  clusterUid: "uid-1",
  knownClusterId: null,
  contexts: ["a", "b"],
  permissions: { nodes: { state: "granted", at: NOON } },
  isInsecure: true,
};

describe("connection tests", () => {
  test("are claimed once, oldest first, and answered", async () => {
    const { connectionTests } = await stores.open();
    const first = await connectionTests.request("/k", "a", NOON);
    const second = await connectionTests.request("/k", null, NOON + 1);
    expect(first).toMatchObject({ state: "waiting", context: "a", answeredAt: null, result: null });
    expect(await connectionTests.claim(NOON + 2)).toMatchObject({ id: first.id, state: "running" });
    expect(await connectionTests.claim(NOON + 2)).toMatchObject({ id: second.id });
    expect(await connectionTests.claim(NOON + 2)).toBeNull();
    await connectionTests.answer(first.id, "succeeded", result, NOON + 3);
    await connectionTests.answer(second.id, "failed", { ...result, error: "no such context" }, NOON + 4);
    expect(await connectionTests.get(first.id, NOON + DAY)).toMatchObject({
      state: "succeeded",
      answeredAt: NOON + 3,
      result,
    });
    expect(await connectionTests.get(second.id, NOON + DAY)).toMatchObject({
      state: "failed",
      result: { error: "no such context" },
    });
    expect(await connectionTests.get("no-such", NOON)).toBeNull();
    await expect(connectionTests.answer("no-such", "failed", result, NOON)).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("time out ten seconds after they were asked for, waiting or running; a late answer changes nothing", async () => {
    const { connectionTests } = await stores.open();
    const running = await connectionTests.request("/k", "a", NOON);
    await connectionTests.claim(NOON);
    const waiting = await connectionTests.request("/k", "b", NOON);
    expect((await connectionTests.get(waiting.id, NOON + 10 * SECOND))?.state).toBe("waiting");
    for (const { id } of [running, waiting]) {
      expect(await connectionTests.get(id, NOON + 10 * SECOND + 1)).toMatchObject({
        state: "timed-out",
        answeredAt: NOON + 10 * SECOND + 1,
      });
      await connectionTests.answer(id, "succeeded", result, NOON + 11 * SECOND);
      expect(await connectionTests.get(id, NOON + 12 * SECOND)).toMatchObject({
        state: "timed-out",
        result: null,
      });
    }
  });

  test("nobody claims one that nobody waits for any more", async () => {
    const { connectionTests } = await stores.open();
    await connectionTests.request("/k", "a", NOON);
    expect(await connectionTests.claim(NOON + 10 * SECOND + 1)).toBeNull();
  });

  test("two collectors never claim the same one", async () => {
    const one = await stores.open();
    const two = await stores.open();
    const asked: string[] = [];
    for (let index = 0; index < 40; index++)
      asked.push((await one.connectionTests.request("/k", String(index), NOON)).id);
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one : two).connectionTests.claim(NOON)),
    );
    const claimed = claims.flatMap((test) => (test === null ? [] : [test.id]));
    expect(claimed.sort()).toEqual(asked.sort());
  });
});

describe("the collector", () => {
  describe("of several on one store", () => {
    const noWrite = () => Promise.resolve();
    const rules = { silentSeconds: 20, isAlive: () => true };

    test("the first has it, and the others are told which it is", async () => {
      const { collector } = await stores.open();
      expect(await collector.claim(10, "0.1.0", NOON, rules)).toBeNull();
      expect(await collector.claim(11, "0.1.0", NOON + 1, rules)).toMatchObject({ pid: 10, startedAt: NOON });
      expect(await collector.get()).toMatchObject({ pid: 10 });
    });

    test.each<[string, (collector: Store["collector"]) => Promise<void>, number, typeof rules]>([
      ["has stopped", (collector) => collector.stop(10, NOON + 1), NOON + 2, rules],
      ["is gone", noWrite, NOON + 2, { ...rules, isAlive: () => false }],
      ["has been silent for long", noWrite, NOON + 20 * SECOND + 1, rules],
      ["writes of a time far from now", noWrite, NOON - 3600 * SECOND, rules],
      [
        "crashed before it had started",
        (collector) => collector.recordCrash("exit code 1", NOON + 1),
        NOON + 2,
        { ...rules, isAlive: () => false },
      ],
    ])("another has it once that one %s, and crashes stay counted", async (_title, before, at, given) => {
      const { collector } = await stores.open();
      await collector.claim(10, "0.1.0", NOON, rules);
      await collector.recordCrash("exit code 7", NOON);
      await before(collector);
      expect(await collector.claim(11, "0.2.0", at, given)).toBeNull();
      expect(await collector.get()).toMatchObject({
        pid: 11,
        version: "0.2.0",
        startedAt: at,
        heartbeatAt: at,
        stoppedAt: null,
      });
      expect((await collector.get())?.crashes).toBeGreaterThan(0);
    });

    test("of many that find none at work at the same time, one has it", async () => {
      const first = await stores.open();
      await first.collector.claim(10, "0.1.0", NOON, rules);
      await first.collector.stop(10, NOON + 1);
      const second = await stores.open();
      const holders = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? first : second).collector.claim(100 + index, "0.1.0", NOON + 2 + index, rules),
        ),
      );
      expect(holders.filter((holder) => holder === null)).toHaveLength(1);
      const { pid } = (await first.collector.get()) ?? {};
      for (const holder of holders) if (holder !== null) expect(holder.pid).toBe(pid);
    });
  });

  test("says that it started, lives and stopped; another's heartbeat does not count", async () => {
    const { collector } = await stores.open();
    expect(await collector.get()).toBeNull();
    await collector.start(10, "0.1.0", NOON);
    await collector.heartbeat(10, NOON + 5);
    await collector.heartbeat(11, NOON + 9);
    await collector.stop(11, NOON + 9);
    expect(await collector.get()).toEqual({
      pid: 10,
      startedAt: NOON,
      heartbeatAt: NOON + 5,
      version: "0.1.0",
      stoppedAt: null,
      crashes: 0,
      lastCrashAt: null,
      lastCrash: null,
    });
    await collector.stop(10, NOON + 10);
    expect((await collector.get())?.stoppedAt).toBe(NOON + 10);
  });

  test("crashes are counted through its restarts until the web side starts again", async () => {
    const { collector } = await stores.open();
    await collector.recordCrash("exit code 1", NOON);
    await collector.start(10, "0.1.0", NOON + 1);
    await collector.recordCrash("killed by SIGKILL", NOON + 2);
    await collector.start(11, "0.1.0", NOON + 3);
    expect(await collector.get()).toMatchObject({
      pid: 11,
      crashes: 2,
      lastCrashAt: NOON + 2,
      lastCrash: "killed by SIGKILL",
      stoppedAt: null,
    });
    await collector.forgetCrashes();
    expect(await collector.get()).toMatchObject({ pid: 11, crashes: 0, lastCrash: null });
  });

  test("an incident page asks for a quicker pace until an instant; a shorter wish does not shorten it", async () => {
    const store = await stores.open();
    const one = await addCluster(store, "one");
    await store.collector.requestIncidentPace(one, NOON + 60 * SECOND);
    await store.collector.requestIncidentPace(one, NOON + 30 * SECOND);
    expect(await store.collector.listIncidentPace(NOON + 59 * SECOND)).toEqual([one]);
    expect(await store.collector.listIncidentPace(NOON + 60 * SECOND)).toEqual([]);
    await expect(store.collector.requestIncidentPace("no-such", NOON)).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

describe("scrapes", () => {
  const failed = (reason: "timeout" | "forbidden") =>
    makeOutcome("servers", {
      status: "failed",
      failure: {
        reason,
        verb: "GET",
        path: "/metrics",
        status: null,
        message: reason,
        retryAfterSeconds: null,
      },
    });

  test("are listed newest first with their status and parts, and cost what they cost", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const outcomes = [
      makeOutcome("servers"),
      makeOutcome("version", { status: "skipped" }),
      failed("timeout"),
    ];
    for (const [index, outcome] of outcomes.entries()) {
      await store.parts.recordPass(
        makePass(clusterId, {
          startedAt: NOON + index,
          parts: [{ ...{ part: "servers" }, outcome, value: null }],
        }),
      );
    }
    await store.parts.recordPass(
      makePass(clusterId, {
        startedAt: NOON + 3,
        parts: [
          { part: "servers", outcome: makeOutcome("servers"), value: null },
          { part: "version", outcome: makeOutcome("version", { status: "failed" }), value: null },
        ],
      }),
    );
    const all = await store.scrapes.list(clusterId, { limit: 10 });
    expect(all.map(({ status }) => status)).toEqual(["partial", "failed", "failed", "ok"]);
    expect(all[3]?.parts).toEqual([outcomes[0]]);
    expect(
      (await store.scrapes.list(clusterId, { limit: 1, before: NOON + 2 })).map(({ startedAt }) => startedAt),
    ).toEqual([NOON + 1]);
    expect((await store.scrapes.costSince(NOON + 1)).get(clusterId)).toEqual({
      requests: 9,
      wireBytes: 144_000,
    });
  });

  test("all are kept for two hours; then the first of each hour that went wrong in one way; none beyond its retention", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const old = NOON - 4 * HOUR;
    const plan = [
      [NOON - 91 * DAY, failed("timeout")],
      [old, makeOutcome("servers")],
      [old + 1, failed("timeout")],
      [old + 2, failed("forbidden")],
      [old + 3, failed("timeout")],
      [old + HOUR, failed("timeout")],
      [NOON - HOUR, makeOutcome("servers")],
      [NOON - HOUR + 1, failed("timeout")],
      [NOON - HOUR + 2, failed("timeout")],
    ] as const;
    for (const [startedAt, outcome] of plan) {
      await store.parts.recordPass(
        makePass(clusterId, { startedAt, parts: [{ part: "servers", outcome, value: null }] }),
      );
    }
    const { deletedRows } = await store.maintenance.prune(RETENTION, NOON);
    const kept = (await store.scrapes.list(clusterId, { limit: 20 })).map(({ startedAt }) => startedAt);
    expect(kept.reverse()).toEqual([
      old + 1,
      old + 2,
      old + HOUR,
      NOON - HOUR,
      NOON - HOUR + 1,
      NOON - HOUR + 2,
    ]);
    expect(deletedRows).toBe(3);
    expect((await store.maintenance.prune(RETENTION, NOON)).deletedRows).toBe(0);
  });
});

test("answers to connection tests go after a day, wishes for a quicker pace when they end", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store);
  const { id } = await store.connectionTests.request("/k", null, NOON);
  await store.collector.requestIncidentPace(clusterId, NOON + 1);
  expect((await store.maintenance.prune(RETENTION, NOON + DAY)).deletedRows).toBe(1);
  expect(await store.connectionTests.get(id, NOON)).not.toBeNull();
  expect((await store.maintenance.prune(RETENTION, NOON + DAY + 1)).deletedRows).toBe(1);
  expect(await store.connectionTests.get(id, NOON)).toBeNull();
});
