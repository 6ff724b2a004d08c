import { z } from "zod";
import type { LearnedAgents } from "../../domain/agents/learn/learned-agents.ts";
import { LearnedAgentSchema } from "../learned-agents.ts";

const count = () => z.int().min(0);
const instant = () => z.number().nullable();

/** What was learned over one span of time, as it lies in the store. */
export const StoredLearnedAgentsSchema = z.object({
  firstAt: instant(),
  lastAt: instant(),
  agents: z.array(LearnedAgentSchema),
  requests: count(),
  otherEvents: count(),
  beyond: z.object({ agentRequests: count(), readRequests: count() }),
}) satisfies z.ZodType<LearnedAgents>;
