import type { SeriesKey } from "../../domain/clusters/series.ts";
import type { Database } from "../database.ts";
import { appendPoints, type SeriesPoints } from "../samples/append.ts";
import { queryOneSeries, querySeries, type SampleRange } from "../samples/query.ts";
import { findSeries, listSeries, matches, toSeriesKey } from "../samples/series-ids.ts";
import type { Resolution, SampleRepository, StoredSeries } from "../store.ts";
import { findClusterNumber } from "./cluster-number.ts";

export class SampleRepositoryOnDatabase implements SampleRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  append(
    clusterId: string,
    resolution: Resolution,
    rows: readonly SeriesPoints[],
    { isGenerated }: { readonly isGenerated: boolean },
  ): Promise<void> {
    return this.#database.write(async (sql) =>
      appendPoints(sql, await findClusterNumber(sql, clusterId), resolution, rows, isGenerated),
    );
  }

  listKeys(clusterId: string): Promise<readonly SeriesKey[]> {
    return this.#database.read(async ({ sql }) => {
      const series = await listSeries(sql, await findClusterNumber(sql, clusterId));
      return series.map(toSeriesKey).filter((key) => key !== null);
    });
  }

  query(clusterId: string, match: Partial<SeriesKey>, range: SampleRange): Promise<readonly StoredSeries[]> {
    return this.#database.read(async ({ sql }) => {
      const cluster = await findClusterNumber(sql, clusterId);
      const series = (await listSeries(sql, cluster)).filter((row) => {
        const key = toSeriesKey(row);
        return key !== null && matches(key, match);
      });
      return querySeries(sql, cluster, series, range);
    });
  }

  queryFleet(
    keys: ReadonlyMap<string, SeriesKey>,
    range: SampleRange,
  ): Promise<ReadonlyMap<string, StoredSeries>> {
    return this.#database.read(async ({ sql }) => {
      const clusters = await sql.all<{ id: string; number: number }>("SELECT id, number FROM clusters");
      const found = new Map<string, StoredSeries>();
      for (const { id, number } of clusters) {
        const key = keys.get(id);
        const row = key && (await findSeries(sql, number, key));
        if (key && row) found.set(id, await queryOneSeries(sql, number, row, key, range));
      }
      return found;
    });
  }
}
