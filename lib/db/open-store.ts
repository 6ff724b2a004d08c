import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, systemClock } from "../clock.ts";
import { AppError } from "../errors.ts";
import { Database } from "./database.ts";
import { assertOwn, deployMigrations } from "./migrations/deploy-migrations.ts";
import { migrationsDirectory } from "./migrations/migrations-directory.ts";
import { ClusterRepositoryOnDatabase } from "./repositories/cluster-repository.ts";
import { CollectorRepositoryOnDatabase } from "./repositories/collector-repository.ts";
import { ConnectionTestRepositoryOnDatabase } from "./repositories/connection-test-repository.ts";
import { EventRepositoryOnDatabase } from "./repositories/event-repository.ts";
import { FanOutRepositoryOnDatabase } from "./repositories/fan-out-repository.ts";
import { LearnedAgentsRepositoryOnDatabase } from "./repositories/learned-agents-repository.ts";
import { MaintenanceRepositoryOnDatabase } from "./repositories/maintenance-repository.ts";
import { PartRepositoryOnDatabase } from "./repositories/part-repository.ts";
import { ReviewRepositoryOnDatabase } from "./repositories/review-repository.ts";
import { SampleRepositoryOnDatabase } from "./repositories/sample-repository.ts";
import { ScrapeRepositoryOnDatabase } from "./repositories/scrape-repository.ts";
import { type ConnectionLimits, SqliteConnection } from "./sqlite/connection.ts";
import { toStoreError } from "./sqlite/errors.ts";
import { retryWhileBusy } from "./sqlite/retry.ts";
import { assertMayBeStore, setAsideIfCorrupt } from "./sqlite/set-aside.ts";
import { withStartGuard } from "./sqlite/start-guard.ts";
import type { Store, StoreOrigin } from "./store.ts";
import { parseStoreUrl } from "./store-url.ts";

export interface OpenStoreOptions {
  /** `file:./data/headroom.db`; relative to the working directory. */
  readonly url: string;
  /** `read-write` makes the store where it is absent and brings it up to date; `read-only` does neither. */
  readonly mode: "read-write" | "read-only";
  readonly clock?: Clock;
  /** Uniform in [0, 1): the jitter between two attempts at a locked store. */
  readonly random?: () => number;
  readonly limits?: ConnectionLimits;
}

/**
 * Opens the store. In mode `read-write` a damaged file is kept aside first (`origin.asidePath` names it) and
 * migrations are applied; several processes may do so at once.
 *
 * @throws AppError `store-newer`, `store-read-only`, `store-full`, `store-corrupt` (read-only), `store-unavailable`,
 * `unsupported`, `invalid-input`.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { mode, clock = systemClock, random = Math.random, limits } = options;
  const path = parseStoreUrl(options.url);
  const isReadOnly = mode === "read-only";
  let database: Database | null = null;
  try {
    if (isReadOnly) assertExists(path);
    else await prepareFile(path, { clock, random, ...(limits && { limits }) });
    database = new Database({ path, isReadOnly, random, ...(limits && { limits }) });
    return assembleStore(database, mode, await readOrigin(database));
  } catch (error) {
    await database?.close();
    throw toStoreError(error, path);
  }
}

/** Applies what is missing to the store at `url` and returns the names of the migrations applied now. */
export async function deployStore(options: Omit<OpenStoreOptions, "mode">): Promise<readonly string[]> {
  const path = parseStoreUrl(options.url);
  const { clock = systemClock, random = Math.random, limits } = options;
  try {
    return await prepareFile(path, { clock, random, ...(limits && { limits }) });
  } catch (error) {
    throw toStoreError(error, path);
  }
}

interface Preparation {
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits?: ConnectionLimits;
}

/** Leaves a sound, migrated file at `path`. One process at a time does this. */
async function prepareFile(path: string, { clock, random, limits }: Preparation): Promise<readonly string[]> {
  makeFolder(dirname(path));
  // SQLite says only that it cannot open; the file system says why.
  for (const needed of [dirname(path), path]) if (existsSync(needed)) accessSync(needed, constants.W_OK);
  assertMayBeStore(path);
  return withStartGuard(path, { random }, async () => {
    const asidePath = setAsideIfCorrupt(path, clock.now());
    const connection = await retryWhileBusy(
      () => new SqliteConnection(path, { isReadOnly: false, ...(limits && { limits }) }),
      { random },
    );
    try {
      const { database } = connection;
      // Before anything is written: the mode of the log is part of the file.
      await retryWhileBusy(() => assertOwn(database), { random });
      await retryWhileBusy(() => database.pragma("journal_mode = wal"), { random });
      const applied = await retryWhileBusy(
        () => deployMigrations(database, migrationsDirectory(), clock.now()),
        { random },
      );
      await retryWhileBusy(() => recordOrigin(connection, asidePath, clock.now()), { random });
      return applied;
    } finally {
      connection.close();
    }
  });
}

/** As `mkdir -p`. Node's own recursive form never returns where a parent takes no folders, /proc for example. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(path)) throw error;
  }
}

/** The first start records when the store was made, and the damaged file that it replaces, if any. */
async function recordOrigin(connection: SqliteConnection, asidePath: string | null, now: number) {
  const [row] = await connection.all("SELECT id FROM store_meta WHERE id = 1");
  if (row !== undefined) return;
  await connection.run(
    "INSERT INTO store_meta (id, created_at, aside_path) VALUES (1, ?, ?)",
    now,
    asidePath,
  );
}

function readOrigin(database: Database): Promise<StoreOrigin> {
  return database.read(async ({ sql }) => {
    const [row] = await sql.all<StoreOrigin>(
      "SELECT created_at AS createdAt, aside_path AS asidePath FROM store_meta WHERE id = 1",
    );
    return row ?? { createdAt: 0, asidePath: null };
  });
}

function assertExists(path: string): void {
  if (existsSync(path)) return;
  throw new AppError(
    "store-unavailable",
    `There is no store at ${path}. It is made by \`headroom db deploy\`, or by the first start.`,
  );
}

function assembleStore(database: Database, mode: Store["mode"], origin: StoreOrigin): Store {
  return {
    mode,
    origin,
    clusters: new ClusterRepositoryOnDatabase(database),
    parts: new PartRepositoryOnDatabase(database),
    scrapes: new ScrapeRepositoryOnDatabase(database),
    samples: new SampleRepositoryOnDatabase(database),
    events: new EventRepositoryOnDatabase(database),
    fanOut: new FanOutRepositoryOnDatabase(database),
    reviews: new ReviewRepositoryOnDatabase(database),
    connectionTests: new ConnectionTestRepositoryOnDatabase(database),
    collector: new CollectorRepositoryOnDatabase(database),
    learnedAgents: new LearnedAgentsRepositoryOnDatabase(database),
    maintenance: new MaintenanceRepositoryOnDatabase(database),
    close: () => database.close(),
  };
}
