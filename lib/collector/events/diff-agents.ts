import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { Workload } from "../../domain/clusters/inventory-part.ts";
import { diffNames, groupChanges, type NamedChange } from "./group-changes.ts";

/** Agents of one kind that came, went or changed an image. Keys are `namespace/name`. */
export function diffAgents(
  before: ReadonlyMap<string, Workload>,
  after: ReadonlyMap<string, Workload>,
  at: number,
): readonly ClusterEvent[] {
  const { added, removed } = diffNames(new Set(before.keys()), new Set(after.keys()));
  const changed = [...after].flatMap(([key, workload]): NamedChange[] => {
    const old = before.get(key);
    const change = old === undefined ? null : describeImageChange(old, workload);
    return change === null ? [] : [{ subject: key, ...change }];
  });
  return [
    ...groupChanges(
      { kind: "agent-added", severity: "info", at, many: "agents added" },
      added.flatMap((key) => {
        const workload = after.get(key);
        return workload === undefined ? [] : [describeAdded(key, workload)];
      }),
    ),
    ...groupChanges(
      { kind: "agent-removed", severity: "info", at, many: "agents removed" },
      removed.map((key) => ({
        subject: key,
        lead: `${before.get(key)?.kind ?? "Agent"} ${key} removed`,
        text: `had ${replicas(before.get(key)?.desiredReplicas ?? 0)}.`,
        before: imagesOf(before.get(key)),
        after: null,
      })),
    ),
    ...groupChanges(
      { kind: "agent-image-changed", severity: "info", at, many: "agents changed image" },
      changed.sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    ),
  ];
}

function describeAdded(key: string, workload: Workload): NamedChange {
  return {
    subject: key,
    lead: `${workload.kind} ${key} added`,
    text: `wants ${replicas(workload.desiredReplicas)}, runs as ServiceAccount ${workload.serviceAccountName}.`,
    before: null,
    after: imagesOf(workload),
  };
}

function describeImageChange(before: Workload, after: Workload): Omit<NamedChange, "subject"> | null {
  const old = new Map(before.images.map(({ container, image }) => [container, image]));
  const changed = after.images.filter(({ container, image }) => old.get(container) !== image);
  const gone = before.images.filter(
    ({ container }) => !after.images.some((each) => each.container === container),
  );
  if (changed.length === 0 && gone.length === 0) return null;
  const steps = [
    ...changed.map(({ container, image }) => `${container}: ${old.get(container) ?? "new"} → ${image}`),
    ...gone.map(({ container }) => `${container} is gone`),
  ];
  return {
    lead: `${after.kind} ${after.namespace}/${after.name} changed image`,
    text: `${steps.join("; ")} (${replicas(after.desiredReplicas)}).`,
    before: imagesOf(before),
    after: imagesOf(after),
  };
}

function imagesOf(workload: Workload | undefined): string | null {
  return workload === undefined ? null : workload.images.map(({ image }) => image).join(", ");
}

function replicas(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "copy" : "copies"}`;
}
