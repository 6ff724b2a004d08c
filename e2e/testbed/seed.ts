import { spawn } from "node:child_process";

/** One agent: a DaemonSet with a ServiceAccount that a ClusterRole named `agent:<namespace>:<name>` is bound to. */
export interface DaemonSetSeed {
  readonly name: string;
  /** Default `agents`. */
  readonly namespace?: string;
  /** Default: the DaemonSet's name. */
  readonly serviceAccount?: string;
  readonly image?: string;
  /** Default `10%`. */
  readonly maxUnavailable?: string;
  /** RBAC rules; by default get, list and watch of pods, nodes and namespaces. */
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** What to write into etcd. Whatever is left out is none. Equal plans give equal objects. */
export interface SeedPlan {
  readonly seed?: number;
  /** Named node-00000 and so on. */
  readonly nodes?: number;
  /** Named team-0000 and so on; each agent's namespace comes on top. */
  readonly namespaces?: number;
  /** Spread over the namespaces, each with one ReplicaSet. */
  readonly deployments?: number;
  /** All pods together: one of each DaemonSet on each node, the rest spread over the Deployments. */
  readonly pods?: number;
  /** Bytes of annotation added to each pod (about 1 KB without). */
  readonly podBytes?: number;
  readonly nodeBytes?: number;
  readonly configMaps?: number;
  readonly configMapBytes?: number;
  readonly daemonSets?: readonly DaemonSetSeed[];
  /** Leave the DaemonSets' pods to the controller manager. */
  readonly omitDaemonSetPods?: boolean;
  /** Nodes are written as Ready. Default true; hollow nodes become Ready by themselves either way. */
  readonly nodesReady?: boolean;
}

/** What was written, by plural (nodes are `minions` in etcd), and the time the seeder took. */
export interface SeedReport {
  readonly objects: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
  readonly durationSeconds: number;
}

interface SeedOptions {
  readonly binary: string;
  readonly etcdUrl: string;
  readonly kubernetesMinor: number;
  readonly plan: SeedPlan;
}

/** Runs the seeder against etcd. @throws Error with the seeder's own message, such as a plan that cannot be. */
export async function runSeeder({
  binary,
  etcdUrl,
  kubernetesMinor,
  plan,
}: SeedOptions): Promise<SeedReport> {
  const child = spawn(binary, ["-etcd", etcdUrl, "-timeout", "5m"], { stdio: ["pipe", "pipe", "pipe"] });
  const output = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output.out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output.err += chunk;
  });
  child.stdin.on("error", () => undefined); // it says itself why it stopped reading
  child.stdin.end(JSON.stringify({ seed: 1, nodesReady: true, kubernetesMinor, ...plan }));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(output.err.trim() || `the seeder ended with ${code}`);
  return JSON.parse(output.out) as SeedReport; // our own tool, of the same commit
}
