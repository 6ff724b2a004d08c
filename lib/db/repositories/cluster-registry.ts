import { randomUUID } from "node:crypto";
import type { Cluster as ClusterRow, Target as TargetRow } from "../../../generated/prisma/client.ts";
import { StoredLabelsSchema } from "../../contracts/stored/cluster.ts";
import { AppError } from "../../errors.ts";
import type { PrismaSession } from "../sqlite/prisma-client.ts";
import type { IdentityOutcome, NewTarget } from "../store.ts";
import { decodeJsonOr } from "../stored-json.ts";
import { identityOf, makeClusterId, placeOf, sortByPrecedence, sourceOf, toCluster } from "./cluster-rows.ts";

/**
 * Which target leads to which cluster. Every function is part of the caller's transaction, and leaves these true:
 * a cluster is listed while a target leads to it, and bears the name that its winning target gives it; targets that
 * lead to one place lead to one cluster; a UID belongs to one cluster.
 */
export async function syncTargets(
  prisma: PrismaSession,
  sources: readonly string[],
  targets: readonly NewTarget[],
  at: number,
): Promise<readonly string[]> {
  const registry = await readRegistry(prisma);
  const before = registry.targets.filter(({ source }) => sources.includes(source));
  const byIdentity = new Map(before.map((row) => [identityOf(toNewTarget(row)), row]));
  const kept = new Set<string>();
  const touched = new Set(before.map(({ clusterId }) => clusterId));
  for (const target of targets) {
    const known = byIdentity.get(identityOf(target));
    const row = known
      ? await renewTarget(prisma, known, target)
      : await createTarget(prisma, registry, target, at);
    byIdentity.set(identityOf(target), row);
    kept.add(row.id);
    touched.add(row.clusterId);
  }
  for (const { id, removedAt } of before) {
    if (removedAt === null && !kept.has(id)) {
      await prisma.target.update({ where: { id }, data: { removedAt: BigInt(at) } });
    }
  }
  await settleClusters(prisma, touched, at);
  return [...kept];
}

/** @throws AppError `conflict` where this source already names the place. */
export async function addTarget(prisma: PrismaSession, target: NewTarget, at: number): Promise<TargetRow> {
  const registry = await readRegistry(prisma);
  const known = registry.targets.find((row) => identityOf(toNewTarget(row)) === identityOf(target));
  if (known !== undefined && known.removedAt === null) {
    throw new AppError("conflict", `The cluster ${target.name} was added before.`, {
      issues: [{ where: "context", expected: "a context that is not there yet" }],
    });
  }
  const row = known
    ? await renewTarget(prisma, known, target)
    : await createTarget(prisma, registry, target, at);
  await settleClusters(prisma, [row.clusterId], at);
  return row;
}

/** @throws AppError `not-found`. */
export async function removeTarget(prisma: PrismaSession, targetId: string, at: number): Promise<void> {
  const row = await findTarget(prisma, targetId);
  if (row.removedAt !== null) return;
  await prisma.target.update({ where: { id: targetId }, data: { removedAt: BigInt(at) } });
  await settleClusters(prisma, [row.clusterId], at);
}

/** See `ClusterRepository.recordIdentity`. @throws AppError `not-found`. */
export async function recordIdentity(
  prisma: PrismaSession,
  targetId: string,
  uid: string,
  at: number,
): Promise<IdentityOutcome> {
  const target = await findTarget(prisma, targetId);
  const present = await prisma.cluster.findUniqueOrThrow({ where: { id: target.clusterId } });
  // A target removed while its API server answered has nothing more to learn.
  if (present.uid === uid || target.removedAt !== null) {
    return { kind: "unchanged", cluster: toCluster(present) };
  }
  const owner = await prisma.cluster.findUnique({ where: { uid } });
  if (present.uid === null && owner === null) {
    const learnt = await prisma.cluster.update({ where: { id: present.id }, data: { uid } });
    return { kind: "learnt", cluster: toCluster(learnt) };
  }
  const next =
    owner ?? (await createCluster(prisma, await readRegistry(prisma), toNewTarget(target), at, uid));
  await moveTargets(prisma, target, next.id);
  await settleClusters(prisma, [present.id, next.id], at);
  const cluster = toCluster(await prisma.cluster.findUniqueOrThrow({ where: { id: next.id } }));
  return present.uid === null
    ? { kind: "same-cluster", cluster, formerName: next.name }
    : { kind: "repointed", cluster, formerClusterId: present.id };
}

