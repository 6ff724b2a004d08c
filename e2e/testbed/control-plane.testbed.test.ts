import { existsSync, readFileSync, statSync } from "node:fs";
import { request } from "node:https";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeEachVersion } from "./describe-each-version.ts";
import { identify } from "./process-identity.ts";
import { listPage, readJson } from "./testing.ts";

const PLAN = {
  seed: 7,
  nodes: 40,
  namespaces: 5,
  deployments: 10,
  pods: 500,
  podBytes: 1000,
  configMaps: 60,
  configMapBytes: 2000,
  daemonSets: [{ name: "log-agent" }, { name: "net-agent", namespace: "network" }],
} as const;

interface KubeconfigShape {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** Who the API server takes the holder of a kubeconfig's certificate for. */
async function selfSubjectReview({ clusters, users }: KubeconfigShape): Promise<unknown> {
  const decode = (base64: string | undefined) => Buffer.from(base64 ?? "", "base64");
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(`${cluster?.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ca: decode(cluster?.["certificate-authority-data"]),
      cert: decode(user?.["client-certificate-data"]),
      key: decode(user?.["client-key-data"]),
      agent: false,
    });
    call.on("error", reject);
    call.on("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve(body));
    });
    call.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }));
  });
  return (JSON.parse(text) as { status?: { userInfo?: unknown } }).status?.userInfo;
}

describeEachVersion("control plane", ["seed"], (version) => {
  let bed: ControlPlane;
  beforeAll(async () => {
    bed = await startControlPlane({ version, seed: PLAN });
  }, 240_000);
  afterAll(() => bed?.stop());

  it("says the version that was asked for", async () => {
    const answer = await readJson<{ gitVersion: string; major: string; minor: string }>(bed, "/version");
    expect(answer).toMatchObject({ gitVersion: `v${version}`, major: "1", minor: version.split(".")[1] });
  });

  it.each([
    ["/api/v1/nodes", 40],
    ["/api/v1/pods", 500],
    ["/api/v1/configmaps", 60],
    ["/api/v1/namespaces/network/pods", 40],
    ["/apis/apps/v1/daemonsets", 2],
    ["/apis/apps/v1/deployments", 10],
    ["/apis/apps/v1/replicasets", 10],
    ["/apis/apps/v1/controllerrevisions", 2],
    ["/api/v1/serviceaccounts", 2],
  ])("serves what was seeded: %s has %i", async (path, count) => {
    const page = await listPage(bed, `${path}?limit=1`);
    // The ConfigMaps of the API server's own come on top.
    const others =
      path === "/api/v1/configmaps"
        ? (await listPage(bed, "/api/v1/namespaces/kube-system/configmaps")).items.length
        : 0;
    expect(page.items).toHaveLength(1);
    expect((page.metadata.remainingItemCount ?? 0) + 1 - others).toBe(count);
  });

  it("serves seeded pods whole: running on their node, with their owner", async () => {
    const { items } = await listPage(
      bed,
      "/api/v1/namespaces/agents/pods?fieldSelector=spec.nodeName=node-00003",
    );
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      metadata: {
        name: "log-agent-00003",
        ownerReferences: [{ kind: "DaemonSet", name: "log-agent", controller: true }],
      },
      spec: { serviceAccountName: "log-agent", nodeName: "node-00003" },
      status: { phase: "Running" },
    });
  });

  it("refuses a ServiceAccount without rights, and says who was refused", async () => {
    const nobody = await bed.serviceAccount({ name: "nobody" });
    const answer = await bed.request({ path: "/api/v1/pods", token: nobody.token });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(nobody.userName);
  });

  it("refuses a token that it did not issue", async () => {
    expect((await bed.request({ path: "/api/v1/pods", token: "made-up" })).status).toBe(401);
  });

  it("lets a ServiceAccount do what its rules say and nothing else", async () => {
    const rules = [
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ];
    const reader = await bed.serviceAccount({ name: "reader", namespace: "monitoring", rules });
    const status = async (path: string) => (await bed.request({ path, token: reader.token })).status;
    expect(await status("/api/v1/pods?limit=1")).toBe(200);
    expect(await status("/metrics")).toBe(200);
    expect(await status("/api/v1/nodes?limit=1")).toBe(403);
    expect(readFileSync(reader.kubeconfigPath, "utf8")).toContain(reader.token);
  });

  it("knows the user and groups of a client certificate, from the kubeconfig alone", async () => {
    const { kubeconfigPath } = bed.clientCertificate({ userName: "jane", groups: ["auditors", "readers"] });
    const review = await selfSubjectReview(
      JSON.parse(readFileSync(kubeconfigPath, "utf8")) as KubeconfigShape,
    );
    expect(review).toMatchObject({
      username: "jane",
      groups: expect.arrayContaining(["auditors", "readers"]),
    });
    expect(statSync(kubeconfigPath).mode & 0o077).toBe(0);
  });

  it("binds a seeded agent's ServiceAccount to its role", async () => {
    const agent = await bed.serviceAccount({
      name: "log-agent",
      namespace: "agents",
      clusterRole: "agent:agents:log-agent",
    });
    expect((await bed.request({ path: "/api/v1/nodes?limit=1", token: agent.token })).status).toBe(200);
    expect((await bed.request({ path: "/api/v1/secrets?limit=1", token: agent.token })).status).toBe(403);
  });

  it("prices a LIST of seeded pods in its access log only when asked to", () => {
    expect(readFileSync(bed.apiServers[0]?.logPath ?? "", "utf8")).not.toContain("apf_pl");
  });

  it("knows the size of its collections within seconds of its start", async () => {
    await expect
      .poll(
        async () =>
          (await bed.request({ path: "/metrics" })).text.match(
            /^apiserver_(?:storage|resource)_objects\{[^}]*"pods"\} (\d+)/m,
          )?.[1],
        {
          timeout: 20_000,
          interval: 500,
        },
      )
      .toBe("500");
  });

  it("starts again after kill -9 with all its objects", async () => {
    const [server] = bed.apiServers;
    const before = server?.pid() ?? 0;
    await server?.restart();
    expect(server?.pid()).not.toBe(before);
    expect(identify(before)).toBeNull();
    expect((await listPage(bed, "/api/v1/pods?limit=1")).metadata.remainingItemCount).toBe(499);
  }, 60_000);

  it("takes further objects while it runs", async () => {
    const report = await bed.seed({ namespaces: 5, configMaps: 3, configMapBytes: 10, seed: 8 });
    expect(report.objects).toEqual({ namespaces: 5, configmaps: 3 });
    expect(
      (await bed.request({ path: "/api/v1/namespaces/team-0001/configmaps/settings-000001" })).text,
    ).toContain("settings");
  });

  it("seeds the same objects from the same plan", async () => {
    const path = "/api/v1/namespaces/team-0002/pods?labelSelector=app%3Dservice-00002";
    const strip = (text: string) => text.replaceAll(/"resourceVersion":\s*"\d+"/g, "");
    const before = strip((await bed.request({ path })).text);
    await bed.seed(PLAN);
    expect(strip((await bed.request({ path })).text)).toBe(before);
    await bed.seed({ ...PLAN, seed: 8 });
    expect(strip((await bed.request({ path })).text)).not.toBe(before);
  });

  it("refuses a plan that does not add up", async () => {
    await expect(bed.seed({ nodes: 10, daemonSets: [{ name: "a" }], pods: 5 })).rejects.toThrow(
      /alone have 10, not 5/,
    );
  });

  it("stop ends every process and removes the folder", async () => {
    const pids = Object.values(bed.pids());
    expect(pids.length).toBe(3);
    await bed.stop();
    expect(pids.filter((pid) => identify(pid) !== null)).toEqual([]);
    expect(existsSync(bed.directory)).toBe(false);
  });
});
