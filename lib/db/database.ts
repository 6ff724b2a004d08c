import { statSync } from "node:fs";
import type { PrismaClient } from "../../generated/prisma/client.ts";
import { AppError } from "../errors.ts";
import { type ConnectionLimits, type Sql, SqliteConnection } from "./sqlite/connection.ts";
import { isCorruption, toStoreError } from "./sqlite/errors.ts";
import { createPrismaClient, type PrismaSession } from "./sqlite/prisma-client.ts";
import { retryWhileBusy } from "./sqlite/retry.ts";
import { markSuspect } from "./sqlite/set-aside.ts";
import { Turnstile } from "./sqlite/turnstile.ts";

export interface DatabaseOptions {
  readonly path: string;
  readonly isReadOnly: boolean;
  readonly random: () => number;
  readonly limits?: ConnectionLimits;
}

/**
 * Three connections to one file: a reader and a writer for SQL of our own, and Prisma's. Every write of this process
 * goes through one queue; another process is met with retries. Failures leave as AppError.
 */
export class Database {
  readonly path: string;
  readonly isReadOnly: boolean;
  readonly #random: () => number;
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteConnection | null;
  readonly #prisma: PrismaClient;
  readonly #writes = new Turnstile();
  readonly #inode: bigint;
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    this.path = options.path;
    this.isReadOnly = options.isReadOnly;
    this.#random = options.random;
    this.#writer = options.isReadOnly ? null : new SqliteConnection(options.path, options);
    this.#reader = new SqliteConnection(options.path, options);
    this.#prisma = createPrismaClient(options.path, options);
    this.#inode = statSync(options.path, { bigint: true }).ino;
  }

  /** A read by Prisma or by SQL. Sees what is committed when its statement starts. */
  async read<T>(
    work: (session: { readonly prisma: PrismaSession; readonly sql: Sql }) => Promise<T>,
  ): Promise<T> {
    return this.#run(() => work({ prisma: this.#prisma, sql: this.#reader }));
  }

  /** A write by SQL: all of `work` or none of it. It may run again from its start, so it must not act elsewhere. */
  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#writes.pass(() => this.#run(() => this.#requireWriter().transaction(work)));
  }

  /** The same for a write by Prisma. */
  async writeWithPrisma<T>(work: (prisma: PrismaSession) => Promise<T>): Promise<T> {
    return this.#writes.pass(() =>
      this.#run(() => {
        this.#requireWriter();
        return this.#prisma.$transaction((transaction) => work(asSession(transaction)));
      }),
    );
  }

  /** Work on the writing connection itself that is no transaction (backup, checkpoint), in the queue of writes. */
  async withWriter<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    return this.#writes.pass(() => this.#run(() => work(this.#requireWriter())));
  }

  /** Work on the reading connection itself. */
  async withReader<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    return this.#run(() => work(this.#reader));
  }

  /** Waits for the writes asked for before. Closing twice changes nothing. */
  async close(): Promise<void> {
    await this.#writes.pass(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      await this.#prisma.$disconnect();
      this.#reader.close();
      this.#writer?.close();
    });
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new AppError("store-unavailable", `The store ${this.path} is closed.`);
    try {
      return await retryWhileBusy(work, { random: this.#random });
    } catch (error) {
      if (isCorruption(error)) markSuspect(this.path);
      throw toStoreError(error, this.path);
    }
  }

  #requireWriter(): SqliteConnection {
    if (this.#writer === null) {
      throw new AppError("store-read-only", `The store ${this.path} was opened for reading only.`);
    }
    // Another process has set a damaged file aside: what is written here would be lost with it.
    if (statSync(this.path, { bigint: true, throwIfNoEntry: false })?.ino !== this.#inode) {
      throw new AppError(
        "store-replaced",
        `The store ${this.path} was moved away or replaced while it was open. Open it again.`,
      );
    }
    return this.#writer;
  }
}

/** A transaction of the client is the client without the methods that PrismaSession leaves out. */
function asSession(transaction: PrismaSession): PrismaSession {
  return transaction;
}
