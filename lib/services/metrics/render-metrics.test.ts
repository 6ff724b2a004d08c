import { expect, test } from "vitest";
import { NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { seedCluster, seedOutage } from "../testing/seed-fleet.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { renderMetrics } from "./render-metrics.ts";

const stores = temporaryStores();

test("clusters, parts, own cost and the collector are told; labels hold nothing of a connection", async () => {
  const store = await stores.open();
  const full = { name: "workload-low", seats: 361, limit: 368, waiting: 182, rejectedPerSecond: 9.6 };
  await seedCluster(store, { name: "ml-us-east", servers: { "api-0": [full] } });
  const gone = await seedCluster(store, { name: "edge", at: NOON - 3_600_000 });
  await seedOutage(store, gone, NOON - 1_800_000);
  await store.collector.start(7, HEADROOM_VERSION, NOON - 60_000);
  await store.collector.heartbeat(7, NOON - 4_000);
  const context = makeTestContext(store);
  const lines = (await renderMetrics(async () => context)).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      `headroom_build_info{version="${HEADROOM_VERSION}"} 1`,
      "headroom_store_up 1",
      'headroom_clusters{state="error"} 1',
      'headroom_clusters{state="unreachable"} 1',
      'headroom_clusters{state="ok"} 0',
      "headroom_clusters_fresh 1",
      'headroom_part_status{cluster="ml-us-east",part="fairness",status="ok"} 1',
      'headroom_part_status{cluster="edge",part="fairness",status="failed"} 1',
      `headroom_part_value_timestamp_seconds{cluster="edge",part="fairness"} ${(NOON - 3_600_000) / 1000}`,
      "headroom_collector_up 1",
      "headroom_collector_heartbeat_age_seconds 4",
      'headroom_own_requests_per_minute{cluster="ml-us-east"} 12',
      'headroom_own_wire_bytes_per_minute{cluster="edge"} 0',
    ]),
  );
  expect(lines.join("\n")).not.toMatch(/kubeconfig|https?:\/\/|token|6443/i);
  // Every sample belongs to a metric that says what it is.
  const described = new Set(lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []));
  for (const line of lines.filter((each) => each.startsWith("headroom_"))) {
    expect(described).toContain(line.replace(/[{ ].*/, "").replace(/_(?:bucket|sum|count)$/, ""));
  }
});

test("without a store the process still tells of itself", async () => {
  const text = await renderMetrics(() => Promise.reject(new Error("no store")));
  expect(text).toContain("headroom_store_up 0");
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).not.toContain("headroom_clusters{");
});

test("it can be asked again and again", async () => {
  const context = makeTestContext(await stores.open());
  await renderMetrics(async () => context);
  expect(await renderMetrics(async () => context)).toContain('headroom_clusters{state="ok"} 0');
});
