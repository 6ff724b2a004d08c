import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../clock.ts";
import type { Store } from "../../db/store.ts";
import { addCluster, makeOutcome, makePass } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import type { InventoryPart } from "../../domain/clusters/inventory-part.ts";
import { inventoryOf, NOW, partsOf, workloadOf } from "../../domain/fan-out/testing/parts.ts";
import { createLogger } from "../../logger.ts";
import { FanOutJob } from "./project-fan-out.ts";

const stores = temporaryStores();
const PODS = "pods protobuf; client client-go/0.32.3";
const agentOf = (copies: number, image = "r/agent:1.0.0") =>
  inventoryOf([
    workloadOf({
      name: "agent",
      desiredReplicas: copies,
      informersAnnotation: PODS,
      images: [{ container: "agent", image }],
    }),
  ]);

/** Stores one pass that read what the projection rests on. */
async function record(store: Store, clusterId: string, at: number, inventory: InventoryPart): Promise<void> {
  const { version, servers, sizes, fairness } = partsOf({ pods: 600 });
  const values = { version, servers, sizes, fairness };
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: at,
      parts: [
        { part: "inventory", outcome: makeOutcome("inventory", { startedAt: at }), value: inventory },
        ...(["version", "servers", "sizes", "fairness"] as const).flatMap((part) => {
          const value = values[part]?.value;
          // The cast: part and value come from one entry.
          return value === undefined || value === null
            ? []
            : [{ part, outcome: makeOutcome(part, { startedAt: at }), value } as never];
        }),
      ],
    }),
  );
}

const jobs: FanOutJob[] = [];
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.close()));
});

function jobOf(store: Store): { readonly job: FanOutJob; readonly clock: { at: number } } {
  const clock = { at: NOW };
  const time: Clock = { now: () => clock.at };
  const job = new FanOutJob({ store, clock: time, logger: createLogger("collector"), budgetSeconds: 0 });
  jobs.push(job);
  return { job, clock };
}

const run = (job: FanOutJob) => job.run(new AbortController().signal);

describe("the projection of a cluster", () => {
  test("is made once, again when something that matters changed, and told where it is another verdict", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store, "c");
    const { job, clock } = jobOf(store);
    await run(job);
    expect(await store.fanOut.get(clusterId)).toBeNull();

    await record(store, clusterId, NOW, agentOf(3));
    await run(job);
    const first = await store.fanOut.get(clusterId);
    expect(first?.projections.find(({ agentId }) => agentId.endsWith("/agent"))?.verdict).toBe("invisible");
    expect((await store.fanOut.listSummaries()).get(clusterId)?.summary).toMatchObject({
      at: NOW,
      nodes: 2000,
    });
    expect((await store.events.list({ limit: 10 })).events).toEqual([]);

    clock.at = NOW + 300_000;
    await record(store, clusterId, clock.at, agentOf(3));
    await run(job);
    expect((await store.fanOut.get(clusterId))?.at).toBe(NOW);

    clock.at = NOW + 600_000;
    await record(store, clusterId, clock.at, agentOf(20_000, "r/agent:2.0.0"));
    await run(job);
    const later = await store.fanOut.get(clusterId);
    expect(later?.at).toBe(clock.at);
    expect(later?.inputsHash).not.toBe(first?.inputsHash);
    const { events } = await store.events.list({ limit: 10 });
    expect(events.map(({ kind, subject, before, severity }) => [kind, subject, before, severity])).toEqual([
      ["agent-verdict-changed", "daemonset/observability/agent", "invisible", "error"],
    ]);
    expect(events[0]?.text).toMatch(/^If all copies LIST at once: ≈ .* for 20.000 copies, 200.000 seats/);
  });

  test("is not made where the list of workloads was never read", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store, "c");
    await store.parts.recordPass(makePass(clusterId, { startedAt: NOW }));
    const { job } = jobOf(store);
    await run(job);
    expect(await store.fanOut.get(clusterId)).toBeNull();
  });

  test("is given up when the collector stops, and the next one makes it", async () => {
    const store = await stores.open();
    const clusterId = await addCluster(store, "c");
    await record(store, clusterId, NOW, agentOf(3));
    const stop = new AbortController();
    stop.abort(new Error("stopping"));
    await expect(jobOf(store).job.run(stop.signal)).rejects.toThrow("stopping");
    expect(await store.fanOut.get(clusterId)).toBeNull();
    await run(jobOf(store).job);
    expect(await store.fanOut.get(clusterId)).not.toBeNull();
  });
});
