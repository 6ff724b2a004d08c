/** Rules that the collector and the pages decide over time; each is described in the registry of rules. */
export const CLUSTER_RULE_NAMES = [
  "collector.insecure-tls",
  "collector.part-not-read",
  "collector.servers-not-read",
  "collector.servers-not-told-apart",
  "collector.sizes-unknown",
  "collector.stored-value-unreadable",
  "collector.unreachable",
  "fairness.crowded",
  "fairness.rejecting",
  "fan-out.unsafe",
  "fan-out.visible",
] as const;
export type ClusterRuleName = (typeof CLUSTER_RULE_NAMES)[number];
