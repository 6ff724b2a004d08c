import { z } from "zod";
import {
  BusiestLevelSchema,
  EventSchema,
  FrameSchema,
  InstantSchema,
  OwnCostSchema,
  SeveritySchema,
} from "./common.ts";

/** State of a cluster in the fleet: its worst risk, or that it cannot be reached, or that it was never read. */
export const ClusterStateSchema = z.enum(["error", "unreachable", "warning", "ok", "unknown"]);
export type ClusterState = z.infer<typeof ClusterStateSchema>;

export const FleetRowSchema = z.object({
  clusterId: z.string(),
  name: z.string(),
  role: z.string().nullable(),
  state: ClusterStateSchema,
  /** One sentence: the worst thing about it, with figures. */
  worstReason: z.string(),
  /** Where that sentence leads, a path of this site. */
  worstHref: z.string(),
  /** Risk of measured fairness, with how many findings; `unknown` for a cluster that is unreachable or never read. */
  fairness: z.object({ severity: SeveritySchema, findings: z.number().int() }),
  /** Risk if all copies of an agent LIST at once, with how many agents decide it; `unknown`: never simulated. */
  fanOut: z.object({ severity: SeveritySchema, findings: z.number().int() }),
  nodes: z.number().int().nullable(),
  version: z.string().nullable(),
  busiest: BusiestLevelSchema.nullable(),
  /**
   * Seats in use ÷ current limit of the busiest level, 24 h, at most 48 buckets: value `i` belongs to the bucket that
   * starts at `fromSeconds + i * stepSeconds`, `null` is a gap. `null` as a whole: no figures.
   */
  sparkline: z
    .object({
      fromSeconds: z.number(),
      stepSeconds: z.number(),
      values: z.array(z.number().nullable()).readonly(),
    })
    .nullable(),
  /** When its fairness figures were read; `null` if never. */
  dataAt: InstantSchema.nullable(),
  isStale: z.boolean(),
  unreachableSince: InstantSchema.nullable(),
  ownCost: OwnCostSchema.nullable(),
});
export type FleetRow = z.infer<typeof FleetRowSchema>;

export const FleetResponseSchema = z.object({
  frame: FrameSchema,
  /** Worst first: error, unreachable, warning, unknown, ok; inside one by harm, then name. */
  rows: z.array(FleetRowSchema),
  totals: z.object({
    clusters: z.number().int(),
    nodes: z.number().int(),
    /** Clusters whose node count is not known and so not in `nodes`. */
    clustersWithoutNodes: z.number().int(),
    ownCost: OwnCostSchema,
  }),
  risks: z.array(
    z.object({
      area: z.enum(["fan-out", "fairness", "collection"]),
      error: z.number().int(),
      warning: z.number().int(),
      ok: z.number().int(),
      unknown: z.number().int(),
      worst: z.string().nullable(),
      worstHref: z.string().nullable(),
    }),
  ),
});
export type FleetResponse = z.infer<typeof FleetResponseSchema>;

export const ChangesResponseSchema = z.object({
  now: InstantSchema,
  lastReviewAt: InstantSchema.nullable(),
  /** Not acknowledged by this reviewer: by day, newest first, then severity. At most 200; `total` counts all. */
  changes: z.array(EventSchema.extend({ href: z.string(), hrefLabel: z.string() })),
  total: z.number().int(),
  acknowledgedTotal: z.number().int(),
});
export type ChangesResponse = z.infer<typeof ChangesResponseSchema>;

export const AcknowledgeRequestSchema = z.union([
  z.strictObject({ eventIds: z.array(z.string().min(1).max(64)).min(1).max(500) }),
  /** Everything seen up to this instant. */
  z.strictObject({ allUpTo: InstantSchema }),
]);
export type AcknowledgeRequest = z.infer<typeof AcknowledgeRequestSchema>;

export const AcknowledgeResponseSchema = z.object({ eventIds: z.array(z.string()) });
export type AcknowledgeResponse = z.infer<typeof AcknowledgeResponseSchema>;

/** Events that one request may take back; "all" may have acknowledged more. */
export const MAX_UNDONE_EVENTS = 10_000;

export const UndoAcknowledgeRequestSchema = z.strictObject({
  eventIds: z.array(z.string().min(1).max(64)).min(1).max(MAX_UNDONE_EVENTS),
});

/** Palette entries that are not pages: clusters and agents now, rules with their area. */
/** Palette entries that are not pages: clusters and rules now, agents with their area. */
/** Palette entries that are not pages: clusters, agents and rules. */
export const PaletteResponseSchema = z.object({
  clusters: z.array(
    z.object({
      clusterId: z.string(),
      name: z.string(),
      state: ClusterStateSchema,
      version: z.string().nullable(),
    }),
  ),
  /** Worst verdict first, at most 500. */
  agents: z.array(z.object({ agentId: z.string(), title: z.string() })),
  rules: z.array(z.object({ name: z.string(), title: z.string() })),
});
export type PaletteResponse = z.infer<typeof PaletteResponseSchema>;
