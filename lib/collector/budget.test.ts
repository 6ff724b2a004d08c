import { expect, test } from "vitest";
import { PART_NAMES } from "../domain/clusters/part.ts";
import { startFakeCluster } from "./test-support/fake-cluster.ts";

test("the default budget admits a full pass over 5,000 nodes, three servers and 32 MB of metrics each", {
  timeout: 120_000,
}, async () => {
  await using cluster = await startFakeCluster({
    scenario: { nodes: 5000, servers: 3, metricsFillerBytes: 32 * 1024 * 1024, workloads: 400 },
  });
  const { parts, requests, decodedBytes } = await cluster.scrape();
  expect(parts.map(({ part, outcome }) => [part, outcome.status])).toEqual(
    PART_NAMES.map((part) => [part, "ok"]),
  );
  const inventory = parts.find(({ part }) => part === "inventory");
  expect(inventory?.value).toMatchObject({ nodes: { total: 5000 } });
  expect(decodedBytes).toBeGreaterThan(3 * 32 * 1024 * 1024);
  // The burst of one API server, all of which may meet the same one.
  expect(requests).toBeLessThanOrEqual(90);
});

test("a part that never fits its budget is skipped or failed, with the figure to raise", async () => {
  await using cluster = await startFakeCluster({
    scenario: { nodes: 20, servers: 1, metricsFillerBytes: 2 * 1024 * 1024 },
    limits: { bytesPerMinute: 60_000 },
  });
  const { parts } = await cluster.scrape({ due: ["fairness"] });
  const [fairness] = parts;
  expect(fairness?.outcome.failure?.reason).toBe("budget");
  expect(fairness?.outcome.failure?.message).toContain("bytesPerMinute");
});
