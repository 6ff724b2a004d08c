import { compareText } from "../clusters/finding.ts";
import { isRuleNamed } from "./exempt-findings.ts";
import type { Rule } from "./rule.ts";
import { CLUSTER_RULES } from "./rules/clusters/cluster-rules.ts";
import { listPerNodeClusterwide } from "./rules/list/per-node-clusterwide.ts";
import { rolloutUnpaced } from "./rules/rollout/unpaced.ts";

/** Every rule of the product, sorted by name. A rule that is not here does not exist. */
export const RULES: readonly Rule[] = [...CLUSTER_RULES, listPerNodeClusterwide, rolloutUnpaced].sort(
  (a, b) => compareText(a.name, b.name),
);

const BY_NAME: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.name, rule]));

/** The rule of this name; `null` where there is none. */
export const findRule = (name: string): Rule | null => BY_NAME.get(name) ?? null;

/** The rules that a name or an area (`rollout.*`) stands for, sorted by name; empty where there is none. */
export const rulesNamed = (pattern: string): readonly Rule[] =>
  RULES.filter(({ name }) => isRuleNamed(pattern, name));
