import { z } from "zod";

const EnvironmentSchema = z.object({
  NODE_ENV: z.string().default("production"),
  /** Level below which nothing is logged. */
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  /** File of the collector that the web process forks; default `dist/collector.mjs` under the working directory. */
  HEADROOM_COLLECTOR_ENTRY: z.string().min(1).optional(),
});
export type ProcessEnvironment = z.infer<typeof EnvironmentSchema>;

/**
 * The variables that are no configuration (`lib/config` reads those), checked. An empty variable counts as unset.
 * @throws Error that names each variable and what it takes; never its value.
 */
export function readEnv(env: Readonly<Record<string, string | undefined>> = process.env): ProcessEnvironment {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = EnvironmentSchema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
}
