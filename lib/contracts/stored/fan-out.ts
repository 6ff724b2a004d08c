import { z } from "zod";
import type { AgentProjection } from "../../domain/fan-out/agent-projection.ts";
import type { AgentSummary, FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import type { Band } from "../../domain/storm/bands.ts";
import { VERDICT_REASONS, VERDICTS } from "../../domain/storm/verdict.ts";

export const BandSchema = z.object({
  p5: z.number(),
  p50: z.number(),
  p95: z.number(),
  seeds: z.number(),
}) satisfies z.ZodType<Band>;

/** What starting all copies of an agent at once does to one cluster. */
export const AgentProjectionSchema = z.object({
  agentId: z.string(),
  verdict: z.enum(VERDICTS),
  simulated: z.enum(["invisible", "visible", "unsafe"]).nullable(),
  reasons: z.array(
    z.object({ reason: z.enum(VERDICT_REASONS), verdict: z.enum(VERDICTS), text: z.string() }),
  ),
  skipped: z.string().nullable(),
  seeds: z.number(),
  undrained: z.number(),
  collapsed: z.number(),
  drainSeconds: BandSchema.nullable(),
  rejected: BandSchema.nullable(),
  neighbourWaitSeconds: BandSchema.nullable(),
  ownWaitSeconds: BandSchema.nullable(),
  linkRatio: BandSchema.nullable(),
  assumptions: z.array(z.string()),
}) satisfies z.ZodType<AgentProjection>;

/** The large part of what is stored: the rest has columns of its own. */
export const StoredFanOutContentSchema = z.object({
  model: z.string(),
  seedsWanted: z.number(),
  durationSeconds: z.number(),
  projections: z.array(AgentProjectionSchema),
});

const AgentSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  version: z.string().nullable(),
  verdict: z.enum(VERDICTS),
  simulated: z.enum(VERDICTS).nullable(),
  copies: z.number().nullable(),
  drainSeconds: z.number().nullable(),
  undrained: z.number(),
  bytes: z.number().nullable(),
  seats: z.number().nullable(),
}) satisfies z.ZodType<AgentSummary>;

export const StoredFanOutSummarySchema = z.object({
  at: z.number(),
  nodes: z.number().nullable(),
  agents: z.array(AgentSummarySchema),
}) satisfies z.ZodType<FanOutSummary>;
