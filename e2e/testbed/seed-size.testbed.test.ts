import { afterAll, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeEachVersion } from "./describe-each-version.ts";
import { listPage } from "./testing.ts";

describeEachVersion("a large fleet", ["seed"], (version) => {
  let bed: ControlPlane | undefined;
  afterAll(() => bed?.stop());

  it("of 5,000 nodes and 50,000 pods is seeded within a minute, and served", async () => {
    bed = await startControlPlane({
      version,
      readySeconds: 300,
      seed: {
        nodes: 5000,
        namespaces: 200,
        deployments: 500,
        pods: 50_000,
        podBytes: 2000,
        nodeBytes: 2000,
        daemonSets: ["log-agent", "net-agent", "csi-agent"].map((name) => ({ name })),
      },
    });
    expect(bed.seeded?.objects).toMatchObject({
      minions: 5000,
      pods: 50_000,
      daemonsets: 3,
      namespaces: 201,
    });
    expect(bed.seeded?.durationSeconds).toBeLessThan(60);
    expect((await listPage(bed, "/api/v1/nodes?limit=1")).metadata.remainingItemCount).toBe(4999);
    expect((await listPage(bed, "/api/v1/pods?limit=1")).metadata.remainingItemCount).toBe(49_999);
  }, 420_000);
});
