import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import type { DemoFleetProcess } from "../../demo-fleet/index.ts";
import { type KubeClock, systemClock } from "../../kube/index.ts";
import { createLogger } from "../../logger.ts";
import { DemoFleetTargets } from "./demo-targets.ts";

const stores = temporaryStores();
const logger = createLogger("collector", { destination: { write: () => undefined } });
/** Pauses take no time. */
const clock: KubeClock = { now: systemClock.now, sleep: (_, signal) => systemClock.sleep(0, signal) };

/** A fleet of one cluster that ends when it is told to; `address` stands in its kubeconfig. */
function makeFleet(address: string, anchorAt: number) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const close = vi.fn(async () => end());
  const fleet: DemoFleetProcess = {
    anchorAt,
    pid: 0,
    clusters: [
      {
        name: "demo-a",
        labels: { role: "edge" },
        servers: [],
        kubeconfig: () => ({ address }),
        scenario: () => {
          throw new Error("not asked for here");
        },
      },
    ],
    ended,
    close,
  };
  return { fleet, end, close };
}

async function makeTargets(starts: readonly ("fails" | ReturnType<typeof makeFleet>)[]) {
  const store = await stores.open();
  const rest = [...starts];
  const startFleet = vi.fn(async () => {
    const next = rest.shift();
    if (next === undefined || next === "fails") throw new Error("no port is free");
    return next.fleet;
  });
  return { store, startFleet, targets: new DemoFleetTargets({ store, clock, logger, startFleet }) };
}

describe("the demo fleet as targets", () => {
  test("its clusters are targets while it runs, told from the day the store was made", async () => {
    const one = makeFleet("first", 1);
    const { store, targets, startFleet } = await makeTargets([one]);
    await targets.start();
    expect(startFleet).toHaveBeenCalledWith({ anchorAt: store.origin.createdAt });
    const [target] = await store.clusters.listTargets();
    expect(target).toMatchObject({ source: "demo", context: "demo-a", removedAt: null });
    expect([...targets.clusters().keys()]).toEqual([target?.clusterId]);
    await targets.stop();
    expect(one.close).toHaveBeenCalled();
    expect((await store.clusters.listTargets())[0]?.removedAt).not.toBeNull();
  });

  test("one that ended by itself is started again, with its new addresses, also after a start that failed", async () => {
    const [one, two] = [makeFleet("first", 1), makeFleet("second", 1)];
    const { store, targets, startFleet } = await makeTargets([one, "fails", two]);
    await targets.start();
    const path = targets.kubeconfigPathOf({ context: "demo-a" });
    expect(readFileSync(path, "utf8")).toContain("first");
    const [before] = await store.clusters.listTargets();
    one.end();
    await vi.waitFor(() => expect(readFileSync(path, "utf8")).toContain("second"));
    expect(startFleet).toHaveBeenCalledTimes(3);
    expect((await store.clusters.listTargets()).map(({ id }) => id)).toEqual([before?.id]);
    await targets.close();
    expect(two.close).toHaveBeenCalled();
    expect(existsSync(path)).toBe(false);
  });

  test("one that was closed on purpose stays away", async () => {
    const one = makeFleet("first", 1);
    const { targets, startFleet } = await makeTargets([one]);
    await targets.start();
    await targets.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(startFleet).toHaveBeenCalledTimes(1);
    expect(targets.anchorAt).toBeNull();
  });

  test("closing during a start ends what came of it", async () => {
    const one = makeFleet("first", 1);
    const { targets } = await makeTargets([one]);
    const starting = targets.start();
    await targets.close();
    await starting;
    expect(one.close).toHaveBeenCalled();
    expect(targets.anchorAt).toBeNull();
  });
});
