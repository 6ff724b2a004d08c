import { expect, test, vi } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import type { Store } from "../../db/store.ts";
import { NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { AppError } from "../../errors.ts";
import { makeServiceContext } from "../context.ts";
import { getFleet } from "../fleet/get-fleet.ts";

const stores = temporaryStores();
const config = loadConfig({ env: {}, cwd: "/nonexistent", flags: {} });
const FULL = "The store has no room.";

/** A store over which the disk may fill, and a clock that is set by hand. */
async function makeContext() {
  const store = await stores.open();
  await store.collector.start(process.pid, "0", NOON);
  const state = { now: NOON, error: null as Error | null };
  const probeWriting = vi.fn(async () => {
    if (state.error !== null) throw state.error;
    return store.maintenance.probeWriting();
  });
  const failing: Store = {
    ...store,
    maintenance: Object.create(store.maintenance, { probeWriting: { value: probeWriting } }),
  };
  const context = { ...makeServiceContext(config, failing), clock: { now: () => state.now } };
  const notice = async () => (await getFleet(context)).frame.storeNotice;
  return { store, state, probeWriting, notice };
}

test("while the collector writes, the store is not asked", async () => {
  const { state, notice, probeWriting } = await makeContext();
  state.error = new AppError("store-full", FULL);
  expect(await notice()).toBeNull();
  expect(probeWriting).not.toHaveBeenCalled();
});

test("a disk that filled while everything runs is said on every page until it has room again", async () => {
  const { state, notice, probeWriting } = await makeContext();
  state.error = new AppError("store-full", FULL);
  state.now += 20_000;
  expect([await notice(), await notice()]).toEqual([FULL, FULL]);
  expect(probeWriting).toHaveBeenCalledTimes(1);
  state.error = null;
  state.now += 10_000;
  expect(await notice()).toBeNull();
});

test("a collector that does not write into a store that would take it is no trouble of the store", async () => {
  const { state, notice } = await makeContext();
  state.now += 3_600_000;
  expect(await notice()).toBeNull();
});

test("a failure of another kind is left to the requests that meet it", async () => {
  const { state, notice } = await makeContext();
  state.error = new AppError("store-unavailable", "locked");
  state.now += 20_000;
  expect(await notice()).toBeNull();
});
