import type { ClusterEvent } from "../../domain/clusters/event.ts";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";
import type { SqlValue } from "../sqlite/connection.ts";
import type { EventQuery, EventRepository, StoredEvent } from "../store.ts";
import { type EventRow, SELECT_EVENTS, toStoredEvent } from "./event-row.ts";
import { insertEvents } from "./insert-events.ts";

export class EventRepositoryOnDatabase implements EventRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  append(
    clusterId: string,
    events: readonly ClusterEvent[],
    { isGenerated }: { readonly isGenerated: boolean },
  ): Promise<void> {
    return this.#database.write((sql) => insertEvents(sql, clusterId, events, isGenerated));
  }

  async list(
    query: EventQuery,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly nextCursor: string | null }> {
    const { text, values } = whereOf(query);
    const rows = await this.#database.read(({ sql }) =>
      sql.all<EventRow>(
        `${SELECT_EVENTS} FROM events e JOIN clusters c ON c.id = e.cluster_id
         WHERE ${text} ORDER BY e.at DESC, e.id DESC LIMIT ?`,
        ...values,
        query.limit + 1,
      ),
    );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    return {
      events: page.map(toStoredEvent).filter((event) => event !== null),
      nextCursor: rows.length > query.limit && last !== undefined ? `${last.at}.${last.id}` : null,
    };
  }
}

/** Without a cluster, events of removed clusters are left out: they concern nobody who reviews the fleet. */
function whereOf(query: EventQuery): { readonly text: string; readonly values: readonly SqlValue[] } {
  const terms: [text: string, values: readonly SqlValue[]][] = [];
  if (query.clusterId === undefined) terms.push(["c.removed_at IS NULL", []]);
  else terms.push(["e.cluster_id = ?", [query.clusterId]]);
  if (query.kinds !== undefined) {
    terms.push([`e.kind IN (${query.kinds.map(() => "?").join(", ")})`, query.kinds]);
  }
  if (query.from !== undefined) terms.push(["e.at >= ?", [query.from]]);
  if (query.cursor !== undefined) terms.push(["(e.at, e.id) < (?, ?)", parseCursor(query.cursor)]);
  return {
    text: terms.map(([text]) => text).join(" AND "),
    values: terms.flatMap(([, values]) => values),
  };
}

function parseCursor(cursor: string): readonly [at: number, id: number] {
  const [, at, id] = /^(-?\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) {
    throw new AppError("invalid-input", "The cursor is not one that this list gave.", {
      issues: [{ where: "cursor", expected: "nextCursor of the page before" }],
    });
  }
  return [Number(at), Number(id)];
}
