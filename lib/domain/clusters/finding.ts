import type { ClusterRuleName } from "./rule-names.ts";

/** One thing wrong with a cluster, or with what Headroom knows of it: one rule at one subject. */
export interface ClusterFinding {
  readonly severity: "error" | "warning" | "info";
  /** Described in the registry of rules. */
  readonly rule: ClusterRuleName;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** The object it concerns: a part, an API server, a priority level. */
  readonly subject: string;
  /** Who is hurt and how, with figures; what to do. */
  readonly happens: string;
  /** Milliseconds since the epoch; `null` where it is not known since when. */
  readonly sinceAt: number | null;
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Severity, then rule, then subject: stable between runs. */
export function compareFindings(a: ClusterFinding, b: ClusterFinding): number {
  return (
    RANK[a.severity] - RANK[b.severity] || compareText(a.rule, b.rule) || compareText(a.subject, b.subject)
  );
}

/** Order of code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
