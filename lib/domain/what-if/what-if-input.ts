import type { Agent } from "../agents/agent.ts";
import { assessEvidence } from "../agents/assess-evidence.ts";
import type { ClusterFacts } from "../clusters/cluster-facts.ts";
import { DEFAULT_STORM_MODEL } from "../storm/default-model.ts";
import { resolveStormAgent } from "../storm/resolve-agent.ts";
import { resolveStormCluster } from "../storm/resolve-cluster.ts";
import type { StormInput } from "../storm/storm-input.ts";
import { type OfferedScenario, offerScenarios, type WhatIfScenario } from "./scenarios.ts";

/** An agent on a cluster, with all that is known of both. */
export interface WhatIfSubject {
  readonly agent: Agent;
  readonly facts: ClusterFacts;
  /** Copies that it has now; `null`: not known. */
  readonly copies: number | null;
  /** Why no verdict should rest on the cluster's figures, one sentence each. */
  readonly doubts: readonly string[];
  /** Milliseconds since the epoch: evidence grows old. */
  readonly now: number;
}

/** What a person chose. */
export interface WhatIfChoice {
  readonly scenario: WhatIfScenario;
  readonly replicas: number;
  readonly jitterSeconds: number;
  readonly seed: number;
}

export interface PreparedWhatIf {
  /** The same storm in each scenario that can happen here, in their order; one of them was chosen. */
  readonly offered: readonly OfferedScenario[];
  readonly inputOf: (scenario: OfferedScenario) => StormInput;
  readonly chosen: OfferedScenario;
  /** Of the chosen scenario. */
  readonly input: StormInput;
}

/** Scenarios are simulated with this seed first unless another is asked for. */
export const WHAT_IF_SEED = 1;
/** As many as a simulation of a control takes. */
export const REPLICAS_MAX = 100_000;

/**
 * Inputs of the storms that a page shows. The cluster's objects stay as they are however many copies are asked for: only
 * the copies change. A scenario that cannot happen here becomes start-all.
 */
export function prepareWhatIf(subject: WhatIfSubject, choice: WhatIfChoice): PreparedWhatIf {
  const { agent, facts, doubts, now } = subject;
  const { cluster, doubts: ofCluster } = resolveStormCluster(facts);
  const resolved = resolveStormAgent({ agent, cluster, replicas: choice.replicas });
  const known = [
    ...new Set([
      ...doubts,
      ...ofCluster,
      ...assessEvidence(agent, now).doubts.map(({ text }) => text),
      ...resolved.doubts,
    ]),
  ];
  const offered = offerScenarios({
    nodes: cluster.nodes,
    apiServers: cluster.servers.length,
    replicas: choice.replicas,
  });
  const inputOf = ({ scenario }: OfferedScenario): StormInput => ({
    cluster,
    agents: [{ ...resolved.agent, startJitterSeconds: choice.jitterSeconds }],
    scenario,
    seed: choice.seed,
    model: DEFAULT_STORM_MODEL,
    patienceSeconds: null,
    stepSeconds: null,
    hasProbes: true,
    doubts: known,
  });
  const chosen = offered.find(({ name }) => name === choice.scenario) ?? offered[0];
  if (chosen === undefined) throw new Error("There is no scenario.");
  return { offered, inputOf, chosen, input: inputOf(chosen) };
}

/** Copies that the control starts at: as many as there are now, else one on each node. */
export function defaultReplicas({ copies, facts }: Pick<WhatIfSubject, "copies" | "facts">): number {
  return Math.min(REPLICAS_MAX, Math.max(1, copies ?? facts.nodes ?? 1));
}
