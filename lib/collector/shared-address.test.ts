import { expect, test } from "vitest";
import type { PartValues } from "../domain/clusters/part-values.ts";
import type { ScrapeResult } from "./scrape-cluster.ts";
import { type FakeCluster, startFakeCluster } from "./test-support/fake-cluster.ts";

function serversOf(result: ScrapeResult): PartValues["servers"] {
  const part = result.parts.find(({ part: name }) => name === "servers");
  if (part?.part !== "servers" || part.value === null) throw new Error("no servers were read");
  return part.value;
}
function fairnessOf(result: ScrapeResult): PartValues["fairness"] {
  const part = result.parts.find(({ part: name }) => name === "fairness");
  if (part?.part !== "fairness" || part.value === null) throw new Error("no fairness was read");
  return part.value;
}
/** Only the shared address is left. */
async function closeDirectAddresses(cluster: FakeCluster): Promise<void> {
  for (const { name } of cluster.server.servers) await cluster.server.setRefusing(name, true);
}

test("each server is read by its own address where that can be reached", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 } });
  const result = await cluster.scrape();
  expect(serversOf(result).servers.map(({ access }) => access)).toEqual(["direct", "direct", "direct"]);
  expect(
    fairnessOf(result)
      .servers.map(({ serverId }) => serverId)
      .sort(),
  ).toEqual(
    serversOf(result)
      .servers.map(({ id }) => id)
      .sort(),
  );
  expect(fairnessOf(result).servers.every(({ flows }) => flows !== null)).toBe(true);
});

test("behind a load balancer all three are met by connections of their own, and met again without searching", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 } });
  await closeDirectAddresses(cluster);
  const first = await cluster.scrape();
  expect(serversOf(first).servers.map(({ access }) => access)).toEqual(
    Array.from({ length: 3 }, () => "shared-address"),
  );
  cluster.server.requestLog.clear();
  const second = await cluster.scrape({ due: ["fairness"] });
  const pages = cluster.server.requestLog.of("/metrics");
  expect(pages).toHaveLength(3);
  expect(new Set(pages.map(({ server }) => server)).size).toBe(3);
  expect(fairnessOf(second).servers).toHaveLength(3);
  // Which server would answer a dump cannot be told, and that is said.
  const fairness = second.parts[0]?.outcome;
  expect(fairness?.status).toBe("partial");
  expect(fairness?.notRead.map(({ what }) => what)).toEqual([
    "dump_requests of api-0",
    "dump_requests of api-1",
    "dump_requests of api-2",
  ]);
});

test("rates are those of each server, from its own page before", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 } });
  const first = await cluster.scrape({ due: ["servers", "fairness"] });
  const ratesOf = (result: ScrapeResult) =>
    result.samples.filter(({ key }) => key.metric === "requests-per-second");
  expect(ratesOf(first)).toEqual([]);
  const second = await cluster.scrape({ due: ["servers", "fairness"] });
  expect(new Set(ratesOf(second).map(({ key }) => key.serverId)).size).toBe(3);
});

test("one of three that cannot be reached costs only its own figures, and is named in every part that misses it", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 } });
  await cluster.scrape();
  const gone = cluster.server.servers[1];
  if (gone === undefined) throw new Error("no second server");
  cluster.server.faults.add({ fault: { kind: "status", code: 500 }, server: gone.name });
  const result = await cluster.scrape({ due: ["servers", "fairness"] });
  const missing = serversOf(result).servers.find(({ access }) => access === "not-read");
  expect(missing?.address).toBe(`127.0.0.1:${gone.port}`);
  expect(result.parts.map(({ part, outcome }) => [part, outcome.status])).toEqual([
    ["servers", "partial"],
    ["fairness", "partial"],
  ]);
  for (const { outcome } of result.parts) {
    expect(outcome.notRead).toContainEqual(
      expect.objectContaining({
        what: `/metrics of ${missing?.name}`,
        serverId: missing?.id,
        failure: expect.objectContaining({ reason: "server-error", status: 500 }),
      }),
    );
  }
  expect(fairnessOf(result).servers).toHaveLength(2);
});
