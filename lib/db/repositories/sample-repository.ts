import type { SeriesKey } from "../../domain/clusters/series.ts";
import type { Database } from "../database.ts";
import { appendPoints, type SeriesPoints } from "../samples/append.ts";
import { querySeries, type SampleRange } from "../samples/query.ts";
import { queryFleet } from "../samples/query-fleet.ts";
import { listSeries, matches, toSeriesKey } from "../samples/series-ids.ts";
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
    return this.#database.read(({ sql }) => queryFleet(sql, keys, range));
  }
}
