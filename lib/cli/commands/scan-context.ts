import { type OncePass, scrapeOnce } from "../../collector/scrape-once.ts";
import type { HeadroomConfig } from "../../config/config-types.ts";
import { factsOfParts } from "../../domain/clusters/facts-of-parts.ts";
import { findCollectionFindings } from "../../domain/clusters/find-collection-findings.ts";
import type { Workload } from "../../domain/clusters/inventory-part.ts";
import { PART_PERIOD_SECONDS, type PartOutcome, type PartState } from "../../domain/clusters/part.ts";
import { summariseCluster } from "../../domain/clusters/summarise-cluster.ts";
import {
  asScannedObject,
  findRule,
  type Rule,
  type RuleFinding,
  type ScannedObject,
} from "../../domain/findings/index.ts";
import type { ClusterBase } from "../../inputs/scan-inputs.ts";
import { defaultKubeconfigPaths, loadKubeconfig, systemClock } from "../../kube/index.ts";

export interface ReadContextOptions {
  readonly name: string;
  /** `null`: as kubectl finds it. */
  readonly kubeconfig: string | null;
  readonly config: Pick<HeadroomConfig, "clusters">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly rules: readonly Rule[];
}

export interface ReadContext {
  readonly base: ClusterBase;
  readonly notRead: readonly { readonly part: string; readonly message: string }[];
}

/** Reads one cluster for rules. `null`: the context cannot be used, and that was said. */
export async function readContext(
  options: ReadContextOptions,
  say: (text: string) => void,
): Promise<ReadContext | null> {
  const pass = await scrapeContext(options, say);
  return pass === null ? null : describePass(pass, options.rules);
}

/** Reads one cluster now, as `collect --once` does. `null`: the context cannot be used, and that was said. */
export async function scrapeContext(
  options: Omit<ReadContextOptions, "rules">,
  say: (text: string) => void,
): Promise<OncePass | null> {
  const { name, kubeconfig, env } = options;
  const loaded = await loadKubeconfig({
    paths: kubeconfig === null ? defaultKubeconfigPaths(env) : [kubeconfig],
    contexts: [name],
    source: "flag",
  });
  for (const { message } of loaded.problems) say(message);
  const [target] = loaded.targets;
  if (target === undefined) {
    if (loaded.problems.length === 0) say(`No context is named ${name}.`);
    return null;
  }
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await scrapeOnce(target, {
      clock: systemClock,
      random: Math.random,
      limits: options.config.clusters.budget,
      signal: stop.signal,
      env,
      onDefect: (part, error) => say(`${part}: ${error instanceof Error ? error.stack : String(error)}`),
    });
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}

function describePass(pass: OncePass, rules: readonly Rule[]): ReadContext {
  const source = `context ${pass.cluster}`;
  const { inventory } = pass.values;
  return {
    base: {
      cluster: factsOfParts({ name: pass.cluster, values: pass.values, observedAt: pass.startedAt }),
      clusterWideLists: inventory?.clusterWideLists ?? null,
      objects: (inventory?.workloads ?? []).flatMap((each) => asObject(each, source)),
      answers: answersOf(pass, source, new Set(rules.map((rule) => rule.name))),
    },
    notRead: notReadOf(pass),
  };
}

/** Parts of a cluster that were not read, or only in part. */
export const notReadOf = (pass: OncePass): ReadContext["notRead"] => pass.outcomes.flatMap(missingOf);

function missingOf({ part, status, failure, notRead }: PartOutcome): ReadContext["notRead"] {
  if (status === "ok") return [];
  if (notRead.length > 0)
    return notRead.map((each) => ({ part, message: `${each.what}: ${each.failure.message}` }));
  return [{ part, message: failure?.message ?? "it is not known why" }];
}

/** What the inventory keeps of a workload, in the fields of the API: trimmed, so not whole. */
function asObject(workload: Workload, file: string): readonly ScannedObject[] {
  const { kind, namespace, name } = workload;
  const rollingUpdate = { maxUnavailable: workload.maxUnavailable, maxSurge: workload.maxSurge };
  const strategy = { type: workload.updateStrategy, rollingUpdate };
  const isDaemonSet = kind === "DaemonSet";
  const object = asScannedObject(
    {
      apiVersion: "apps/v1",
      kind,
      metadata: {
        namespace,
        name,
        uid: workload.uid,
        generation: workload.generation,
        labels: workload.labels,
      },
      spec: {
        ...(isDaemonSet ? {} : { replicas: workload.desiredReplicas }),
        minReadySeconds: workload.minReadySeconds,
        ...(kind === "Deployment" ? { strategy } : { updateStrategy: strategy }),
        template: {
          spec: {
            serviceAccountName: workload.serviceAccountName,
            containers: workload.images.map(({ container, image }) => ({ name: container, image })),
          },
        },
      },
      status: isDaemonSet
        ? {
            desiredNumberScheduled: workload.desiredReplicas,
            numberReady: workload.readyReplicas,
            updatedNumberScheduled: workload.updatedReplicas,
          }
        : { readyReplicas: workload.readyReplicas, updatedReplicas: workload.updatedReplicas },
    },
    { file, line: null },
    false,
  );
  return object === null ? [] : [object];
}

/** What the collector finds by itself: how well the cluster is read, and levels that are crowded or reject. */
function answersOf(pass: OncePass, source: string, asked: ReadonlySet<string>): ClusterBase["answers"] {
  const servers = pass.values.servers ?? null;
  const isReachable = pass.outcomes.some(({ status }) => status === "ok" || status === "partial");
  const collection = findCollectionFindings({
    unreachableSince: isReachable ? null : pass.startedAt,
    isInsecure: pass.isInsecure,
    parts: pass.outcomes.map((outcome) => stateOf(outcome, pass)),
    servers,
    sizes: pass.values.sizes ?? null,
  }).map(({ rule, severity, subject, title, happens }) => ({
    rule,
    finding: { subject, severity, message: `${title}.`, why: happens } satisfies Partial<RuleFinding>,
  }));
  const summary = summariseCluster({ previous: null, values: pass.values, servers, at: pass.startedAt });
  const fairness = summary.fairnessFindings.map(({ severity, serverName, priorityLevelName, text }) => ({
    rule: severity === "error" ? "fairness.rejecting" : "fairness.crowded",
    finding: { subject: `${priorityLevelName} on ${serverName}`, severity, message: text },
  }));
  return [...collection, ...fairness].flatMap(({ rule: name, finding }) => {
    const rule = findRule(name);
    if (rule === null || !asked.has(name)) return [];
    const evidence = { grade: "measured", source, observedAt: pass.startedAt } as const;
    return [{ rule, answer: { findings: [{ ...finding, evidence }] } }];
  });
}

function stateOf(latest: PartOutcome, { values }: OncePass): PartState<unknown> {
  const value = values[latest.part] ?? null;
  return {
    part: latest.part,
    latest,
    value,
    valueAt: value === null ? null : latest.startedAt,
    nextAttemptAt: null,
    periodSeconds: PART_PERIOD_SECONDS[latest.part],
  };
}
