import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import { startChild } from "./testing/child.ts";
import { addCluster, makePass, makeSample, NOON, RETENTION } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();

function pagesOf(path: string): number {
  const database = new SqliteDatabase(path, { readonly: true });
  const pages = Number(database.pragma("page_count", { simple: true }));
  database.close();
  return pages;
}

/** Random text, which no compression makes smaller. */
const bulky = (clusterId: string, startedAt: number) =>
  makePass(clusterId, {
    startedAt,
    parts: [],
    events: Array.from({ length: 20 }, (_, index) => ({
      kind: "agent-added" as const,
      severity: "info" as const,
      at: startedAt,
      subject: `agent-${index}`,
      lead: "added",
      text: "x".repeat(2000),
      before: null,
      after: null,
    })),
    samples: [makeSample(1)],
  });

describe("a full store", () => {
  test("is said to be full, stays readable and whole, and goes on when there is room again", async () => {
    const seed = await stores.open();
    const clusterId = await addCluster(seed);
    await seed.parts.recordPass(bulky(clusterId, NOON));
    await seed.close();

    const store = await stores.open({ limits: { maxPages: pagesOf(stores.path()) + 4 } });
    for (let attempt = 1; attempt <= 3; attempt++) {
      await expect(store.parts.recordPass(bulky(clusterId, NOON + attempt))).rejects.toMatchObject({
        code: "store-full",
        message: expect.stringMatching(/has no room: nothing new is kept until its disk has/),
      });
    }
    // The client's own transactions fail in the same way and end: those after them are not held up.
    const manyLabels = Object.fromEntries(
      Array.from({ length: 4000 }, (_, index) => [`label-${index}`, "y".repeat(30)]),
    );
    const target = {
      source: "page",
      kubeconfigPath: "/k",
      context: "z",
      name: "z",
      role: null,
      labels: manyLabels,
      isInsecure: false,
      isDemo: false,
    } as const;
    await expect(store.clusters.addTarget(target, NOON)).rejects.toMatchObject({ code: "store-full" });
    await expect(store.clusters.addTarget(target, NOON)).rejects.toMatchObject({ code: "store-full" });
    await store.clusters.setUnreachableSince(clusterId, NOON);

    expect((await store.scrapes.list(clusterId, { limit: 10 })).map(({ startedAt }) => startedAt)).toEqual([
      NOON,
    ]);
    expect((await store.events.list({ limit: 100 })).events).toHaveLength(20);
    expect(await store.maintenance.check()).toMatchObject({ ok: true });
    await store.close();

    const roomy = await stores.open();
    await roomy.parts.recordPass(bulky(clusterId, NOON + 1));
    expect(await roomy.scrapes.list(clusterId, { limit: 10 })).toHaveLength(2);
  });

  test.skipIf(process.platform === "win32")(
    "is told as what it is, and no defect, where only the commit meets the end of the room",
    async () => {
      await (await stores.open()).close();
      const child = startChild("beat-until-refused.child.ts", [`file:${stores.path()}`], {
        // The log may grow to about a megabyte.
        wrapper: ["sh", "-c", 'ulimit -f 2000; exec "$@"', "sh"],
      });
      const { lines } = await child.finish();
      // A limit on files is told by another number than a full disk.
      const code = "store-unavailable";
      expect(lines).toEqual([code, code, code, `probe ${code}`]);
    },
  );

  test("is no room for a new store either, and that is said", async () => {
    await expect(stores.open({ limits: { maxPages: 6 } })).rejects.toMatchObject({ code: "store-full" });
    // What was begun is finished when there is room.
    const store = await stores.open();
    expect(await store.maintenance.check()).toMatchObject({ ok: true });
  });
});

