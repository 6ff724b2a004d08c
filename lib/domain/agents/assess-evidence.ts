import type { Agent } from "./agent.ts";
import { type EvidenceGrade, weakestGrade } from "./evidence.ts";

/** Evidence older than this decides nothing. */
export const EVIDENCE_MAX_AGE_DAYS = 30;
const DAY_MS = 86_400_000;

export type EvidenceDoubtReason = "nothing-known" | "bounded-only" | "other-version" | "too-old";

export interface EvidenceDoubt {
  readonly reason: EvidenceDoubtReason;
  /** A sentence for people. */
  readonly text: string;
}

export interface EvidenceAssessment {
  /** The weakest grade among its informers: what a sum over them is known by; `null` where it reads nothing or nothing is known. */
  readonly grade: EvidenceGrade | null;
  /** True where a verdict on it would be `inconclusive`, whatever a simulation says. */
  readonly isInconclusive: boolean;
  /** Why, in the order of `EvidenceDoubtReason`; empty where it is not. */
  readonly doubts: readonly EvidenceDoubt[];
  /** Instant of the oldest evidence with a time, milliseconds since the epoch; `null`: none has one. */
  readonly oldestAt: number | null;
}

/**
 * Whether what is known of an agent carries a verdict. It does not where nothing is known, where all is bounded only,
 * and where evidence is of another version of its image or older than 30 days. `now` in milliseconds since the epoch.
 */
export function assessEvidence(
  agent: Pick<Agent, "informers" | "isKnown" | "version">,
  now: number,
): EvidenceAssessment {
  const { informers, isKnown, version } = agent;
  const doubts: EvidenceDoubt[] = [];
  const add = (reason: EvidenceDoubtReason, text: string) => doubts.push({ reason, text });
  if (!isKnown) add("nothing-known", "Nothing is known of what it reads.");
  if (informers.length > 0 && informers.every(({ evidence }) => evidence.grade === "bounded")) {
    add(
      "bounded-only",
      "All that is known is a bound: what RBAC allows, or a catalogue entry that nobody has checked.",
    );
  }
  const others = new Set(informers.flatMap(({ evidence }) => evidence.otherVersion ?? []));
  if (others.size > 0) {
    add(
      "other-version",
      `Evidence is of another version (${[...others].sort().join(", ")}; this one is ${version ?? "not known"}).`,
    );
  }
  const times = informers.flatMap(({ evidence }) => evidence.observedAt ?? []);
  const oldestAt = times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
  if (oldestAt !== null && now - oldestAt > EVIDENCE_MAX_AGE_DAYS * DAY_MS) {
    const days = Math.floor((now - oldestAt) / DAY_MS);
    add("too-old", `Evidence is ${days} days old, more than ${EVIDENCE_MAX_AGE_DAYS}.`);
  }
  return {
    grade: weakestGrade(informers.map(({ evidence }) => evidence.grade)),
    isInconclusive: doubts.length > 0,
    doubts,
    oldestAt,
  };
}
