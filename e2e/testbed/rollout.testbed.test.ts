import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeEachVersion } from "./describe-each-version.ts";
import { listPage, type ObjectShape, readJson } from "./testing.ts";

const NODES = 60;
const AGENT = "/apis/apps/v1/namespaces/agents/daemonsets/log-agent";

interface DaemonSetShape {
  readonly metadata: { readonly generation: number };
  readonly status: Readonly<Record<string, number>>;
}

describeEachVersion(
  "DaemonSet on hollow nodes",
  ["seed", "kubeControllerManager", "kubeScheduler", "kwok"],
  (version) => {
    let bed: ControlPlane;
    let seeded: readonly ObjectShape[];
    beforeAll(async () => {
      bed = await startControlPlane({
        version,
        controllerManager: true,
        hollowNodes: true,
        seed: {
          nodes: NODES,
          namespaces: 2,
          deployments: 2,
          pods: NODES + 20,
          nodesReady: false,
          daemonSets: [{ name: "log-agent", maxUnavailable: "20%" }],
        },
      });
      seeded = (await listPage(bed, "/api/v1/namespaces/agents/pods")).items;
    }, 300_000);
    afterAll(() => bed?.stop());

    it("makes nodes ready", async () => {
      const ready = async () => {
        const { items } = await listPage(bed, "/api/v1/nodes");
        return items.filter((node) =>
          JSON.stringify(node.status?.conditions ?? []).includes('"status":"True"'),
        ).length;
      };
      await expect.poll(ready, { timeout: 60_000, interval: 500 }).toBe(NODES);
    }, 70_000);

    it("leaves seeded pods alone: the controller finds its own revision there", async () => {
      // The controller has looked at the DaemonSet once it has made default ServiceAccounts and settled.
      const accounts = () =>
        listPage(bed, "/api/v1/namespaces/agents/serviceaccounts").then(({ items }) => items.length);
      await expect.poll(accounts, { timeout: 60_000, interval: 500 }).toBe(2);
      await sleep(3000);
      const revisions = await listPage(bed, "/apis/apps/v1/namespaces/agents/controllerrevisions");
      expect(revisions.items).toHaveLength(1);
      const pods = await listPage(bed, "/api/v1/pods");
      expect(pods.items).toHaveLength(NODES + 20);
      const before = new Set(seeded.map(({ metadata }) => metadata.uid));
      expect(pods.items.filter(({ metadata }) => before.has(metadata.uid))).toHaveLength(NODES);
    }, 70_000);

    it("replaces every pod when the image changes", async () => {
      const patch = {
        spec: { template: { spec: { containers: [{ name: "main", image: "registry.test/log-agent:2" }] } } },
      };
      const answer = await bed.request({
        method: "PATCH",
        path: AGENT,
        body: patch,
        contentType: "application/strategic-merge-patch+json",
      });
      expect(answer.status).toBe(200);
      await expect
        .poll(async () => (await readJson<DaemonSetShape>(bed, AGENT)).status, {
          timeout: 120_000,
          interval: 500,
        })
        .toMatchObject({ observedGeneration: 2, updatedNumberScheduled: NODES, numberAvailable: NODES });

      const { items } = await listPage(bed, "/api/v1/namespaces/agents/pods");
      expect(items).toHaveLength(NODES);
      const before = new Set(seeded.map(({ metadata }) => metadata.uid));
      expect(items.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
      const images = new Set(
        items.map(({ spec }) => JSON.stringify(spec).match(/registry\.test\/[^"]+/)?.[0]),
      );
      expect([...images]).toEqual(["registry.test/log-agent:2"]);
      // The seeded revision and the new one: the controller took the seeded one for its own all along.
      expect((await listPage(bed, "/apis/apps/v1/namespaces/agents/controllerrevisions")).items).toHaveLength(
        2,
      );
    }, 130_000);
  },
);
