import type { Database } from "../database.ts";
import type { CollectorRepository, CollectorState } from "../store.ts";

/** The one row of the table. */
const ID = 1;

export class CollectorRepositoryOnDatabase implements CollectorRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async start(pid: number, version: string, at: number): Promise<void> {
    const now = { pid, version, startedAt: BigInt(at), heartbeatAt: BigInt(at), stoppedAt: null };
    await this.#database.writeWithPrisma((prisma) =>
      prisma.collectorState.upsert({
        where: { id: ID },
        create: { id: ID, ...now, crashes: 0 },
        update: now,
      }),
    );
  }

  async heartbeat(pid: number, at: number): Promise<void> {
    await this.#database.writeWithPrisma((prisma) =>
      prisma.collectorState.updateMany({ where: { id: ID, pid }, data: { heartbeatAt: BigInt(at) } }),
    );
  }

  async stop(pid: number, at: number): Promise<void> {
    await this.#database.writeWithPrisma((prisma) =>
      prisma.collectorState.updateMany({ where: { id: ID, pid }, data: { stoppedAt: BigInt(at) } }),
    );
  }

  async recordCrash(message: string, at: number): Promise<void> {
    const crash = { lastCrashAt: BigInt(at), lastCrash: message };
    // A collector may crash before it has said that it started.
    const never = {
      pid: 0,
      version: "",
      startedAt: BigInt(at),
      heartbeatAt: BigInt(at),
      stoppedAt: BigInt(at),
    };
    await this.#database.writeWithPrisma((prisma) =>
      prisma.collectorState.upsert({
        where: { id: ID },
        create: { id: ID, ...never, ...crash, crashes: 1 },
        update: { ...crash, crashes: { increment: 1 } },
      }),
    );
  }

  async forgetCrashes(): Promise<void> {
    await this.#database.writeWithPrisma((prisma) =>
      prisma.collectorState.updateMany({
        where: { id: ID },
        data: { crashes: 0, lastCrashAt: null, lastCrash: null },
      }),
    );
  }

  async get(): Promise<CollectorState | null> {
    const row = await this.#database.read(({ prisma }) =>
      prisma.collectorState.findUnique({ where: { id: ID } }),
    );
    if (row === null) return null;
    return {
      pid: row.pid,
      startedAt: Number(row.startedAt),
      heartbeatAt: Number(row.heartbeatAt),
      version: row.version,
      stoppedAt: row.stoppedAt === null ? null : Number(row.stoppedAt),
      crashes: row.crashes,
      lastCrashAt: row.lastCrashAt === null ? null : Number(row.lastCrashAt),
      lastCrash: row.lastCrash,
    };
  }

  async requestIncidentPace(clusterId: string, until: number): Promise<void> {
    await this.#database.write((sql) =>
      sql.run(
        `INSERT INTO incident_pace (cluster_id, until) VALUES (?, ?)
         ON CONFLICT (cluster_id) DO UPDATE SET until = max(until, excluded.until)`,
        clusterId,
        until,
      ),
    );
  }

  async listIncidentPace(now: number): Promise<readonly string[]> {
    const rows = await this.#database.read(({ prisma }) =>
      prisma.incidentPace.findMany({ where: { until: { gt: BigInt(now) } }, orderBy: { clusterId: "asc" } }),
    );
    return rows.map(({ clusterId }) => clusterId);
  }
}
