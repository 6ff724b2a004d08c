import { get } from "node:https";
import { afterEach, describe, expect, it } from "vitest";
import { createAuthority, issueServingCertificate } from "../../e2e/testbed/certificates.ts";
import type { FakeApiServerOptions } from "./fake-api-server.ts";
import { buildScenario, type FakeApiServer, startFakeApiServer } from "./index.ts";

const NOW = Date.UTC(2026, 10, 30, 9, 42, 10);
const open: FakeApiServer[] = [];

async function start(options: Partial<FakeApiServerOptions> = {}): Promise<FakeApiServer> {
  const server = await startFakeApiServer({
    scenario: buildScenario({ nodes: 20, pods: 200 }),
    clock: { now: () => NOW },
    ...options,
  });
  open.push(server);
  return server;
}

const ask = (server: FakeApiServer, path: string, headers: Record<string, string> = {}, base = server.url) =>
  fetch(base + path, { headers: { authorization: `Bearer ${server.token}`, ...headers } });

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

describe("startFakeApiServer", () => {
  it("tells the cluster by the UID of its kube-system namespace, the same for the same seed", async () => {
    const uidOf = async (server: FakeApiServer) => {
      const namespace = await (await ask(server, "/api/v1/namespaces/kube-system")).json();
      return namespace.metadata.uid;
    };
    const [one, same, other] = [
      await start(),
      await start(),
      await start({ scenario: buildScenario({ seed: "other" }) }),
    ];
    expect(await uidOf(one)).toBe(one.scenario.uid);
    expect(await uidOf(same)).toBe(one.scenario.uid);
    expect(await uidOf(other)).not.toBe(one.scenario.uid);
  });

  it("leads by its EndpointSlices to every API server, each with its own start and Lease", async () => {
    const server = await start();
    const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slices = await (
      await ask(server, `${path}?labelSelector=kubernetes.io/service-name=kubernetes`)
    ).json();
    const starts = new Set<string>();
    for (const slice of slices.items) {
      const base = `http://${slice.endpoints[0].addresses[0]}:${slice.ports[0].port}`;
      const page = await (await ask(server, "/metrics", {}, base)).text();
      starts.add(/^process_start_time_seconds (\S+)$/m.exec(page)?.[1] ?? "");
    }
    expect(starts.size).toBe(3);
    const query = "?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver";
    const leases = await (
      await ask(server, `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases${query}`)
    ).json();
    const names = leases.items.map((lease: { metadata: { name: string } }) => lease.metadata.name);
    expect(names.toSorted()).toEqual(server.servers.map((one) => one.identity).toSorted());
    expect(new Set(slices.items.map((s: { ports: { port: number }[] }) => s.ports[0]?.port)).size).toBe(3);
  });

  it("answers through the shared address by one server after the other", async () => {
    const server = await start({ front: "request" });
    for (let i = 0; i < 6; i++) await (await ask(server, "/version")).text();
    expect(server.requestLog.all().map((entry) => entry.server)).toEqual([
      ...server.scenario.servers,
      ...server.scenario.servers,
    ]);
    expect(server.requestLog.all().every((entry) => entry.isThroughFront)).toBe(true);
  });

  it("refuses connections while told to, and answers on the same port afterwards", async () => {
    const server = await start();
    const [first] = server.servers;
    await server.setRefusing(first?.name ?? "", true);
    await expect(fetch(`${first?.url}/version`)).rejects.toThrow();
    expect((await ask(server, "/version", {}, server.servers[1]?.url)).status).toBe(200);
    await server.setRefusing(first?.name ?? "", false);
    expect((await ask(server, "/version", {}, first?.url)).status).toBe(200);
  });

  it("logs what was asked, with bytes on the wire, and never the token", async () => {
    const server = await start();
    await (await ask(server, "/api/v1/nodes?limit=5", { "user-agent": "headroom-test/1" })).text();
    const [entry] = server.requestLog.of("/api/v1/nodes");
    expect(entry).toMatchObject({
      method: "GET",
      query: { limit: "5" },
      userAgent: "headroom-test/1",
      authorization: "bearer",
      status: 200,
      isFinished: true,
    });
    expect(entry?.bytes).toBeGreaterThan(1000);
    expect(JSON.stringify(server.requestLog.all())).not.toContain(server.token);
  });

  it("speaks TLS on every address with the certificate it is given, and names it in the kubeconfig", async () => {
    const authority = createAuthority("fake");
    const { certificatePem, keyPem } = issueServingCertificate(authority, {
      commonName: "api",
      hosts: ["127.0.0.1"],
    });
    const server = await start({ tls: { cert: certificatePem, key: keyPem, ca: authority.certificatePem } });
    const versionOf = (url: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${url}/version`, { ca: authority.certificatePem, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).once("error", reject);
      });
    for (const url of [server.url, ...server.servers.map((one) => one.url)]) {
      expect(url).toMatch(/^https:/);
      expect(await versionOf(url)).toBe(200);
    }
    const [entry] = (server.kubeconfig() as { clusters: { cluster: Record<string, string> }[] }).clusters;
    const named = Buffer.from(entry?.cluster["certificate-authority-data"] ?? "", "base64").toString();
    expect(named).toBe(authority.certificatePem);
    await expect(fetch(server.url.replace("https:", "http:"))).rejects.toThrow();
  });
});
