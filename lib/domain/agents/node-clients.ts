import type { Agent } from "./agent.ts";
import { agentIdOf } from "./agent-identity.ts";
import type { CatalogueEntry } from "./catalogue/catalogue-entry.ts";
import { matchEntry } from "./catalogue/match-catalogue.ts";
import { compareInformers } from "./informer-text.ts";

/** The entry of the catalogue that tells what a kubelet reads. */
const KUBELET = "kubelet";

export interface NodeClientFacts {
  /** `null`: not known. */
  readonly nodes: number | null;
  /** Version of the kubelets: of the nodes where it is known, else of the control plane; `null`: not known. */
  readonly kubernetesVersion: string | null;
}

/**
 * All kubelets of a cluster as one agent with a copy on each node. They run from no image, so that the catalogue knows
 * them by name; where it does not, nothing is known of what they read.
 */
export function kubeletAgent(facts: NodeClientFacts, catalogue: readonly CatalogueEntry[]): Agent {
  const entry = catalogue.find(({ id }) => id === KUBELET) ?? null;
  const version = facts.kubernetesVersion?.replace(/^v/, "") ?? null;
  const match = entry === null ? null : matchEntry(entry, version, UNKNOWN_KUBELET);
  return {
    id: agentIdOf({ kind: "node-client", namespace: null, name: KUBELET }),
    kind: "node-client",
    namespace: null,
    name: KUBELET,
    userName: "system:node:*",
    userGroups: ["system:nodes", "system:authenticated"],
    userAgent: null,
    image: null,
    version,
    replicas: { kind: "per-node", count: facts.nodes },
    client: match?.client ?? {
      library: "kubelet",
      version,
      qps: null,
      burst: null,
      acceptsGzip: null,
      evidence: {
        grade: "bounded",
        source: "assumed: every node has a kubelet",
        observedAt: null,
        citation: null,
        raisedBy: "An audit log.",
      },
    },
    informers: (match?.informers ?? []).toSorted(compareInformers),
    isKnown: match !== null,
    conflicts: [],
    labels: {},
    catalogueIds: match === null ? [] : [KUBELET],
    assumptions: match?.assumptions ?? [],
  };
}

/** Its command line and configuration are not read. */
const UNKNOWN_KUBELET = {
  name: KUBELET,
  image: "",
  words: null,
  variables: null,
  configTexts: [],
  isConfigKnown: false,
};
