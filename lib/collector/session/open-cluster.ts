import { stat } from "node:fs/promises";
import type { Target } from "../../db/store.ts";
import {
  type ApiServerClient,
  type BudgetLimits,
  ClusterBudget,
  type ClusterTarget,
  type ConnectionOptions,
  createApiServerClient,
  type KubeClock,
  KubeconfigError,
  type KubeconfigSource,
  loadInCluster,
  loadKubeconfig,
} from "../../kube/index.ts";
import type { SharedConnections } from "../servers/read-servers.ts";

/** A cluster that can be read: one client, one budget, kept from pass to pass. */
export interface OpenCluster {
  readonly client: ApiServerClient;
  readonly connections: SharedConnections;
  readonly budget: ClusterBudget;
  readonly target: ClusterTarget;
  close(): Promise<void>;
}

export type OpenTarget = (
  target: Pick<Target, "source" | "kubeconfigPath" | "context">,
  clusterName: string,
) => Promise<OpenCluster>;

export interface OpenOptions {
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly limits: BudgetLimits;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the cluster that a target leads to: reads its kubeconfig, sends nothing yet.
 * @throws KubeconfigError where the file or the context cannot be used
 */
export async function openTarget(
  target: Pick<Target, "source" | "kubeconfigPath" | "context">,
  clusterName: string,
  options: OpenOptions,
): Promise<OpenCluster> {
  return openClusterTarget(await findClusterTarget(target, options), clusterName, options);
}

/** The same for a context that was found already. */
export function openClusterTarget(
  target: ClusterTarget,
  clusterName: string,
  { clock, random, limits, env }: OpenOptions,
): OpenCluster {
  const budget = new ClusterBudget({ clock, limits });
  const client = createApiServerClient({
    target,
    budget,
    cluster: clusterName,
    clock,
    random,
    ...(env === undefined ? {} : { env }),
  });
  return {
    client,
    connections: connectionsOf(client),
    budget,
    target,
    close: () => client.close(),
  };
}

/** Kept connections through the address of a client, by slot. */
export function connectionsOf(client: ApiServerClient): SharedConnections {
  const get = (slot: number, options?: ConnectionOptions) => client.onConnection(`slot-${slot}`, options);
  return { get, renew: (slot) => get(slot).renewConnection() };
}

async function findClusterTarget(
  target: Pick<Target, "source" | "kubeconfigPath" | "context">,
  { env }: OpenOptions,
): Promise<ClusterTarget> {
  const { source, kubeconfigPath, context } = target;
  if (kubeconfigPath === null) return loadInCluster(env === undefined ? {} : { env });
  const { targets, problems } = await loadKubeconfig({
    paths: [kubeconfigPath],
    ...(context === null ? {} : { contexts: [context] }),
    source: kubeconfigSourceOf(source),
  });
  const [found] = targets;
  if (found !== undefined) return found;
  throw (
    problems[0] ??
    new KubeconfigError({
      file: kubeconfigPath,
      line: null,
      place: null,
      expected: "expected a context that can be read",
    })
  );
}

/** The demo fleet's kubeconfigs are written by the collector itself and name no program. */
function kubeconfigSourceOf(source: Target["source"]): KubeconfigSource {
  return source === "demo" ? "page" : source;
}

/** When the file was last changed; `null` where it cannot be said. */
export async function modifiedAt(path: string | null): Promise<number | null> {
  if (path === null) return null;
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    // Opening it says what is wrong.
    return null;
  }
}
