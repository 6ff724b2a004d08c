import type { Cluster as ClusterRow, Target as TargetRow } from "../../../generated/prisma/client.ts";
import { StoredLabelsSchema, StoredPermissionsSchema } from "../../contracts/stored/cluster.ts";
import type { Cluster, NewTarget, Target, TargetSource } from "../store.ts";
import { decodeJsonOr } from "../stored-json.ts";

/** In order of precedence: where two targets name one cluster, the earlier source wins. */
const SOURCES: readonly TargetSource[] = [
  "flag",
  "environment",
  "configuration-file",
  "page",
  "in-cluster",
  "demo",
];

/** A row as Prisma gives it, or as SQL does: booleans are 0 and 1 there, and whole numbers are numbers. */
export interface ClusterColumns
  extends Pick<ClusterRow, "id" | "uid" | "name" | "role" | "labelsJson" | "permissionsJson"> {
  readonly isDemo: boolean | number;
  readonly addedAt: bigint | number;
  readonly removedAt: bigint | number | null;
  readonly unreachableSince: bigint | number | null;
}

export function toCluster(
  row: ClusterColumns,
  readPermissions: (clusterId: string, json: string) => Cluster["permissions"] = (_, json) =>
    decodePermissions(json),
): Cluster {
  return {
    id: row.id,
    uid: row.uid,
    name: row.name,
    role: row.role,
    labels: decodeJsonOr(StoredLabelsSchema, row.labelsJson, {}),
    isDemo: Boolean(row.isDemo),
    addedAt: Number(row.addedAt),
    removedAt: row.removedAt === null ? null : Number(row.removedAt),
    unreachableSince: row.unreachableSince === null ? null : Number(row.unreachableSince),
    permissions: readPermissions(row.id, row.permissionsJson),
  };
}

/** Permissions of a cluster; none where the text does not parse. */
export const decodePermissions = (json: string): Cluster["permissions"] =>
  decodeJsonOr(StoredPermissionsSchema, json, {});

/** `rows` are all targets of the clusters that they name, so that who wins can be told. */
export function toTargets(rows: readonly TargetRow[]): readonly Target[] {
  const winners = new Map<string, string>();
  for (const row of sortByPrecedence(rows)) {
    if (row.removedAt === null && !winners.has(row.clusterId)) winners.set(row.clusterId, row.id);
  }
  return rows.map((row) => {
    const winner = row.removedAt === null ? winners.get(row.clusterId) : undefined;
    return {
      id: row.id,
      clusterId: row.clusterId,
      source: sourceOf(row),
      kubeconfigPath: row.kubeconfigPath,
      context: row.context,
      addedAt: Number(row.addedAt),
      removedAt: row.removedAt === null ? null : Number(row.removedAt),
      overriddenByTargetId: winner === undefined || winner === row.id ? null : winner,
      isInsecure: row.isInsecure,
    };
  });
}

/** The earlier source first; inside one, the target that was there first. */
export function sortByPrecedence(rows: readonly TargetRow[]): readonly TargetRow[] {
  return [...rows].sort(
    (a, b) =>
      SOURCES.indexOf(sourceOf(a)) - SOURCES.indexOf(sourceOf(b)) ||
      Number(a.addedAt - b.addedAt) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** Equal for targets that lead to the same place by the same source. Demo and in-cluster ones have only a name. */
export function identityOf(
  target: Pick<NewTarget, "source" | "kubeconfigPath" | "context" | "name">,
): string {
  return `${target.source}\n${placeOf(target)}`;
}

/** Equal for targets that lead to the same place, whoever named it. */
export function placeOf(target: Pick<NewTarget, "kubeconfigPath" | "context" | "name">): string {
  const name = target.kubeconfigPath === null && target.context === null ? target.name : null;
  return JSON.stringify([target.kubeconfigPath, target.context, name]);
}

/** A cluster id made of a name: lower case, letters, digits and hyphens, at most 58 characters, free among `taken`. */
export function makeClusterId(name: string, taken: { has(id: string): boolean }): string {
  const stem =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 58)
      .replace(/^-+|-+$/g, "") || "cluster";
  if (!taken.has(stem)) return stem;
  let count = 2;
  while (taken.has(`${stem}-${count}`)) count += 1;
  return `${stem}-${count}`;
}

/** A source that this release does not know is the page: the one whose targets people may remove. */
export function sourceOf(row: TargetRow): TargetSource {
  return SOURCES.find((source) => source === row.source) ?? "page";
}
