import type { Database } from "../database.ts";
import type { CollectorRepository, CollectorState } from "../store.ts";

/** The one row of the table. */
const ID = 1;

export class CollectorRepositoryOnDatabase implements CollectorRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(
    pid: number,
    version: string,
    at: number,
    { silentSeconds, isAlive }: Parameters<CollectorRepository["claim"]>[3],
  ): Promise<CollectorState | null> {
    const holder = await this.get();
    if (holder !== null && isAtWork(holder)) return holder;
    // Of two that saw the same dead one, the first to write has the store; the other sees it in the row it gets back.
    const count = await this.#database.write((sql) =>
      sql.run(
        `INSERT INTO collector_state (id, pid, version, started_at, heartbeat_at, stopped_at, crashes)
         VALUES (?, ?, ?, ?, ?, NULL, 0)
         ON CONFLICT (id) DO UPDATE SET pid = excluded.pid, version = excluded.version,
           started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at, stopped_at = NULL
         WHERE collector_state.pid = ? AND collector_state.started_at = ? AND collector_state.heartbeat_at = ?`,
        ID,
        pid,
        version,
        at,
        at,
        holder?.pid ?? pid,
        holder?.startedAt ?? at,
        holder?.heartbeatAt ?? at,
      ),
    );
    return count > 0 ? null : await this.get();

    function isAtWork(other: CollectorState): boolean {
      const isRecent = Math.abs(at - other.heartbeatAt) <= silentSeconds * 1000;
      return other.pid !== pid && other.stoppedAt === null && isRecent && isAlive(other.pid);
    }
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
