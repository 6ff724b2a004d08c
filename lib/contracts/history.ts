import { z } from "zod";
import { ClusterHeaderSchema } from "./cluster.ts";
import { ChartSeriesSchema, EventSchema, FrameSchema, InstantSchema } from "./common.ts";

export const HISTORY_RANGES = ["2h", "24h", "7d", "30d", "400d"] as const;
export const HistoryRangeSchema = z.enum(HISTORY_RANGES);
export type HistoryRange = z.infer<typeof HistoryRangeSchema>;

export const HISTORY_CHARTS = [
  "seats",
  "waiting",
  "rejected",
  "requests",
  "nodes",
  "memory",
  "storage",
  "own-cost",
] as const;

/** URL state of the history page; default values are left out of the URL. */
export const HistoryQuerySchema = z.object({
  range: HistoryRangeSchema.default("24h"),
  /** Server id; absent: the busiest. */
  server: z.string().max(128).optional(),
  /** Priority level; absent: the busiest. */
  level: z.string().max(253).optional(),
  /** End of the range; absent: now. */
  at: z.coerce.number().int().positive().optional(),
  /** One chart alone; absent: all of them. */
  chart: z.enum(HISTORY_CHARTS).optional(),
});
export type HistoryQuery = z.infer<typeof HistoryQuerySchema>;

export const HistoryChartSchema = z.object({
  id: z.enum(HISTORY_CHARTS),
  title: z.string(),
  series: z.array(ChartSeriesSchema).max(8),
  /** Series there are in all, where more than 8. */
  seriesTotal: z.number().int(),
});

export const HistoryResponseSchema = z.object({
  frame: FrameSchema,
  header: ClusterHeaderSchema,
  fromAt: InstantSchema,
  toAt: InstantSchema,
  range: HistoryRangeSchema,
  serverId: z.string().nullable(),
  priorityLevelName: z.string().nullable(),
  servers: z.array(z.object({ id: z.string(), name: z.string() })),
  priorityLevelNames: z.array(z.string()),
  charts: z.array(HistoryChartSchema),
  /** Newest first, within the range; marks on the charts. */
  events: z.array(EventSchema),
  nextCursor: z.string().nullable(),
});
export type HistoryResponse = z.infer<typeof HistoryResponseSchema>;
