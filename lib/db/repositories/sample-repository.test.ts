import { describe, expect, test } from "vitest";
import type { SeriesKey } from "../../domain/clusters/series.ts";
import type { Store, StoredSeries } from "../store.ts";
import { addCluster, makeKey, makePass, NOON, RETENTION } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();
const START = NOON / 1000;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const SEATS = makeKey();

/** Scrapes one series at these seconds; the value is what `valueAt` gives. */
async function scrape(
  store: Store,
  clusterId: string,
  seconds: readonly number[],
  valueAt: (atSeconds: number) => number,
): Promise<void> {
  for (const atSeconds of seconds) {
    const samples = [{ key: SEATS, value: valueAt(atSeconds) }];
    await store.parts.recordPass(makePass(clusterId, { startedAt: atSeconds * 1000, parts: [], samples }));
  }
}

const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);

async function queryOne(
  store: Store,
  clusterId: string,
  fromSeconds: number,
  toSeconds: number,
  maxPoints: number,
): Promise<StoredSeries> {
  const [series] = await store.samples.query(clusterId, SEATS, { fromSeconds, toSeconds, maxPoints });
  if (series === undefined) throw new Error("no such series");
  return series;
}

describe("as scraped", () => {
  test("samples come back one by one, at both ends of the range", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(30, START, START + 180), (at) => at - START);
    const { points, resolution, stepSeconds, isGenerated } = await queryOne(
      store,
      clusterId,
      START + 30,
      START + 120,
      60,
    );
    expect({ resolution, stepSeconds, isGenerated }).toEqual({
      resolution: "fine",
      stepSeconds: 30,
      isGenerated: false,
    });
    expect(points).toEqual(
      [30, 60, 90, 120].map((value) => ({ atSeconds: START + value, min: value, avg: value, max: value })),
    );
  });

  test("a gap stays a gap: nothing is made up, and the step tells it apart", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const times = [...every(30, START, START + 300), ...every(30, START + 1200, START + 1500)];
    await scrape(store, clusterId, times, () => 1);
    const { points, stepSeconds } = await queryOne(store, clusterId, START, START + 1500, 1000);
    expect(points.map(({ atSeconds }) => atSeconds)).toEqual(times);
    expect(stepSeconds).toBe(30);
  });

  test("a figure that is read once an hour has an hour as its step", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(HOUR, START, START + 6 * HOUR), () => 7);
    expect(await queryOne(store, clusterId, START, START + 6 * HOUR, 10_000)).toMatchObject({
      resolution: "fine",
      stepSeconds: HOUR,
    });
  });

  test("more points than asked for are merged into least, mean and greatest", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(5, START, START + 120), (at) => at - START);
    const { points, stepSeconds } = await queryOne(store, clusterId, START, START + 120, 6);
    expect(stepSeconds).toBe(20);
    expect(points).toHaveLength(6);
    expect(points[0]).toEqual({ atSeconds: START, min: 0, avg: 7.5, max: 15 });
  });

  test("what is no number is left out, and a sample of the same second is replaced", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await store.samples.append(
      clusterId,
      "fine",
      [{ key: SEATS, points: [{ atSeconds: START, min: 1, avg: 1, max: 1 }] }],
      { isGenerated: false },
    );
    await scrape(store, clusterId, [START], () => 2);
    await scrape(store, clusterId, [START + 1], () => Number.NaN);
    expect((await queryOne(store, clusterId, START, START + 10, 10)).points).toEqual([
      { atSeconds: START, min: 2, avg: 2, max: 2 },
    ]);
  });
});

describe("choosing series", () => {
  test("every member given must be equal, and null matches null alone", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const keys: SeriesKey[] = [
      SEATS,
      makeKey({ serverId: "api-1" }),
      makeKey({ priorityLevelName: null }),
      makeKey({ metric: "rejected-per-second", rejectReason: "queue-full" }),
      makeKey({ metric: "nodes", serverId: null, priorityLevelName: null }),
    ];
    await store.parts.recordPass(makePass(clusterId, { samples: keys.map((key) => ({ key, value: 1 })) }));
    const range = { fromSeconds: START, toSeconds: START, maxPoints: 10 };
    const find = async (match: Partial<SeriesKey>) =>
      (await store.samples.query(clusterId, match, range)).map(({ key }) => key);
    expect(await store.samples.listKeys(clusterId)).toEqual(keys);
    expect(await find({})).toEqual(keys);
    expect(await find({ metric: "executing-seats" })).toEqual(keys.slice(0, 3));
    expect(await find({ metric: "executing-seats", priorityLevelName: null })).toEqual([keys[2]]);
    expect(await find({ serverId: null })).toEqual([keys[4]]);
    expect(await find({ rejectReason: "queue-full" })).toEqual([keys[3]]);
    expect(await find({ metric: "pods" })).toEqual([]);
    await expect(store.samples.query("no-such", {}, range)).rejects.toMatchObject({ code: "not-found" });
  });

  test("clusters do not see each other's series", async () => {
    const store = await stores.open();
    const one = await addCluster(store, "one");
    const two = await addCluster(store, "two");
    await scrape(store, one, [START], () => 1);
    await scrape(store, two, [START + 30], () => 2);
    expect((await queryOne(store, one, START, START + 60, 10)).points.map(({ avg }) => avg)).toEqual([1]);
    const fleet = await store.samples.queryFleet(
      new Map([
        [one, SEATS],
        [two, SEATS],
        ["no-such", SEATS],
      ]),
      { fromSeconds: START, toSeconds: START + 60, maxPoints: 60 },
    );
    expect([...fleet].map(([id, { points }]) => [id, points.map(({ avg }) => avg)])).toEqual([
      ["one", [1]],
      ["two", [2]],
    ]);
  });
});

