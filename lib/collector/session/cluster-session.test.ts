import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../db/open-store.ts";
import type { Store, Target } from "../../db/store.ts";
import { PART_NAMES, type PartName } from "../../domain/clusters/part.ts";
import { buildScenario, type FakeApiServer, startFakeApiServer } from "../../fake-api-server/index.ts";
import { systemClock } from "../../kube/index.ts";
import { createLogger } from "../../logger.ts";
import { firstPlan, planNext } from "../schedule/plan-next.ts";
import { ClusterSession } from "./cluster-session.ts";
import { openTarget } from "./open-cluster.ts";

const LIMITS = { requestsPerMinute: 1000, bytesPerMinute: 256 * 1024 * 1024 };

let folder: string;
let store: Store;
const servers: FakeApiServer[] = [];
const sessions: ClusterSession[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-session-"));
  store = await openStore({ url: `file:${join(folder, "store.db")}`, mode: "read-write" });
});
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const server of servers.splice(0)) await server.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function startServer(name: string): Promise<FakeApiServer> {
  const scenario = buildScenario({ name, seed: name, nodes: 20, servers: 1 });
  const server = await startFakeApiServer({ scenario });
  servers.push(server);
  return server;
}

/** A kubeconfig file whose only context has this name. */
async function writeKubeconfig(file: string, context: string, server: FakeApiServer): Promise<string> {
  const path = join(folder, file);
  const config = {
    "current-context": context,
    clusters: [{ name: "c", cluster: { server: server.url } }],
    users: [{ name: "u", user: { token: server.token } }],
    contexts: [{ name: context, context: { cluster: "c", user: "u" } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

async function addTarget(kubeconfigPath: string, context: string): Promise<Target> {
  const at = Date.now();
  const [target] = await store.clusters.syncTargets(
    ["flag"],
    [
      {
        source: "flag",
        kubeconfigPath,
        context,
        name: context,
        role: null,
        labels: {},
        isInsecure: false,
        isDemo: false,
      },
    ],
    at,
  );
  if (target === undefined) throw new Error("no target");
  return target;
}

/** A session as the collector opens one, and passes of it without a schedule. */
async function openSession(target: Target, { mustProbe = true } = {}) {
  const cluster = await store.clusters.get(target.clusterId);
  if (cluster === null) throw new Error("no cluster");
  let moved = 0;
  const session = new ClusterSession({
    store,
    target,
    cluster,
    clock: systemClock,
    logger: createLogger("collector", { level: "silent" }),
    open: (each, name) => openTarget(each, name, { clock: systemClock, random: () => 0, limits: LIMITS }),
    onMoved: () => {
      moved += 1;
    },
  });
  sessions.push(session);
  const pass = (due: readonly PartName[] = PART_NAMES, signal = new AbortController().signal) =>
    session.pass({
      due,
      mustProbe,
      isIncident: false,
      signal,
      plan: (outcomes) =>
        planNext({
          plan: firstPlan(Date.now(), 0, () => 0),
          outcomes,
          now: Date.now(),
          isIncident: false,
          random: () => 0.5,
        }),
    });
  return { session, pass, moved: () => moved };
}

const eventKinds = async (clusterId?: string) => {
  const { events } = await store.events.list({
    ...(clusterId === undefined ? {} : { clusterId }),
    limit: 50,
  });
  return events.map(({ kind }) => kind);
};

test("a pass is stored whole: parts, samples, permissions, the UID of the cluster", async () => {
  const server = await startServer("prod");
  const target = await addTarget(await writeKubeconfig("a", "prod", server), "prod");
  const { pass } = await openSession(target);
  await pass();
  const parts = await store.parts.getAll(target.clusterId);
  expect(PART_NAMES.map((part) => parts[part]?.latest.status)).toEqual(PART_NAMES.map(() => "ok"));
  const cluster = await store.clusters.get(target.clusterId);
  expect(cluster?.uid).toBe(server.scenario.uid);
  expect(cluster?.permissions["list-nodes"]?.state).toBe("granted");
  expect((await store.samples.listKeys(target.clusterId)).length).toBeGreaterThan(20);
  expect(await eventKinds()).toEqual([]);
});

test("a kubeconfig that was changed leads to another cluster from the next pass on, whatever is due in it", async () => {
  const [first, second] = [await startServer("first"), await startServer("second")];
  const path = await writeKubeconfig("a", "prod", first);
  const target = await addTarget(path, "prod");
  const { pass } = await openSession(target, { mustProbe: false });
  await pass();
  await writeKubeconfig("a", "prod", second);
  // Not within the resolution of the time of the file before.
  await utimes(path, new Date(), new Date(Date.now() + 5_000));
  const before = await store.parts.get(target.clusterId, "fairness");
  await pass(["fairness"]);
  const uids = (await store.clusters.list()).map(({ uid }) => uid);
  expect(uids).toContain(second.scenario.uid);
  expect(await eventKinds()).toContain("context-repointed");
  expect((await store.parts.get(target.clusterId, "fairness"))?.valueAt).toBe(before?.valueAt);
  const asked = second.requestLog.of("/api/v1/namespaces/kube-system").length;
  await pass(["fairness"]);
  expect(second.requestLog.of("/api/v1/namespaces/kube-system")).toHaveLength(asked);
});

test("a pass that is given up leaves nothing behind", async () => {
  const server = await startServer("prod");
  server.faults.add({ fault: { kind: "hang" }, path: "/apis/apps/v1/statefulsets" });
  const target = await addTarget(await writeKubeconfig("a", "prod", server), "prod");
  const { pass } = await openSession(target);
  const stop = new AbortController();
  const passing = pass(PART_NAMES, stop.signal);
  const until = Date.now() + 20_000;
  while (server.requestLog.of("/apis/apps/v1/statefulsets").length === 0 && Date.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort(new Error("stopping"));
  await expect(passing).rejects.toThrow("stopping");
  expect(await store.parts.getAll(target.clusterId)).toEqual({});
});

test("three failed attempts in a row are an outage that counts from the first; the next answer ends it", async () => {
  const server = await startServer("prod");
  const target = await addTarget(await writeKubeconfig("a", "prod", server), "prod");
  const { pass } = await openSession(target);
  await pass();
  await server.setRefusing("all", true);
  const firstFailedAt = Date.now();
  await pass(["fairness"]);
  await pass(["fairness"]);
  expect((await store.clusters.get(target.clusterId))?.unreachableSince).toBeNull();
  await pass(["fairness"]);
  const since = (await store.clusters.get(target.clusterId))?.unreachableSince ?? 0;
  expect(since).toBeGreaterThanOrEqual(firstFailedAt);
  await pass(["fairness"]);
  expect(await eventKinds()).toEqual(["cluster-unreachable"]);
  await server.setRefusing("all", false);
  await pass(["fairness"]);
  expect(await eventKinds()).toEqual(["cluster-back", "cluster-unreachable"]);
  const said = (await store.events.list({ limit: 50 })).events.map(({ lead, text }) => `${lead} ${text}`);
  expect(said[1]).toBe(
    `Unreachable. The connection was refused: nothing listens there (GET /api/v1/namespaces/kube-system at ${new URL(server.url).host}). 3 attempts in a row came to this. Figures are the last known good ones.`,
  );
  expect(said[0]).toMatch(/^Answers again\. After .+; what changed meanwhile is dated from now\.$/);
  expect((await store.clusters.get(target.clusterId))?.unreachableSince).toBeNull();
});

test("a cluster that never answered is unreachable at once, and its first answer is no return", async () => {
  const server = await startServer("prod");
  await server.setRefusing("all", true);
  const target = await addTarget(await writeKubeconfig("a", "prod", server), "prod");
  const { pass } = await openSession(target);
  await pass();
  expect((await store.clusters.get(target.clusterId))?.unreachableSince).not.toBeNull();
  await server.setRefusing("all", false);
  await pass();
  expect(await eventKinds()).toEqual(["cluster-unreachable"]);
  expect((await store.clusters.get(target.clusterId))?.unreachableSince).toBeNull();
});

test("a renamed context stays one cluster, with its history, and that is said", async () => {
  const server = await startServer("prod");
  const before = await addTarget(await writeKubeconfig("a", "old-name", server), "old-name");
  await (await openSession(before)).pass();
  const after = await addTarget(await writeKubeconfig("b", "new-name", server), "new-name");
  expect(after.clusterId).not.toBe(before.clusterId);
  const renamed = await openSession(after);
  await renamed.pass();
  expect(renamed.moved()).toBe(1);
  const clusters = await store.clusters.list();
  expect(clusters.map(({ id, name }) => [id, name])).toEqual([[before.clusterId, "new-name"]]);
  expect(await eventKinds(before.clusterId)).toEqual(["cluster-renamed"]);
  const parts = await store.parts.getAll(before.clusterId);
  expect(parts.servers?.value?.servers).toHaveLength(1);
});

test("a context that leads to another cluster becomes another one; both say so, and nothing is mixed up", async () => {
  const first = await startServer("prod");
  const second = await startServer("staging");
  const target = await addTarget(await writeKubeconfig("a", "ctx", first), "ctx");
  const { pass } = await openSession(target);
  await pass();
  await writeKubeconfig("a", "ctx", second);
  await pass();
  const uids = (await store.clusters.list()).map(({ uid }) => uid);
  expect(uids).toContain(second.scenario.uid);
  const moved = (await store.clusters.listTargets()).find(({ id }) => id === target.id);
  expect(moved?.clusterId).not.toBe(target.clusterId);
  expect(await eventKinds(target.clusterId)).toEqual(["context-repointed"]);
  expect(await eventKinds(moved?.clusterId)).toEqual(["context-repointed"]);
  const kept = await store.parts.get(target.clusterId, "inventory");
  expect(kept?.value?.nodes?.total).toBe(20);
});

test("a kubeconfig that cannot be used fails every part with the reason, and no request is sent", async () => {
  const path = join(folder, "broken");
  await writeFile(path, "contexts: 7");
  const target = await addTarget(path, "ctx");
  const { pass } = await openSession(target);
  await pass();
  const parts = await store.parts.getAll(target.clusterId);
  expect(parts.version?.latest).toMatchObject({
    status: "failed",
    requests: 0,
    failure: { reason: "credentials", verb: null },
  });
});

test("servers keep ids and names over a restart of the collector", async () => {
  const server = await startServer("prod");
  const target = await addTarget(await writeKubeconfig("a", "prod", server), "prod");
  await (await openSession(target)).pass();
  const before = await store.parts.get(target.clusterId, "servers");
  await (await openSession(target)).pass();
  const after = await store.parts.get(target.clusterId, "servers");
  const idsOf = (state: typeof before) => state?.value?.servers.map(({ id, name }) => [id, name]);
  expect(idsOf(after)).toEqual(idsOf(before));
  expect(await eventKinds()).toEqual([]);
});
