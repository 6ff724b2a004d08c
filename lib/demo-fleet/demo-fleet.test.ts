import { describe, expect, it, onTestFinished } from "vitest";
import { type DemoFleet, startDemoFleet } from "./demo-fleet.ts";

const ANCHOR = Date.UTC(2026, 10, 30, 9, 42, 10);

async function start(
  options: { seed?: string; at?: number; only?: readonly string[] } = {},
): Promise<DemoFleet & { clock: { at: number } }> {
  const clock = { at: options.at ?? ANCHOR };
  const fleet = await startDemoFleet({
    anchorAt: ANCHOR,
    clock: { now: () => clock.at },
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.only === undefined ? {} : { only: options.only }),
  });
  onTestFinished(() => fleet.close());
  return { ...fleet, clock };
}

function cluster(fleet: DemoFleet, name: string) {
  const found = fleet.clusters.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

async function read(fleet: DemoFleet, name: string, path: string, server?: number): Promise<string> {
  const { url, token, server: api } = cluster(fleet, name);
  const base = server === undefined ? url : (api.servers[server]?.url ?? "");
  const response = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return response.text();
}

function series(page: string, name: string, label: string): number {
  const lines = page.split("\n").filter((line) => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

const SEATS = "apiserver_flowcontrol_current_executing_seats";
const LIMIT = "apiserver_flowcontrol_current_limit_seats";
const WAITING = "apiserver_flowcontrol_current_inqueue_requests";
const REJECTED = "apiserver_flowcontrol_rejected_requests_total";
const low = 'priority_level="workload-low"';

describe("the fleet", () => {
  it("has 14 clusters with 6,650 nodes, in the versions of the pages", async () => {
    const fleet = await start();
    expect(fleet.clusters).toHaveLength(14);
    const versions: Record<string, string> = {};
    let nodes = 0;
    for (const { name, server } of fleet.clusters) {
      versions[name] = server.scenario.kubernetesVersion;
      const collection = server.scenario.collections.find(({ type }) => type.resource === "nodes");
      nodes += collection?.size(ANCHOR) ?? 0;
    }
    expect(nodes).toBe(6650);
    expect(versions).toMatchObject({
      "ml-us-east": "1.34.3",
      "prod-eu-west": "1.32.9",
      "dev-eu-west": "1.36.1",
    });
  });

  it("is the same for the same seed, clusters and tokens, and another for another", async () => {
    const [one, same, other] = [await start(), await start(), await start({ seed: "other" })];
    const identity = (fleet: DemoFleet) => fleet.clusters.map(({ uid, token }) => `${uid} ${token}`);
    expect(identity(same)).toEqual(identity(one));
    expect(identity(other).filter((text) => identity(one).includes(text))).toEqual([]);
    expect(new Set(identity(one)).size).toBe(14);
  });

  it("gives each cluster a kubeconfig that leads to it", async () => {
    const fleet = await start();
    const { kubeconfig, url, token } = cluster(fleet, "dev-eu-west");
    expect(kubeconfig()).toMatchObject({
      "current-context": "dev-eu-west",
      clusters: [{ cluster: { server: url } }],
      users: [{ user: { token } }],
    });
  });

  it("holds pods and sizes as the pages of prod-us-east show them", async () => {
    const fleet = await start({ only: ["prod-us-east"] });
    const page = await read(fleet, "prod-us-east", "/metrics", 0);
    const resource = (name: string) => [
      series(page, "apiserver_resource_objects", `resource="${name}"`),
      series(page, "apiserver_resource_size_estimate_bytes", `resource="${name}"`),
    ];
    expect(resource("pods")).toEqual([48_000, 240_000_000]);
    expect(resource("nodes")).toEqual([2000, 18_200_000]);
    expect(resource("endpointslices")).toEqual([5200, 15_080_000]);
    expect(resource("services")).toEqual([3900, 5_070_000]);
    expect(resource("namespaces")).toEqual([340, 374_000]);
  });
});

describe("the incident of ml-us-east", () => {
  it("fills workload-low of two servers, rejects by time-out, and leaves the third idle", async () => {
    const fleet = await start({ only: ["ml-us-east"] });
    const pages = await Promise.all([0, 1, 2].map((server) => read(fleet, "ml-us-east", "/metrics", server)));
    const rows = pages.map((page) => [series(page, SEATS, low), series(page, LIMIT, low)]);
    expect(rows).toEqual([
      [361, 368],
      [361, 368],
      [6, 56],
    ]);
    const waiting = pages.map((page) => series(page, WAITING, low));
    expect(waiting[1]).toBeGreaterThan(150);
    expect(waiting[1]).toBeLessThan(220);
    expect(waiting[2]).toBe(0);
    expect(series(pages[0] ?? "", REJECTED, 'reason="time-out"')).toBeGreaterThan(7000);
    // Its process started after the first rejections.
    expect(series(pages[2] ?? "", REJECTED, low)).toBe(0);
  });

  it("rejects 9.6 requests a second on each of the two, in metrics and in answers with 429", async () => {
    const fleet = await start({ only: ["ml-us-east"] });
    const before = await read(fleet, "ml-us-east", "/metrics", 0);
    fleet.clock.at += 60_000;
    const after = await read(fleet, "ml-us-east", "/metrics", 0);
    const growth = (name: string, label: string) => series(after, name, label) - series(before, name, label);
    expect(growth(REJECTED, low) / 60).toBeCloseTo(9.6, 1);
    expect(growth("apiserver_request_total", 'code="429"')).toBe(growth(REJECTED, low));
  });

  it("shows one flow with 360 of the seats in dump_requests", async () => {
    const fleet = await start({ only: ["ml-us-east"] });
    const dump = await read(
      fleet,
      "ml-us-east",
      "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
      1,
    );
    const rows = dump
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").map((cell) => cell.trim()));
    const agent = rows.filter((row) => row[4] === "system:serviceaccount:scheduling:gpu-feature-agent");
    const executing = agent.filter((row) => row[3] === "-1");
    expect(executing).toHaveLength(36);
    expect(executing.reduce((sum, row) => sum + Number(row[6]), 0)).toBe(360);
    const queues = new Set(agent.map((row) => Number(row[2])));
    expect([...queues].sort((a, b) => a - b)).toEqual([31, 45, 61, 85, 87, 105]);
  });

  it("restarts the third API server, which answers nothing for 35 s and starts anew", async () => {
    const fleet = await start({ only: ["ml-us-east"], at: ANCHOR - 630_000 });
    const { server, token } = cluster(fleet, "ml-us-east");
    const third = () =>
      fetch(`${server.servers[2]?.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    await expect(third()).rejects.toThrow();
    fleet.clock.at = ANCHOR - 630_000 + 36_000;
    const page = await (await third()).text();
    const startedAt = Number(/^process_start_time_seconds (\S+)$/m.exec(page)?.[1]) * 1000;
    expect(fleet.clock.at - startedAt).toBe(1000);
  });

  it("ends, and comes back with the agent's rollout before it", async () => {
    const fleet = await start({ only: ["ml-us-east"] });
    const image = async () => {
      const text = await read(
        fleet,
        "ml-us-east",
        "/apis/apps/v1/namespaces/scheduling/daemonsets/gpu-feature-agent",
      );
      return JSON.parse(text).spec.template.spec.containers[0].image.split(":")[1];
    };
    const isFull = async () => series(await read(fleet, "ml-us-east", "/metrics", 0), WAITING, low) > 0;
    const seen: [string, boolean][] = [];
    for (const minutes of [0, 60, 120]) {
      fleet.clock.at = ANCHOR + minutes * 60_000;
      seen.push([await image(), await isFull()]);
    }
    expect(seen).toEqual([
      ["1.9.0", true],
      ["1.8.4", false],
      ["1.9.0", true],
    ]);
  });
});

describe("the other stories", () => {
  it("edge-ap-south accepts connections and answers none of them", async () => {
    const fleet = await start({ only: ["edge-ap-south"] });
    const { url, server } = cluster(fleet, "edge-ap-south");
    const controller = new AbortController();
    const asked = fetch(`${url}/version`, { signal: controller.signal });
    await expect.poll(() => server.requestLog.total).toBe(1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    expect(server.requestLog.all()[0]?.status).toBeNull();
  });

  it("payments-eu probes /healthz of its API servers, which has the KMS check", async () => {
    const fleet = await start({ only: ["payments-eu"] });
    const pods = JSON.parse(
      await read(
        fleet,
        "payments-eu",
        "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-apiserver",
      ),
    );
    const paths = pods.items.map(
      (pod: { spec: { containers: { livenessProbe: { httpGet: { path: string } } }[] } }) =>
        pod.spec.containers[0]?.livenessProbe.httpGet.path,
    );
    expect(paths).toEqual(["/healthz", "/healthz", "/healthz"]);
    expect(await read(fleet, "payments-eu", "/healthz?verbose")).toContain("[+]kms-providers ok");
    expect(await read(fleet, "payments-eu", "/livez?verbose")).not.toContain("kms-providers");
  });

  it("data-eu-west publishes v2 as JSON and refuses it as protobuf", async () => {
    const fleet = await start({ only: ["data-eu-west"] });
    expect(await read(fleet, "data-eu-west", "/openapi/v2")).toContain("example.io~1queueing~1apis");
    const { url, token } = cluster(fleet, "data-eu-west");
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const refused = await fetch(`${url}/openapi/v2`, {
      headers: { authorization: `Bearer ${token}`, accept },
    });
    expect(refused.status).toBe(503);
  });

  it("ml-us-east differs from the defaults by one added FlowSchema and one without auto-update", async () => {
    const fleet = await start({ only: ["ml-us-east"] });
    const { items } = JSON.parse(
      await read(fleet, "ml-us-east", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"),
    );
    expect(items).toHaveLength(12);
    const manual = items.filter(
      (item: { metadata: { annotations?: Record<string, string> } }) =>
        item.metadata.annotations?.["apf.kubernetes.io/autoupdate-spec"] === "false",
    );
    expect(manual.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      "service-accounts",
    ]);
  });

  it("edge-us-central has an APIService that is not available", async () => {
    const fleet = await start({ only: ["edge-us-central"] });
    const page = await read(fleet, "edge-us-central", "/metrics");
    expect(series(page, "aggregator_unavailable_apiservice", 'name="v1beta1.external.metrics.k8s.io"')).toBe(
      1,
    );
  });
});
