import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sweepAbandonedBeds } from "./bed-directory.ts";
import { describeEachVersion } from "./describe-each-version.ts";
import { identify } from "./process-identity.ts";

interface Started {
  readonly pids: Readonly<Record<string, number>>;
  readonly directory: string;
}

/** Another Node process that starts a control plane, tells about it, and then waits to be killed. */
async function startElsewhere(version: string): Promise<Started & { readonly kill: () => Promise<void> }> {
  const index = fileURLToPath(new URL("./index.ts", import.meta.url));
  const script = `
    const { startControlPlane } = await import(${JSON.stringify(index)});
    const bed = await startControlPlane({ version: ${JSON.stringify(version)}, apiServers: 2 });
    console.log(JSON.stringify({ pids: bed.pids(), directory: bed.directory }));
    setTimeout(() => process.exit(1), 120_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the other process ended with ${code}`))),
  ]);
  const started = JSON.parse(String(line)) as Started; // the line above
  return {
    ...started,
    kill: async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

const alive = (pids: Readonly<Record<string, number>>) =>
  Object.entries(pids)
    .filter(([, pid]) => identify(pid) !== null)
    .map(([name]) => name);

describeEachVersion("what a crash leaves behind", [], (version) => {
  it("is nothing when the test process is killed with kill -9", async () => {
    const bed = await startElsewhere(version);
    expect(alive(bed.pids)).toEqual(["keeper", "etcd", "kube-apiserver-0", "kube-apiserver-1"]);
    await bed.kill();
    await expect.poll(() => alive(bed.pids), { timeout: 15_000, interval: 50 }).toEqual([]);
    expect(existsSync(bed.directory)).toBe(false);
  }, 240_000);

  it("is swept up at the next start when the keeper was killed as well", async () => {
    const bed = await startElsewhere(version);
    process.kill(bed.pids.keeper ?? 0, "SIGKILL");
    await bed.kill();
    // The keeper is another process's child: nobody tells us the moment at which the signal has taken effect.
    await expect
      .poll(() => alive(bed.pids), { timeout: 5000, interval: 10 })
      .toEqual(["etcd", "kube-apiserver-0", "kube-apiserver-1"]);
    expect(sweepAbandonedBeds()).toContain(bed.directory);
    await expect.poll(() => alive(bed.pids), { timeout: 5000, interval: 50 }).toEqual([]);
    expect(existsSync(bed.directory)).toBe(false);
  }, 240_000);
});
