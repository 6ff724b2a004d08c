import type { ClusterEvent, EventKind } from "../../domain/clusters/event.ts";
import type {
  FairnessPart,
  FlowSchemaObject,
  PriorityLevelObject,
} from "../../domain/fairness/fairness-part.ts";
import type { ChangeBaseline } from "./change-baseline.ts";
import { diffNames, groupChanges, type NamedChange } from "./group-changes.ts";

type ConfigurationBaseline = Pick<ChangeBaseline, "flowSchemas" | "priorityLevels">;

interface KindsOf {
  readonly noun: string;
  readonly plural: string;
  readonly added: EventKind;
  readonly removed: EventKind;
  readonly changed: EventKind;
}

const FLOW_SCHEMA: KindsOf = {
  noun: "FlowSchema",
  plural: "FlowSchemas",
  added: "flow-schema-added",
  removed: "flow-schema-removed",
  changed: "flow-schema-changed",
};
const PRIORITY_LEVEL: KindsOf = {
  noun: "Priority level",
  plural: "priority levels",
  added: "priority-level-added",
  removed: "priority-level-removed",
  changed: "priority-level-changed",
};

/** Status and bookkeeping change without anybody changing the configuration. */
const UNCOMPARED = new Set(["generation", "isDangling"]);

/** FlowSchemas and priority levels that came, went or changed a field, with the fields before and after. */
export function diffConfiguration(
  baseline: ConfigurationBaseline,
  fairness: Pick<FairnessPart, "flowSchemas" | "priorityLevels">,
  at: number,
): { readonly events: readonly ClusterEvent[]; readonly baseline: ConfigurationBaseline } {
  const flowSchemas = byName(fairness.flowSchemas) ?? baseline.flowSchemas;
  const priorityLevels = byName(fairness.priorityLevels) ?? baseline.priorityLevels;
  return {
    events: [
      ...diffObjects(FLOW_SCHEMA, baseline.flowSchemas, flowSchemas, at),
      ...diffObjects(PRIORITY_LEVEL, baseline.priorityLevels, priorityLevels, at),
    ],
    baseline: { flowSchemas, priorityLevels },
  };
}

function diffObjects<T extends FlowSchemaObject | PriorityLevelObject>(
  kinds: KindsOf,
  before: ReadonlyMap<string, T> | null,
  after: ReadonlyMap<string, T> | null,
  at: number,
): readonly ClusterEvent[] {
  if (before === null || after === null || before === after) return [];
  const { added, removed } = diffNames(new Set(before.keys()), new Set(after.keys()));
  const changed = [...after].flatMap(([name, object]): NamedChange[] => {
    const old = before.get(name);
    const fields = old === undefined ? [] : changedFields(old, object);
    if (fields.length === 0) return [];
    return [
      {
        subject: name,
        lead: `${kinds.noun} ${name} changed`,
        text: `${fields.map(({ field, from, to }) => (field === "rules" ? "rules changed" : `${field} ${from} → ${to}`)).join(", ")}.`,
        before: fields.map(({ field, from }) => `${field}: ${from}`).join(", "),
        after: fields.map(({ field, to }) => `${field}: ${to}`).join(", "),
      },
    ];
  });
  const named = (names: readonly string[], verb: string, of: ReadonlyMap<string, T>, isAdded: boolean) =>
    names.map((name): NamedChange => {
      const object = of.get(name);
      const summary = object === undefined ? "" : summarise(object);
      return {
        subject: name,
        lead: `${kinds.noun} ${name} ${verb}`,
        text: `${summary}.`,
        before: isAdded ? null : summary,
        after: isAdded ? summary : null,
      };
    });
  return [
    ...groupChanges(
      { kind: kinds.added, severity: "info", at, many: `${kinds.plural} added` },
      named(added, "added", after, true),
    ),
    ...groupChanges(
      { kind: kinds.removed, severity: "warning", at, many: `${kinds.plural} removed` },
      named(removed, "removed", before, false),
    ),
    ...groupChanges(
      { kind: kinds.changed, severity: "warning", at, many: `${kinds.plural} changed` },
      changed.sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    ),
  ];
}

function changedFields(
  before: FlowSchemaObject | PriorityLevelObject,
  after: FlowSchemaObject | PriorityLevelObject,
): readonly { readonly field: string; readonly from: string; readonly to: string }[] {
  const old = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]) => {
    if (UNCOMPARED.has(field)) return [];
    const from = canonical(old.get(field));
    const to = canonical(value);
    if (from === to) return [];
    // Rules are long; that they changed is enough here.
    return field === "rules"
      ? [{ field, from: `${countOf(old.get(field))} rules`, to: `${countOf(value)} rules` }]
      : [{ field, from: plain(old.get(field)), to: plain(value) }];
  });
}

function summarise(object: FlowSchemaObject | PriorityLevelObject): string {
  if ("matchingPrecedence" in object) {
    return `precedence ${object.matchingPrecedence}, priority level ${object.priorityLevelName}`;
  }
  return `${object.type}, ${object.nominalConcurrencyShares ?? 0} nominal shares`;
}

function byName<T extends { readonly name: string }>(
  objects: readonly T[] | null,
): ReadonlyMap<string, T> | null {
  return objects === null ? null : new Map(objects.map((object) => [object.name, object]));
}

/** JSON with sorted keys, so that the order in which a server writes fields is no change. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function plain(value: unknown): string {
  return value === null || value === undefined ? "not set" : String(value);
}
