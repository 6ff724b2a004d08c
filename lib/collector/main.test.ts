import { type ChildProcess, fork } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStore } from "../db/open-store.ts";
import { type FakeCluster, startFakeCluster } from "./test-support/fake-cluster.ts";

// Several processes of Node, each as slow to start as the machine is busy.
vi.setConfig({ testTimeout: 120_000 });

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

let folder: string;
let cluster: FakeCluster;
let child: ChildProcess | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-main-"));
  cluster = await startFakeCluster({ scenario: { name: "prod", nodes: 20, servers: 1 } });
});
afterEach(async () => {
  child?.kill("SIGKILL");
  child = null;
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const url = () => `file:${join(folder, "store.db")}`;

/** The collector as the web process forks it. */
function start(env: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const started = fork(MAIN, [], {
    cwd: folder,
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_ENV: "test",
      HEADROOM_STORE_URL: url(),
      ...env,
    },
  });
  child = started;
  started.stderr?.on("data", (chunk: Buffer) => lines.push(...chunk.toString().trim().split("\n")));
  const ended = new Promise<number | null>((resolve) => started.once("exit", resolve));
  return { started, lines, ended };
}

/** Waits until the first pass is in the store. */
async function untilRead() {
  const store = await openStore({ url: url(), mode: "read-write" });
  try {
    await vi.waitFor(
      async () => {
        const [known] = await store.clusters.list();
        expect(known?.uid).toBe(cluster.server.scenario.uid);
        expect((await store.parts.get(known?.id ?? "", "inventory"))?.value?.nodes?.total).toBe(20);
      },
      { timeout: 20_000, interval: 100 },
    );
    return await store.collector.get();
  } finally {
    await store.close();
  }
}

test.each(["SIGTERM", "disconnect"] as const)(
  "collects what is configured, stops cleanly on %s, and writes no credential anywhere",
  async (how) => {
    const { started, lines, ended } = start({ HEADROOM_KUBECONFIG: cluster.kubeconfigPath });
    const state = await untilRead();
    expect(state).toMatchObject({ pid: started.pid, stoppedAt: null });
    // A read that never ends does not hold up the end of the process.
    cluster.server.faults.add({ fault: { kind: "hang" } });
    if (how === "SIGTERM") started.kill("SIGTERM");
    else started.disconnect();
    expect(await ended).toBe(0);
    const store = await openStore({ url: url(), mode: "read-only" });
    const after = await store.collector.get();
    await store.close();
    expect(after?.stoppedAt).not.toBeNull();
    expect(lines.join("\n")).not.toContain(cluster.server.token);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ process: "collector" });
  },
);

test("a second one on the same store reads nothing until the first is gone, and then all", async () => {
  const says = (lines: readonly string[], text: string) =>
    vi.waitFor(() => expect(lines.join("\n")).toContain(text), { timeout: 50_000, interval: 50 });
  const first = start({ HEADROOM_KUBECONFIG: cluster.kubeconfigPath });
  await says(first.lines, "collecting");
  // Without a cluster of its own: at work, it would take those of the first out of the store.
  const second = start({});
  await says(second.lines, "another collector");
  expect(JSON.parse(second.lines[0] ?? "")).toMatchObject({ level: "warn", otherPid: first.started.pid });
  const store = await openStore({ url: url(), mode: "read-only" });
  try {
    expect(await store.collector.get()).toMatchObject({ pid: first.started.pid, stoppedAt: null });
    const targets = await store.clusters.listTargets();
    expect(targets.map(({ removedAt, source }) => [removedAt, source])).toEqual([[null, "environment"]]);
    first.started.kill("SIGKILL");
    await says(second.lines, "collecting");
    expect(await store.collector.get()).toMatchObject({ pid: second.started.pid, stoppedAt: null });
  } finally {
    await store.close();
    for (const { started } of [first, second]) started.kill("SIGKILL");
  }
});

test.each([
  ["removed", () => rm(join(folder, "store.db"))],
  ["damaged", () => writeFile(join(folder, "store.db"), "x".repeat(500_000))],
])("a store that is %s while it runs is begun anew, and read into", async (_how, lose) => {
  const { started, lines, ended } = start({ HEADROOM_KUBECONFIG: cluster.kubeconfigPath });
  await untilRead();
  await lose();
  // Not opened here meanwhile: this process would set the damaged file aside before the collector meets it.
  await vi.waitFor(() => expect(lines.filter((line) => line.includes('"collecting"'))).toHaveLength(2), {
    timeout: 60_000,
    interval: 100,
  });
  expect(await untilRead()).toMatchObject({ pid: started.pid, stoppedAt: null });
  started.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("a configuration that cannot be used ends it with one line and exit code 2", async () => {
  await writeFile(join(folder, "headroom.yaml"), "clusters: 7\n");
  const { lines, ended } = start({});
  expect(await ended).toBe(2);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    msg: "the collector cannot start",
    err: { message: expect.stringContaining("clusters") },
  });
});
