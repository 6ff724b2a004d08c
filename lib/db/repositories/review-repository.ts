import type { Database } from "../database.ts";
import type { ReviewRepository, StoredEvent } from "../store.ts";
import { type EventRow, SELECT_EVENTS, toEventKeys, toStoredEvent } from "./event-row.ts";

const DAY_MS = 86_400_000;

/** Events of the fleet as it is now, each with whether this reviewer (the one value bound) has acknowledged it. */
const IS_ACKNOWLEDGED = `EXISTS (SELECT 1 FROM acknowledgements a
  WHERE a.reviewer = ? AND a.event_id = e.id AND a.undone_at IS NULL)`;
const FROM_FLEET = "FROM events e JOIN clusters c ON c.id = e.cluster_id AND c.removed_at IS NULL";

/** In the order of `SEVERITIES`: worst first. */
const SEVERITY_RANK =
  "CASE e.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 WHEN 'ok' THEN 3 ELSE 4 END";

export class ReviewRepositoryOnDatabase implements ReviewRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async listUnacknowledged(
    reviewer: string,
    limit: number,
  ): Promise<{
    readonly events: readonly StoredEvent[];
    readonly total: number;
    readonly acknowledgedTotal: number;
  }> {
    const [rows, [counts]] = await this.#database.read(async ({ sql }) => [
      await sql.all<EventRow>(
        `${SELECT_EVENTS} ${FROM_FLEET} WHERE NOT ${IS_ACKNOWLEDGED}
         ORDER BY e.at / ${DAY_MS} DESC, ${SEVERITY_RANK}, e.at DESC, e.id DESC LIMIT ?`,
        reviewer,
        limit,
      ),
      await sql.all<{ total: number; acknowledged: number }>(
        `SELECT count(*) AS total, coalesce(sum(${IS_ACKNOWLEDGED}), 0) AS acknowledged ${FROM_FLEET}`,
        reviewer,
      ),
    ]);
    const acknowledgedTotal = counts?.acknowledged ?? 0;
    return {
      events: rows.map(toStoredEvent).filter((event) => event !== null),
      total: (counts?.total ?? 0) - acknowledgedTotal,
      acknowledgedTotal,
    };
  }

  async lastReviewAt(reviewer: string): Promise<number | null> {
    const { _max } = await this.#database.read(({ prisma }) =>
      prisma.acknowledgement.aggregate({ where: { reviewer, undoneAt: null }, _max: { at: true } }),
    );
    return _max.at === null ? null : Number(_max.at);
  }

  acknowledge(reviewer: string, eventIds: readonly string[], at: number): Promise<readonly string[]> {
    return this.#database.write(async (sql) => {
      const rows = await sql.all<{ eventId: number }>(
        `INSERT INTO acknowledgements (reviewer, event_id, at)
         SELECT ?, e.id, ? FROM events e
         WHERE e.id IN (SELECT value FROM json_each(?)) AND NOT ${IS_ACKNOWLEDGED}
         RETURNING event_id AS eventId`,
        reviewer,
        at,
        JSON.stringify(toEventKeys(eventIds)),
        reviewer,
      );
      return rows.map(({ eventId }) => String(eventId));
    });
  }

  acknowledgeAll(reviewer: string, upTo: number, at: number): Promise<readonly string[]> {
    return this.#database.write(async (sql) => {
      const rows = await sql.all<{ eventId: number }>(
        `INSERT INTO acknowledgements (reviewer, event_id, at)
         SELECT ?, e.id, ? ${FROM_FLEET} WHERE e.at <= ? AND NOT ${IS_ACKNOWLEDGED}
         RETURNING event_id AS eventId`,
        reviewer,
        at,
        upTo,
        reviewer,
      );
      return rows.map(({ eventId }) => String(eventId));
    });
  }

  undo(reviewer: string, eventIds: readonly string[], at: number): Promise<number> {
    return this.#database.write((sql) =>
      sql.run(
        `UPDATE acknowledgements SET undone_at = ?
         WHERE reviewer = ? AND undone_at IS NULL AND event_id IN (SELECT value FROM json_each(?))`,
        at,
        reviewer,
        JSON.stringify(toEventKeys(eventIds)),
      ),
    );
  }
}
