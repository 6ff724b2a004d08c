import { expect, test } from "vitest";
import type { ApiServerClient } from "../../kube/index.ts";
import { createServerMetricsReducer } from "../metrics/server-metrics.ts";
import { PartRun, PassHalt } from "../pass/part-run.ts";
import { createPermissionRecorder } from "../pass/permission-recorder.ts";
import { startFakeCluster } from "../test-support/fake-cluster.ts";
import { readSizes } from "./read-sizes.ts";

const read = (client: ApiServerClient, samples: readonly (readonly [string, number])[]) => {
  const reducer = createServerMetricsReducer();
  for (const [resource, value] of samples) {
    reducer.take({ name: "apiserver_resource_objects", labels: { group: "", resource }, value });
  }
  return readSizes({
    run: new PartRun({
      part: "sizes",
      clock: { now: () => 0 },
      permissions: createPermissionRecorder(() => 0),
      halt: new PassHalt(),
      passStartedAt: 0,
    }),
    client,
    servers: [{ serverId: "a", metrics: reducer.finish(0) }],
    fallbackServerId: "a",
  });
};

test("a server that knows no count yet, minutes after its start, is read: every count is unknown", async () => {
  await using cluster = await startFakeCluster({ scenario: { nodes: 1, servers: 1 } });
  const { value } = await read(cluster.client(), [
    ["nodes", -1],
    ["pods", -1],
  ]);
  expect(value?.resources.map(({ resource, objects }) => [resource, objects.state])).toEqual([
    ["nodes", "unknown"],
    ["pods", "unknown"],
  ]);
  expect(cluster.server.requestLog.total).toBe(0);
});
