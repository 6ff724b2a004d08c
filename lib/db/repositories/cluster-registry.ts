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
  const before = await prisma.target.findMany({ where: { source: { in: [...sources] } } });
  const byIdentity = new Map(before.map((row) => [identityOf(toNewTarget(row)), row]));
  const kept = new Set<string>();
  const touched = new Set(before.map(({ clusterId }) => clusterId));
  for (const target of targets) {
    const known = byIdentity.get(identityOf(target));
    const row = known ? await renewTarget(prisma, known.id, target) : await createTarget(prisma, target, at);
    byIdentity.set(identityOf(target), row);
    kept.add(row.id);
    touched.add(row.clusterId);
  }
  await prisma.target.updateMany({
    where: { source: { in: [...sources] }, removedAt: null, id: { notIn: [...kept] } },
    data: { removedAt: BigInt(at) },
  });
  await settleClusters(prisma, touched, at);
  return [...kept];
}

/** @throws AppError `conflict` where this source already names the place. */
export async function addTarget(prisma: PrismaSession, target: NewTarget, at: number): Promise<TargetRow> {
  const rows = await prisma.target.findMany({
    where: { source: target.source, kubeconfigPath: target.kubeconfigPath, context: target.context },
  });
  const known = rows.find((row) => identityOf(toNewTarget(row)) === identityOf(target));
  if (known !== undefined && known.removedAt === null) {
    throw new AppError("conflict", `The cluster ${target.name} was added before.`, {
      issues: [{ where: "context", expected: "a context that is not there yet" }],
    });
  }
  const row = known ? await renewTarget(prisma, known.id, target) : await createTarget(prisma, target, at);
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
  const next = owner ?? (await createCluster(prisma, toNewTarget(target), at, uid));
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
  const clusterIds = [...ids];
  const targets = await prisma.target.findMany({ where: { clusterId: { in: clusterIds }, removedAt: null } });
  for (const id of clusterIds) {
    const winner = sortByPrecedence(targets.filter(({ clusterId }) => clusterId === id))[0];
    if (winner === undefined) {
      await prisma.cluster.updateMany({ where: { id, removedAt: null }, data: { removedAt: BigInt(at) } });
    } else {
      const { name, role, labelsJson, isDemo } = winner;
      await prisma.cluster.update({
        where: { id },
        data: { name, role, labelsJson, isDemo, removedAt: null },
      });
    }
  }
}

async function createTarget(prisma: PrismaSession, target: NewTarget, at: number): Promise<TargetRow> {
  const rows = await prisma.target.findMany({
    where: { kubeconfigPath: target.kubeconfigPath, context: target.context, removedAt: null },
  });
  const sibling = rows.find((row) => placeOf(toNewTarget(row)) === placeOf(target));
  const clusterId = sibling?.clusterId ?? (await createCluster(prisma, target, at, null)).id;
  return prisma.target.create({
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
}

/** A target that is named again keeps its id, its cluster and when it was added. */
function renewTarget(prisma: PrismaSession, id: string, target: NewTarget): Promise<TargetRow> {
  return prisma.target.update({ where: { id }, data: { ...describedBy(target), removedAt: null } });
}

function describedBy({ name, role, labels, isInsecure, isDemo }: NewTarget) {
  return { name, role, labelsJson: JSON.stringify(labels), isInsecure, isDemo };
}

async function createCluster(
  prisma: PrismaSession,
  { name, role, labels, isDemo }: Pick<NewTarget, "name" | "role" | "labels" | "isDemo">,
  at: number,
  uid: string | null,
): Promise<ClusterRow> {
  const taken = await prisma.cluster.findMany({ select: { id: true, number: true } });
  return prisma.cluster.create({
    data: {
      id: makeClusterId(name, new Set(taken.map(({ id }) => id))),
      number: taken.reduce((most, { number }) => Math.max(most, number), 0) + 1,
      uid,
      name,
      role,
      labelsJson: JSON.stringify(labels),
      isDemo,
      addedAt: BigInt(at),
      permissionsJson: "{}",
    },
  });
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