/** All targets of the same place go together: they are read through the same address. */
async function moveTargets(prisma: PrismaSession, target: TargetRow, clusterId: string): Promise<void> {
  const siblings = await prisma.target.findMany({ where: { clusterId: target.clusterId } });
  const place = placeOf(toNewTarget(target));
  const ids = siblings.filter((row) => placeOf(toNewTarget(row)) === place).map(({ id }) => id);
  await prisma.target.updateMany({ where: { id: { in: ids } }, data: { clusterId } });
}

/** A cluster without a target is removed; one with targets takes its name from the target that wins. */
async function settleClusters(prisma: PrismaSession, ids: Iterable<string>, at: number): Promise<void> {
  const { targets, clusters } = await readRegistry(prisma);
  const byCluster = Map.groupBy(
    targets.filter(({ removedAt }) => removedAt === null),
    ({ clusterId }) => clusterId,
  );
  for (const id of ids) {
    const cluster = clusters.get(id);
    const winner = sortByPrecedence(byCluster.get(id) ?? [])[0];
    if (cluster === undefined) continue;
    const { name, role, labelsJson, isDemo } = winner ?? cluster;
    const removedAt = winner === undefined ? (cluster.removedAt ?? BigInt(at)) : null;
    const wanted = { name, role, labelsJson, isDemo, removedAt };
    if (isSame(cluster, wanted)) continue;
    await prisma.cluster.update({ where: { id }, data: wanted });
  }
}

/** All targets and clusters, removed ones too: thousands of short rows at most, and no limit on names in a query. */
interface Registry {
  readonly targets: TargetRow[];
  readonly clusters: Map<string, ClusterRow>;
}

async function readRegistry(prisma: PrismaSession): Promise<Registry> {
  const targets = await prisma.target.findMany();
  const clusters = await prisma.cluster.findMany();
  return { targets, clusters: new Map(clusters.map((row) => [row.id, row])) };
}

async function createTarget(
  prisma: PrismaSession,
  registry: Registry,
  target: NewTarget,
  at: number,
): Promise<TargetRow> {
  const sibling = registry.targets.find(
    (row) =>
      row.removedAt === null &&
      row.kubeconfigPath === target.kubeconfigPath &&
      row.context === target.context &&
      placeOf(toNewTarget(row)) === placeOf(target),
  );
  const clusterId = sibling?.clusterId ?? (await createCluster(prisma, registry, target, at, null)).id;
  const row = await prisma.target.create({
    data: {
      id: randomUUID(),
      clusterId,
      source: target.source,
      kubeconfigPath: target.kubeconfigPath,
      context: target.context,
      addedAt: BigInt(at),
      ...describedBy(target),
    },
  });
  registry.targets.push(row);
  return row;
}

/** A target that is named again keeps its id, its cluster and when it was added. */
async function renewTarget(prisma: PrismaSession, known: TargetRow, target: NewTarget): Promise<TargetRow> {
  const wanted = { ...describedBy(target), removedAt: null };
  if (isSame(known, wanted)) return known;
  return prisma.target.update({ where: { id: known.id }, data: wanted });
}

/** True where `row` has every value of `wanted` already, so that nothing needs writing. */
function isSame(row: object, wanted: object): boolean {
  const current = new Map<string, unknown>(Object.entries(row));
  return Object.entries(wanted).every(([column, value]) => current.get(column) === value);
}

function describedBy({ name, role, labels, isInsecure, isDemo }: NewTarget) {
  return { name, role, labelsJson: JSON.stringify(labels), isInsecure, isDemo };
}

async function createCluster(
  prisma: PrismaSession,
  registry: Registry,
  { name, role, labels, isDemo }: Pick<NewTarget, "name" | "role" | "labels" | "isDemo">,
  at: number,
  uid: string | null,
): Promise<ClusterRow> {
  const numbers = [...registry.clusters.values()].map(({ number }) => number);
  const row = await prisma.cluster.create({
    data: {
      id: makeClusterId(name, registry.clusters),
      number: numbers.reduce((most, number) => Math.max(most, number), 0) + 1,
      uid,
      name,
      role,
      labelsJson: JSON.stringify(labels),
      isDemo,
      addedAt: BigInt(at),
      permissionsJson: "{}",
    },
  });
  registry.clusters.set(row.id, row);
  return row;
}

async function findTarget(prisma: PrismaSession, targetId: string): Promise<TargetRow> {
  const row = await prisma.target.findUnique({ where: { id: targetId } });
  if (row === null) throw new AppError("not-found", `The store holds no target ${targetId}.`);
  return row;
}

function toNewTarget(row: TargetRow): NewTarget {
  const { kubeconfigPath, context, name, role, isInsecure, isDemo } = row;
  const labels = decodeJsonOr(StoredLabelsSchema, row.labelsJson, {});
  return { source: sourceOf(row), kubeconfigPath, context, name, role, labels, isInsecure, isDemo };
}
