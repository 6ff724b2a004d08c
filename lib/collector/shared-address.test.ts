import { describe, expect, test } from "vitest";
import type { PartValues } from "../domain/clusters/part-values.ts";
import { buildScenario } from "../fake-api-server/index.ts";
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

/** Three servers behind one address, and what a pass over fairness shows of the flows of each, by host name. */
async function startBehindOneAddress(front: "connection" | "request") {
  const cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 }, server: { front } });
  await closeDirectAddresses(cluster);
  const hasFlows = async (pass: Parameters<FakeCluster["scrape"]>[0] = { due: ["fairness"] }) => {
    const result = await cluster.scrape(pass);
    const { servers } = cluster.memory().servers ?? { servers: [] };
    const shown = new Map(
      fairnessOf(result).servers.map(({ serverId, flows }) => [serverId, flows !== null]),
    );
    return {
      outcome: result.parts.find(({ part }) => part === "fairness")?.outcome,
      flows: Object.fromEntries(
        servers.map(({ id, processStartAt }) => [nameOf(cluster, processStartAt), shown.get(id) ?? false]),
      ),
    };
  };
  /** Passes until flows are shown, so that connections are known to keep to their servers. */
  const settle = async () => {
    await cluster.scrape();
    for (let pass = 0; pass < 4; pass++) {
      const { outcome } = await hasFlows();
      if (outcome?.status === "ok") return;
    }
    throw new Error("flows were not shown after five passes");
  };
  return { cluster, hasFlows, settle };
}
/** Host name of the server that started then. */
function nameOf(cluster: FakeCluster, processStartAt: number | null): string {
  const { scenario, servers } = cluster.server;
  const found = servers.find(
    (_, index) =>
      Math.abs(scenario.figuresAt(index, Date.now()).startedAt - (processStartAt ?? Number.NaN)) <= 5,
  );
  if (found === undefined) throw new Error(`no server started at ${processStartAt}`);
  return found.name;
}
const hostnames = (cluster: FakeCluster) => cluster.server.servers.map(({ name }) => name);

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
});

