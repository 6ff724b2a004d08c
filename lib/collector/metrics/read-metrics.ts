import type { Clock } from "../../clock.ts";
import type { ApiServerClient, ConnectionId, RequestLimits } from "../../kube/index.ts";
import { createServerMetricsReducer, type ServerMetrics } from "./server-metrics.ts";
import { WANTED_METRICS } from "./wanted-metrics.ts";

export const METRICS_PATH = "/metrics";

/** A page of one server, and how far that server's clock is from ours. */
export interface ReadPage {
  readonly metrics: ServerMetrics;
  /** Server's clock minus ours; 0 where it sent no date, or differs by less than the date's resolution. */
  readonly clockSkewMs: number;
  readonly decodedBytes: number;
  readonly connectionId: ConnectionId | null;
}

const DATE_RESOLUTION_MS = 2000;

/** Reads one page as a stream; nothing of it is held but the sums. @throws ApiServerError */
export async function readMetricsPage(
  client: ApiServerClient,
  clock: Clock,
  limits: Partial<RequestLimits>,
): Promise<ReadPage> {
  const reducer = createServerMetricsReducer();
  const result = await client.scanMetrics({ names: WANTED_METRICS, onSample: reducer.take, limits });
  const readAt = clock.now();
  return {
    metrics: reducer.finish(readAt),
    clockSkewMs: findClockSkew(result.headers, readAt),
    decodedBytes: result.cost.decodedBytes,
    connectionId: result.connectionId,
  };
}

/** From the Date header of an answer. */
export function findClockSkew(headers: Readonly<Record<string, string>>, now: number): number {
  const date = Date.parse(headers.date ?? "");
  if (Number.isNaN(date)) return 0;
  const skew = date - now;
  return Math.abs(skew) <= DATE_RESOLUTION_MS ? 0 : skew;
}
