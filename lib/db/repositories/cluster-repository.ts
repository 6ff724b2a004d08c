import { StoredPermissionsSchema } from "../../contracts/stored/cluster.ts";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";
import { ParsedTexts } from "../parsed-texts.ts";
import type {
  Cluster,
  ClusterRepository,
  IdentityOutcome,
  NewTarget,
  PermissionState,
  Target,
  TargetSource,
} from "../store.ts";
import { decodeJsonOr } from "../stored-json.ts";
import { addTarget, recordIdentity, removeTarget, syncTargets } from "./cluster-registry.ts";
import { type ClusterColumns, decodePermissions, toCluster, toTargets } from "./cluster-rows.ts";

export class ClusterRepositoryOnDatabase implements ClusterRepository {
  readonly #database: Database;
  readonly #permissions = new ParsedTexts(decodePermissions);

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly Cluster[]> {
    // Every page asks for all of them: by SQL a thousand take a fraction of what they take by Prisma.
    const rows = await this.#database.read(({ sql }) =>
      sql.all<ClusterColumns>(
        `SELECT id, uid, name, role, labels_json AS labelsJson, permissions_json AS permissionsJson, is_demo AS isDemo,
                added_at AS addedAt, removed_at AS removedAt, unreachable_since AS unreachableSince
         FROM clusters WHERE removed_at IS NULL ORDER BY name, id`,
      ),
    );
    return rows.map((row) => toCluster(row, (id, json) => this.#permissions.get(id, json)));
  }

  async get(clusterId: string): Promise<Cluster | null> {
    const row = await this.#database.read(({ prisma }) =>
      prisma.cluster.findUnique({ where: { id: clusterId } }),
    );
    return row === null ? null : toCluster(row);
  }

  async listTargets(): Promise<readonly Target[]> {
    return toTargets(
      await this.#database.read(({ prisma }) =>
        prisma.target.findMany({ orderBy: [{ addedAt: "asc" }, { id: "asc" }] }),
      ),
    );
  }

  async syncTargets(
    sources: readonly TargetSource[],
    targets: readonly NewTarget[],
    at: number,
  ): Promise<readonly Target[]> {
    const stray = targets.find(({ source }) => !sources.includes(source));
    if (stray !== undefined) {
      throw new AppError(
        "invalid-input",
        `The target ${stray.name} is of a source that is not synchronised.`,
      );
    }
    const kept = await this.#database.writeWithPrisma((prisma) => syncTargets(prisma, sources, targets, at));
    const byId = new Map((await this.listTargets()).map((target) => [target.id, target]));
    return kept.map((id) => byId.get(id)).filter((target) => target !== undefined);
  }

  async addTarget(target: NewTarget, at: number): Promise<Target> {
    const { id } = await this.#database.writeWithPrisma((prisma) => addTarget(prisma, target, at));
    const added = (await this.listTargets()).find((one) => one.id === id);
    if (added === undefined) throw new AppError("internal", "The target that was added is not there.");
    return added;
  }

  removeTarget(targetId: string, at: number): Promise<void> {
    return this.#database.writeWithPrisma((prisma) => removeTarget(prisma, targetId, at));
  }

  recordIdentity(targetId: string, uid: string, at: number): Promise<IdentityOutcome> {
    return this.#database.writeWithPrisma((prisma) => recordIdentity(prisma, targetId, uid, at));
  }

  async setUnreachableSince(clusterId: string, at: number | null): Promise<void> {
    await this.#database.writeWithPrisma((prisma) =>
      prisma.cluster.update({
        where: { id: clusterId },
        data: { unreachableSince: at === null ? null : BigInt(at) },
      }),
    );
  }

  async mergePermissions(
    clusterId: string,
    permissions: Readonly<Record<string, PermissionState>>,
  ): Promise<void> {
    await this.#database.writeWithPrisma(async (prisma) => {
      const { permissionsJson } = await prisma.cluster.findUniqueOrThrow({ where: { id: clusterId } });
      const merged = { ...decodeJsonOr(StoredPermissionsSchema, permissionsJson, {}), ...permissions };
      await prisma.cluster.update({
        where: { id: clusterId },
        data: { permissionsJson: JSON.stringify(merged) },
      });
    });
  }
}
