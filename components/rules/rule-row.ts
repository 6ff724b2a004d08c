import { areaOf, describeVersions, type Rule, type RuleDescription } from "@/lib/domain/findings/rule";

/** A rule as pages show it: what it is, without how it is checked. */
export interface RuleRow extends Omit<RuleDescription, "versions"> {
  /** What comes before the first dot. */
  readonly area: string;
  /** `all`, `1.34 and later`. */
  readonly versions: string;
  /** By `headroom scan` and the pages, or by the collector over time. */
  readonly decidedBy: "scan" | "collector";
}

export function asRuleRow({ check, versions, ...rule }: Rule): RuleRow {
  return {
    ...rule,
    area: areaOf(rule),
    versions: describeVersions(versions),
    decidedBy: check.kind === "collector" ? "collector" : "scan",
  };
}

/** Where a rule is explained. */
export const ruleHref = (name: string) => `/rules/${encodeURIComponent(name)}`;
