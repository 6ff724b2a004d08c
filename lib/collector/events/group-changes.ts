import type { ClusterEvent, EventKind, Severity } from "../../domain/clusters/event.ts";

/** More changes of one kind in one pass than this become one event. */
export const CHANGES_NAMED = 5;

export interface NamedChange {
  readonly subject: string;
  readonly lead: string;
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Events of one kind: each change by itself, or one event with the number and the first names when there are many at
 * once, so that one installation does not bury everything else.
 */
export function groupChanges(
  input: {
    readonly kind: EventKind;
    readonly severity: Severity;
    readonly at: number;
    /** In the plural: `CustomResourceDefinitions added`. */
    readonly many: string;
  },
  changes: readonly NamedChange[],
): readonly ClusterEvent[] {
  const { kind, severity, at, many } = input;
  if (changes.length <= CHANGES_NAMED) return changes.map((change) => ({ kind, severity, at, ...change }));
  const names = changes.slice(0, CHANGES_NAMED).map(({ subject }) => subject);
  return [
    {
      kind,
      severity,
      at,
      subject: `${changes.length} ${many}`,
      lead: `${changes.length} ${many}`,
      text: `${names.join(", ")} and ${changes.length - CHANGES_NAMED} more.`,
      before: null,
      after: null,
    },
  ];
}

/** Names in one and not in the other, sorted. */
export function diffNames(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return {
    added: [...after].filter((name) => !before.has(name)).sort(),
    removed: [...before].filter((name) => !after.has(name)).sort(),
  };
}
