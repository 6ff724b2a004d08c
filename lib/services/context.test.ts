import { expect, test } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { addCluster, NOON } from "../db/testing/records.ts";
import { temporaryStores } from "../db/testing/temporary-store.ts";
import { AppError } from "../errors.ts";
import { makeServiceContext } from "./context.ts";
import { getFleet } from "./fleet/get-fleet.ts";
import { getReadiness } from "./readiness/get-readiness.ts";

const stores = temporaryStores();
const config = loadConfig({ env: {}, cwd: "/nonexistent", flags: {} });

test("a store that opens and answers is ready, and nothing is said of it", async () => {
  const context = makeServiceContext(config, await stores.open());
  expect(await getReadiness(async () => context)).toEqual({ isReady: true });
  expect(context.storeNotice).toBeNull();
});

test("a store that takes no writes still shows what it holds, and says so on every page", async () => {
  const writable = await stores.open();
  await addCluster(writable, "prod-us-east");
  const context = makeServiceContext(config, await stores.open({ mode: "read-only" }));
  const fleet = await getFleet(context);
  expect(fleet.rows.map((each) => each.name)).toEqual(["prod-us-east"]);
  expect(fleet.frame.storeNotice).toMatch(/^The store takes no writes/);
});

test("a damaged store that was kept aside is named on every page", async () => {
  const store = await stores.open();
  const origin = { createdAt: NOON, asidePath: "/data/headroom.db.corrupt-1" };
  const { frame } = await getFleet(makeServiceContext(config, { ...store, origin }));
  expect(frame.storeNotice).toBe(
    "The store was damaged and was kept aside as /data/headroom.db.corrupt-1. This one begins at 2026-11-30 12:00 UTC.",
  );
});

test("a store of a newer release is not ready, in its own words", async () => {
  const open = () => Promise.reject(new AppError("store-newer", "The store is of a newer release."));
  expect(await getReadiness(open)).toEqual({ isReady: false, reason: "The store is of a newer release." });
});

test("an error of unknown origin keeps its words from /readyz", async () => {
  const readiness = await getReadiness(() => Promise.reject(new Error("password=hunter2")));
  expect(readiness).toEqual({ isReady: false, reason: "The store does not answer." });
});