describe("a store that cannot be written", () => {
  test("is found out by a write that changes nothing", async () => {
    const store = await stores.open();
    await expect(store.maintenance.probeWriting()).resolves.toBeUndefined();
    const refusing = await stores.open({ limits: { isQueryOnly: true } });
    await expect(refusing.maintenance.probeWriting()).rejects.toMatchObject({ code: "store-read-only" });
    expect(refusing.origin).toEqual(store.origin);
  });

  test("serves what it holds and refuses writes with the reason, whoever runs it", async () => {
    const seed = await stores.open();
    const clusterId = await addCluster(seed);
    await seed.close();
    const refusing = await openStore({ url: `file:${stores.path()}`, mode: "read-only" });
    const database = await stores.open({ mode: "read-only" });
    expect(database.mode).toBe("read-only");
    await expect(database.parts.recordPass(makePass(clusterId))).rejects.toMatchObject({
      code: "store-read-only",
      message: expect.stringContaining("was opened for reading only"),
    });
    await expect(database.clusters.removeTarget("x", NOON)).rejects.toMatchObject({
      code: "store-read-only",
    });
    await expect(database.maintenance.prune(RETENTION, NOON)).rejects.toMatchObject({
      code: "store-read-only",
    });
    expect((await database.clusters.list()).map(({ id }) => id)).toEqual([clusterId]);
    await refusing.close();
  });

  test("is told from SQLite's own refusal as well", async () => {
    await (await stores.open()).close();
    // Refuses every write, as a file system mounted read-only does, for root too.
    const store = await stores.open({ limits: { isQueryOnly: true } });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(addCluster(store)).rejects.toMatchObject({
        code: "store-read-only",
        message: expect.stringMatching(
          /cannot be written: the file, its folder or its file system is read-only/,
        ),
      });
    }
    await expect(store.reviews.acknowledgeAll("ada", NOON, NOON)).rejects.toMatchObject({
      code: "store-read-only",
    });
    expect(await store.clusters.list()).toEqual([]);
  });

  const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
  test.skipIf(!canMount)(
    "on a file system mounted read-only is refused at the start, for root too",
    async () => {
      const seed = await stores.open({ name: "mounted/headroom.db" });
      await seed.close();
      const folder = stores.path("mounted");
      const mount = `mount --bind '${folder}' '${folder}' && mount -o remount,ro,bind '${folder}' && exec "$@"`;
      for (const file of ["headroom.db", "absent.db"]) {
        const child = startChild("open-store.child.ts", [`file:${folder}/${file}`], {
          wrapper: ["unshare", "--mount", "sh", "-c", mount, "sh"],
        });
        expect(await child.nextLine()).toBe("ready");
        child.send("go");
        const { lines } = await child.finish();
        expect(lines).toEqual([expect.stringMatching(/^store-read-only The store .* cannot be written/)]);
      }
    },
  );

  test("in a folder that cannot be made is refused with the reason", async () => {
    await expect(
      openStore({ url: "file:/proc/headroom/headroom.db", mode: "read-write" }),
    ).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("/proc/headroom/headroom.db"),
    });
    mkdirSync(stores.path("folder.db"));
    await expect(stores.open({ name: "folder.db" })).rejects.toMatchObject({ code: "store-unavailable" });
  });
});

test("a store opened for reading that is not there says how it is made", async () => {
  await expect(stores.open({ mode: "read-only" })).rejects.toMatchObject({
    code: "store-unavailable",
    message: expect.stringContaining("headroom db deploy"),
  });
});

test.each([
  ["postgresql://localhost/headroom", "unsupported"],
  ["./data/headroom.db", "invalid-input"],
  ["file:", "invalid-input"],
  ["file:a.db?mode=memory", "invalid-input"],
])("the URL %s is refused as %s", async (url, code) => {
  await expect(openStore({ url, mode: "read-write" })).rejects.toMatchObject({ code });
});

test.skipIf(process.platform !== "linux")("closing lets go of every file", async () => {
  const store = await stores.open();
  await addCluster(store);
  const list = () => execFileSync("ls", ["-l", `/proc/${process.pid}/fd`], { encoding: "utf8" });
  expect(list()).toContain(stores.path());
  await store.close();
  await store.close();
  expect(list()).not.toContain(stores.path());
  await expect(store.clusters.list()).rejects.toMatchObject({ code: "store-unavailable" });
});
