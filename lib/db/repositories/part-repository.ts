import { StoredClusterSummarySchema } from "../../contracts/stored/cluster.ts";
import { StoredOutcomeSchema } from "../../contracts/stored/outcome.ts";
import { STORED_PART_SCHEMAS } from "../../contracts/stored/part-values.ts";
import { PART_NAMES, type PartName, type PartOutcome, type PartState } from "../../domain/clusters/part.ts";
import type { PartValues } from "../../domain/clusters/part-values.ts";
import { AppError } from "../../errors.ts";
import type { Database } from "../database.ts";
import { ParsedTexts } from "../parsed-texts.ts";
import type { ClusterSummary, PartRepository, PassRecord } from "../store.ts";
import { decodeJson, decodeJsonOr, decodeValue, formatInstant } from "../stored-json.ts";
import { recordPass } from "./record-pass.ts";

/** What a value or an outcome that does not parse is called in messages. */
const nameOfStored = (what: string, clusterId: string, part: string, at: number) =>
  `The stored ${what} of part ${part} of cluster ${clusterId}, ${formatInstant(at)},`;

interface StateRow {
  readonly part: string;
  readonly startedAt: bigint | number;
  readonly outcomeJson: string;
  readonly valueAt: bigint | number | null;
  readonly nextAttemptAt: bigint | number | null;
  readonly periodSeconds: number;
}

interface ValueRow {
  readonly encoding: string;
  readonly content: Uint8Array;
  readonly valueAt: bigint | number;
}

export class PartRepositoryOnDatabase implements PartRepository {
  readonly #database: Database;
  readonly #outcomes = new ParsedTexts((json) => decodeJsonOr(StoredOutcomeSchema.nullable(), json, null));
  readonly #summaries = new ParsedTexts((json) =>
    decodeJsonOr(StoredClusterSummarySchema.nullable(), json, null),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  recordPass(pass: PassRecord): Promise<void> {
    return recordPass(this.#database, pass);
  }

  async get<P extends PartName>(clusterId: string, part: P): Promise<PartState<PartValues[P]> | null> {
    const key = { clusterId_part: { clusterId, part } };
    const [state, value] = await this.#database.read(async ({ prisma }) => [
      await prisma.partState.findUnique({ where: key }),
      await prisma.partValue.findUnique({ where: key }),
    ]);
    if (state === null) return null;
    const latest = decodeJson(
      StoredOutcomeSchema,
      state.outcomeJson,
      nameOfStored("outcome", clusterId, part, Number(state.startedAt)),
    );
    return toState(state, part, latest, value && readValue(clusterId, part, value), value);
  }

  async getAll(clusterId: string): Promise<{ readonly [P in PartName]?: PartState<PartValues[P]> }> {
    const [states, values] = await this.#database.read(async ({ prisma }) => [
      await prisma.partState.findMany({ where: { clusterId } }),
      await prisma.partValue.findMany({ where: { clusterId } }),
    ]);
    const found: { [P in PartName]?: PartState<PartValues[P]> } = {};
    const add = <P extends PartName>(part: P, into: { [Q in P]?: PartState<PartValues[Q]> }) => {
      const state = states.find((row) => row.part === part);
      const value = values.find((row) => row.part === part) ?? null;
      if (state !== undefined) into[part] = readLeniently(clusterId, part, state, value);
    };
    for (const part of PART_NAMES) add(part, found);
    return found;
  }

  async listOutcomes(): Promise<ReadonlyMap<string, readonly PartState<null>[]>> {
    const rows = await this.#database.read(({ sql }) =>
      sql.all<StateRow & { clusterId: string }>(
        `SELECT p.cluster_id AS clusterId, part, started_at AS startedAt, outcome_json AS outcomeJson, value_at AS valueAt,
                next_attempt_at AS nextAttemptAt, period_seconds AS periodSeconds
         FROM part_states p JOIN clusters c ON c.id = p.cluster_id WHERE c.removed_at IS NULL`,
      ),
    );
    const byCluster = new Map<string, PartState<null>[]>();
    for (const row of rows) {
      const part = PART_NAMES.find((name) => name === row.part);
      if (part === undefined) continue;
      const latest =
        this.#outcomes.get(`${row.clusterId}\n${part}`, row.outcomeJson) ??
        unreadableOutcome(row.clusterId, part, row);
      const state = toState<null>(row, part, latest, null, null);
      const list = byCluster.get(row.clusterId);
      // The age of the value stays, though the value itself is left out.
      const withAge = { ...state, valueAt: row.valueAt === null ? null : Number(row.valueAt) };
      if (list === undefined) byCluster.set(row.clusterId, [withAge]);
      else list.push(withAge);
    }
    return byCluster;
  }

  async listSummaries(): Promise<ReadonlyMap<string, ClusterSummary>> {
    const rows = await this.#database.read(({ sql }) =>
      sql.all<{ clusterId: string; summaryJson: string }>(
        `SELECT s.cluster_id AS clusterId, summary_json AS summaryJson
         FROM cluster_summaries s JOIN clusters c ON c.id = s.cluster_id WHERE c.removed_at IS NULL`,
      ),
    );
    const summaries = new Map<string, ClusterSummary>();
    for (const { clusterId, summaryJson } of rows) {
      const summary = this.#summaries.get(clusterId, summaryJson);
      // A summary that does not parse is written anew by the next pass; until then the row says `not known`.
      if (summary !== null) summaries.set(clusterId, summary);
    }
    return summaries;
  }
}

function readValue<P extends PartName>(clusterId: string, part: P, row: ValueRow): PartValues[P] {
  return decodeValue(
    STORED_PART_SCHEMAS[part],
    row,
    nameOfStored("value", clusterId, part, Number(row.valueAt)),
  );
}

/** A value that does not parse is absent, and the state says so: the other parts of a page are not affected. */
function readLeniently<P extends PartName>(
  clusterId: string,
  part: P,
  state: StateRow,
  row: ValueRow | null,
): PartState<PartValues[P]> {
  const latest = readOutcomeLeniently(clusterId, part, state);
  try {
    return toState(state, part, latest, row && readValue(clusterId, part, row), row);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "stored-value-unreadable") throw error;
    return { ...toState<PartValues[P]>(state, part, latest, null, null), unreadable: error.message };
  }
}

function readOutcomeLeniently(clusterId: string, part: PartName, row: StateRow): PartOutcome {
  return decodeJsonOr(StoredOutcomeSchema, row.outcomeJson, unreadableOutcome(clusterId, part, row));
}

/** What stands in for an outcome that does not parse. */
function unreadableOutcome(clusterId: string, part: PartName, row: StateRow): PartOutcome {
  const startedAt = Number(row.startedAt);
  const message = `${nameOfStored("outcome", clusterId, part, startedAt)} does not parse.`;
  return {
    part,
    status: "failed",
    startedAt,
    durationSeconds: 0,
    requests: 0,
    wireBytes: 0,
    answer: "not known",
    failure: { reason: "bad-body", verb: null, path: null, status: null, message, retryAfterSeconds: null },
    notRead: [],
  };
}

function toState<Value>(
  row: StateRow,
  part: PartName,
  latest: PartOutcome,
  value: Value | null,
  valueRow: ValueRow | null,
): PartState<Value> {
  return {
    part,
    latest,
    value,
    valueAt: valueRow === null ? null : Number(valueRow.valueAt),
    nextAttemptAt: row.nextAttemptAt === null ? null : Number(row.nextAttemptAt),
    periodSeconds: row.periodSeconds,
  };
}
