import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { FairnessResponseSchema, OverviewResponseSchema } from "../contracts/cluster.ts";
import { EventsResponseSchema } from "../contracts/events.ts";
import { FanOutResponseSchema } from "../contracts/fan-out.ts";
import { FlowControlResponseSchema } from "../contracts/flow-control.ts";
import {
  type HISTORY_RANGES,
  type HistoryQuery,
  type HistoryRange,
  HistoryResponseSchema,
} from "../contracts/history.ts";
import { PART_PERIOD_SECONDS } from "../domain/clusters/part.ts";
import { fetchJson } from "./fetch-json.ts";
import { refetchIntervalMs } from "./query-client.ts";

const clusterPath = (clusterId: string, area: string) =>
  `/api/clusters/${encodeURIComponent(clusterId)}/${area}`;

/** What is wrong in one cluster, and what that rests on. */
export const overviewQuery = (clusterId: string) =>
  queryOptions({
    queryKey: ["clusters", clusterId, "overview"],
    queryFn: ({ signal }) =>
      fetchJson({ path: clusterPath(clusterId, "overview"), schema: OverviewResponseSchema, signal }),
    refetchInterval: refetchIntervalMs(PART_PERIOD_SECONDS.fairness),
  });

/** Who may use how much now, per API server. */
export const fairnessQuery = (clusterId: string) =>
  queryOptions({
    queryKey: ["clusters", clusterId, "fairness"],
    queryFn: ({ signal }) =>
      fetchJson({ path: clusterPath(clusterId, "fairness"), schema: FairnessResponseSchema, signal }),
    refetchInterval: refetchIntervalMs(PART_PERIOD_SECONDS.fairness),
  });

/** What decides where a request goes and what it costs: objects, counts and accounts, which move slowly. */
export const flowControlQuery = (clusterId: string) =>
  queryOptions({
    queryKey: ["clusters", clusterId, "flow-control"],
    queryFn: ({ signal }) =>
      fetchJson({ path: clusterPath(clusterId, "flow-control"), schema: FlowControlResponseSchema, signal }),
    refetchInterval: refetchIntervalMs(PART_PERIOD_SECONDS.inventory),
  });

/** What each agent would cost if all its copies LISTed at once. Sizes move slowly; a simulation may come any moment. */
export const fanOutQuery = (clusterId: string) =>
  queryOptions({
    queryKey: ["clusters", clusterId, "fan-out"],
    queryFn: ({ signal }) =>
      fetchJson({ path: clusterPath(clusterId, "fan-out"), schema: FanOutResponseSchema, signal }),
    refetchInterval: ({ state }) =>
      refetchIntervalMs(state.data?.projection?.isCurrent === true ? PART_PERIOD_SECONDS.fairness : 5),
  });

/** Events and charts of a range. A range that ends in the past does not change, so it is not asked for again. */
export const historyQuery = (clusterId: string, query: HistoryQuery) =>
  queryOptions({
    queryKey: ["clusters", clusterId, "history", historySearch(query)],
    queryFn: ({ signal }) =>
      fetchJson({
        path: `${clusterPath(clusterId, "history")}${historySearch(query)}`,
        schema: HistoryResponseSchema,
        signal,
      }),
    refetchInterval: query.at === undefined ? REFETCH_BY_RANGE[query.range] : false,
    placeholderData: keepPreviousData,
  });

/**
 * Events before those of a list that ended with `cursor`, newest first, down to `from` (milliseconds since the epoch).
 * What is past does not change, so no page is asked for again.
 */
export const olderEventsQuery = (
  clusterId: string,
  { cursor, from }: { readonly cursor: string; readonly from: number },
) =>
  infiniteQueryOptions({
    queryKey: ["clusters", clusterId, "events", { cursor, from }],
    queryFn: ({ pageParam, signal }) =>
      fetchJson({
        path: `${clusterPath(clusterId, "events")}?${new URLSearchParams({ cursor: pageParam, from: String(from) })}`,
        schema: EventsResponseSchema,
        signal,
      }),
    initialPageParam: cursor,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The query string of a history range with defaults left out; empty for the default view. */
export function historySearch({ range, server, level, at, chart }: HistoryQuery): string {
  const search = new URLSearchParams();
  if (range !== DEFAULT_RANGE) search.set("range", range);
  if (server !== undefined) search.set("server", server);
  if (level !== undefined) search.set("level", level);
  if (at !== undefined) search.set("at", String(at));
  if (chart !== undefined) search.set("chart", chart);
  return search.size === 0 ? "" : `?${search}`;
}

export const DEFAULT_RANGE: HistoryRange = "24h";

/** Finer ranges move while one looks at them; a longer one gains a point in minutes or hours. */
const REFETCH_BY_RANGE: Readonly<Record<(typeof HISTORY_RANGES)[number], number>> = {
  "2h": 10_000,
  "24h": 30_000,
  "7d": 30_000,
  "30d": 30_000,
  "400d": 30_000,
};
