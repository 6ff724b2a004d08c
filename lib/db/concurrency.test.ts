import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { isBusy } from "./sqlite/errors.ts";
import { retryWhileBusy } from "./sqlite/retry.ts";
import { Turnstile } from "./sqlite/turnstile.ts";
import { startChild } from "./testing/child.ts";
import { addCluster, makeEvent, makePass, NOON } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();

test("two processes write at once while this one writes and reads: nothing is lost, nobody fails", async () => {
  const store = await stores.open();
  const ids = [await addCluster(store, "one"), await addCluster(store, "two")];
  const own = await addCluster(store, "own");
  const children = ids.map((id) =>
    startChild("write-passes.child.ts", [`file:${stores.path()}`, id, "0", "60"]),
  );
  for (const child of children) expect(await child.nextLine()).toBe("ready");
  for (const child of children) child.send("both");
  let passes = 0;
  const lines = await Promise.all(
    children.map(async (child) => {
      const seen: string[] = [];
      // One write and two reads of this process for each write of another.
      for (let line = await child.nextLine(); line !== null; line = await child.nextLine()) {
        seen.push(line);
        passes += 1;
        const at = NOON + passes;
        await store.parts.recordPass(makePass(own, { startedAt: at, events: [makeEvent({ at })] }));
        expect((await store.events.list({ clusterId: own, limit: 1 })).events[0]?.at).toBeGreaterThanOrEqual(
          at,
        );
        expect((await store.parts.listSummaries()).get(own)?.apiServers).toBe(3);
      }
      return seen;
    }),
  );
  for (const child of children) expect((await child.finish()).code).toBe(0);
  expect(lines.map(({ length }) => length)).toEqual([120, 120]);
  for (const id of ids) {
    expect(await store.scrapes.list(id, { limit: 1000 })).toHaveLength(60);
    expect(Object.keys((await store.clusters.get(id))?.permissions ?? {})).toHaveLength(60);
  }
  expect(await store.scrapes.list(own, { limit: 1e6 })).toHaveLength(passes);
  expect(await store.maintenance.check()).toMatchObject({ ok: true });
});

test("writes asked for at once in one process are all done, whole, in the order in which they were asked for", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store);
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0
        ? store.clusters.mergePermissions(clusterId, { [`p${index}`]: { state: "granted", at: index } })
        : index % 3 === 1
          ? store.clusters.setUnreachableSince(clusterId, index)
          : store.parts.recordPass(makePass(clusterId, { startedAt: NOON + index })),
    ),
  );
  const cluster = await store.clusters.get(clusterId);
  expect(cluster?.unreachableSince).toBe(58);
  expect(Object.keys(cluster?.permissions ?? {})).toHaveLength(20);
  expect(await store.scrapes.list(clusterId, { limit: 100 })).toHaveLength(20);
});

test("a write waits while another process holds the lock; readers do not", async () => {
  let waits = 0;
  const random = () => {
    waits += 1;
    return 0;
  };
  const store = await stores.open({ random });
  await addCluster(store);
  const other = new SqliteDatabase(stores.path());
  other.exec("BEGIN IMMEDIATE");
  const waiting = addCluster(store, "second");
  // Two refusals are enough to know that it waits and does not fail.
  while (waits < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(await store.clusters.list()).toHaveLength(1);
  other.exec("COMMIT");
  await waiting;
  other.close();
  expect(await store.clusters.list()).toHaveLength(2);
});

const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

test("only a lock is waited for; the last refusal is thrown as it is", async () => {
  let attempts = 0;
  const always = retryWhileBusy(
    () => {
      attempts += 1;
      throw busy();
    },
    { random: () => 0, attempts: 4 },
  );
  await expect(always).rejects.toThrow("database is locked");
  expect(attempts).toBe(4);
  attempts = 0;
  const other = retryWhileBusy(
    () => {
      attempts += 1;
      throw new Error("disk I/O error");
    },
    { random: () => 0 },
  );
  await expect(other).rejects.toThrow("disk I/O error");
  expect(attempts).toBe(1);
});

test("a lock is told however deep the client wraps it", () => {
  expect(isBusy(busy())).toBe(true);
  expect(
    isBusy({
      code: "P1008",
      meta: { driverAdapterError: { cause: { originalCode: "SQLITE_BUSY_SNAPSHOT" } } },
    }),
  ).toBe(true);
  expect(isBusy(new Error("outer", { cause: busy() }))).toBe(true);
  expect(isBusy({ code: "SQLITE_FULL" })).toBe(false);
  expect(isBusy(null)).toBe(false);
});

test("a turnstile lets one through at a time, in order, and a failure ends the turn", async () => {
  const turnstile = new Turnstile();
  const log: string[] = [];
  const pass = (name: string, fails: boolean) =>
    turnstile.pass(async () => {
      log.push(`${name} in`);
      await Promise.resolve();
      log.push(`${name} out`);
      if (fails) throw new Error(name);
    });
  const results = await Promise.allSettled([pass("a", true), pass("b", false), pass("c", true)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
  expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});
