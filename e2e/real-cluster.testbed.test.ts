import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { FairnessResponse, OverviewResponse } from "../lib/contracts/cluster.ts";
import type { SettingsClustersResponse } from "../lib/contracts/settings.ts";
import { clusterRoleYaml } from "../lib/domain/clusters/cluster-role.ts";
import { type Headroom, runHeadroom, startHeadroom } from "./fixtures/headroom.ts";
import { describeEachVersion } from "./testbed/describe-each-version.ts";
import { type ApiServer, type ControlPlane, startControlPlane } from "./testbed/index.ts";

const NODES = 2_000;
const PODS = 20_000;
const DAEMON_SETS = ["node-telemetry", "log-agent"] as const;
const NAMESPACE = "headroom";

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The role exactly as Settings → Clusters prints it, given to the ServiceAccount that it names. */
async function applyPrintedRole(bed: ControlPlane): Promise<string> {
  await bed.serviceAccount({ name: NAMESPACE, namespace: NAMESPACE });
  for (const document of parseAllDocuments(clusterRoleYaml())) {
    const object = document.toJS() as KubernetesObject;
    const { namespace } = object.metadata;
    const folder = namespace === undefined ? "" : `/namespaces/${namespace}`;
    const plural = `${object.kind.toLowerCase()}s`;
    const answer = await bed.request({
      method: "POST",
      path: `/apis/rbac.authorization.k8s.io/v1${folder}/${plural}`,
      body: object,
    });
    expect(answer.status, `${object.kind} ${object.metadata.name}: ${answer.text}`).toBe(201);
  }
  const granted = await bed.serviceAccount({ name: NAMESPACE, namespace: NAMESPACE, clusterRole: NAMESPACE });
  await waitForNamespacedRoles(bed, granted.token);
  return granted.kubeconfigPath;
}

/** Each server has a cache of roles of its own; the bed waits for the ClusterRole alone. */
async function waitForNamespacedRoles(bed: ControlPlane, token: string): Promise<void> {
  const paths = [
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?limit=1",
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?limit=1",
  ];
  for (const server of bed.apiServers) {
    for (const path of paths) {
      await poll(
        async () => ((await bed.request({ path, token, server })).status === 200 ? true : null),
        `${path} on ${server.name}`,
      );
    }
  }
}

/** Samples of a metric on one server, read as admin: what the pages must say, from another reader. */
async function metricOf(
  bed: ControlPlane,
  server: ApiServer,
  name: string,
): Promise<ReadonlyMap<string, number>> {
  const { text } = await bed.request({ path: "/metrics", server });
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = line.startsWith(`${name}{`) ? /^[^{]+\{(.*)\} (\S+)$/.exec(line) : null;
    if (match) samples.set(match[1] ?? "", Number(match[2]));
  }
  return samples;
}

async function poll<T>(read: () => Promise<T | null>, what: string, seconds = 180): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (value !== null) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Starts Headroom with the printed role and waits for the first whole pass. */
async function watch(bed: ControlPlane): Promise<{
  headroom: Headroom;
  clusterId: string;
  overview: OverviewResponse;
  fairness: FairnessResponse;
}> {
  const headroom = await startHeadroom({ kubeconfigs: [await applyPrintedRole(bed)] });
  const clusterId = await poll(async () => {
    const { rows } = await headroom.ask<{ rows: { clusterId: string }[] }>("/api/fleet");
    return rows[0]?.clusterId ?? null;
  }, "the cluster");
  const overview = await poll(async () => {
    const answer = await headroom.ask<OverviewResponse>(`/api/clusters/${clusterId}/overview`);
    return answer.parts.length === 5 ? answer : null;
  }, "the first pass");
  const fairness = await headroom.ask<FairnessResponse>(`/api/clusters/${clusterId}/fairness`);
  return { headroom, clusterId, overview, fairness };
}