describe("rolling up", () => {
  const sawtooth = (at: number) => (at - START) % 300;
  const fiveMinutes = (from: number, to: number) =>
    every(300, from, to).map((atSeconds) => ({ atSeconds, min: 0, avg: 135, max: 270 }));

  test("closed five minutes come from the rolled-up table, the open ones from what was scraped", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(30, START, START + HOUR + 120), sawtooth);
    const { points, resolution, stepSeconds } = await queryOne(
      store,
      clusterId,
      START,
      START + HOUR + 120,
      12,
    );
    expect({ resolution, stepSeconds }).toEqual({ resolution: "five-minutes", stepSeconds: 600 });
    const exact = await queryOne(store, clusterId, START, START + HOUR + 120, 12.4);
    expect(exact.stepSeconds).toBe(300);
    expect(exact.points).toEqual([
      ...fiveMinutes(START, START + HOUR),
      { atSeconds: START + HOUR, min: 0, avg: 45, max: 90 },
    ]);
    expect(points.at(-1)).toEqual({ atSeconds: START + HOUR, min: 0, avg: 45, max: 90 });
  });

  test("hours are the mean of their five minutes, the open hour included", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    // The second half of the first hour is scraped six times as often, and weighs no more.
    await scrape(store, clusterId, every(30, START, START + 1800), () => 10);
    await scrape(store, clusterId, every(5, START + 1800, START + 3600), () => 30);
    await scrape(store, clusterId, [START + 3600, START + 3900], () => 50);
    const { points, resolution } = await queryOne(store, clusterId, START, START + 2 * HOUR, 2);
    expect(resolution).toBe("hourly");
    expect(points).toEqual([
      { atSeconds: START, min: 10, avg: 20, max: 30 },
      { atSeconds: START + HOUR, min: 50, avg: 50, max: 50 },
    ]);
    const fleet = await store.samples.queryFleet(new Map([[clusterId, SEATS]]), {
      fromSeconds: START,
      toSeconds: START + 2 * HOUR,
      maxPoints: 2,
    });
    // The fleet leaves out what is not rolled up to five minutes yet: here the sample at 13:05.
    expect(fleet.get(clusterId)?.points).toEqual(points);
  });

  test("a sample that comes late re-opens its bucket and its hour", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(60, START, START + 2 * HOUR), () => 10);
    await scrape(store, clusterId, [START + 90], () => 100);
    const minutes = await queryOne(store, clusterId, START, START + 3000, 10);
    expect(minutes.points[0]).toEqual({ atSeconds: START, min: 10, avg: 25, max: 100 });
    expect((await queryOne(store, clusterId, START, START + 2 * HOUR, 2)).points).toEqual([
      { atSeconds: START, min: 10, avg: 11.25, max: 100 },
      { atSeconds: START + HOUR, min: 10, avg: 10, max: 10 },
    ]);
  });

  test("pruning deletes what was scraped beyond two hours, and what it rolls up is the same however late it runs", async () => {
    const times = every(30, START, START + 3 * HOUR + 170);
    const seen: StoredSeries[] = [];
    for (const [name, prunes] of [
      ["often.db", every(600, START, START + 3 * HOUR + 1200)],
      ["days-later.db", [START + 9 * DAY]],
    ] as const) {
      const store = await stores.open({ name });
      const clusterId = await addCluster(store);
      let next = 0;
      for (const at of prunes) {
        const due = times.filter((time, index) => index >= next && time < at);
        next += due.length;
        await scrape(store, clusterId, due, sawtooth);
        await store.maintenance.prune(RETENTION, at * 1000);
        // Running it again at once deletes and changes nothing more.
        expect((await store.maintenance.prune(RETENTION, at * 1000)).deletedRows).toBe(0);
      }
      seen.push(await queryOne(store, clusterId, START, START + 4 * HOUR, 48));
    }
    expect(seen[1]).toEqual(seen[0]);
    // The last five minutes were never closed by a sample after them: they are there, partly filled.
    expect(seen[0]?.points.at(-1)).toEqual({ atSeconds: START + 3 * HOUR, min: 0, avg: 75, max: 150 });
    expect(seen[0]?.points).toHaveLength(37);
  });

  test("after pruning, a range that begins before what is kept as scraped is served in five minutes", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, every(60, START, START + 3 * HOUR), () => 4);
    expect((await queryOne(store, clusterId, START, START + 3 * HOUR, 10_000)).resolution).toBe("fine");
    await store.maintenance.prune(RETENTION, (START + 3 * HOUR) * 1000);
    expect((await queryOne(store, clusterId, START, START + 3 * HOUR, 10_000)).resolution).toBe(
      "five-minutes",
    );
    expect((await queryOne(store, clusterId, START + HOUR, START + 3 * HOUR, 10_000)).resolution).toBe(
      "fine",
    );
    // A sample older than what is kept cannot change a bucket whose other samples are gone.
    await scrape(store, clusterId, [START + 30], () => 1000);
    expect((await queryOne(store, clusterId, START, START + 3 * HOUR, 12)).points[0]?.max).toBe(4);
  });

  test("five minutes are kept 14 days, hours 400, and nothing goes before it is rolled up", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    await scrape(store, clusterId, [START, START + 10 * DAY, START + 20 * DAY], (at) => (at - START) / DAY);
    await store.maintenance.prune(RETENTION, (START + 20 * DAY) * 1000);
    const whole = { from: START - DAY, to: START + 21 * DAY };
    expect((await queryOne(store, clusterId, START + 5 * DAY, whole.to, 1e6)).resolution).toBe("hourly");
    expect((await queryOne(store, clusterId, START + 8 * DAY, whole.to, 1e6)).resolution).toBe(
      "five-minutes",
    );
    expect(
      (await queryOne(store, clusterId, whole.from, whole.to, 1e6)).points.map(({ avg }) => avg),
    ).toEqual([0, 10, 20]);
    await store.maintenance.prune(RETENTION, (START + 405 * DAY) * 1000);
    expect(
      (await queryOne(store, clusterId, whole.from, whole.to, 1e6)).points.map(({ avg }) => avg),
    ).toEqual([10, 20]);
  });
});

