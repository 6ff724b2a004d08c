import { expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import type { NewTarget } from "../../db/store.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { systemClock } from "../../kube/index.ts";
import { createLogger } from "../../logger.ts";
import { TargetRegistry } from "./target-registry.ts";

const stores = temporaryStores();
const logger = createLogger("collector", { destination: { write: () => undefined } });

const target = (source: NewTarget["source"], name: string): NewTarget => ({
  source,
  kubeconfigPath: `/clusters/${name}`,
  context: name,
  name,
  role: null,
  labels: {},
  isInsecure: false,
  isDemo: source === "demo",
});

/** A registry over a store in which somebody added `prod` on the settings page; the demo fleet has one cluster. */
async function makeRegistry(flags: { readonly demo?: boolean }) {
  const store = await stores.open();
  await store.clusters.syncTargets(["page"], [target("page", "prod")], 1);
  const calls: string[] = [];
  const registry = new TargetRegistry({
    config: loadConfig({ env: {}, cwd: "/nonexistent", flags }),
    store,
    clock: systemClock,
    logger,
    demo: {
      start: async () => {
        calls.push("start");
        await store.clusters.syncTargets(["demo"], [target("demo", "demo-a")], 2);
      },
      stop: async () => {
        calls.push("stop");
      },
    },
  });
  return { registry, calls };
}

test("a cluster of the settings page is read in place of the demo fleet", async () => {
  const { registry, calls } = await makeRegistry({});
  expect((await registry.listActive()).map(({ cluster }) => cluster.name)).toEqual(["prod"]);
  expect(calls).toEqual(["stop"]);
});

test("where the demo fleet is asked for, it alone is read", async () => {
  const { registry, calls } = await makeRegistry({ demo: true });
  expect((await registry.listActive()).map(({ cluster }) => cluster.name)).toEqual(["demo-a"]);
  expect(calls).toEqual(["start"]);
});
