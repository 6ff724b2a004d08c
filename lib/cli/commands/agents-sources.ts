import { existsSync } from "node:fs";
import { loadConfig } from "../../config/load-config.ts";
import { openStore } from "../../db/open-store.ts";
import type { Cluster, Store } from "../../db/store.ts";
import {
  type Agent,
  agentsOfCluster,
  agentsOfManifests,
  type CatalogueEntry,
  workloadsOfInventory,
} from "../../domain/agents/index.ts";
import type { LearnedAgent } from "../../domain/agents/learn/learned-agents.ts";
import { measuredOf } from "../../domain/agents/learn/measured-of.ts";
import type { ClusterFacts } from "../../domain/clusters/cluster-facts.ts";
import { factsOfParts } from "../../domain/clusters/facts-of-parts.ts";
import type { InventoryPart } from "../../domain/clusters/inventory-part.ts";
import { isStale, type PartName, type PartState } from "../../domain/clusters/part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import { NO_CLUSTER_FACTS } from "../../domain/findings/index.ts";
import { AppError } from "../../errors.ts";
import { formatAge } from "../../format/duration.ts";
import type { InputProblem } from "../../inputs/input-problem.ts";
import { type AgentInputs, readAgentInputs } from "../../inputs/read-agents.ts";
import { readCatalogue } from "../../inputs/read-catalogue.ts";
import { readClusterFile } from "../../inputs/read-cluster-file.ts";
import { readLearned } from "../../inputs/read-learned.ts";
import { plain } from "../output/price.ts";
import type { AgentSourceFlags } from "../register/agent-reports.ts";

/** A cluster to answer for. */
export interface ReportCluster {
  /** `null`: none was named, and nothing is known of one. */
  readonly name: string | null;
  /** `context prod`, `store`, `cluster.yaml`, `none`. */
  readonly source: string;
  readonly facts: ClusterFacts;
  /** `null`: what runs there is not known. */
  readonly inventory: InventoryPart | null;
  /** What speaks against its figures, one sentence each. */
  readonly doubts: readonly string[];
}

/** All that a report on agents is made from. */
export interface AgentSources {
  /** Of paths; `null`: none were given. */
  readonly inputs: AgentInputs | null;
  readonly clusters: readonly ReportCluster[];
  readonly catalogue: readonly CatalogueEntry[];
  readonly learned: readonly LearnedAgent[];
  readonly problems: readonly InputProblem[];
  readonly notRead: readonly { readonly cluster: string; readonly part: string; readonly message: string }[];
}

type Say = (text: string) => void;

/** Reads what was named. `null`: it cannot be used, and that was said. */
export async function readAgentSources(
  paths: readonly string[],
  flags: AgentSourceFlags,
  say: Say,
): Promise<AgentSources | null> {
  const config = loadConfig({ flags: flags.config === undefined ? {} : { config: flags.config } });
  if (flags.kubeconfig !== undefined && flags.context === undefined) {
    say("--kubeconfig: only with --context.");
    return null;
  }
  const inputs = paths.length === 0 ? null : await readAgentInputs(paths, flags.namespace);
  const { catalogue, problems: ofCatalogue } = await readCatalogue(config.agents.catalogueFiles);
  const learned = await readLearned(flags.learned ?? []);
  const clusters = new ClusterSources(say);
  const named = flags.cluster ?? [];
  if (inputs !== null && inputs.facts !== null) clusters.takeFacts(inputs.facts, "cluster.yaml");
  for (const each of named.filter(isFile)) await clusters.readFile(each);
  const inStore = named.filter((each) => !isFile(each));
  const hasAgents = inputs !== null && inputs.workloads.length > 0;
  const isNoneNamed = named.length === 0 && flags.context === undefined && clusters.clusters.length === 0;
  if (inStore.length > 0 || isNoneNamed) {
    // Manifests without a cluster are told as far as they go.
    const isOptional = isNoneNamed && hasAgents;
    if (!(await clusters.readStore(config.store.url, isNoneNamed ? null : inStore, isOptional))) return null;
  }
  for (const name of flags.context ?? []) {
    const options = { name, kubeconfig: flags.kubeconfig ?? null, config, env: process.env };
    if (!(await clusters.readContext(options))) return null;
  }
  return {
    inputs,
    clusters: clusters.clusters,
    catalogue,
    learned: learned.agents,
    problems: [...(inputs?.problems ?? []), ...ofCatalogue, ...learned.problems, ...clusters.problems],
    notRead: clusters.notRead,
  };
}

/** The agents to report on for one cluster: those of the paths, else those that run there. */
export function agentsFor(sources: AgentSources, cluster: ReportCluster): readonly Agent[] {
  const { inputs, catalogue, learned } = sources;
  const sampled = inputs?.sampled ?? [];
  if (inputs !== null && inputs.workloads.length > 0) {
    return agentsOfManifests(inputs, { catalogue, sampled, measured: measuredOf(learned, inputs.workloads) });
  }
  const { facts, inventory } = cluster;
  const workloads = inventory === null ? [] : workloadsOfInventory(inventory);
  return agentsOfCluster({ facts, inventory, catalogue, sampled, measured: measuredOf(learned, workloads) });
}

