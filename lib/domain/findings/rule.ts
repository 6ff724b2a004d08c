import type { AuditEvent } from "../agents/audit-event.ts";
import type { Figures, Finding, FindingEvidence, FindingSeverity, SourcePosition } from "./finding.ts";
import type { ScanFacts } from "./scan-facts.ts";

/** Minors of Kubernetes 1 for which a rule holds, both ends included; `null`: no end. */
export interface VersionRange {
  readonly from: number | null;
  readonly until: number | null;
}
export const ALL_VERSIONS: VersionRange = { from: null, until: null };

/** `all`, `up to 1.30`, `1.34 and later`, `1.21 to 1.30`. */
export function describeVersions({ from, until }: VersionRange): string {
  if (from === null) return until === null ? "all" : `up to 1.${until}`;
  return until === null ? `1.${from} and later` : from === until ? `1.${from}` : `1.${from} to 1.${until}`;
}

/** Where a rule can be read up: a report, an API page, a file of upstream at a release. */
export interface RuleSource {
  readonly text: string;
  readonly url: string | null;
}

/** What a rule is, for its page, for SARIF and for `headroom rules`. */
export interface RuleDescription {
  /** Dotted slug, `<area>.<what-is-wrong>`: the one identity of the rule everywhere. */
  readonly name: string;
  /** The worst that it reports. */
  readonly severity: FindingSeverity;
  /** Versions of the cluster for which it holds; outside it stays silent. */
  readonly versions: VersionRange;
  /** What is wrong, in a few words, without a full stop. */
  readonly title: string;
  /** What the rule looks at and when it reports, in whole sentences. */
  readonly what: string;
  /** Who is hurt, and when. Also the `why` of its findings unless one says it better. */
  readonly why: string;
  /** What to change. Also the `fix` of its findings unless one says it better. */
  readonly fix: string;
  /** At least one. */
  readonly sources: readonly RuleSource[];
}

/** What comes before the first dot: `rollout`. */
export const areaOf = ({ name }: Pick<Rule, "name">): string => name.split(".", 1)[0] ?? name;

/** A finding as a rule gives it: what it leaves out is the rule's own. */
export interface RuleFinding {
  readonly subject: string;
  readonly message: string;
  readonly evidence: FindingEvidence;
  /** Default: the rule's. */
  readonly severity?: FindingSeverity;
  readonly why?: string;
  readonly fix?: string;
  readonly figures?: Figures;
  readonly related?: readonly string[];
  readonly position?: SourcePosition | null;
  /**
   * The finding of which this one is a symptom. Where that one is reported too, this one is not: its message joins
   * the `related` of the cause. Where it is not, this one stands for itself.
   */
  readonly symptomOf?: { readonly rule: string; readonly subject: string };
}

/** What a rule says of its input. Nothing at all: nothing in the input is its concern, or all of it is in order. */
export interface RuleAnswer {
  readonly findings: readonly RuleFinding[];
  /** What it met, is its concern, and cannot be decided from what was given. Never for input that merely is not there. */
  readonly undecided?: readonly { readonly subject: string; readonly missing: string }[];
}

export const NOTHING_FOUND: RuleAnswer = { findings: [] };

/**
 * A rule in the middle of streamed input. Handlers are called once per event in the order of the input, of one file
 * after the other; they hold only what they count, bounded whatever the length. `finish` is called once, after the last.
 */
export interface StreamObserver {
  readonly auditEvent?: (event: AuditEvent, source: SourcePosition) => void;
  readonly metricSample?: (sample: ScannedMetricSample, source: SourcePosition) => void;
  /** A line of a log or of an events list, without its end. */
  readonly logLine?: (line: string, source: SourcePosition) => void;
  readonly watchEvent?: (event: ScannedWatchEvent, source: SourcePosition) => void;
  readonly finish: () => RuleAnswer;
}

/** One sample of a Prometheus text page. */
export interface ScannedMetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** One event of a saved watch stream. */
export interface ScannedWatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`. */
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** How a rule is decided. */
export type RuleCheck =
  /** From what is read whole. */
  | { readonly kind: "facts"; readonly evaluate: (facts: ScanFacts) => RuleAnswer }
  /**
   * From streams as well. Begun when everything that is read whole is known, before the first event; so a stream can
   * be of any length, and a rule may weigh it against manifests and facts.
   */
  | {
      readonly kind: "stream";
      /** Names of metrics it wants handed over; one that ends in `*` is a prefix. Default: none. */
      readonly metrics?: readonly string[];
      readonly begin: (facts: ScanFacts) => StreamObserver;
    }
  /** By the collector, over time: no file holds it. Described here for its page. */
  | { readonly kind: "collector" };

export interface Rule extends RuleDescription {
  readonly check: RuleCheck;
}

/** A finding of a rule, made whole. */
export function completeFinding(rule: RuleDescription, found: RuleFinding): Finding {
  return {
    rule: rule.name,
    severity: found.severity ?? rule.severity,
    subject: found.subject,
    message: found.message,
    why: found.why ?? rule.why,
    fix: found.fix ?? rule.fix,
    evidence: found.evidence,
    figures: found.figures ?? {},
    related: found.related ?? [],
    position: found.position ?? null,
  };
}
