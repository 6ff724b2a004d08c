import type { ClusterFacts, CollectionFacts } from "../../clusters/cluster-facts.ts";
import { defaultFlowSchemas, defaultPriorityLevels } from "../../fairness/configuration/expand-objects.ts";
import type { PriorityLevelObject } from "../../fairness/fairness-part.ts";
import type { LevelState } from "../../fairness/limits/level-limits.ts";
import { ADJUSTMENT_PERIOD_NS, LimitsController } from "../../fairness/limits/limits-controller.ts";
import { FlowClassifier } from "../../fairness/matching/flow-classifier.ts";
import { NEWEST_KNOWN_MINOR, parseVersion, type RuleVersion, ruleVersion } from "../../kubernetes/version.ts";
import { hasEtcdProgress } from "./etcd-progress.ts";

/** `--max-requests-inflight` and `--max-mutating-requests-inflight` by default, together. */
const DEFAULT_SEATS = 600;

/** Limits of one priority level on one API server, in seats. */
export interface LevelCapacity {
  readonly priorityLevelName: string;
  readonly isExempt: boolean;
  /** While nobody asks for anything. */
  readonly idleSeats: number;
  readonly nominalSeats: number;
  /** What it reaches by borrowing while all other levels are idle. Never the upper limit field, which is no capacity. */
  readonly ceilingSeats: number;
  /** Cap of one request; 0: none. */
  readonly maxRequestSeats: number;
}

/** A cluster ready to price requests on: facts with a stated default wherever they are silent. */
export interface Projection {
  readonly facts: ClusterFacts;
  readonly version: RuleVersion;
  /** As the pricing takes it. */
  readonly versionText: string;
  readonly hasEtcdProgress: boolean;
  readonly apiServers: number;
  readonly classifier: FlowClassifier;
  /** `null`: there is no such level. */
  readonly capacityOf: (priorityLevelName: string) => LevelCapacity | null;
  /** `null`: nothing is known of that resource here. */
  readonly collectionOf: (apiGroup: string, resource: string) => CollectionFacts | null;
  /** What was assumed of the cluster, one sentence each. */
  readonly assumptions: readonly string[];
}

/** Prepares a cluster for pricing. The same facts give the same projection. */
export function projectCluster(facts: ClusterFacts): Projection {
  const assumptions: string[] = [];
  const assume = <T>(known: T | null, otherwise: T, sentence: string): T => {
    if (known === null) assumptions.push(sentence);
    return known ?? otherwise;
  };
  const versionText = assume(
    facts.kubernetesVersion !== null && parseVersion(facts.kubernetesVersion) !== null
      ? facts.kubernetesVersion
      : null,
    `1.${NEWEST_KNOWN_MINOR}`,
    `The version of the cluster is not known: the rules of 1.${NEWEST_KNOWN_MINOR} are taken.`,
  );
  const version = ruleVersion(versionText);
  if (version.note !== null) assumptions.push(version.note);
  const totalSeats = assume(
    facts.totalConcurrencySeats,
    DEFAULT_SEATS,
    `Seats of an API server are not known: the default of ${DEFAULT_SEATS} is taken.`,
  );
  const isDefault = facts.flowSchemas === null || facts.priorityLevels === null;
  if (isDefault) {
    assumptions.push(
      "FlowSchemas and priority levels are not known: those that the version creates are taken.",
    );
  }
  const flowSchemas = facts.flowSchemas ?? defaultFlowSchemas(version.minor);
  const priorityLevels = facts.priorityLevels ?? defaultPriorityLevels(version.minor);
  const apiServers = assume(
    facts.apiServers === 0 ? null : facts.apiServers,
    1,
    "The number of API servers is not known: one is taken.",
  );
  const collections = new Map(
    facts.collections.map((each) => [`${each.apiGroup}/${each.resource}`, each] as const),
  );
  const capacities = new Map<string, LevelCapacity | null>();
  return {
    facts,
    version,
    versionText,
    hasEtcdProgress: hasEtcdProgress(facts.etcdVersion),
    apiServers,
    classifier: new FlowClassifier({ flowSchemas, priorityLevels, minor: version.minor }),
    capacityOf: (name) => {
      const known = capacities.get(name);
      if (known !== undefined) return known;
      const capacity = computeCapacity(name, version, priorityLevels, totalSeats);
      capacities.set(name, capacity);
      return capacity;
    },
    collectionOf: (apiGroup, resource) => collections.get(`${apiGroup}/${resource}`) ?? null,
    assumptions,
  };
}

/** More than any server has. */
const UNBOUNDED_DEMAND = { highWatermark: 1_000_000, smoothed: 1_000_000 };

function computeCapacity(
  name: string,
  version: RuleVersion,
  levels: readonly PriorityLevelObject[],
  totalSeats: number,
): LevelCapacity | null {
  const controller = new LimitsController(version);
  controller.configure(0, levels, totalSeats);
  const stateOf = (): LevelState | null => controller.levels.find((each) => each.name === name) ?? null;
  const idle = stateOf();
  // Up to 1.27 the exempt level has no limits, and is not listed.
  if (idle === null) {
    return name === "exempt"
      ? {
          priorityLevelName: name,
          isExempt: true,
          idleSeats: 0,
          nominalSeats: 0,
          ceilingSeats: 0,
          maxRequestSeats: 0,
        }
      : null;
  }
  controller.adjust(ADJUSTMENT_PERIOD_NS);
  controller.adjust(2 * ADJUSTMENT_PERIOD_NS, new Map([[name, UNBOUNDED_DEMAND]]));
  return {
    priorityLevelName: name,
    isExempt: idle.isExempt,
    idleSeats: idle.currentCL,
    nominalSeats: idle.nominalCL,
    ceilingSeats: stateOf()?.currentCL ?? idle.currentCL,
    maxRequestSeats: idle.maxSeats,
  };
}
