/** How well something is known, best first. `checked` findings have no place here: an agent is never a pure check. */
export const EVIDENCE_GRADES = ["measured", "declared", "catalogued", "bounded"] as const;
export type EvidenceGrade = (typeof EVIDENCE_GRADES)[number];

/** Where something about an agent is known from. */
export interface Evidence {
  readonly grade: EvidenceGrade;
  /** For people: `audit log audit.jsonl`, `dump_requests of api-0`, `annotation headroom.dev/informers`, `catalogue: fluent-bit`. */
  readonly source: string;
  /** When it was observed, milliseconds since the epoch; `null` for what has no time, such as a catalogue entry. */
  readonly observedAt: number | null;
  /** Where the claim can be read: repository, path and release; `null` where it is no published source. */
  readonly citation: string | null;
  /** What would make it better known, one sentence; `null` where nothing would. */
  readonly raisedBy: string | null;
  /**
   * The version or versions of the agent that it speaks of, where this agent runs another one: `2.6.3`, `>=1.14 <1.17`.
   * Absent or `null`: it speaks of this version, or which one it speaks of is not known.
   */
  readonly otherVersion?: string | null | undefined;
}

/** Best first; of two of one grade the one observed later. */
export function compareEvidence(a: Evidence, b: Evidence): number {
  return (
    EVIDENCE_GRADES.indexOf(a.grade) - EVIDENCE_GRADES.indexOf(b.grade) ||
    (b.observedAt ?? Number.NEGATIVE_INFINITY) - (a.observedAt ?? Number.NEGATIVE_INFINITY) ||
    0
  );
}

/** The weakest of several: what a sum over them is known by. `null` for none. */
export function weakestGrade(grades: Iterable<EvidenceGrade>): EvidenceGrade | null {
  let weakest = -1;
  for (const grade of grades) weakest = Math.max(weakest, EVIDENCE_GRADES.indexOf(grade));
  return EVIDENCE_GRADES[weakest] ?? null;
}
