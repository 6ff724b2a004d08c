import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from "@prisma/driver-adapter-utils";
import { PrismaClient } from "../../../generated/prisma/client.ts";
import { type ConnectionLimits, connectionPragmas, DRIVER_BUSY_TIMEOUT_MS } from "./connection.ts";
import { Turnstile } from "./turnstile.ts";

/** What repositories use of the client, inside a transaction or not. */
export type PrismaSession = Omit<
  PrismaClient,
  "$connect" | "$disconnect" | "$on" | "$transaction" | "$extends"
>;

export function createPrismaClient(
  path: string,
  options: { readonly isReadOnly: boolean; readonly limits?: ConnectionLimits },
): PrismaClient {
  const factory = new PrismaBetterSqlite3({
    url: `file:${path}`,
    readonly: options.isReadOnly,
    fileMustExist: true,
    timeout: DRIVER_BUSY_TIMEOUT_MS,
  });
  const guarded: SqlDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect();
      for (const pragma of connectionPragmas(options.limits)) await adapter.executeScript(`pragma ${pragma}`);
      return guardTransactions(adapter);
    },
  };
  return new PrismaClient({ adapter: guarded, transactionOptions: { maxWait: 30_000, timeout: 60_000 } });
}

/**
 * One connection serves everything the client does, so a statement outside a transaction would join whichever
 * transaction is open, and be lost with it. Here it waits. A transaction takes the write lock when it begins, and its
 * turn ends however it ends: the driver's own adapter keeps it for ever when SQLite has rolled back by itself.
 */
function guardTransactions(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const turnstile = new Turnstile();
  const begin = async (): Promise<Transaction> => {
    const leave = await turnstile.enter();
    try {
      await adapter.executeScript("BEGIN IMMEDIATE");
    } catch (error) {
      leave();
      throw error;
    }
    const end = async (statement: string, isRefusalHarmless: boolean) => {
      try {
        await adapter.executeScript(statement);
      } catch (error) {
        if (isRefusalHarmless) return;
        try {
          await adapter.executeScript("ROLLBACK");
        } catch {
          // SQLite has rolled back by itself (a full disk). The adapter throws at once; the first reason is the one to tell.
        }
        throw error;
      } finally {
        leave();
      }
    };
    return {
      provider: adapter.provider,
      adapterName: adapter.adapterName,
      // True: the client leaves COMMIT and ROLLBACK to us.
      options: { usePhantomQuery: true },
      queryRaw: (query) => adapter.queryRaw(query),
      executeRaw: (query) => adapter.executeRaw(query),
      commit: () => end("COMMIT", false),
      rollback: () => end("ROLLBACK", true),
    };
  };
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: (query) => turnstile.pass(() => adapter.queryRaw(query)),
    executeRaw: (query) => turnstile.pass(() => adapter.executeRaw(query)),
    executeScript: (script) => turnstile.pass(() => adapter.executeScript(script)),
    startTransaction: begin,
    dispose: () => adapter.dispose(),
    ...(adapter.getConnectionInfo === undefined
      ? {}
      : { getConnectionInfo: adapter.getConnectionInfo.bind(adapter) }),
  };
}
