import { describe, expect, test } from "vitest";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { demoScenarios } from "../../demo-fleet/demo-fleet.ts";
import { systemClock } from "../../kube/index.ts";
import { createLogger } from "../../logger.ts";
import { recallOutages } from "./recall-outages.ts";

const stores = temporaryStores();
const HOUR_MS = 3_600_000;

async function makeStore(names: readonly string[]) {
  const store = await stores.open();
  const targets = await store.clusters.syncTargets(
    ["demo"],
    names.map((name) => ({
      source: "demo",
      kubeconfigPath: "demo",
      context: name,
      name,
      role: null,
      labels: {},
      isInsecure: false,
      isDemo: true,
    })),
    Date.now(),
  );
  const idOf = (name: string) => targets.find(({ context }) => context === name)?.clusterId ?? "";
  return { store, idOf };
}

/** Recalls the outages of these clusters of the fleet, as at the fleet's first start; returns what was logged. */
async function recall(
  { store, idOf }: Awaited<ReturnType<typeof makeStore>>,
  names: readonly string[],
  change: (scenario: ReturnType<typeof demoScenarios>[number]["scenario"]) => typeof scenario = (s) => s,
) {
  const lines: string[] = [];
  const scenarios = new Map(demoScenarios(Date.now()).map(({ plan, scenario }) => [plan.name, scenario]));
  await recallOutages({
    store,
    clusters: new Map(
      names.map((name) => {
        const scenario = scenarios.get(name);
        if (scenario === undefined) throw new Error(`no cluster ${name}`);
        return [idOf(name), { name, scenario: () => change(scenario) }];
      }),
    ),
    clock: systemClock,
    random: () => 0.5,
    logger: createLogger("collector", { destination: { write: (line) => void lines.push(line) } }),
    signal: new AbortController().signal,
  });
  return lines;
}

describe("recallOutages", () => {
  test("a cluster that does not answer has what was read of it before, and is away since then", async () => {
    const names = ["edge-ap-south", "edge-eu-north"];
    const made = await makeStore(names);
    await recall(made, names);
    const { store, idOf } = made;
    const cluster = await store.clusters.get(idOf("edge-ap-south"));
    expect(cluster?.uid).toEqual(expect.any(String));
    expect((Date.now() - (cluster?.unreachableSince ?? 0)) / HOUR_MS).toBeCloseTo(3.5, 1);
    const servers = await store.parts.get(idOf("edge-ap-south"), "servers");
    expect(servers?.value?.servers).toHaveLength(3);
    expect((Date.now() - (servers?.valueAt ?? 0)) / HOUR_MS).toBeCloseTo(3.5, 1);
    const { events } = await store.events.list({ clusterId: idOf("edge-ap-south"), limit: 10 });
    expect(events).toEqual([]);
    // One that answers is left to be read.
    expect(await store.parts.get(idOf("edge-eu-north"), "servers")).toBeNull();
  });

  test("what was read since is left as it is", async () => {
    const made = await makeStore(["edge-ap-south"]);
    await recall(made, ["edge-ap-south"]);
    const id = made.idOf("edge-ap-south");
    await made.store.clusters.setUnreachableSince(id, 7);
    await recall(made, ["edge-ap-south"]);
    expect((await made.store.clusters.get(id))?.unreachableSince).toBe(7);
  });

  test("one that cannot be recalled is logged and stops nothing", async () => {
    const made = await makeStore(["edge-ap-south"]);
    const lines = await recall(made, ["edge-ap-south"], (scenario) => ({
      ...scenario,
      get identities(): never {
        throw new Error("no identity");
      },
    }));
    expect(lines.join("")).toContain("no identity");
    expect(await made.store.parts.get(made.idOf("edge-ap-south"), "servers")).toBeNull();
  });
});
