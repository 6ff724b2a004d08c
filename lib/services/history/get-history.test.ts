import { expect, test } from "vitest";
import { type HistoryQuery, HistoryResponseSchema } from "../../contracts/history.ts";
import { makeEvent, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { seedCluster } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { getHistory } from "./get-history.ts";

const stores = temporaryStores();
const HOUR = 3_600_000;

async function seedHistory() {
  const store = await stores.open();
  const clusterId = await seedCluster(store, {
    name: "c",
    servers: {
      "api-0": [
        { name: "system", seats: 1, limit: 74 },
        { name: "workload-low", seats: 20, limit: 56, rejectedPerSecond: 1 },
      ],
      "api-1": [{ name: "workload-low", seats: 2, limit: 56 }],
    },
  });
  const context = makeTestContext(store);
  const history = async (query: Partial<HistoryQuery> = {}) =>
    HistoryResponseSchema.parse(await getHistory(context, { clusterId, query: { range: "24h", ...query } }));
  return { store, clusterId, history };
}

test("without a choice the busiest level of the busiest server is shown up to now", async () => {
  const { history } = await seedHistory();
  const shown = await history();
  expect(shown).toMatchObject({
    range: "24h",
    fromAt: NOON - 24 * HOUR,
    toAt: NOON,
    serverId: "id-api-0",
    priorityLevelName: "workload-low",
    priorityLevelNames: ["system", "workload-low"],
    servers: [
      { id: "id-api-0", name: "api-0" },
      { id: "id-api-1", name: "api-1" },
    ],
  });
  const chart = (id: string) =>
    shown.charts
      .find((each) => each.id === id)
      ?.series.map(({ metric, serverName, rejectReason, unit }) => [metric, serverName, rejectReason, unit]);
  expect(chart("seats")).toEqual([
    ["executing-seats", "api-0", null, "seats"],
    ["current-limit-seats", "api-0", null, "seats"],
  ]);
  expect(chart("rejected")).toEqual([["rejected-per-second", "api-0", "queue-full", "per-second"]]);
  expect(chart("memory")).toEqual([
    ["resident-memory-bytes", "api-0", null, "bytes"],
    ["resident-memory-bytes", "api-1", null, "bytes"],
  ]);
  expect(chart("storage")).toEqual([]);
});

test.each([
  ["by id", "id-api-1"],
  ["by name", "api-1"],
])("a server may be chosen %s", async (_how, server) => {
  const { history } = await seedHistory();
  const shown = await history({ server, level: "workload-low" });
  expect(shown).toMatchObject({ serverId: "id-api-1", priorityLevelName: "workload-low" });
});

test("a server or level that is not there falls back to the busiest", async () => {
  const { history } = await seedHistory();
  expect(await history({ server: "api-9", level: "nonsense" })).toMatchObject({
    serverId: "id-api-0",
    priorityLevelName: "workload-low",
  });
});

test("a range that ends in the past holds the events within it alone; the future is cut at now", async () => {
  const { store, clusterId, history } = await seedHistory();
  const later = Array.from({ length: 150 }, (_, index) =>
    makeEvent({ at: NOON - HOUR - index, subject: `later ${index}` }),
  );
  const within = makeEvent({ at: NOON - 30 * HOUR, subject: "within" });
  const before = makeEvent({ at: NOON - 60 * HOUR, subject: "before" });
  await store.events.append(clusterId, [...later, within, before], { isGenerated: false });
  const shown = await history({ at: NOON - 24 * HOUR });
  expect(shown.events.map((each) => each.subject)).toEqual(["within"]);
  expect(shown.toAt).toBe(NOON - 24 * HOUR);
  expect((await history({ at: NOON + HOUR })).toAt).toBe(NOON);
});

test("a server of which only history is left is called by its id", async () => {
  const { store, clusterId, history } = await seedHistory();
  const key = {
    metric: "requests-per-second",
    serverId: "gone",
    priorityLevelName: null,
    rejectReason: null,
  } as const;
  const points = [{ atSeconds: NOON / 1000 - 3600, min: 1, avg: 1, max: 1 }];
  await store.samples.append(clusterId, "five-minutes", [{ key, points }], { isGenerated: true });
  const shown = await history();
  expect(shown.servers.at(-1)).toEqual({ id: "gone", name: "gone" });
  expect(shown.charts.find((each) => each.id === "requests")?.series).toMatchObject([
    { serverId: "gone", serverName: "gone", isGenerated: true },
  ]);
});

test("one chart alone is as it is among all of them", async () => {
  const { history } = await seedHistory();
  const [all, one] = [await history(), await history({ chart: "seats" })];
  expect(one.charts).toEqual(all.charts.filter(({ id }) => id === "seats"));
  expect(one.charts).toHaveLength(1);
});
