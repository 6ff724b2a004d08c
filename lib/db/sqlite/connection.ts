import SqliteDatabase from "better-sqlite3";

/** Milliseconds that a statement waits for a lock by itself. It blocks the process, so longer waits are asynchronous. */
export const DRIVER_BUSY_TIMEOUT_MS = 20;

/** Limits that a test or an operator puts on a connection. */
export interface ConnectionLimits {
  /** The store is full beyond this many pages of 4096 bytes. */
  readonly maxPages?: number;
  /** Refuses every write, as a read-only file system would. */
  readonly isQueryOnly?: boolean;
}

export interface Sql {
  /** Rows as objects keyed by column. `Row` is what the statement selects: the one cast of this layer. */
  all<Row>(text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Rows changed. */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
  /** The same statement once per row of values; rows changed. */
  runMany(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number>;
}

export type SqlValue = string | number | bigint | Uint8Array | null;

/** A connection of our own for statements that Prisma does not make. Statements are prepared once. */
export class SqliteConnection implements Sql {
  readonly database: SqliteDatabase.Database;
  readonly #statements = new Map<string, SqliteDatabase.Statement<SqlValue[]>>();

  constructor(path: string, options: { readonly isReadOnly: boolean; readonly limits?: ConnectionLimits }) {
    this.database = new SqliteDatabase(path, {
      readonly: options.isReadOnly,
      fileMustExist: options.isReadOnly,
      timeout: DRIVER_BUSY_TIMEOUT_MS,
    });
    try {
      for (const pragma of connectionPragmas(options.limits)) this.database.pragma(pragma);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  async all<Row>(text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#prepare(text).all(...values) as Row[];
  }

  async run(text: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#prepare(text).run(...values).changes;
  }

  async runMany(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    const statement = this.#prepare(text);
    return rows.reduce((changes, values) => changes + statement.run(...values).changes, 0);
  }

  /** All of `work` or none of it. Takes the write lock first, so that it never fails half-way for a lock. */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = await work(this);
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back by itself after some failures (a full disk).
      if (this.database.inTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }

  #prepare(text: string): SqliteDatabase.Statement<SqlValue[]> {
    const prepared = this.#statements.get(text);
    if (prepared !== undefined) return prepared;
    const statement = this.database.prepare<SqlValue[]>(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Settings that belong to a connection and not to the file. */
export function connectionPragmas(limits: ConnectionLimits = {}): readonly string[] {
  return [
    "foreign_keys = on",
    // A commit survives the end of the process, not of the machine: the WAL is synchronised at checkpoints only.
    "synchronous = normal",
    "temp_store = memory",
    ...(limits.maxPages === undefined ? [] : [`max_page_count = ${limits.maxPages}`]),
    ...(limits.isQueryOnly === true ? ["query_only = on"] : []),
  ];
}
