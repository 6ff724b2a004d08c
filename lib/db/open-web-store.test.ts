import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { closeWebStore, openWebStore } from "./open-web-store.ts";
import { startChild } from "./testing/child.ts";
import { addCluster, NOON } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();
afterEach(closeWebStore);

test("requests share one store, also those that come while it opens", async () => {
  const options = { url: `file:${stores.path()}` };
  const [one, two] = await Promise.all([openWebStore(options), openWebStore(options)]);
  expect(two).toBe(one);
  expect(await openWebStore(options)).toBe(one);
  expect(one?.mode).toBe("read-write");
});

test("a failure is not remembered", async () => {
  const options = { url: `file:${stores.path("folder/headroom.db")}` };
  writeFileSync(stores.path("folder"), "a file in the way");
  await expect(openWebStore(options)).rejects.toMatchObject({ code: "store-unavailable" });
  const other = await openWebStore({ url: `file:${stores.path()}` });
  expect(await other.clusters.list()).toEqual([]);
});

const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
test.skipIf(!canMount)(
  "on a file system mounted read-only it is served while another process has it open, and else the reason is given",
  async () => {
    const collector = await stores.open({ name: "mounted/headroom.db" });
    await addCluster(collector);
    const folder = stores.path("mounted");
    const mount = `mount --bind '${folder}' '${folder}' && mount -o remount,ro,bind '${folder}' && exec "$@"`;
    const openInChild = () =>
      startChild("open-web-store.child.ts", [`file:${folder}/headroom.db`], {
        wrapper: ["unshare", "--mount", "sh", "-c", mount, "sh"],
      }).finish();
    expect((await openInChild()).lines).toEqual(["read-only prod-us-east"]);
    await collector.close();
    expect((await openInChild()).lines).toEqual([
      expect.stringMatching(/^store-read-only The store .* cannot be written/),
    ]);
  },
);

test("a store that was found damaged and replaced is opened anew", async () => {
  const options = { url: `file:${stores.path()}` };
  const before = await openWebStore(options);
  await addCluster(before);
  await before.maintenance.prune({ fine: 1, fiveMinutes: 1, hourly: 1, scrapes: 1 }, NOON);
  const file = openSync(stores.path(), "r+");
  writeSync(file, Buffer.alloc(100, 0xa5), 0, 100, 0);
  closeSync(file);
  // The collector starts again and sets the file aside.
  await stores.open();
  const after = await openWebStore(options);
  expect(after).not.toBe(before);
  expect(after.origin.asidePath).not.toBeNull();
  expect(await after.clusters.list()).toEqual([]);
});
