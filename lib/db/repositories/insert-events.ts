import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { Sql } from "../sqlite/connection.ts";

/** Adds events of one cluster; one that is there already (cluster, instant, kind, subject) stays as it is. */
export async function insertEvents(
  sql: Sql,
  clusterId: string,
  events: readonly ClusterEvent[],
  isGenerated: boolean,
): Promise<void> {
  await sql.runMany(
    `INSERT INTO events (cluster_id, kind, severity, at, subject, lead, text, before, after, is_generated)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    events.map(({ kind, severity, at, subject, lead, text, before, after }) => [
      clusterId,
      kind,
      severity,
      at,
      subject,
      lead,
      text,
      before,
      after,
      isGenerated ? 1 : 0,
    ]),
  );
}
