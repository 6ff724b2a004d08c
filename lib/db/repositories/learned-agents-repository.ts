import { StoredLearnedAgentsSchema } from "../../contracts/stored/learned-agents.ts";
import type { LearnedAgents } from "../../domain/agents/learn/learned-agents.ts";
import type { Database } from "../database.ts";
import type { Sql } from "../sqlite/connection.ts";
import type { LearnedAgentsRepository, LearnedSource, StoredLearnedAgents } from "../store.ts";
import { decodeValue, encodeValue } from "../stored-json.ts";

/** Spans kept of each cluster and source: the one that goes on, and those before it. */
const SPANS_KEPT = 3;

interface Row {
  readonly source: string;
  readonly startedAt: number;
  readonly storedAt: number;
  readonly encoding: string;
  readonly content: Uint8Array;
}

export class LearnedAgentsRepositoryOnDatabase implements LearnedAgentsRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async record(
    clusterId: string,
    span: { readonly source: LearnedSource; readonly startedAt: number; readonly storedAt: number },
    learned: LearnedAgents,
  ): Promise<void> {
    const { encoding, content } = encodeValue(learned);
    await this.#database.write(async (sql) => {
      await sql.run(
        `INSERT INTO learned_agents (cluster_id, source, started_at, stored_at, encoding, content) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (cluster_id, source, started_at) DO UPDATE SET stored_at = excluded.stored_at,
           encoding = excluded.encoding, content = excluded.content
         WHERE excluded.stored_at >= learned_agents.stored_at`,
        clusterId,
        span.source,
        span.startedAt,
        span.storedAt,
        encoding,
        content,
      );
      await pruneSpans(sql, clusterId, span.source);
    });
  }

  async list(clusterId: string): Promise<readonly StoredLearnedAgents[]> {
    const rows = await this.#database.read(({ sql }) =>
      sql.all<Row>(
        `SELECT source, started_at AS startedAt, stored_at AS storedAt, encoding, content FROM learned_agents
         WHERE cluster_id = ? ORDER BY stored_at DESC, started_at DESC, source`,
        clusterId,
      ),
    );
    return rows.map(({ source, startedAt, storedAt, ...value }) => ({
      source: source === "webhook" ? "webhook" : "file",
      startedAt,
      storedAt,
      learned: decodeValue(StoredLearnedAgentsSchema, value, `learned agents of ${clusterId}`),
    }));
  }
}

async function pruneSpans(sql: Sql, clusterId: string, source: LearnedSource): Promise<void> {
  await sql.run(
    `DELETE FROM learned_agents WHERE cluster_id = ? AND source = ? AND started_at NOT IN (
       SELECT started_at FROM learned_agents WHERE cluster_id = ? AND source = ? ORDER BY started_at DESC LIMIT ${SPANS_KEPT})`,
    clusterId,
    source,
    clusterId,
    source,
  );
}
