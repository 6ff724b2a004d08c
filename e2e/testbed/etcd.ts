import { setTimeout as sleep } from "node:timers/promises";
import type { Keeper, KeptProcess } from "./keeper.ts";
import { etcdFlags } from "./server-flags.ts";

interface EtcdOptions {
  readonly keeper: Keeper;
  readonly binary: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

const READY_SECONDS = 120;

/** Starts etcd and waits until it answers. @throws Error with the end of its log. */
export async function startEtcd({ keeper, binary, clientPort, peerPort }: EtcdOptions): Promise<{
  readonly url: string;
  readonly process: KeptProcess;
}> {
  const url = `http://127.0.0.1:${clientPort}`;
  const etcd = await keeper.start({
    name: "etcd",
    command: binary,
    args: etcdFlags({ directory: keeper.directory, clientPort, peerPort }),
  });
  const deadline = performance.now() + READY_SECONDS * 1000;
  while (performance.now() < deadline && !etcd.hasEnded()) {
    if (await isHealthy(url)) return { url, process: etcd };
    await sleep(50);
  }
  throw new Error(
    `etcd ${etcd.hasEnded() ? "ended" : "did not answer"}; the end of its log:\n${etcd.logTail()}`,
  );
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) });
    return response.ok && /"true"/.test(await response.text());
  } catch {
    return false; // not listening yet
  }
}
