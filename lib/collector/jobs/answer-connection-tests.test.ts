import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../db/open-store.ts";
import type { Store } from "../../db/store.ts";
import { PERMISSIONS } from "../../domain/clusters/permissions.ts";
import { systemClock } from "../../kube/index.ts";
import { type FakeCluster, startFakeCluster } from "../test-support/fake-cluster.ts";
import { answerConnectionTests } from "./answer-connection-tests.ts";

let folder: string;
let store: Store;
let cluster: FakeCluster;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-tests-"));
  store = await openStore({ url: `file:${join(folder, "store.db")}`, mode: "read-write" });
  cluster = await startFakeCluster({ scenario: { name: "prod", nodes: 20, servers: 1 } });
});
afterEach(async () => {
  await cluster[Symbol.asyncDispose]();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** Requests a test as the page does, lets the collector answer, and reads the answer. */
async function ask(kubeconfigPath: string, context: string | null = null) {
  const { id } = await store.connectionTests.request(kubeconfigPath, context, Date.now());
  const errors: string[] = [];
  await answerConnectionTests(
    {
      store,
      clock: systemClock,
      random: () => 0,
      onError: (_what, error) => errors.push(String(error)),
    },
    new AbortController().signal,
  );
  expect(errors).toEqual([]);
  return store.connectionTests.get(id, Date.now());
}

test("a cluster that answers: version, UID, every permission granted, and what it is known as", async () => {
  const target = { source: "flag" as const, kubeconfigPath: "/x", context: "x", name: "known", role: null };
  const [known] = await store.clusters.syncTargets(
    ["flag"],
    [{ ...target, labels: {}, isInsecure: false, isDemo: false }],
    0,
  );
  await store.clusters.recordIdentity(known?.id ?? "", cluster.server.scenario.uid, 0);
  const answered = await ask(cluster.kubeconfigPath);
  expect(answered?.state).toBe("succeeded");
  expect(answered?.result).toMatchObject({
    error: null,
    gitVersion: "v1.34.2",
    clusterUid: cluster.server.scenario.uid,
    knownClusterId: known?.clusterId,
    contexts: ["prod"],
    isInsecure: false,
  });
  expect(Object.keys(answered?.result?.permissions ?? {}).sort()).toEqual(
    PERMISSIONS.map(({ id }) => id).sort(),
  );
  expect(cluster.server.requestLog.of("/api/v1/pods").map(({ query }) => query)).toEqual([{ limit: "1" }]);
});

test("a refused permission is told apart from the granted ones", async () => {
  cluster.server.faults.add({ fault: { kind: "status", code: 403 }, path: /nodes$|^\/metrics$/ });
  const permissions = (await ask(cluster.kubeconfigPath))?.result?.permissions;
  expect(permissions?.["list-nodes"]?.state).toBe("refused");
  expect(permissions?.["get-metrics"]?.state).toBe("refused");
  expect(permissions?.["list-daemonsets"]?.state).toBe("granted");
});

test("the right to read /metrics is found without reading a long page to its end", async () => {
  cluster.server.faults.add({ fault: { kind: "huge-metrics", bytes: 32 * 1024 * 1024 } });
  const answered = await ask(cluster.kubeconfigPath);
  expect(answered?.result?.permissions["get-metrics"]?.state).toBe("granted");
});

test.each([
  { title: "401", code: 401, says: "HTTP 401" },
  { title: "500", code: 500, says: "HTTP 500" },
])("a cluster that answers $title: failed, with the reason and no credential", async ({ code, says }) => {
  cluster.server.faults.add({ fault: { kind: "status", code } });
  const answered = await ask(cluster.kubeconfigPath);
  expect(answered?.state).toBe("failed");
  expect(answered?.result?.error).toContain(says);
  expect(JSON.stringify(answered)).not.toContain(cluster.server.token);
});

test("a file that is not there, a context that is not there, a file that would run a program", async () => {
  const missing = await ask(join(folder, "nowhere"));
  expect([missing?.state, missing?.result?.error]).toEqual([
    "failed",
    expect.stringContaining("does not exist"),
  ]);
  const context = await ask(cluster.kubeconfigPath, "staging");
  expect([context?.state, context?.result?.contexts]).toEqual(["failed", ["prod"]]);
  const marker = join(folder, "it-ran");
  const path = join(folder, "exec");
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: [marker] };
  await writeFile(
    path,
    JSON.stringify({
      "current-context": "e",
      clusters: [{ name: "c", cluster: { server: cluster.server.url } }],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "e", context: { cluster: "c", user: "u" } }],
    }),
  );
  const program = await ask(path);
  expect(program?.state).toBe("failed");
  expect(program?.result?.error).toContain("exec plugin");
  await expect(rm(marker)).rejects.toThrow("ENOENT");
});

test("several tests are answered in one turn", async () => {
  const requested = await Promise.all(
    [1, 2, 3].map(() => store.connectionTests.request(cluster.kubeconfigPath, null, Date.now())),
  );
  await ask(cluster.kubeconfigPath);
  for (const { id } of requested) {
    expect((await store.connectionTests.get(id, Date.now()))?.state).toBe("succeeded");
  }
});
