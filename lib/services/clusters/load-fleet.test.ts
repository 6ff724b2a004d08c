import { expect, test } from "vitest";
import type { Store } from "../../db/store.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { loadFleet } from "./load-fleet.ts";

const stores = temporaryStores();

/** A store as the start before left it: the demo fleet, and a cluster of somebody's own. */
async function openUsed(): Promise<Store> {
  const store = await stores.open();
  for (const [source, name] of [
    ["demo", "demo-a"],
    ["page", "prod"],
  ] as const) {
    const target = {
      kubeconfigPath: `/k/${name}`,
      context: name,
      name,
      role: null,
      labels: {},
      isInsecure: false,
    };
    await store.clusters.syncTargets([source], [{ ...target, source, isDemo: source === "demo" }], 1);
  }
  return store;
}

type Clusters = ReturnType<typeof makeTestContext>["config"]["clusters"];
async function namesWith(change: Partial<Clusters>) {
  const store = await openUsed();
  const { config } = makeTestContext(store);
  const context = makeTestContext(store, { clusters: { ...config.clusters, ...change } });
  const { clusters, frame } = await loadFleet(context);
  return { names: clusters.map(({ name }) => name).sort(), isDemo: frame.isDemo };
}

test("where the demo is asked for, no cluster of somebody's own stands beside it", async () => {
  expect(await namesWith({ forceDemo: true })).toEqual({ names: ["demo-a"], isDemo: true });
});

test("where clusters are configured, those of a demo before are not shown until the collector removes them", async () => {
  const kubeconfigs = [{ source: "flag", path: "/k/prod", contexts: [] }] as const;
  expect(await namesWith({ kubeconfigs })).toEqual({ names: ["prod"], isDemo: false });
  expect((await namesWith({ inCluster: true })).names).toEqual(["prod"]);
});

test("where nothing is said, what the store holds is shown", async () => {
  expect((await namesWith({})).names).toEqual(["demo-a", "prod"]);
});
