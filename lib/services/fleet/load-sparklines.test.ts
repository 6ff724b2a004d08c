import { expect, test } from "vitest";
import type { Store } from "../../db/store.ts";
import { NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import { recordSeed, seedCluster } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { loadSparklines } from "./load-sparklines.ts";

const stores = temporaryStores();
const LEVEL = { name: "workload-low", seats: 28, limit: 56 };

/** A store that counts for how many clusters it was asked for series. */
function counting(store: Store): { readonly store: Store; readonly asked: number[] } {
  const asked: number[] = [];
  const samples = new Proxy(store.samples, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (property === "queryFleet" && args[0] instanceof Map) asked.push(args[0].size);
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { store: { ...store, samples }, asked };
}

/** Six hours of five-minute buckets: twelve of a sparkline. */
async function appendHours(store: Store, clusterId: string, level: string): Promise<void> {
  const key = { serverId: "id-api-0", priorityLevelName: level, rejectReason: null };
  const points = (value: number) =>
    Array.from({ length: 72 }, (_, index) => ({
      atSeconds: NOON / 1000 - 6 * 3600 + 300 * index,
      min: value,
      avg: value,
      max: value,
    }));
  const rows = [
    { key: { ...key, metric: "executing-seats" as const }, points: points(28) },
    { key: { ...key, metric: "current-limit-seats" as const }, points: points(56) },
  ];
  await store.samples.append(clusterId, "five-minutes", rows, { isGenerated: false });
}

test("a line is read once in five minutes, and at once when another level is the busiest", async () => {
  const { store, asked } = counting(await stores.open());
  const clusterId = await seedCluster(store, { name: "c", servers: { "api-0": [LEVEL] } });
  await appendHours(store, clusterId, "workload-low");
  const context = makeTestContext(store);
  const load = async () =>
    (await loadSparklines(context, (await loadFleet(context)).clusters)).get(clusterId) ?? [];

  const line = await load();
  expect(line.length).toBeGreaterThan(2);
  expect(new Set(line.map(([, ratio]) => ratio))).toEqual(new Set([0.5]));
  expect(asked).toEqual([1, 1]);
  context.setNow(NOON + 200_000);
  expect(await load()).toEqual(line);
  expect(asked).toEqual([1, 1]);
  context.setNow(NOON + 300_000);
  await load();
  expect(asked).toEqual([1, 1, 1, 1]);

  const system = { name: "system", seats: 70, limit: 74 };
  await recordSeed(store, clusterId, { name: "c", servers: { "api-0": [LEVEL, system] } }, NOON + 290_000);
  expect(await load()).not.toEqual(line);
  expect(asked).toEqual([1, 1, 1, 1, 1, 1]);
});

test("a line that has just begun is looked at again after half a minute", async () => {
  const { store, asked } = counting(await stores.open());
  await seedCluster(store, { name: "c", servers: { "api-0": [LEVEL] } });
  const context = makeTestContext(store);
  const load = async () => loadSparklines(context, (await loadFleet(context)).clusters);
  await load();
  context.setNow(NOON + 29_000);
  await load();
  expect(asked).toHaveLength(2);
  context.setNow(NOON + 30_000);
  await load();
  expect(asked).toHaveLength(4);
});

test("of many clusters only a share is read anew at a time", async () => {
  const { store, asked } = counting(await stores.open());
  for (let index = 0; index < 10; index++) {
    const clusterId = await seedCluster(store, { name: `c${index}`, servers: { "api-0": [LEVEL] } });
    await appendHours(store, clusterId, "workload-low");
  }
  const context = makeTestContext(store);
  for (let seconds = 0; seconds <= 300; seconds += 30) {
    context.setNow(NOON + seconds * 1000);
    await loadSparklines(context, (await loadFleet(context)).clusters);
  }
  expect(asked[0]).toBe(10);
  expect(Math.max(...asked.slice(2))).toBe(1);
});

test("without clusters nothing is asked for", async () => {
  const { store, asked } = counting(await stores.open());
  const context = makeTestContext(store);
  expect(await loadSparklines(context, [])).toEqual(new Map());
  expect(asked).toEqual([]);
});
