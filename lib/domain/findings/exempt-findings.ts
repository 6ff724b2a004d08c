import type { RuleResults } from "./evaluate-rules.ts";
import { type Finding, formatPosition, type UndecidedSubject } from "./finding.ts";

/** Findings that somebody does not want to see: by `--ignore`, one rule (or an area, `rollout.*`), perhaps one subject. */
export interface IgnoredRule {
  /** A rule's name, or a prefix followed by `*`. */
  readonly rule: string;
  /** `null`: every subject. */
  readonly subject: string | null;
}

/** A finding that somebody answers for until a day: shown, and not counted. */
export interface FindingWaiver {
  readonly rule: string;
  readonly subject: string | null;
  readonly reason: string;
  /** Last calendar day (UTC) on which it holds, `2027-01-31`. */
  readonly until: string;
}

export interface WaivedFinding {
  readonly finding: Finding;
  readonly waiver: FindingWaiver;
}

export interface ExemptedResults extends RuleResults {
  /** In the order of the findings. */
  readonly waived: readonly WaivedFinding[];
  /** How many findings were left out because they are ignored. */
  readonly ignored: number;
  /** Waivers that would hold for a finding and whose day is past: the finding counts again. */
  readonly expired: readonly WaivedFinding[];
}

/** `RULE` or `RULE:SUBJECT`; the subject may hold colons. */
export function parseIgnored(text: string): IgnoredRule {
  const colon = text.indexOf(":");
  if (colon < 0) return { rule: text.trim(), subject: null };
  const subject = text.slice(colon + 1).trim();
  return { rule: text.slice(0, colon).trim(), subject: subject === "" ? null : subject };
}

/** Whether a rule is the one named, or lies in the area that `area.*` names. */
export function isRuleNamed(pattern: string, rule: string): boolean {
  return pattern.endsWith("*") ? rule.startsWith(pattern.slice(0, -1)) : rule === pattern;
}

/** Findings without those ignored, and with those waived set apart. `now` in milliseconds since the epoch. */
export function exemptFindings(
  results: RuleResults,
  options: {
    readonly ignored: readonly IgnoredRule[];
    readonly waivers: readonly FindingWaiver[];
    readonly now: number;
  },
): ExemptedResults {
  const isIgnored = ({ rule, subject }: Pick<UndecidedSubject, "rule" | "subject">) =>
    options.ignored.some((each) => matches(each, rule, subject));
  const shown = results.findings.filter((each) => !isIgnored(each));
  const waived: WaivedFinding[] = [];
  const expired: WaivedFinding[] = [];
  const findings: Finding[] = [];
  for (const finding of shown) {
    const fitting = options.waivers.filter((each) => matches(each, finding.rule, finding.subject));
    const holding = fitting.find((each) => options.now < endOfDay(each.until));
    if (holding !== undefined) waived.push({ finding, waiver: holding });
    else {
      findings.push(finding);
      const [last] = [...fitting].sort((a, b) => (a.until < b.until ? 1 : -1));
      if (last !== undefined) expired.push({ finding, waiver: last });
    }
  }
  return {
    findings,
    undecided: results.undecided.filter((each) => !isIgnored(each)),
    waived,
    ignored: results.findings.length - shown.length,
    expired,
  };
}

function matches(by: Pick<IgnoredRule, "rule" | "subject">, rule: string, subject: string): boolean {
  return isRuleNamed(by.rule, rule) && (by.subject === null || by.subject === subject);
}

const DAY_MS = 86_400_000;
/** The first instant after a day in UTC; a text that is no day never holds. */
function endOfDay(day: string): number {
  const start = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(start) ? Number.NEGATIVE_INFINITY : start + DAY_MS;
}

/** Where a finding stands, for a list: its place in the input, else what it rests on. */
export function describePlace({ position, evidence }: Pick<Finding, "position" | "evidence">): string {
  return position === null ? evidence.source : formatPosition(position);
}
