import { EVIDENCE_GRADES } from "../agents/evidence.ts";
import { compareText } from "../clusters/finding.ts";

/** How bad a finding is, worst first. `info` alone never changes a verdict. */
export const FINDING_SEVERITIES = ["error", "warning", "info"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** How a finding is known, best first. `checked`: a pure check of a document that was given. */
export const FINDING_GRADES = [...EVIDENCE_GRADES, "checked"] as const;
export type FindingGrade = (typeof FINDING_GRADES)[number];

/** A place in a file: `manifests.yaml`, line 31. */
export interface SourcePosition {
  /** As people named it, `-` for standard input; a context reads `context NAME`. */
  readonly file: string;
  /** From 1; `null` where the whole file is meant. */
  readonly line: number | null;
}

/** What a finding rests on. */
export interface FindingEvidence {
  readonly grade: FindingGrade;
  /** For people: `manifests.yaml:31`, `audit.jsonl`, `openapi-v2.json#/definitions/…`. */
  readonly source: string;
  /** Milliseconds since the epoch; `null` for what has no time, such as a manifest. */
  readonly observedAt: number | null;
}

/** A figure of a finding, or a small table of figures. Units end the name: `maxUnavailablePods`, `windowSeconds`. */
export type FigureValue =
  | number
  | string
  | boolean
  | null
  | readonly FigureValue[]
  | { readonly [name: string]: FigureValue };
export type Figures = Readonly<Record<string, FigureValue>>;

/** One rule at one subject. */
export interface Finding {
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** `DaemonSet telemetry/telemetry`, `FlowSchema jail`, `ServiceAccount logging/agent`, `user system:kube-proxy`. */
  readonly subject: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** Who is hurt, and when. */
  readonly why: string;
  /** What to change. */
  readonly fix: string;
  readonly evidence: FindingEvidence;
  readonly figures: Figures;
  /** Symptoms of the same cause, sorted: never findings of their own. */
  readonly related: readonly string[];
  /** Where in the input it stands, for tools that open files; `null` where it is in no one place. */
  readonly position: SourcePosition | null;
}

/** Something a rule met and could not decide. */
export interface UndecidedSubject {
  readonly rule: string;
  readonly subject: string;
  /** What would decide it, one sentence: `The status of the DaemonSet is not in the manifest.` */
  readonly missing: string;
}

/** `unknown`: nothing is wrong as far as can be told, and something could not be told. */
export const VERDICTS = ["fail", "warn", "unknown", "pass"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Fail with any error, warn with any warning; unknown where nothing is wrong yet and something stayed undecided. */
export function judgeFindings(
  findings: readonly Pick<Finding, "severity">[],
  undecided: readonly unknown[],
): Verdict {
  if (findings.some((each) => each.severity === "error")) return "fail";
  if (findings.some((each) => each.severity === "warning")) return "warn";
  return undecided.length > 0 ? "unknown" : "pass";
}

/** Severity, then rule, then subject: stable between runs. */
export function compareScanFindings(
  a: Pick<Finding, "severity" | "rule" | "subject">,
  b: Pick<Finding, "severity" | "rule" | "subject">,
): number {
  return (
    FINDING_SEVERITIES.indexOf(a.severity) - FINDING_SEVERITIES.indexOf(b.severity) ||
    compareText(a.rule, b.rule) ||
    compareText(a.subject, b.subject)
  );
}

/** `manifests.yaml:31`, or the file alone. */
export const formatPosition = ({ file, line }: SourcePosition): string =>
  line === null ? file : `${file}:${line}`;
