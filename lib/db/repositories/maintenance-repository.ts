import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../database.ts";
import { pruneCluster } from "../samples/prune.ts";
import { backupTo } from "../sqlite/backup.ts";
import { checkStore } from "../sqlite/check-store.ts";
import type { MaintenanceRepository, RetentionSeconds, StoreCheck } from "../store.ts";
import { CONNECTION_TEST_TIMEOUT_MS } from "./connection-test-repository.ts";
import { pruneScrapes } from "./prune-scrapes.ts";

/** Answers to connection tests are kept for a day: the page that asked is long gone. */
const CONNECTION_TESTS_KEPT_MS = 86_400_000;

const PAUSE_MAX_MS = 50;

export class MaintenanceRepositoryOnDatabase implements MaintenanceRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async prune(retention: RetentionSeconds, now: number): Promise<{ readonly deletedRows: number }> {
    const clusters = await this.#database.read(({ sql }) =>
      sql.all<{ id: string; number: number }>("SELECT id, number FROM clusters ORDER BY number"),
    );
    let deletedRows = 0;
    // One cluster at a time: stopping in between loses nothing. As much pause as work: another process waits by looking
    // again, and would find the store locked each time if the transactions followed one another at once.
    for (const { id, number } of clusters) {
      const startedAt = performance.now();
      deletedRows += await this.#database.write((sql) => pruneCluster(sql, number, retention, now / 1000));
      deletedRows += await this.#database.write((sql) => pruneScrapes(sql, id, retention, now));
      await delay(Math.min(PAUSE_MAX_MS, performance.now() - startedAt));
    }
    deletedRows += await this.#database.write(async (sql) => {
      const tests = await sql.run(
        "DELETE FROM connection_tests WHERE requested_at < ?",
        now - Math.max(CONNECTION_TESTS_KEPT_MS, CONNECTION_TEST_TIMEOUT_MS),
      );
      return tests + (await sql.run("DELETE FROM incident_pace WHERE until <= ?", now));
    });
    // Keeps the log from growing for ever under a reader that never pauses. It is no fault if one is reading now.
    await this.#database.withWriter(async ({ database }) => database.pragma("wal_checkpoint(truncate)"));
    return { deletedRows };
  }

  backup(destinationPath: string): Promise<void> {
    return backupTo(this.#database, destinationPath);
  }

  check(): Promise<StoreCheck> {
    return checkStore(this.#database);
  }

  async probeWriting(): Promise<void> {
    // A row that comes and goes: SQLite writes nothing for an update that changes no byte.
    await this.#database.write(async (sql) => {
      await sql.run("INSERT INTO store_meta (id, created_at) VALUES (0, 0)");
      await sql.run("DELETE FROM store_meta WHERE id = 0");
    });
  }

  async ping(): Promise<void> {
    await this.#database.read(({ sql }) => sql.all("SELECT id FROM store_meta WHERE id = 1"));
  }
}
