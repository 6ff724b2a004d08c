import type { Clock } from "../../clock.ts";
import { inspectMigrations, type MigrationReport } from "../../db/migrations/inspect-migrations.ts";
import { deployStore, openStore } from "../../db/open-store.ts";
import { restoreStore } from "../../db/restore-store.ts";
import type { RetentionSeconds, StoreCheck } from "../../db/store.ts";
import { AppError } from "../../errors.ts";
import { formatBytes } from "../../format/bytes.ts";

/** Where a command writes: one call, one line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

/** What every `headroom db` command is told. */
export interface DbOptions {
  /** `store.url` of the configuration. */
  readonly url: string;
  readonly clock: Clock;
}

/** The store is as it should be. */
const OK = 0;
/** The store cannot be used, or the command was used wrongly. */
const UNUSABLE = 2;

/** `headroom db deploy`: makes the store where it is absent and applies what is missing. */
export function runDbDeploy({ url, clock }: DbOptions, output: Output): Promise<number> {
  return report(output, async () => {
    const applied = await deployStore({ url, clock });
    for (const name of applied) output.out(`applied ${name}`);
    output.out(applied.length === 0 ? "The store is up to date." : `${applied.length} applied.`);
    return OK;
  });
}

/** `headroom db check`: migrations, integrity and size. Reads only. */
export function runDbCheck({ url, clock }: DbOptions, output: Output): Promise<number> {
  return report(output, async () => {
    const migrations = inspectMigrations(url);
    const faults = describeFaults(migrations);
    output.out(`migrations: ${migrations.applied.length} applied, ${migrations.pending.length} pending`);
    const store = await openStore({ url, clock, mode: "read-only" });
    let check: StoreCheck;
    try {
      check = await store.maintenance.check();
    } finally {
      await store.close();
    }
    output.out(`integrity: ${check.ok ? "ok" : "damaged"}`);
    output.out(`size: ${formatBytes(check.sizeBytes)}`);
    for (const { name, sizeBytes } of check.tables) output.out(`  ${name}: ${formatBytes(sizeBytes)}`);
    for (const fault of [...faults, ...check.messages]) output.err(fault);
    return faults.length === 0 && check.ok ? OK : UNUSABLE;
  });
}

/** `headroom db prune`: rolls up and deletes what is older than its retention, as the collector does by itself. */
export function runDbPrune(
  { url, clock, retention }: DbOptions & { readonly retention: RetentionSeconds },
  output: Output,
): Promise<number> {
  return report(output, async () => {
    const store = await openStore({ url, clock, mode: "read-write" });
    try {
      const { deletedRows } = await store.maintenance.prune(retention, clock.now());
      output.out(`${deletedRows} rows deleted.`);
    } finally {
      await store.close();
    }
    return OK;
  });
}

/** `headroom db backup FILE`: a consistent copy while everything runs. Never overwrites. */
export function runDbBackup(
  { url, clock, destinationPath }: DbOptions & { readonly destinationPath: string },
  output: Output,
): Promise<number> {
  return report(output, async () => {
    const store = await openStore({ url, clock, mode: "read-only" });
    try {
      await store.maintenance.backup(destinationPath);
    } finally {
      await store.close();
    }
    output.out(`The store was copied to ${destinationPath}.`);
    return OK;
  });
}

/** `headroom db restore FILE`: puts a backup in place of what is stored, which is kept aside. */
export function runDbRestore(
  { url, clock, backupPath }: DbOptions & { readonly backupPath: string },
  output: Output,
): Promise<number> {
  return report(output, async () => {
    const { keptAs } = await restoreStore({ url, clock, backupPath });
    output.out(`The store holds what ${backupPath} held.`);
    if (keptAs !== null) output.out(`What it held before is kept as ${keptAs}.`);
    return OK;
  });
}

/** An AppError is written for people; anything else is a fault of ours and goes on to the caller. */
async function report(output: Output, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    output.err(error.message);
    return UNUSABLE;
  }
}

function describeFaults({ pending, unknown, unfinished, edited, drift }: MigrationReport): readonly string[] {
  return [
    ...pending.map((name) => `The migration ${name} is not applied: run \`headroom db deploy\`.`),
    ...unknown.map((name) => `The migration ${name} is of a newer release.`),
    ...unfinished.map((name) => `The migration ${name} began and did not end: restore a backup.`),
    ...edited.map((name) => `The migration ${name} was changed after it was applied.`),
    ...drift.map((what) => `The schema differs from the migrations: ${what}.`),
  ];
}
