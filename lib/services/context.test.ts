import { writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { addCluster } from "../db/testing/records.ts";
import { temporaryStores } from "../db/testing/temporary-store.ts";
import { AppError } from "../errors.ts";
import { openServiceContext, type ServiceContext } from "./context.ts";
import { getFleet } from "./fleet/get-fleet.ts";
import { getReadiness } from "./readiness/get-readiness.ts";

const stores = temporaryStores();
const opened: ServiceContext[] = [];
afterEach(async () => {
  for (const context of opened.splice(0)) await context.store.close();
});

async function open(): Promise<ServiceContext> {
  const env = { HEADROOM_STORE_URL: `file:${stores.path()}` };
  const context = await openServiceContext(loadConfig({ env, cwd: stores.directory(), flags: {} }));
  opened.push(context);
  return context;
}

test("a store that is not there yet is made, and is ready", async () => {
  expect(await getReadiness(open)).toEqual({ isReady: true });
  expect((await open()).storeNotice).toBeNull();
});

test("a damaged store is kept aside, and every page names the file", async () => {
  writeFileSync(stores.path(), "this is no database, ".repeat(500));
  const context = await open();
  expect(context.storeNotice).toMatch(
    /^The store was damaged and was kept aside as .*headroom\.db\.corrupt-/,
  );
  expect((await getFleet(context)).frame.storeNotice).toBe(context.storeNotice);
});

test("a store of a newer release is refused with its own words, and is not ready", async () => {
  const openStore = () => Promise.reject(new AppError("store-newer", "The store is of a newer release."));
  const config = loadConfig({ env: {}, cwd: stores.directory(), flags: {} });
  expect(await getReadiness(() => openServiceContext(config, { openStore }))).toEqual({
    isReady: false,
    reason: "The store is of a newer release.",
  });
});

test("an error of unknown origin keeps its words from /readyz", async () => {
  const readiness = await getReadiness(() => Promise.reject(new Error("password=hunter2")));
  expect(readiness).toEqual({ isReady: false, reason: "The store does not answer." });
});

test("a store that takes no writes still shows what it holds, and says so on every page", async () => {
  const store = await stores.open();
  await addCluster(store, "prod-us-east");
  const context = await openServiceContext(
    loadConfig({ env: { HEADROOM_STORE_URL: `file:${stores.path()}` }, cwd: stores.directory(), flags: {} }),
    {
      openStore: ({ mode, url }) =>
        mode === "read-write"
          ? Promise.reject(new AppError("store-read-only", "The store takes no writes."))
          : stores.open({ mode, url }),
    },
  );
  const fleet = await getFleet(context);
  expect(fleet.rows.map((each) => each.name)).toEqual(["prod-us-east"]);
  expect(fleet.frame.storeNotice).toContain("takes no writes");
});
