import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { RunningServer } from "../fake-api-server/fake-api-server.ts";
import { kubeconfigOf } from "../fake-api-server/kubeconfig.ts";
import type { ClusterScenario } from "../fake-api-server/scenario.ts";
import type { ListeningLine } from "../fake-api-server/serve-process.ts";
import { DEFAULT_SEED } from "./demo-fleet.ts";
import { demoScenario } from "./demo-scenario.ts";
import { planOf } from "./fleet-plan.ts";
import { storiesOf } from "./stories.ts";

/**
 * The fleet answers in bursts of short-lived text. Left alone, V8 lets that pile up to several hundred megabytes before
 * it tidies up; with a small nursery it stays near 100.
 */
const V8_FLAGS = ["--max-semi-space-size=2", "--max-old-space-size=96"];
const START_MS = 30_000;

export interface DemoFleetProcessOptions {
  readonly anchorAt: number;
  readonly seed?: string;
}

/** A cluster that is served by another process. */
export interface ServedDemoCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly servers: readonly RunningServer[];
  /** A kubeconfig as an object; JSON of it is a kubeconfig file. */
  kubeconfig(): object;
  /** What it plays, made anew: plain data and functions of time. */
  scenario(): ClusterScenario;
}

export interface DemoFleetProcess {
  readonly anchorAt: number;
  readonly pid: number;
  /** In the order of the plan, worst first. */
  readonly clusters: readonly ServedDemoCluster[];
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Starts the demo fleet in a process of its own, which ends with this one: it runs for as long as its input is open.
 * @throws Error where it does not come to listen
 */
export async function startDemoFleetProcess(options: DemoFleetProcessOptions): Promise<DemoFleetProcess> {
  const { anchorAt, seed = DEFAULT_SEED } = options;
  const args = [...V8_FLAGS, entryFile(), "--seed", seed, "--anchor", String(anchorAt)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  // A process that has gone closes its input first; `ended` says so.
  child.stdin.on("error", () => undefined);
  const { listening } = await readListeningLine(child, ended);
  return {
    anchorAt,
    pid: child.pid ?? 0,
    clusters: listening.map(({ name, url, token, labels, servers }) => ({
      name,
      labels,
      servers,
      kubeconfig: () => kubeconfigOf({ name, url, token }),
      scenario: () => demoScenario(planOf(name), storiesOf(anchorAt), seed),
    })),
    ended,
    close: async () => {
      child.stdin.end();
      // A fleet that hangs in an answer must not hold up who stops it.
      const force = setTimeout(() => child.kill("SIGKILL"), 2000);
      await ended;
      clearTimeout(force);
    },
  };
}

async function readListeningLine(child: Child, ended: Promise<void>): Promise<ListeningLine> {
  const lines = createInterface({ input: child.stdout });
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), START_MS);
  try {
    const line = await Promise.race([
      once(lines, "line", { signal: giveUp.signal }).then(([text]) => String(text)),
      ended.then(() => null),
    ]);
    if (line !== null) return JSON.parse(line) as ListeningLine;
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`The demo fleet did not start within ${START_MS / 1000} s.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  throw new Error("The demo fleet ended before it listened.");
}

/** The entry beside this file, or beside the bundle that this code is part of. */
function entryFile(): string {
  const here = fileURLToPath(import.meta.url);
  if (here.endsWith(".ts")) return join(dirname(here), "main.ts");
  // Entries lie in the folder of bundles, shared pieces one below it.
  const places = [dirname(here), dirname(dirname(here))].map((folder) => join(folder, "demo-fleet.mjs"));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`demo-fleet.mjs is not beside ${here}. npm start builds it.`);
  return found;
}
