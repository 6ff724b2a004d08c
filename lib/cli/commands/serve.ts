import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants } from "node:os";
import path from "node:path";
import type { ConfigFlags, HeadroomConfig } from "../../config/config-types.ts";
import { encodeFlags, FLAGS_VARIABLE, loadConfig } from "../../config/load-config.ts";
import { loadKubeconfig } from "../../kube/load-kubeconfig.ts";
import { printable } from "../output/style.ts";

export interface ServeOutput {
  out(line: string): void;
  err(line: string): void;
}

export interface ServeOptions {
  readonly flags: ConfigFlags;
  /** Folder of package.json: where the built server and the bundles are. */
  readonly packageRoot: string;
}

const START_DEADLINE_MS = 60_000;
const START_POLL_MS = 100;
const FORCED_STOP_MS = 8_000;

/**
 * `headroom serve`: says what will be read, checks the port, starts the web server (which forks the collector) and
 * stays until it ends. Returns the exit code: 2 for what the person can mend, the server's own otherwise.
 */
export async function runServe({ flags, packageRoot }: ServeOptions, output: ServeOutput): Promise<number> {
  const server = path.join(packageRoot, ".next", "standalone", "server.js");
  if (!existsSync(server)) {
    output.err("The web server is not built; npm start builds and starts it.");
    return 2;
  }
  const config = loadConfig({ flags });
  const { address, port } = config.server;
  const taken = await whyPortIsTaken(address, port);
  if (taken !== null) {
    output.err(taken);
    return 2;
  }
  for (const line of await describeTargets(config)) output.out(line);
  const child = spawn(process.execPath, [server], {
    // The channel carries nothing: that it closes tells the web server that this process is gone, however it ended.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      HEADROOM_CWD: process.cwd(),
      [FLAGS_VARIABLE]: encodeFlags(flags),
      HEADROOM_COLLECTOR_ENTRY: path.join(packageRoot, "dist", "collector.mjs"),
      HEADROOM_MIGRATIONS_DIR: path.join(packageRoot, "prisma", "migrations"),
      HOSTNAME: address,
      PORT: String(port),
    },
  });
  return untilItEnds(child, config, output);
}

async function untilItEnds(
  child: ChildProcess,
  config: HeadroomConfig,
  output: ServeOutput,
): Promise<number> {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    stopping = true;
    child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    setTimeout(() => child.kill("SIGKILL"), FORCED_STOP_MS).unref();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  const orphaned = () => stop("SIGTERM");
  if (process.connected) process.once("disconnect", orphaned);
  const ended = new Promise<number>((resolve) => {
    child.on("error", (error) => {
      output.err(`The web server could not be started: ${error.message}`);
      resolve(2);
    });
    child.on("exit", (code, signal) => {
      if (stopping) resolve(0);
      else resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
  const { address, port, baseUrl } = config.server;
  const givenUp = new AbortController();
  void ended.then(() => givenUp.abort());
  const isAnswering = answers(address, port, givenUp.signal).then((ok) => (ok ? "up" : "silent"));
  const first = await Promise.race([ended, isAnswering]);
  if (first === "up") output.out(`Headroom is at ${baseUrl ?? `http://${hostInUrl(address)}:${port}`}`);
  if (first === "silent")
    output.err(`The web server has not answered for ${START_DEADLINE_MS / 1000} s; its log is above.`);
  const code = await ended;
  for (const signal of signals) process.removeListener(signal, stop);
  process.removeListener("disconnect", orphaned);
  return code;
}

const hostInUrl = (address: string) => (address.includes(":") ? `[${address}]` : address);

/** A sentence where the port cannot be listened on; `null` where it can. */
export async function whyPortIsTaken(address: string, port: number): Promise<string | null> {
  const code = await new Promise<string | null>((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host: address, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
  if (code === null) return null;
  const where = `${hostInUrl(address)}:${port}`;
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use: something else listens on ${where}. Choose another one: npm start -- --port ${port + 1}`;
  }
  if (code === "EACCES")
    return `Port ${port} needs more rights than this user has. Choose another one with --port, 1024 or above.`;
  return `Cannot listen on ${where} (${code}). Choose another port with --port, or another loopback address with --address.`;
}

async function answers(address: string, port: number, signal: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline && !signal.aborted) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: address, port });
      const settle = (value: boolean) => {
        socket.destroy();
        resolve(value);
      };
      socket.once("connect", () => settle(true));
      socket.once("error", () => settle(false));
    });
    if (isUp) return true;
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
  }
  return false;
}

const SOURCE_WORDS = {
  flag: "named by --kubeconfig",
  environment: "named by HEADROOM_KUBECONFIG",
  "configuration-file": "named in the configuration file",
} as const;

/** One line a cluster that will be read, with where it came from; never a credential. */
export async function describeTargets(config: HeadroomConfig): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { source, path: file, contexts } of config.clusters.kubeconfigs) {
    const where =
      source === "configuration-file"
        ? `named in ${config.file ?? "the configuration file"}`
        : SOURCE_WORDS[source];
    const { targets, problems } = await loadKubeconfig({ paths: [file], contexts, source });
    for (const target of targets) lines.push(printable(`Reads cluster ${target.name} (${file}, ${where})`));
    for (const problem of problems) lines.push(printable(`Does not read: ${problem.message}`));
  }
  if (config.clusters.inCluster)
    lines.push("Reads the cluster it runs in (in-cluster account, named by configuration)");
  if (config.clusters.forceDemo)
    lines.push("Serves the demo fleet alone (--demo); clusters of the settings page wait.");
  if (lines.length === 0) {
    lines.push(
      "No cluster is named by flag, environment or configuration file: serves those of the settings page, else the demo fleet.",
    );
  }
  return lines;
}
