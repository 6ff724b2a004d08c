/** Rules, what they are given, and findings: the one frame for everything that Headroom says is wrong. */

export type { AuditEvent, AuditObjectRef } from "../agents/audit-event.ts";
export {
  evaluateRules,
  holdsFor,
  joinAnswers,
  type RuleResults,
  RuleRun,
  wantedMetrics,
} from "./evaluate-rules.ts";
export {
  describePlace,
  type ExemptedResults,
  exemptFindings,
  type FindingWaiver,
  type IgnoredRule,
  isRuleNamed,
  parseIgnored,
  type WaivedFinding,
} from "./exempt-findings.ts";
export * from "./finding.ts";
export * from "./json-value.ts";
export { findRule, RULES, rulesNamed } from "./registry.ts";
export * from "./rule.ts";
export * from "./scan-facts.ts";
export { asScannedObject, ObjectIndex, type ScannedObject, subjectOf } from "./scanned-object.ts";
