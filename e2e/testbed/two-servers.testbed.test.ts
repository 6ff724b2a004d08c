import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApiServer } from "./api-servers.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeEachVersion } from "./describe-each-version.ts";
import { listPage } from "./testing.ts";

async function processStart(bed: ControlPlane, server: ApiServer): Promise<string | undefined> {
  const { text } = await bed.request({ path: "/metrics", server });
  return /^process_start_time_seconds (\S+)/m.exec(text)?.[1];
}

describeEachVersion("two API servers behind one address", [], (version, binaries) => {
  let bed: ControlPlane;
  beforeAll(async () => {
    bed = await startControlPlane({ version, apiServers: 2 });
  }, 300_000);
  afterAll(() => bed?.stop());

  it("are two processes with start times of their own", async () => {
    expect(bed.apiServers.map(({ name }) => name)).toEqual(["kube-apiserver-0", "kube-apiserver-1"]);
    const starts = await Promise.all(bed.apiServers.map((server) => processStart(bed, server)));
    expect(new Set(starts).size).toBe(2);
    expect(starts).not.toContain(undefined);
  });

  it.skipIf(binaries.fromAssets)("renew an identity lease each", async () => {
    const path =
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver";
    await expect
      .poll(async () => (await listPage(bed, path)).items.length, { timeout: 30_000, interval: 500 })
      .toBe(2);
    const holders = (await listPage(bed, path)).items.map(
      ({ spec }) => String(spec?.holderIdentity).split("_")[0],
    );
    expect(new Set(holders).size).toBe(2);
  });

  it("share one store", async () => {
    const [first, second] = bed.apiServers;
    if (!first || !second) throw new Error("two servers were asked for");
    const body = { metadata: { name: "written-to-the-first" } };
    expect(
      (await bed.request({ method: "POST", path: "/api/v1/namespaces", body, server: first })).status,
    ).toBe(201);
    const read = await bed.request({ path: "/api/v1/namespaces/written-to-the-first", server: second });
    expect(read.status).toBe(200);
  });

  it("take turns at new connections", async () => {
    const before = bed.relay?.connectionCounts() ?? [];
    for (let i = 0; i < 6; i++) {
      bed.relay?.closeConnections();
      // A kept connection that was just cut may fail one request, as with any load balancer.
      await bed.request({ path: "/version" }).catch(() => bed.request({ path: "/version" }));
    }
    const after = bed.relay?.connectionCounts() ?? [];
    const gained = after.map((count, index) => count - (before[index] ?? 0));
    expect(Math.min(...gained)).toBeGreaterThanOrEqual(3);
  });

  it("leave one that serves when the other is killed", async () => {
    const [first, second] = bed.apiServers;
    await first?.kill();
    expect(first?.pid()).toBeNull();
    for (let i = 0; i < 4; i++) {
      bed.relay?.closeConnections();
      const answer = await bed.request({ path: "/readyz" }).catch(() => bed.request({ path: "/readyz" }));
      expect(answer.status).toBe(200);
    }
    expect(second?.pid()).not.toBeNull();
    await first?.restart();
    expect(first?.pid()).not.toBeNull();
  }, 60_000);
});