describe("generated history", () => {
  test("is marked in any range that shows some of it, and measured samples follow it without a seam", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const points = (step: number, from: number) =>
      every(step, from, START).map((atSeconds) => ({ atSeconds, min: 1, avg: 2, max: 3 }));
    const generated = { isGenerated: true };
    await store.samples.append(
      clusterId,
      "hourly",
      [{ key: SEATS, points: points(HOUR, START - 30 * DAY) }],
      generated,
    );
    await store.samples.append(
      clusterId,
      "five-minutes",
      [{ key: SEATS, points: points(300, START - 14 * DAY) }],
      generated,
    );
    await store.samples.append(
      clusterId,
      "fine",
      [{ key: SEATS, points: points(30, START - 2 * HOUR) }],
      generated,
    );
    await scrape(store, clusterId, every(30, START, START + 30 * MINUTE), () => 2);

    const recent = await queryOne(store, clusterId, START - HOUR, START + HOUR, 500);
    expect(recent).toMatchObject({ resolution: "fine", isGenerated: true });
    expect(recent.points).toHaveLength(180);
    const day = await queryOne(store, clusterId, START - DAY, START + 30 * MINUTE, 10_000);
    expect(day).toMatchObject({ resolution: "five-minutes", isGenerated: true });
    expect(day.points).toHaveLength(288 + 6);
    const month = await queryOne(store, clusterId, START - 30 * DAY, START + 30 * MINUTE, 10_000);
    expect(month).toMatchObject({ resolution: "hourly", isGenerated: true });
    expect(month.points).toHaveLength(30 * 24 + 1);
    expect((await queryOne(store, clusterId, START + 60, START + HOUR, 500)).isGenerated).toBe(false);
  });

  test("appending it again changes nothing", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store);
    const rows = [
      {
        key: SEATS,
        points: every(300, START - DAY, START).map((atSeconds) => ({ atSeconds, min: 1, avg: 2, max: 3 })),
      },
    ];
    await store.samples.append(clusterId, "five-minutes", rows, { isGenerated: true });
    const first = await queryOne(store, clusterId, START - DAY, START, 10_000);
    await store.samples.append(clusterId, "five-minutes", rows, { isGenerated: true });
    expect(await queryOne(store, clusterId, START - DAY, START, 10_000)).toEqual(first);
    expect(first.points).toHaveLength(288);
  });
});
