import { randomUUID } from "node:crypto";
import type { ConnectionTest as ConnectionTestRow } from "../../../generated/prisma/client.ts";
import { StoredConnectionTestResultSchema } from "../../contracts/stored/cluster.ts";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";
import type {
  ConnectionTest,
  ConnectionTestRepository,
  ConnectionTestResult,
  ConnectionTestState,
} from "../store.ts";
import { decodeJsonOr } from "../stored-json.ts";

/** A test that no collector has answered by then has timed out. */
export const CONNECTION_TEST_TIMEOUT_MS = 10_000;

const STATES: readonly ConnectionTestState[] = ["waiting", "running", "succeeded", "failed", "timed-out"];
const OPEN_STATES: ConnectionTestState[] = ["waiting", "running"];

export class ConnectionTestRepositoryOnDatabase implements ConnectionTestRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async request(kubeconfigPath: string, context: string | null, at: number): Promise<ConnectionTest> {
    const row = await this.#database.writeWithPrisma((prisma) =>
      prisma.connectionTest.create({
        data: { id: randomUUID(), kubeconfigPath, context, state: "waiting", requestedAt: BigInt(at) },
      }),
    );
    return toConnectionTest(row);
  }

  async get(id: string, now: number): Promise<ConnectionTest | null> {
    const find = () =>
      this.#database.read(({ prisma }) => prisma.connectionTest.findUnique({ where: { id } }));
    const row = await find();
    if (row === null) return null;
    const test = toConnectionTest(row);
    const isOverdue = OPEN_STATES.includes(test.state) && now - test.requestedAt > CONNECTION_TEST_TIMEOUT_MS;
    if (!isOverdue) return test;
    if (this.#database.isReadOnly) return { ...test, state: "timed-out" };
    await this.#database.writeWithPrisma((prisma) =>
      prisma.connectionTest.updateMany({
        where: { id, state: { in: OPEN_STATES } },
        data: { state: "timed-out", answeredAt: BigInt(now) },
      }),
    );
    // Read again: the answer may have come between the two.
    const after = await find();
    return after === null ? null : toConnectionTest(after);
  }

  async claim(at: number): Promise<ConnectionTest | null> {
    const rows = await this.#database.write((sql) =>
      sql.all<{ id: string }>(
        `UPDATE connection_tests SET state = 'running', claimed_at = ?
         WHERE id = (SELECT id FROM connection_tests WHERE state = 'waiting' AND requested_at >= ?
                     ORDER BY requested_at, id LIMIT 1)
         RETURNING id`,
        at,
        at - CONNECTION_TEST_TIMEOUT_MS,
      ),
    );
    const id = rows[0]?.id;
    if (id === undefined) return null;
    const row = await this.#database.read(({ prisma }) =>
      prisma.connectionTest.findUnique({ where: { id } }),
    );
    return row === null ? null : toConnectionTest(row);
  }

  async answer(
    id: string,
    state: "succeeded" | "failed",
    result: ConnectionTestResult,
    at: number,
  ): Promise<void> {
    const resultJson = JSON.stringify(result);
    const isKnown = await this.#database.writeWithPrisma(async (prisma) => {
      await prisma.connectionTest.updateMany({
        where: { id, state: { in: OPEN_STATES } },
        data: { state, answeredAt: BigInt(at), resultJson },
      });
      return (await prisma.connectionTest.count({ where: { id } })) > 0;
    });
    if (!isKnown) throw new AppError("not-found", `The store holds no connection test ${id}.`);
  }
}

function toConnectionTest(row: ConnectionTestRow): ConnectionTest {
  const state = STATES.find((name) => name === row.state) ?? "failed";
  return {
    id: row.id,
    kubeconfigPath: row.kubeconfigPath,
    context: row.context,
    state,
    requestedAt: Number(row.requestedAt),
    answeredAt: row.answeredAt === null ? null : Number(row.answeredAt),
    result:
      row.resultJson === null
        ? null
        : decodeJsonOr(StoredConnectionTestResultSchema, row.resultJson, UNREADABLE_RESULT),
  };
}

const UNREADABLE_RESULT: ConnectionTestResult = {
  error: "The stored answer does not parse. Test the connection again.",
  gitVersion: null,
  clusterUid: null,
  knownClusterId: null,
  contexts: [],
  permissions: {},
  isInsecure: false,
};
