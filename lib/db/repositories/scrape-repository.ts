import { z } from "zod";
import { StoredOutcomeSchema } from "../../contracts/stored/outcome.ts";
import type { Database } from "../database.ts";
import type { Scrape, ScrapeRepository } from "../store.ts";
import { decodeJsonOr } from "../stored-json.ts";

const STATUSES = ["ok", "partial", "failed"] as const;

export class ScrapeRepositoryOnDatabase implements ScrapeRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(
    clusterId: string,
    { limit, before }: { readonly limit: number; readonly before?: number },
  ): Promise<readonly Scrape[]> {
    const rows = await this.#database.read(({ prisma }) =>
      prisma.scrape.findMany({
        where: { clusterId, ...(before === undefined ? {} : { startedAt: { lt: BigInt(before) } }) },
        orderBy: { startedAt: "desc" },
        take: limit,
      }),
    );
    return rows.map((row) => ({
      clusterId: row.clusterId,
      startedAt: Number(row.startedAt),
      durationSeconds: row.durationSeconds,
      status: STATUSES.find((status) => status === row.status) ?? "failed",
      requests: row.requests,
      wireBytes: Number(row.wireBytes),
      // Outcomes that do not parse leave the attempt without its parts; that it happened stays known.
      parts: decodeJsonOr(z.array(StoredOutcomeSchema), row.partsJson, []),
    }));
  }

  async costSince(
    at: number,
  ): Promise<ReadonlyMap<string, { readonly requests: number; readonly wireBytes: number }>> {
    const rows = await this.#database.read(({ sql }) =>
      sql.all<{ clusterId: string; requests: number; wireBytes: number }>(
        `SELECT cluster_id AS clusterId, sum(requests) AS requests, sum(wire_bytes) AS wireBytes
         FROM scrapes WHERE started_at >= ? GROUP BY cluster_id`,
        at,
      ),
    );
    return new Map(rows.map(({ clusterId, requests, wireBytes }) => [clusterId, { requests, wireBytes }]));
  }
}