describe("flows of servers behind one address", () => {
  test("are shown from the third pass on, when connections are known to keep to their servers", async () => {
    const { cluster, hasFlows } = await startBehindOneAddress("connection");
    await using _ = cluster;
    for (const pass of [undefined, { due: ["fairness" as const] }]) {
      const { outcome, flows } = await hasFlows(pass ?? {});
      expect(Object.values(flows)).toEqual([false, false, false]);
      expect(outcome?.status).toBe("partial");
      expect(outcome?.notRead.map(({ what }) => what)).toEqual([
        "dump_requests of api-0",
        "dump_requests of api-1",
        "dump_requests of api-2",
      ]);
      expect(outcome?.notRead[0]?.failure.message).toMatch(
        /^api-0 is one of 3 API servers behind one address: .* not been seen often enough yet$/,
      );
    }
    expect(cluster.server.requestLog.of(/dump_requests/)).toEqual([]);
    const third = await hasFlows();
    expect(third.outcome).toMatchObject({ status: "ok", notRead: [] });
    expect(Object.values(third.flows)).toEqual([true, true, true]);
    const dumps = cluster.server.requestLog.of(/dump_requests/);
    expect(dumps.map(({ server }) => server).sort()).toEqual(hostnames(cluster).sort());
  });

  test("belong to the server that answered: one whose dump fails is the one that misses it", async () => {
    const { cluster, hasFlows, settle } = await startBehindOneAddress("connection");
    await using _ = cluster;
    await settle();
    for (const server of hostnames(cluster)) {
      const fix = cluster.server.faults.add({
        fault: { kind: "status", code: 403 },
        path: /dump_requests/,
        server,
      });
      const { flows } = await hasFlows();
      expect(flows).toEqual(Object.fromEntries(hostnames(cluster).map((name) => [name, name !== server])));
      fix();
    }
  });

  test("are left out where the connection was closed after the page, and are back once the server is found again", async () => {
    const { cluster, hasFlows, settle } = await startBehindOneAddress("connection");
    await using _ = cluster;
    await settle();
    const [server = ""] = hostnames(cluster);
    cluster.server.faults.add({ fault: { kind: "reset" }, path: /dump_requests/, server, times: 1 });
    const { flows, outcome } = await hasFlows();
    expect(flows[server]).toBe(false);
    expect(Object.values(flows).filter(Boolean)).toHaveLength(2);
    expect(outcome?.notRead.map(({ failure }) => failure.message)).toEqual([
      expect.stringMatching(/^the connection to api-\d was closed after \/metrics was read, /),
    ]);
    // The connection that took its place may lead to a server met already: then it is searched for, once in each pass.
    // A balancer that takes turns among three leads there at the third try at the latest.
    let next = await hasFlows();
    for (let tries = 1; tries < 3 && next.outcome?.status !== "ok"; tries++) {
      expect(next.flows[server]).toBe(false);
      expect(next.outcome?.status).toBe("partial");
      expect(next.outcome?.notRead.map(({ failure }) => failure.message)).toEqual([
        expect.stringMatching(
          /^api-\d was not among those that answered through the shared address in 3 tries$/,
        ),
      ]);
      next = await hasFlows();
    }
    expect(next.outcome).toMatchObject({ status: "ok", notRead: [] });
    expect(Object.values(next.flows)).toEqual([true, true, true]);
  });

  test("are shown at once where all connections were closed between two passes, as by a restart", async () => {
    const { cluster, hasFlows, settle } = await startBehindOneAddress("connection");
    await using _ = cluster;
    await settle();
    await cluster.server.setRefusing("front", true);
    await cluster.server.setRefusing("front", false);
    const { flows, outcome } = await hasFlows();
    expect(outcome?.status).toBe("ok");
    expect(Object.values(flows)).toEqual([true, true, true]);
  });

  test("are never shown where each request may meet another server, and no dump is asked for", async () => {
    const { cluster, hasFlows } = await startBehindOneAddress("request");
    await using _ = cluster;
    await hasFlows({});
    for (let pass = 0; pass < 8; pass++) {
      const { flows } = await hasFlows();
      expect(Object.values(flows)).not.toContain(true);
    }
    expect(cluster.server.requestLog.of(/dump_requests/)).toEqual([]);
    const { outcome } = await hasFlows();
    expect(outcome?.notRead.map(({ failure }) => failure.message)).toContainEqual(
      expect.stringContaining("gives requests of one connection to different servers"),
    );
  });

  test("are not shown where two servers started in the same instant and cannot be told apart", async () => {
    const scenario = buildScenario({ nodes: 20, servers: 2 });
    const { figuresAt } = scenario;
    const startedAt = (at: number) => figuresAt(0, at).startedAt;
    await using cluster = await startFakeCluster({
      scenario: {
        ...scenario,
        figuresAt: (server, at) => ({ ...figuresAt(server, at), startedAt: startedAt(at) }),
      },
    });
    await closeDirectAddresses(cluster);
    await cluster.scrape({ isOnlyPass: true });
    for (let pass = 0; pass < 6; pass++) {
      const result = await cluster.scrape({ due: ["fairness"] });
      expect(fairnessOf(result).servers.map(({ flows }) => flows)).toEqual([null]);
      expect(result.parts[0]?.outcome.notRead.at(-1)?.failure.message).toBe(
        "api-0 is one of 2 API servers behind one address, and only 1 could be told apart",
      );
    }
    expect(cluster.memory().stickiness.repeats).toBe(0);
    expect(cluster.server.requestLog.of(/dump_requests/)).toEqual([]);
  });

  test("of a server that is alone are shown by the first pass", async () => {
    await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 1 } });
    await closeDirectAddresses(cluster);
    const result = await cluster.scrape();
    expect(fairnessOf(result).servers.map(({ flows }) => flows !== null)).toEqual([true]);
    expect(cluster.server.requestLog.of("/metrics")).toHaveLength(1);
  });
});

describe("a pass that no other follows", () => {
  test("reads small pages again and shows the flows", async () => {
    const { cluster, hasFlows } = await startBehindOneAddress("connection");
    await using _ = cluster;
    const { outcome, flows } = await hasFlows({ isOnlyPass: true });
    expect(outcome).toMatchObject({ status: "ok", notRead: [] });
    expect(Object.values(flows)).toEqual([true, true, true]);
    expect(cluster.server.requestLog.of("/metrics")).toHaveLength(3 + 4);
  });

  test("finds a balancer of requests out by the first page it reads again", async () => {
    const { cluster, hasFlows } = await startBehindOneAddress("request");
    await using _ = cluster;
    const { outcome, flows } = await hasFlows({ isOnlyPass: true });
    expect(outcome?.status).toBe("partial");
    expect(Object.values(flows)).not.toContain(true);
    expect(cluster.server.requestLog.of("/metrics")).toHaveLength(3 + 1);
    expect(cluster.server.requestLog.of(/dump_requests/)).toEqual([]);
  });

  test("does not read large pages again", async () => {
    const metricsFillerBytes = 5 * 1024 * 1024;
    await using cluster = await startFakeCluster({
      scenario: { nodes: 20, servers: 3, metricsFillerBytes },
    });
    await closeDirectAddresses(cluster);
    const result = await cluster.scrape({ isOnlyPass: true });
    expect(cluster.server.requestLog.of("/metrics")).toHaveLength(3);
    expect(fairnessOf(result).servers.every(({ flows }) => flows === null)).toBe(true);
  });

  test("reads nothing again where each server has an address of its own", async () => {
    await using cluster = await startFakeCluster({ scenario: { nodes: 20, servers: 3 } });
    await cluster.scrape({ isOnlyPass: true });
    expect(cluster.server.requestLog.of("/metrics")).toHaveLength(3);
  });
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