describeEachVersion("headroom serve against a real API server", ["seed"], (version) => {
  let bed: ControlPlane;
  let headroom: Headroom;
  let overview: OverviewResponse;
  let fairness: FairnessResponse;

  beforeAll(async () => {
    bed = await startControlPlane({
      version,
      accessLog: true,
      seed: {
        seed: 3,
        nodes: NODES,
        namespaces: 20,
        deployments: 40,
        pods: PODS,
        daemonSets: DAEMON_SETS.map((name) => ({ name })),
      },
    });
    ({ headroom, overview, fairness } = await watch(bed));
  }, 600_000);

  afterAll(async () => {
    await headroom?.stop();
    await bed?.stop();
  });

  it("shows its version, nodes and pods, and that the demo is not served", () => {
    expect(overview.frame).toMatchObject({ isDemo: false, clusters: 1, freshClusters: 1 });
    expect(overview.header).toMatchObject({ version: `v${version}`, nodes: NODES, pods: PODS });
  });

  it("reads every part in full with the role that the settings page prints", async () => {
    expect(overview.parts.map(({ part, status, notRead }) => ({ part, status, notRead }))).toEqual(
      ["version", "servers", "sizes", "fairness", "inventory"].map((part) => ({
        part,
        status: "ok",
        notRead: [],
      })),
    );
    const { targets } = await headroom.ask<SettingsClustersResponse>("/api/settings/clusters");
    const refused = targets.flatMap(({ permissions }) =>
      permissions.filter(({ state }) => state === "refused"),
    );
    expect(refused).toEqual([]);
  });

  it("shows counts and stored sizes as this version publishes them", async () => {
    const [server] = bed.apiServers;
    if (server === undefined) throw new Error("the bed has no API server");
    const published = (await metricOf(bed, server, "apiserver_resource_size_estimate_bytes")).get(
      'group="",resource="pods"',
    );
    const pods = overview.resources.find(({ resource, group }) => resource === "pods" && group === "");
    expect(pods?.objects).toEqual({ state: "known", value: PODS });
    if (published === undefined)
      expect(pods?.storedBytes).toMatchObject({ state: "unknown", reason: "not-published" });
    else if (published === -1)
      expect(pods?.storedBytes).toMatchObject({
        state: "unknown",
        reason: "minus-one",
        assumed: PODS * 1_500_000,
      });
    else expect(pods?.storedBytes).toEqual({ state: "known", value: published });
    expect(published === undefined).toBe(version.startsWith("1.33."));
  });

  it("shows the limits that each server publishes, level by level", async () => {
    const published = await Promise.all(
      bed.apiServers.map((server) => metricOf(bed, server, "apiserver_flowcontrol_nominal_limit_seats")),
    );
    const [first] = published;
    expect(first?.size).toBeGreaterThan(5);
    for (const server of fairness.servers) {
      const shown = new Map(
        server.levels.map(({ priorityLevelName, nominalSeats }) => [
          `priority_level="${priorityLevelName}"`,
          nominalSeats,
        ]),
      );
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(first ?? []));
      for (const level of server.levels.filter(({ type }) => type === "Limited")) {
        expect(level.currentLimitSeats, level.priorityLevelName).toBeGreaterThan(0);
      }
    }
    expect(fairness.servers).toHaveLength(1);
  });

  it("shows the FlowSchemas in the order in which the API server tries them", async () => {
    const { text } = await bed.request({ path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas" });
    const { items } = JSON.parse(text) as {
      items: { metadata: { name: string }; spec: { matchingPrecedence: number } }[];
    };
    const expected = items
      .map(({ metadata, spec }) => ({ name: metadata.name, matchingPrecedence: spec.matchingPrecedence }))
      .sort((a, b) => a.matchingPrecedence - b.matchingPrecedence || (a.name < b.name ? -1 : 1));
    expect(
      fairness.flowSchemas?.map(({ name, matchingPrecedence }) => ({ name, matchingPrecedence })),
    ).toEqual(expected);
  });

  it("counts the feature gates that the server publishes", async () => {
    const [server] = bed.apiServers;
    if (server === undefined) throw new Error("the bed has no API server");
    const gates = await metricOf(bed, server, "kubernetes_feature_enabled");
    expect(overview.gates).toEqual({
      total: gates.size,
      enabled: [...gates.values()].filter((value) => value === 1).length,
    });
  });

  it("is a guest: reads only, no Secret, and pods of the whole cluster as one small page", () => {
    const lines = bed.apiServers
      .flatMap(({ name }) => readFileSync(path.join(bed.directory, `${name}.log`), "utf8").split("\n"))
      .filter((line) => line.includes('userAgent="headroom/'));
    expect(lines.length).toBeGreaterThan(10);
    const requests = lines.map((line) => ({
      verb: /verb="([^"]+)"/.exec(line)?.[1],
      uri: /URI="([^"]+)"/.exec(line)?.[1] ?? "",
    }));
    expect([...new Set(requests.map(({ verb }) => verb))].sort()).toEqual(["GET", "LIST"]);
    expect(requests.filter(({ uri }) => uri.includes("secrets"))).toEqual([]);
    const podLists = requests.filter(({ uri }) => uri.startsWith("/api/v1/pods"));
    for (const { uri } of podLists) {
      expect(Number(new URLSearchParams(uri.split("?")[1]).get("limit"))).toSatisfy(
        (n: number) => n >= 1 && n <= 50,
      );
      expect(uri).not.toContain("continue");
    }
  });

  it("collects once from the command line, part by part, with exit code 0", async () => {
    const kubeconfig = (
      await bed.serviceAccount({ name: NAMESPACE, namespace: NAMESPACE, clusterRole: NAMESPACE })
    ).kubeconfigPath;
    const { exitCode, output } = await runHeadroom(["collect", "--once", "--kubeconfig", kubeconfig], {
      cwd: headroom.folder,
    });
    expect(output).toContain(`v${version}`);
    expect(output).toMatch(/inventory\s+ok/);
    expect(exitCode, output).toBe(0);
  });

  it("reads what it may where one permission is missing, names it, and exits with 3", async () => {
    const { kubeconfigPath } = await bed.serviceAccount({
      name: "narrow",
      rules: [
        { nonResourceURLs: ["/metrics", "/version"], verbs: ["get"] },
        { apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
        { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
      ],
    });
    const { exitCode, output } = await runHeadroom(["collect", "--once", "--kubeconfig", kubeconfigPath], {
      cwd: headroom.folder,
    });
    expect(exitCode, output).toBe(3);
    expect(output).toMatch(/version.*\s+ok/);
    expect(output).toMatch(/daemonsets.*403|403.*daemonsets/);
  });
});

