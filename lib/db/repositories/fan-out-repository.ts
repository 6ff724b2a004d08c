import { StoredFanOutContentSchema, StoredFanOutSummarySchema } from "../../contracts/stored/fan-out.ts";
import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";
import { ParsedTexts } from "../parsed-texts.ts";
import type { FanOutRepository, StoredFanOut } from "../store.ts";
import { decodeJsonOr, decodeValue, encodeValue } from "../stored-json.ts";
import { insertEvents } from "./insert-events.ts";

interface FanOutRow {
  readonly at: number;
  readonly inputsHash: string;
  readonly encoding: string;
  readonly content: Uint8Array;
}

export class FanOutRepositoryOnDatabase implements FanOutRepository {
  readonly #database: Database;
  readonly #summaries = new ParsedTexts((json) =>
    decodeJsonOr(StoredFanOutSummarySchema.nullable(), json, null),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  async record(
    clusterId: string,
    { at, inputsHash, ...content }: StoredFanOut,
    summary: FanOutSummary,
    events: readonly ClusterEvent[],
  ): Promise<void> {
    const value = encodeValue(content);
    await this.#database.write(async (sql) => {
      await sql.run(
        `INSERT INTO fan_outs (cluster_id, at, inputs_hash, summary_json, encoding, content) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (cluster_id) DO UPDATE SET at = excluded.at, inputs_hash = excluded.inputs_hash,
           summary_json = excluded.summary_json, encoding = excluded.encoding, content = excluded.content
         WHERE excluded.at >= fan_outs.at`,
        clusterId,
        at,
        inputsHash,
        JSON.stringify(summary),
        value.encoding,
        value.content,
      );
      await insertEvents(sql, clusterId, events, false);
    });
  }

  async get(clusterId: string): Promise<StoredFanOut | null> {
    const [row] = await this.#database.read(({ sql }) =>
      sql.all<FanOutRow>(
        "SELECT at, inputs_hash AS inputsHash, encoding, content FROM fan_outs WHERE cluster_id = ?",
        clusterId,
      ),
    );
    if (row === undefined) return null;
    try {
      const content = decodeValue(StoredFanOutContentSchema, row, "projection");
      return { at: Number(row.at), inputsHash: row.inputsHash, ...content };
    } catch (error) {
      // It is simulated anew in time: until then it was never.
      if (error instanceof AppError && error.code === "stored-value-unreadable") return null;
      throw error;
    }
  }

  async listSummaries(): Promise<
    ReadonlyMap<string, { readonly summary: FanOutSummary; readonly inputsHash: string }>
  > {
    const rows = await this.#database.read(({ sql }) =>
      sql.all<{ clusterId: string; inputsHash: string; summaryJson: string }>(
        `SELECT f.cluster_id AS clusterId, inputs_hash AS inputsHash, summary_json AS summaryJson
         FROM fan_outs f JOIN clusters c ON c.id = f.cluster_id WHERE c.removed_at IS NULL`,
      ),
    );
    const summaries = new Map<string, { readonly summary: FanOutSummary; readonly inputsHash: string }>();
    for (const { clusterId, inputsHash, summaryJson } of rows) {
      const summary = this.#summaries.get(clusterId, summaryJson);
      if (summary !== null) summaries.set(clusterId, { summary, inputsHash });
    }
    return summaries;
  }
}
