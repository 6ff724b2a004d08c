import { compareText } from "../clusters/finding.ts";
import { isRuleNamed } from "./exempt-findings.ts";
import type { Rule } from "./rule.ts";
import { apfListCostHidden } from "./rules/apf/list-cost-hidden.ts";
import { apfMisclassified } from "./rules/apf/misclassified.ts";
import { apfRuleMissesClusterScope } from "./rules/apf/rule-misses-cluster-scope.ts";
import { apfSeatHog } from "./rules/apf/seat-hog.ts";
import { apfStarvation } from "./rules/apf/starvation.ts";
import { apfWatchHoldsSeat } from "./rules/apf/watch-holds-seat.ts";
import { clientHotLoop } from "./rules/client/hot-loop.ts";
import { CLUSTER_RULES } from "./rules/clusters/cluster-rules.ts";
import { listLimitIgnored } from "./rules/list/limit-ignored.ts";
import { listPerNodeClusterwide } from "./rules/list/per-node-clusterwide.ts";
import { listRelistHerd } from "./rules/list/relist-herd.ts";
import { listRvUnset } from "./rules/list/rv-unset.ts";
import { listTimeout } from "./rules/list/timeout.ts";
import { rolloutBudgetExhausted } from "./rules/rollout/budget-exhausted.ts";
import { rolloutExceedsDeployTimeout } from "./rules/rollout/exceeds-deploy-timeout.ts";
import { rolloutReadinessSharedDependency } from "./rules/rollout/readiness-shared-dependency.ts";
import { rolloutReplicasVsAutoscaler } from "./rules/rollout/replicas-vs-autoscaler.ts";
import { rolloutUnavailableOldReplacedAtOnce } from "./rules/rollout/unavailable-old-replaced-at-once.ts";
import { rolloutUnhealthyBeforeUpdate } from "./rules/rollout/unhealthy-before-update.ts";
import { rolloutUnpaced } from "./rules/rollout/unpaced.ts";
import { watchlistNoBookmark } from "./rules/watchlist/no-bookmark.ts";

/** Every rule of the product, sorted by name. A rule that is not here does not exist. */
export const RULES: readonly Rule[] = [
  ...CLUSTER_RULES,
  apfListCostHidden,
  apfMisclassified,
  apfRuleMissesClusterScope,
  apfSeatHog,
  apfStarvation,
  apfWatchHoldsSeat,
  clientHotLoop,
  listLimitIgnored,
  listPerNodeClusterwide,
  listRelistHerd,
  listRvUnset,
  listTimeout,
  rolloutBudgetExhausted,
  rolloutExceedsDeployTimeout,
  rolloutReadinessSharedDependency,
  rolloutReplicasVsAutoscaler,
  rolloutUnavailableOldReplacedAtOnce,
  rolloutUnhealthyBeforeUpdate,
  rolloutUnpaced,
  watchlistNoBookmark,
].sort((a, b) => compareText(a.name, b.name));

const BY_NAME: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.name, rule]));

/** The rule of this name; `null` where there is none. */
export const findRule = (name: string): Rule | null => BY_NAME.get(name) ?? null;

/** The rules that a name or an area (`rollout.*`) stands for, sorted by name; empty where there is none. */
export const rulesNamed = (pattern: string): readonly Rule[] =>
  RULES.filter(({ name }) => isRuleNamed(pattern, name));
