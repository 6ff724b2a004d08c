import { z } from "zod";
import { AgentCatalogueSchema } from "./agent-catalogue.ts";
import { AgentFileSchema } from "./agent-file.ts";
import { AgentsReportSchema, AgentsScoreReportSchema } from "./agents-report.ts";
import { ClusterFactsFileSchema } from "./cluster-facts.ts";
import { LearnedAgentsFileSchema } from "./learned-agents.ts";
import { ScanReportSchema } from "./scan-report.ts";
import { StormReportSchema } from "./storm-report.ts";

/** Schemas that are published under `public/schemas`, by the name of their file. `npm run schemas` writes them. */
export const PUBLISHED_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "agent-catalogue.schema.json": AgentCatalogueSchema,
  "agent.schema.json": AgentFileSchema,
  "agents-report.schema.json": AgentsReportSchema,
  "agents-score.schema.json": AgentsScoreReportSchema,
  "cluster-facts.schema.json": ClusterFactsFileSchema,
  "learned-agents.schema.json": LearnedAgentsFileSchema,
  "scan-report.schema.json": ScanReportSchema,
  "storm-report.schema.json": StormReportSchema,
};

/** A schema as it is published: JSON Schema 2020-12 of what is written, two blanks a level, ending in a line feed. */
export function publishedSchema(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`;
}