export const UNNAMED_CLUSTER: ReportCluster = {
  name: null,
  source: "none",
  facts: NO_CLUSTER_FACTS,
  inventory: null,
  doubts: ["No cluster was named: nothing is known of one."],
};

/** A name with a path's marks, or of a file that is there; clusters of the store have neither. */
const isFile = (text: string) => /[/\\]|\.(?:ya?ml|json)$/.test(text) || existsSync(text);

class ClusterSources {
  readonly clusters: ReportCluster[] = [];
  readonly problems: InputProblem[] = [];
  readonly notRead: { readonly cluster: string; readonly part: string; readonly message: string }[] = [];
  readonly #say: Say;

  constructor(say: Say) {
    this.#say = say;
  }

  takeFacts(facts: ClusterFacts, source: string): void {
    this.clusters.push({ name: facts.name ?? source, source, facts, inventory: null, doubts: [] });
  }

  async readFile(file: string): Promise<void> {
    const { facts, problems, skipped } = await readClusterFile(file);
    this.problems.push(...problems);
    for (const { reason } of skipped) this.#say(`${file}: ${reason}`);
    if (facts !== null) this.takeFacts(facts, file);
  }

  async readContext(
    options: Parameters<typeof import("./scan-context.ts")["scrapeContext"]>[0],
  ): Promise<boolean> {
    const { scrapeContext, notReadOf } = await import("./scan-context.ts");
    const pass = await scrapeContext(options, this.#say);
    if (pass === null) return false;
    const { cluster: name, values, startedAt } = pass;
    const notRead = notReadOf(pass);
    this.notRead.push(...notRead.map((each) => ({ cluster: name, ...each })));
    this.clusters.push({
      name,
      source: `context ${options.name}`,
      facts: factsOfParts({ name, values, observedAt: startedAt }),
      inventory: values.inventory ?? null,
      doubts: notRead.map(({ part, message }) => `Its ${part} could not be read whole: ${message}.`),
    });
    return true;
  }

  /** `names` `null`: all clusters. False: it cannot be used, which is no fault where it is optional. */
  async readStore(url: string, names: readonly string[] | null, isOptional: boolean): Promise<boolean> {
    let store: Store | null = null;
    try {
      store = await openStore({ url, mode: "read-only" });
      const known = await store.clusters.list();
      const wanted = names === null ? known : names.flatMap((name) => this.#find(known, name));
      if (names !== null && wanted.length < names.length) return false;
      for (const cluster of wanted) this.clusters.push(await clusterOfStore(store, cluster, Date.now()));
      if (this.clusters.length > 0 || isOptional) return true;
      this.#say("The store holds no cluster. Name one with --cluster or --context.");
      return false;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (isOptional) return true;
      this.#say(`${error.message} Name a cluster with --cluster FILE or --context.`);
      return false;
    } finally {
      await store?.close();
    }
  }

  #find(known: readonly Cluster[], name: string): readonly Cluster[] {
    const found = known.filter((each) => each.id === name || each.name === name);
    if (found.length === 0) {
      const names = known.map((each) => each.name).join(", ");
      this.#say(
        `No cluster of the store is named ${name}. ${names === "" ? "It holds none." : `It holds ${names}.`}`,
      );
    }
    return found.slice(0, 1);
  }
}

type Parts = { readonly [P in PartName]?: PartState<PartValues[P]> };

/** Parts that facts and agents are made from. */
const USED_PARTS = [
  "version",
  "servers",
  "sizes",
  "fairness",
  "inventory",
] as const satisfies readonly PartName[];

async function clusterOfStore(store: Store, { id, name }: Cluster, now: number): Promise<ReportCluster> {
  const parts: Parts = await store.parts.getAll(id);
  const values = Object.fromEntries(
    USED_PARTS.flatMap((part) => (parts[part]?.value == null ? [] : [[part, parts[part].value]])),
  ) as Partial<PartValues>;
  const times = USED_PARTS.flatMap((part) => parts[part]?.valueAt ?? []);
  const facts = factsOfParts({ name, values, observedAt: Math.min(now, ...times) });
  return {
    name,
    source: "store",
    facts: times.length === 0 ? { ...facts, observedAt: null } : facts,
    inventory: values.inventory ?? null,
    doubts: USED_PARTS.flatMap((part) => doubtOf(part, parts[part], now) ?? []),
  };
}

/** Figures older than two of their periods carry no verdict. */
function doubtOf(part: PartName, state: PartState<unknown> | undefined, now: number): string | null {
  if (state?.valueAt == null) return `Its ${part} was never read.`;
  if (!isStale(state, now)) return null;
  return `Its ${part} was read ${plain(formatAge(state.valueAt, now))} ago, more than two of its periods.`;
}
