import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaFilter } from "@prisma/schema-engine-wasm";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { readMigrations } from "../../lib/db/migrations/read-migrations.ts";

/** Tables that only SQL knows: made by a migration, absent from schema.prisma on purpose. */
const SQL_ONLY_TABLES = [
  "series",
  "sample_progress",
  "samples_fine",
  "samples_five_minutes",
  "samples_hourly",
];
const FILTER: SchemaFilter = { externalTables: SQL_ONLY_TABLES, externalEnums: [] };

/**
 * What is missing between `prisma/migrations` and `prisma/schema.prisma`.
 *
 * `script` is the SQL of the next migration; `isEmpty` is true where the migrations already yield the schema.
 * Uses the schema engine in its WebAssembly form, on a database in memory: no engine binary is downloaded. It is a
 * tool of the checkout; the store applies its migrations by itself (lib/db/migrations).
 */
export async function diffMigrationsToSchema(
  root: string,
): Promise<{ readonly isEmpty: boolean; readonly script: string }> {
  const schemaPath = join(root, "prisma", "schema.prisma");
  const schema = readFileSync(schemaPath, "utf8");
  const { engine, close } = await startEngine(schema);
  try {
    const difference = {
      from: { tag: "migrations" as const, ...listMigrations(join(root, "prisma", "migrations")) },
      to: { tag: "schemaDatamodel" as const, files: [{ path: schemaPath, content: schema }] },
      exitCode: true,
      filters: FILTER,
    };
    const { exitCode } = await engine.diff({ ...difference, script: false });
    const { stdout } = await engine.diff({ ...difference, script: true });
    return { isEmpty: exitCode === 0, script: stdout ?? "" };
  } finally {
    await close();
  }
}

async function startEngine(schema: string) {
  const factory = new PrismaBetterSqlite3({ url: ":memory:" });
  const opened: SqlDriverAdapter[] = [];
  const tracked: SqlMigrationAwareDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => remember(await factory.connect()),
    connectToShadowDb: async () => remember(runScriptsWhole(await factory.connectToShadowDb())),
  };
  function remember(adapter: SqlDriverAdapter): SqlDriverAdapter {
    opened.push(adapter);
    return adapter;
  }

  await loadEngine();
  const engine = await bindings.SchemaEngine.new(
    { datamodels: [["schema.prisma", schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(tracked),
  );
  // The engine never closes what it connected: without this its locks outlive it.
  return {
    engine,
    close: async () => {
      engine.free();
      for (const adapter of opened) await adapter.dispose();
    },
  };
}

let loading: Promise<void> | null = null;

/** The bindings hold one instance for the whole process: a second one would leave calls of the first unanswered. */
function loadEngine(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

async function instantiate(): Promise<void> {
  const path = createRequire(import.meta.url)
    .resolve("@prisma/schema-engine-wasm/schema_engine_bg")
    .replace(/\.js$/, ".wasm");
  const { instance } = await WebAssembly.instantiate(readFileSync(path), {
    "./schema_engine_bg.js": Object.fromEntries(
      Object.entries(bindings).flatMap(([name, value]) =>
        typeof value === "function" ? [[name, value]] : [],
      ),
    ),
  });
  setWasm(instance);
}

/** The engine replays a migration as one statement; the driver prepares only the first of several. */
function runScriptsWhole(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const executeRaw = adapter.executeRaw.bind(adapter);
  adapter.executeRaw = async (query) => {
    if (query.args.length > 0) return executeRaw(query);
    await adapter.executeScript(query.sql);
    return 0;
  };
  return adapter;
}

/** The generated bindings leave the start-up calls of wasm-bindgen out of their types. */
function setWasm(instance: WebAssembly.Instance): void {
  const untyped: Readonly<Record<string, unknown>> = { ...bindings };
  const set = untyped.__wbg_set_wasm;
  const start = instance.exports.__wbindgen_start;
  if (typeof set !== "function" || typeof start !== "function") {
    throw new Error("@prisma/schema-engine-wasm has another layout than expected");
  }
  set(instance.exports);
  start();
}

function listMigrations(directory: string): MigrationList {
  return {
    baseDir: resolve(directory),
    shadowDbInitScript: "",
    lockfile: {
      path: "migration_lock.toml",
      content: readFileSync(join(directory, "migration_lock.toml"), "utf8"),
    },
    migrationDirectories: readMigrations(directory).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: "migration.sql", content: { tag: "ok", value: sql } },
    })),
  };
}
