import { type Finding, RULES } from "../../../domain/findings/index.ts";
import type { ScanReport } from "../../../inputs/scan-inputs.ts";
import type { ScanOutput } from "./scan-output.ts";

/** A finding with everything in it that a format may stumble over. */
export const finding = (fields: Partial<Finding> = {}): Finding => ({
  rule: "rollout.unpaced",
  severity: "error",
  subject: "DaemonSet ns/a <&> \"q\" 'x' \u0001\u202e",
  message: "wrong | `code`",
  why: "why",
  fix: "fix",
  evidence: { grade: "measured", source: "a b/x.yaml:3", observedAt: Date.parse("2026-11-30T12:00:00Z") },
  figures: { seats: 10, list: ["a", "b"], nested: { a: null } },
  related: ["symptom"],
  position: { file: "a b/x.yaml", line: 3 },
  ...fields,
});
const waiver = { rule: "rollout.unpaced", subject: null, reason: "lab", until: "2026-12-31" };

export function output(fields: Partial<ScanReport> = {}, rest: Partial<ScanOutput> = {}): ScanOutput {
  return {
    report: {
      verdict: "fail",
      findings: [],
      undecided: [],
      waived: [],
      expired: [],
      ignored: 0,
      skipped: [],
      problems: [],
      rules: RULES,
      isNothingGiven: false,
      figures: { files: 1, objects: 2 },
      ...fields,
    },
    notRead: [],
    failOn: "error",
    version: "0.1.0",
    ...rest,
  };
}

/** Of everything something. */
export const FULL = output(
  {
    findings: [
      finding(),
      finding({
        severity: "warning",
        rule: "list.per-node-clusterwide",
        position: { file: "/abs/y.yaml", line: null },
      }),
      finding({
        severity: "info",
        rule: "collector.sizes-unknown",
        position: null,
        evidence: { grade: "checked", source: "-", observedAt: null },
      }),
      finding({ rule: "rollout.unpaced", subject: "user a", position: { file: "-", line: 1 } }),
    ],
    undecided: [{ rule: "rollout.unpaced", subject: "DaemonSet b", missing: "Its status." }],
    waived: [{ finding: finding({ subject: "DaemonSet c" }), waiver }],
    expired: [{ finding: finding(), waiver }],
    ignored: 2,
    skipped: [{ file: "README.md", reason: "none" }],
    problems: [
      { file: "z.yaml", line: 3, column: 4, message: "expected x" },
      { file: "-", line: null, column: null, message: "expected y" },
    ],
  },
  { notRead: [{ part: "fairness", message: "403" }] },
);
export const EMPTY = output({ verdict: "pass" });
