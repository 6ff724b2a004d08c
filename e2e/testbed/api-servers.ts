import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "./api-client.ts";
import type { Keeper, KeptProcess } from "./keeper.ts";
import { apiServerFlags } from "./server-flags.ts";

/** One kube-apiserver process, which may be killed and started again against the running etcd. */
export interface ApiServer {
  readonly name: string;
  readonly port: number;
  /** Its own address, which bypasses the relay. */
  readonly url: string;
  readonly logPath: string;
  /** Process id, or null while it is down. */
  pid(): number | null;
  /** kill -9 unless another signal is named; resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again and waits until it is ready: the quickest way to forget all state of API priority and fairness. */
  restart(): Promise<void>;
}

interface ApiServerOptions {
  readonly keeper: Keeper;
  readonly binary: string;
  readonly name: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly authorityPem: string;
  readonly adminToken: string;
  readonly accessLog: boolean;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Cores that it may use, as taskset writes them; `null`: all. */
  readonly cores: string | null;
  readonly readySeconds: number;
}

/** Starts one kube-apiserver and waits for /readyz. @throws Error with the end of its log. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { keeper, name, port } = options;
  const url = `https://127.0.0.1:${port}`;
  let current: KeptProcess | null = null;

  async function launch(): Promise<void> {
    const args = apiServerFlags({
      directory: keeper.directory,
      port,
      etcdUrl: options.etcdUrl,
      accessLog: options.accessLog,
      more: options.flags,
    });
    const started = await keeper.start({
      name,
      // Go counts its cores once, at the start: they must be set before.
      ...(options.cores === null
        ? { command: options.binary, args }
        : { command: "taskset", args: ["-c", options.cores, options.binary, ...args] }),
      env: { ...options.env, HEADROOM_TESTBED_HOSTNAME: name },
    });
    current = started;
    void started.ended.then(() => {
      if (current === started) current = null;
    });
    await waitUntilReady(started, { ...options, url });
  }

  async function kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await current?.kill(signal);
  }

  await launch();
  return {
    name,
    port,
    url,
    logPath: `${keeper.directory}/${name}.log`,
    pid: () => current?.pid ?? null,
    kill,
    restart: async () => {
      await kill();
      await launch();
    },
  };
}

interface ReadyOptions {
  readonly url: string;
  readonly authorityPem: string;
  readonly adminToken: string;
  readonly readySeconds: number;
}

async function waitUntilReady(server: KeptProcess, options: ReadyOptions): Promise<void> {
  const client = new ApiClient(options.url, options.authorityPem);
  const deadline = performance.now() + options.readySeconds * 1000;
  let last = "no answer";
  try {
    while (performance.now() < deadline && !server.hasEnded()) {
      try {
        const { status, text } = await client.send({
          path: "/readyz",
          token: options.adminToken,
          timeoutSeconds: 5,
        });
        if (status === 200) return;
        last = `${status} ${text.slice(0, 300)}`;
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
      }
      await sleep(100);
    }
  } finally {
    client.close();
  }
  const fate = server.hasEnded() ? "ended" : `was not ready after ${options.readySeconds} s (${last})`;
  throw new Error(`${server.name} ${fate}; the end of its log:\n${server.logTail()}`);
}
