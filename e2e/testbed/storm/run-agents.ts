import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What every copy lists and watches; field names of the Go program's plan. */
export interface StormResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly listKind: string;
  readonly representation: "json" | "protobuf" | "metadata-json" | "metadata-protobuf";
  readonly fieldSelector?: string;
  /** Of single LISTs only; reflectors choose theirs. */
  readonly resourceVersion?: string;
  readonly limit?: number;
}

export interface AgentsPlan {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  /** 1 to 5,000; or `single`: so many LISTs of the first resource, one after the other, for calibration. */
  readonly copies?: number;
  readonly single?: number;
  /** With `single`: the initial events of a watch in place of each LIST. */
  readonly watchList?: boolean;
  readonly startWindowSeconds?: number;
  /** At most 900. */
  readonly limitSeconds: number;
  readonly seed?: number;
  readonly gzip?: boolean;
  readonly resources: readonly StormResource[];
}

/** One attempt at a request; seconds since the start of the storm. */
export interface AgentRequest {
  readonly agent: number;
  readonly resource: string;
  readonly verb: "list" | "watch" | "watch-list";
  readonly startedSeconds: number;
  /** When the status came. */
  readonly headSeconds: number;
  readonly endedSeconds: number;
  /** 0: no answer. */
  readonly status: number;
  readonly retryAfter?: string;
  readonly bytes: number;
  readonly error?: string;
}

export interface AgentsOutcome {
  /** All copies hold their initial state. */
  readonly drained: boolean;
  readonly drainSeconds: number;
  readonly halfSeconds: number;
  readonly filled: number;
  readonly wanted: number;
}

export interface AgentsRun {
  readonly requests: readonly AgentRequest[];
  readonly outcome: AgentsOutcome;
}

interface RunOptions {
  readonly binary: string;
  readonly plan: AgentsPlan;
  /** WatchListClient of client-go. */
  readonly watchList?: boolean;
  /** Cores as taskset writes them; `null`: all. */
  readonly cores?: string | null;
}

/** Runs real client-go reflectors against a server on 127.0.0.1. @throws Error with the program's own message. */
export async function runAgents({
  binary,
  plan,
  watchList = false,
  cores = null,
}: RunOptions): Promise<AgentsRun> {
  const [command, args] = cores === null ? [binary, []] : ["taskset", ["-c", cores, binary]];
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, KUBE_FEATURE_WatchListClient: String(watchList) },
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaint += chunk;
  });
  child.stdin.on("error", () => undefined); // it says itself why it stopped reading
  child.stdin.end(JSON.stringify(plan));
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const requests: AgentRequest[] = [];
  let outcome: AgentsOutcome | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const parsed: AgentRequest | AgentsOutcome = JSON.parse(line); // our own tool, of the same commit
    if ("drained" in parsed) outcome = parsed;
    else requests.push(parsed);
  }
  const code = await closed;
  if (code !== 0 || outcome === null) throw new Error(complaint.trim() || `the agents ended with ${code}`);
  return { requests, outcome };
}
