import type { AgentInformer, EvidenceConflict } from "./agent.ts";
import type { Evidence } from "./evidence.ts";
import { describeInformer, subjectOf } from "./informer-text.ts";

/** What one kind of evidence says. */
export interface EvidenceLayer {
  readonly informers: readonly AgentInformer[];
  /** True where it says anything at all, if only that nothing is read. */
  readonly isKnown: boolean;
  /** True where it names all that is read: what it leaves out is not read. */
  readonly isComplete: boolean;
  /** Of the layer as a whole; `null`: it has none beyond that of its informers. */
  readonly evidence: Evidence | null;
}

export interface EvidenceLayers {
  readonly measured: EvidenceLayer;
  /** Of `dump_requests`: never complete, and blind to selectors. */
  readonly samples: readonly AgentInformer[];
  readonly declared: EvidenceLayer;
  readonly catalogued: EvidenceLayer;
  readonly bounded: EvidenceLayer;
}

export interface MergedEvidence {
  readonly informers: readonly AgentInformer[];
  readonly isKnown: boolean;
  /** Sorted by subject. */
  readonly conflicts: readonly EvidenceConflict[];
  /** The best layer that says anything; `null`: none does. Samples count as measured. */
  readonly source: "measured" | "declared" | "catalogued" | "bounded" | null;
}

/**
 * Of each resource the best evidence counts, and a complete layer ends what lies below it. The bound counts only where
 * nothing else is known. Every difference between two layers is a conflict; what the better one does not know is none.
 */
export function mergeLayers(layers: EvidenceLayers): MergedEvidence {
  const conflicts = new ConflictList();
  const merged = new Map<string, readonly AgentInformer[]>();
  let endedBy: EvidenceLayer | null = null;
  const ranked = [layers.measured, layers.declared, layers.catalogued];
  for (const layer of ranked) {
    for (const [subject, informers] of groupBySubject(layer.informers)) {
      const better = merged.get(subject);
      if (better !== undefined) {
        if (differ(better, informers)) conflicts.addAll(subject, better, informers);
      } else if (endedBy === null) merged.set(subject, informers);
      else conflicts.addUnread(subject, endedBy, informers);
    }
    if (layer.isComplete && endedBy === null) endedBy = layer;
  }
  for (const [subject, samples] of groupBySubject(layers.samples)) {
    addSamples(subject, samples, { merged, conflicts, endedBy });
  }
  const hasBetter = ranked.some(({ isKnown }) => isKnown) || layers.samples.length > 0;
  return {
    informers: hasBetter ? [...merged.values()].flat() : layers.bounded.informers,
    isKnown: hasBetter || layers.bounded.isKnown,
    conflicts: conflicts.sorted,
    source: sourceOf(layers),
  };
}

function sourceOf({
  measured,
  samples,
  declared,
  catalogued,
  bounded,
}: EvidenceLayers): MergedEvidence["source"] {
  if (measured.isKnown || samples.length > 0) return "measured";
  if (declared.isKnown) return "declared";
  if (catalogued.isKnown) return "catalogued";
  return bounded.isKnown ? "bounded" : null;
}

interface MergeState {
  readonly merged: Map<string, readonly AgentInformer[]>;
  readonly conflicts: ConflictList;
  readonly endedBy: EvidenceLayer | null;
}

/**
 * A sample confirms what is claimed where the path is one that the claim would use: the claim stays, with its own grade,
 * since a selector is not to be seen in a sample. A path that no claim explains is measured.
 */
function addSamples(
  subject: string,
  samples: readonly AgentInformer[],
  { merged, conflicts, endedBy }: MergeState,
): void {
  const claimed = merged.get(subject);
  if (claimed?.some(({ evidence }) => evidence.grade === "measured")) return;
  const unexplained = samples.filter((sample) => !claimed?.some((claim) => sharesPath(claim, sample)));
  if (unexplained.length === 0) return;
  if (claimed !== undefined) conflicts.addAll(subject, unexplained, claimed);
  else if (endedBy !== null) conflicts.addUnread(subject, endedBy, unexplained);
  merged.set(subject, [...(claimed ?? []), ...unexplained]);
}

/** A cluster-wide path is that of the scopes cluster and own-node, and of one object without a namespace. */
function sharesPath(claim: AgentInformer, sample: AgentInformer): boolean {
  if (sample.namespace === null) return claim.scope === "cluster" || claim.scope === "own-node";
  if (claim.scope !== "namespace" && claim.scope !== "single-object") return false;
  return claim.namespace === null || claim.namespace === sample.namespace;
}

function groupBySubject(informers: readonly AgentInformer[]): Map<string, AgentInformer[]> {
  return Map.groupBy(informers, (informer) => subjectOf(informer));
}

/** Whether two lists claim different reads. What only one of them knows (form, paging) tells them not apart. */
function differ(better: readonly AgentInformer[], worse: readonly AgentInformer[]): boolean {
  const agrees = (informer: AgentInformer, others: readonly AgentInformer[]) =>
    others.some((other) => isAlike(informer, other));
  return (
    !better.every((informer) => agrees(informer, worse)) ||
    !worse.every((informer) => agrees(informer, better))
  );
}

function isAlike(a: AgentInformer, b: AgentInformer): boolean {
  return (
    a.scope === b.scope &&
    a.mode === b.mode &&
    a.fieldSelector === b.fieldSelector &&
    a.labelSelector === b.labelSelector &&
    isSameOrUnknown(a.namespace, b.namespace) &&
    isSameOrUnknown(a.representation, b.representation) &&
    isSameOrUnknown(a.periodSeconds, b.periodSeconds)
  );
}

const isSameOrUnknown = <T>(a: T | null, b: T | null) => a === null || b === null || a === b;

class ConflictList {
  readonly #conflicts: EvidenceConflict[] = [];

  get sorted(): readonly EvidenceConflict[] {
    return this.#conflicts.toSorted((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0));
  }

  addAll(subject: string, better: readonly AgentInformer[], worse: readonly AgentInformer[]): void {
    this.#conflicts.push({ subject, claims: [...better, ...worse].map(toClaim) });
  }

  /** A complete layer does not name what a worse one says. */
  addUnread(subject: string, layer: EvidenceLayer, worse: readonly AgentInformer[]): void {
    const evidence = layer.evidence ?? layer.informers[0]?.evidence ?? null;
    const claims = worse.map(toClaim);
    this.#conflicts.push({
      subject,
      claims: evidence === null ? claims : [{ says: "is not read", evidence }, ...claims],
    });
  }
}

const toClaim = (informer: AgentInformer) => ({
  says: describeInformer(informer),
  evidence: informer.evidence,
});