describeEachVersion("headroom serve against two API servers behind one address", ["seed"], (version) => {
  let bed: ControlPlane;
  let watched: Awaited<ReturnType<typeof watch>>;

  beforeAll(async () => {
    bed = await startControlPlane({
      version,
      apiServers: 2,
      seed: { seed: 5, nodes: 20, namespaces: 2, deployments: 4, pods: 100 },
    });
    // Two that started within 10 ms of each other look alike behind one address.
    await bed.apiServers[1]?.restart();
    watched = await watch(bed);
  }, 600_000);

  afterAll(async () => {
    await watched?.headroom.stop();
    await bed?.stop();
  });

  it("tells the two servers behind one address apart and keeps their figures apart", async () => {
    expect(watched.overview.header).toMatchObject({ apiServers: 2, apiServersRead: 2 });
    expect(watched.overview.servers.map(({ name }) => name)).toEqual(["api-0", "api-1"]);
    const starts = await Promise.all(
      bed.apiServers.map(async (server) => {
        const { text } = await bed.request({ path: "/metrics", server });
        return Math.round(Number(/^process_start_time_seconds (\S+)$/m.exec(text)?.[1]) * 1000);
      }),
    );
    expect(watched.overview.servers.map(({ processStartAt }) => processStartAt).sort()).toEqual(
      starts.sort(),
    );
  });

  it("says at first that it is not known yet whose a dump would be", () => {
    const fairness = watched.overview.parts.find(({ part }) => part === "fairness");
    expect(fairness?.notRead.map(({ what }) => what)).toEqual([
      "dump_requests of api-0",
      "dump_requests of api-1",
    ]);
    expect(fairness?.notRead[0]?.failure.message).toContain("has not been seen often enough yet");
    expect(watched.fairness.servers.map(({ levels }) => levels.length)).toEqual([8, 8]);
  });

  it("shows the flows of each once connections were seen to keep to their servers", async () => {
    const { headroom, clusterId } = watched;
    const fairness = await poll(
      async () => {
        // An open incident page asks for this pace: passes come every 5 s.
        const pace = await fetch(`${headroom.url}/api/clusters/${clusterId}/incident-pace`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
        });
        expect(pace.status).toBe(200);
        const { parts } = await headroom.ask<OverviewResponse>(`/api/clusters/${clusterId}/overview`);
        return parts.find(({ part, status }) => part === "fairness" && status === "ok") ?? null;
      },
      "fairness in full",
      150,
    );
    expect(fairness.notRead).toEqual([]);
    const { servers } = await headroom.ask<FairnessResponse>(`/api/clusters/${clusterId}/fairness`);
    expect(servers.map(({ server, flows }) => [server.name, flows !== null])).toEqual([
      ["api-0", true],
      ["api-1", true],
    ]);
  });

  it("collects both in full from the command line by a single pass, with exit code 0", async () => {
    const { kubeconfigPath } = await bed.serviceAccount({
      name: NAMESPACE,
      namespace: NAMESPACE,
      clusterRole: NAMESPACE,
    });
    const { exitCode, output } = await runHeadroom(["collect", "--once", "--kubeconfig", kubeconfigPath], {
      cwd: watched.headroom.folder,
    });
    expect(output).toMatch(/fairness\s+ok/);
    expect(exitCode, output).toBe(0);
  });
});
