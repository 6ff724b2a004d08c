import type { Finding } from "../../contracts/cluster.ts";
import { findCollectionFindings } from "../../domain/clusters/find-collection-findings.ts";
import type { ClusterRuleName } from "../../domain/clusters/rule-names.ts";
import { clusterPath, describeWorstAgent, fairnessHref } from "./describe-worst.ts";
import type { ClusterPage } from "./load-cluster-page.ts";

const RANK = { error: 0, warning: 1, info: 2 } as const;

/**
 * All findings of a cluster, worst first; within a severity what its control plane does comes before what could not be
 * read. While it is unreachable, findings about its fairness are last known ones and say nothing of now: left out.
 */
export function listFindings(page: ClusterPage): Finding[] {
  const { one, parts } = page;
  const { unreachableSince } = one.cluster;
  const collection = findCollectionFindings({
    unreachableSince,
    isInsecure: one.isInsecure,
    parts: one.parts,
    servers: parts.servers?.value ?? null,
    sizes: parts.sizes?.value ?? null,
  }).map((each): Finding => ({ ...each, href: collectionHref(each.rule, one.cluster.id) }));
  const fairness = unreachableSince === null ? listFairnessFindings(page) : [];
  const fanOut = unreachableSince === null ? listFanOutFindings(page) : [];
  return [...fairness, ...fanOut, ...collection].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

function listFairnessFindings({ one }: ClusterPage): Finding[] {
  return one.fairness.map((each, index) => ({
    severity: each.severity,
    rule: (each.severity === "error" ? "fairness.rejecting" : "fairness.crowded") satisfies ClusterRuleName,
    title:
      each.severity === "error"
        ? "A priority level rejects requests"
        : "A priority level is crowded or rejected lately",
    subject: `${each.priorityLevelName} on ${each.serverName}`,
    happens: each.text,
    sinceAt: null,
    href: fairnessHref(one, index),
  }));
}

/** Agents that a start of all copies would make unsafe or visible, by the latest simulation. */
function listFanOutFindings({ one, projection }: ClusterPage): Finding[] {
  return (projection?.agents ?? []).flatMap((agent): Finding[] => {
    const { verdict, id, title } = agent;
    if (verdict !== "unsafe" && verdict !== "visible") return [];
    return [
      {
        severity: verdict === "unsafe" ? "error" : "warning",
        rule: (verdict === "unsafe" ? "fan-out.unsafe" : "fan-out.visible") satisfies ClusterRuleName,
        title:
          verdict === "unsafe"
            ? "An agent is unsafe to start everywhere at once"
            : "A start of all copies would be noticed",
        subject: title,
        happens: describeWorstAgent(agent),
        sinceAt: null,
        href: `${clusterPath(one.cluster.id)}/fan-out?${new URLSearchParams({ agent: id })}`,
      },
    ];
  });
}

function collectionHref(rule: string, clusterId: string): string | null {
  if (rule === "collector.insecure-tls") return "/settings/clusters";
  return rule === "collector.sizes-unknown" ? clusterPath(clusterId) : null;
}
