import { describe, expect, it, onTestFinished } from "vitest";
import { startDemoFleetProcess } from "./demo-fleet-process.ts";

async function start() {
  const fleet = await startDemoFleetProcess({ anchorAt: Date.now() - 60_000 });
  onTestFinished(() => fleet.close());
  return fleet;
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("the demo fleet in a process of its own", () => {
  it("names addresses that answer, and knows what they play", async () => {
    const fleet = await start();
    expect(fleet.clusters).toHaveLength(14);
    const stage = fleet.clusters.find(({ name }) => name === "stage-eu-west");
    const config = stage?.kubeconfig() as {
      clusters: [{ cluster: { server: string } }];
      users: [{ user: { token: string } }];
    };
    const namespace = await fetch(`${config.clusters[0].cluster.server}/api/v1/namespaces/kube-system`, {
      headers: { authorization: `Bearer ${config.users[0].user.token}` },
    });
    expect(await namespace.json()).toMatchObject({ metadata: { uid: stage?.scenario().uid } });
    expect(stage?.servers.map(({ name }) => name)).toEqual(stage?.scenario().servers);
  });

  it("is gone when it was closed", async () => {
    const fleet = await start();
    expect(isRunning(fleet.pid)).toBe(true);
    await fleet.close();
    expect(isRunning(fleet.pid)).toBe(false);
  });

  it("says when it ended by itself", async () => {
    const fleet = await start();
    process.kill(fleet.pid, "SIGKILL");
    await fleet.ended;
    expect(isRunning(fleet.pid)).toBe(false);
  });
});
