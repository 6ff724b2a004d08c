import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "./store.ts";
import { addCluster, makeEvent, makePass, NOON, RETENTION } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();
const clock = { now: () => NOON };
const PAGE_BYTES = 4096;

async function fill(store: Store, count: number): Promise<string> {
  const clusterId = await addCluster(store);
  const events = Array.from({ length: count }, (_, index) =>
    makeEvent({ subject: `agent-${index}`, text: "x".repeat(400) }),
  );
  await store.events.append(clusterId, events, { isGenerated: false });
  return clusterId;
}

/** Overwrites bytes of the file, as a failing disk or a careless copy would. */
function overwrite(path: string, offset: number, bytes: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  closeSync(file);
}

const asideNames = () =>
  readdirSync(stores.directory())
    .filter((name) => name.includes(".corrupt-"))
    .sort();

describe("a damaged store", () => {
  test.each([
    ["whose head is garbage", (path: string) => overwrite(path, 0, 100)],
    [
      "with garbage in a page that the start does not read",
      (path: string) => overwrite(path, statSync(path).size - 3 * PAGE_BYTES, PAGE_BYTES),
    ],
    [
      "that is no database at all",
      (path: string) => writeFileSync(path, "apiVersion: v1\nkind: Config\n".repeat(400)),
    ],
    [
      "that was cut short",
      (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 5 * PAGE_BYTES)),
    ],
  ])("%s is kept aside byte for byte, and a new one is opened that names it", async (_, damage) => {
    const before = await stores.open({ clock });
    await fill(before, 400);
    await before.close();
    damage(stores.path());
    const damaged = readFileSync(stores.path());

    const store = await stores.open({ clock });
    const aside = stores.path("headroom.db.corrupt-20261130T120000Z");
    expect(store.origin).toEqual({ createdAt: NOON, asidePath: aside });
    expect(readFileSync(aside).equals(damaged)).toBe(true);
    expect(await store.clusters.list()).toEqual([]);
    await addCluster(store);
    await store.close();

    // The next start finds nothing wrong, and still knows where the old one is.
    const again = await stores.open();
    expect(again.origin.asidePath).toBe(aside);
    expect(await again.clusters.list()).toHaveLength(1);
    expect(new Set(asideNames().map((name) => name.replace(/-(wal|shm)$/, "")))).toEqual(
      new Set([basename(aside)]),
    );
  });

  test("takes its log and index with it, and never the name of another", async () => {
    for (let time = 0; time < 2; time++) {
      const store = await stores.open({ clock });
      await fill(store, 10);
      // Left behind by a process that was killed.
      const files = ["", "-wal", "-shm"].map(
        (suffix) => [suffix, readFileSync(stores.path() + suffix)] as const,
      );
      await store.close();
      for (const [suffix, content] of files) writeFileSync(stores.path() + suffix, content);
      overwrite(stores.path(), 0, 100);
      overwrite(`${stores.path()}-wal`, 0, 4);
    }
    const store = await stores.open({ clock });
    const name = "headroom.db.corrupt-20261130T120000Z";
    expect(asideNames()).toEqual(
      [name, `${name}-2`, `${name}-2-shm`, `${name}-2-wal`, `${name}-shm`, `${name}-wal`].sort(),
    );
    expect(store.origin.asidePath).toBe(stores.path(`${name}-2`));
  });

  test("met while it is open is said to be damaged, and set aside by the next start", async () => {
    const store = await stores.open({ clock });
    const clusterId = await fill(store, 400);
    await store.close();
    const reopened = await stores.open({ clock });
    overwrite(stores.path(), 2 * PAGE_BYTES, statSync(stores.path()).size - 2 * PAGE_BYTES);
    await expect(reopened.events.list({ clusterId, limit: 1000 })).rejects.toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("The next start keeps the damaged file aside"),
    });
    expect(existsSync(`${stores.path()}.suspect`)).toBe(true);
    await reopened.close();
    expect((await stores.open({ clock })).origin.asidePath).not.toBeNull();
    expect(existsSync(`${stores.path()}.suspect`)).toBe(false);
  });

  test("set aside by another process is not written to any more", async () => {
    const stale = await stores.open({ clock });
    const clusterId = await fill(stale, 10);
    // Brings everything from the log into the file, so that newcomers meet the damage.
    await stale.maintenance.prune(RETENTION, NOON);
    overwrite(stores.path(), 0, 100);
    const second = await stores.open({ clock });
    expect(second.origin.asidePath).not.toBeNull();
    await expect(stale.parts.recordPass(makePass(clusterId))).rejects.toMatchObject({
      code: "store-replaced",
      message: expect.stringContaining("Open it again"),
    });
    expect(await second.clusters.list()).toEqual([]);
  });

  test("opened for reading only is refused and left where it is", async () => {
    await (await stores.open()).close();
    overwrite(stores.path(), 0, 100);
    await expect(stores.open({ mode: "read-only" })).rejects.toMatchObject({ code: "store-corrupt" });
    expect(asideNames()).toEqual([]);
  });

  test("an empty file is a new store, not a damaged one", async () => {
    writeFileSync(stores.path(), "");
    expect((await stores.open()).origin.asidePath).toBeNull();
  });

  test("a file that never was a store is left where it is, as it is", async () => {
    const text = "apiVersion: v1\nkind: Config\n";
    writeFileSync(stores.path(), text);
    for (const open of [() => stores.open(), () => stores.open({ mode: "read-write" })]) {
      await expect(open()).rejects.toMatchObject({
        code: "store-unavailable",
        message: expect.stringContaining("is not a store of Headroom and was left as it is"),
      });
    }
    expect(readFileSync(stores.path(), "utf8")).toBe(text);
    expect(asideNames()).toEqual([]);
  });
});
