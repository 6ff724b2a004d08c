import type { HeadroomConfig } from "../../config/config-types.ts";
import type { NewTarget, Target, TargetSource } from "../../db/store.ts";
import { type ClusterTarget, KubeconfigError, loadInCluster, loadKubeconfig } from "../../kube/index.ts";

/** Sources whose targets come from the configuration of this process; those of the page are in the store alone. */
export const CONFIGURED_SOURCES = ["flag", "environment", "configuration-file", "in-cluster"] as const;

export interface ResolvedTargets {
  readonly targets: readonly NewTarget[];
  /** What a named kubeconfig does not give, in words. */
  readonly problems: readonly string[];
}

/**
 * The contexts that the configuration names, in order of precedence. A kubeconfig that cannot be read just now keeps
 * the targets that the store has of it: a file that is being replaced removes no cluster.
 */
export async function resolveTargets(
  config: Pick<HeadroomConfig, "clusters">,
  stored: readonly Target[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ResolvedTargets> {
  const targets: NewTarget[] = [];
  const problems: string[] = [];
  const toNewTarget = (source: TargetSource, kubeconfigPath: string | null, target: Described): NewTarget => {
    const labels = config.clusters.labels[target.name] ?? {};
    return {
      source,
      kubeconfigPath,
      context: kubeconfigPath === null ? null : target.name,
      name: target.name,
      role: labels.role ?? null,
      labels,
      isInsecure: target.insecureSkipTlsVerify,
      isDemo: false,
    };
  };
  for (const { source, path, contexts } of config.clusters.kubeconfigs) {
    const loaded = await loadKubeconfig({ paths: [path], contexts, source });
    problems.push(...loaded.problems.map(({ message }) => message));
    const known = stored.filter(
      (target) => target.source === source && target.kubeconfigPath === path && target.removedAt === null,
    );
    targets.push(
      ...(loaded.targets.length > 0 || loaded.problems.length === 0
        ? loaded.targets.map((target) => toNewTarget(source, path, target))
        : known.map(({ context, isInsecure }) =>
            toNewTarget(source, path, { name: context ?? "", insecureSkipTlsVerify: isInsecure }),
          )),
    );
  }
  if (config.clusters.inCluster) {
    try {
      targets.push(toNewTarget("in-cluster", null, await loadInCluster({ env })));
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error;
      problems.push(error.message);
    }
  }
  return { targets, problems };
}

type Described = Pick<ClusterTarget, "name" | "insecureSkipTlsVerify">;
