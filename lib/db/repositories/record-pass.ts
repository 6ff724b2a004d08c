import { createHash } from "node:crypto";
import { StoredClusterSummarySchema } from "../../contracts/stored/cluster.ts";
import { STORED_PART_SCHEMAS } from "../../contracts/stored/part-values.ts";
import { PART_PERIOD_SECONDS, type PartOutcome } from "../../domain/clusters/part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import { summariseCluster } from "../../domain/clusters/summarise-cluster.ts";
import type { Database } from "../database.ts";
import { appendFine } from "../samples/append.ts";
import type { Sql } from "../sqlite/connection.ts";
import type { PassRecord, Scrape } from "../store.ts";
import { decodeJsonOr, decodeValue, type EncodedValue, encodeValue } from "../stored-json.ts";
import { findClusterNumber } from "./cluster-number.ts";
import { insertEvents } from "./insert-events.ts";

interface EncodedPart {
  readonly outcome: PartOutcome;
  readonly value: EncodedValue | null;
}

/**
 * Stores a pass in one transaction: scrape, parts, events, samples, summary. A pass that is stored already (same
 * cluster and start) changes nothing. A pass older than what is stored of a part leaves that part as it is.
 */
export async function recordPass(database: Database, pass: PassRecord): Promise<void> {
  // Compression takes longer than the transaction, so it comes before the lock.
  const parts = pass.parts.map(
    ({ outcome, value }): EncodedPart => ({ outcome, value: value === null ? null : encodeValue(value) }),
  );
  const values = Object.fromEntries(
    pass.parts.flatMap(({ part, value }) => (value === null ? [] : [[part, value]])),
  ) as Partial<PartValues>;
  await database.write(async (sql) => {
    const number = await findClusterNumber(sql, pass.clusterId);
    if (!(await insertScrape(sql, pass))) return;
    for (const part of parts) await upsertPart(sql, pass, part);
    await scheduleOthers(sql, pass);
    await insertEvents(sql, pass.clusterId, pass.events, false);
    const samples = pass.samples.map(({ key, value }) => ({ key, atSeconds: pass.samplesAtSeconds, value }));
    await appendFine(sql, number, samples);
    if (Object.keys(values).length > 0) await updateSummary(sql, pass, values);
  });
}

/** The worst that decides a whole pass: `failed` only where no part gave anything. */
export function statusOfPass(outcomes: readonly PartOutcome[]): Scrape["status"] {
  if (outcomes.every(({ status }) => status === "ok")) return "ok";
  return outcomes.some(({ status }) => status === "ok" || status === "partial") ? "partial" : "failed";
}

/** Equal for passes that went wrong in the same way, whatever their figures. */
function signOutcomes(outcomes: readonly PartOutcome[]): string {
  const faults = outcomes
    .filter(({ status }) => status !== "ok")
    .map(({ part, status, failure, notRead }) => [
      part,
      status,
      failure?.reason,
      failure?.path,
      failure?.status,
      notRead.map(({ what, failure: { reason } }) => [what, reason]),
    ]);
  return createHash("sha256").update(JSON.stringify(faults)).digest("base64url").slice(0, 12);
}

async function insertScrape(sql: Sql, pass: PassRecord): Promise<boolean> {
  const outcomes = pass.parts.map(({ outcome }) => outcome);
  const inserted = await sql.run(
    `INSERT INTO scrapes (cluster_id, started_at, duration_seconds, status, requests, wire_bytes, decoded_bytes, signature, parts_json)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    pass.clusterId,
    pass.startedAt,
    pass.durationSeconds,
    statusOfPass(outcomes),
    pass.requests,
    pass.wireBytes,
    pass.decodedBytes,
    signOutcomes(outcomes),
    JSON.stringify(outcomes),
  );
  return inserted > 0;
}

async function upsertPart(sql: Sql, pass: PassRecord, { outcome, value }: EncodedPart): Promise<void> {
  const { part, startedAt } = outcome;
  const valueAt = value === null ? null : startedAt;
  await sql.run(
    `INSERT INTO part_states (cluster_id, part, started_at, outcome_json, value_at, next_attempt_at, period_seconds)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (cluster_id, part) DO UPDATE SET started_at = excluded.started_at, outcome_json = excluded.outcome_json,
       value_at = coalesce(excluded.value_at, part_states.value_at), next_attempt_at = excluded.next_attempt_at,
       period_seconds = excluded.period_seconds
     WHERE excluded.started_at >= part_states.started_at`,
    pass.clusterId,
    part,
    startedAt,
    JSON.stringify(outcome),
    valueAt,
    pass.nextAttemptAt[part] ?? null,
    pass.periodSeconds[part] ?? PART_PERIOD_SECONDS[part],
  );
  if (value === null) return;
  await sql.run(
    `INSERT INTO part_values (cluster_id, part, value_at, encoding, content) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (cluster_id, part) DO UPDATE SET value_at = excluded.value_at, encoding = excluded.encoding,
       content = excluded.content
     WHERE excluded.value_at >= part_values.value_at`,
    pass.clusterId,
    part,
    startedAt,
    value.encoding,
    value.content,
  );
  // A value that comes after a younger failure was recorded is still the last good one: its age must be known too.
  await sql.run(
    `UPDATE part_states SET value_at = ? WHERE cluster_id = ? AND part = ? AND (value_at IS NULL OR value_at < ?)`,
    startedAt,
    pass.clusterId,
    part,
    startedAt,
  );
}

/** A pass may know when the parts that it left out come next. */
async function scheduleOthers(sql: Sql, pass: PassRecord): Promise<void> {
  const attempted = new Set<string>(pass.parts.map(({ part }) => part));
  const others = Object.entries(pass.nextAttemptAt).filter(([part]) => !attempted.has(part));
  await sql.runMany(
    "UPDATE part_states SET next_attempt_at = ? WHERE cluster_id = ? AND part = ?",
    others.map(([part, at]) => [at, pass.clusterId, part]),
  );
}

async function updateSummary(sql: Sql, pass: PassRecord, values: Partial<PartValues>): Promise<void> {
  const [row] = await sql.all<{ at: number; summaryJson: string }>(
    "SELECT at, summary_json AS summaryJson FROM cluster_summaries WHERE cluster_id = ?",
    pass.clusterId,
  );
  if (row !== undefined && row.at > pass.startedAt) return;
  const summary = summariseCluster({
    previous: row ? decodeJsonOr(StoredClusterSummarySchema.nullable(), row.summaryJson, null) : null,
    values,
    servers: values.servers ?? (values.fairness && (await readServers(sql, pass.clusterId))) ?? null,
    at: pass.startedAt,
  });
  await sql.run(
    `INSERT INTO cluster_summaries (cluster_id, at, summary_json) VALUES (?, ?, ?)
     ON CONFLICT (cluster_id) DO UPDATE SET at = excluded.at, summary_json = excluded.summary_json`,
    pass.clusterId,
    pass.startedAt,
    JSON.stringify(summary),
  );
}

/** The servers as last read; `null` where they never were or do not parse (then ids stand in for names). */
async function readServers(sql: Sql, clusterId: string): Promise<ServersPart | null> {
  const [row] = await sql.all<{ encoding: string; content: Uint8Array }>(
    "SELECT encoding, content FROM part_values WHERE cluster_id = ? AND part = 'servers'",
    clusterId,
  );
  if (row === undefined) return null;
  try {
    return decodeValue(STORED_PART_SCHEMAS.servers, row, "servers");
  } catch {
    return null;
  }
}
