import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import {
  ACCESS_MODE_SCHEMA,
  BASE_URL_SCHEMA,
  BYTES_SCHEMA,
  type ConfigFile,
  PORT_SCHEMA,
  REQUESTS_PER_MINUTE_SCHEMA,
} from "./config-file-schema.ts";
import type { ConfigFlags, HeadroomConfig, KubeconfigTarget } from "./config-types.ts";
import { type ReadConfigFile, readConfigFile } from "./read-config-file.ts";

/** Name of the configuration file looked for in the working directory. */
export const CONFIG_FILE_NAME = "headroom.yaml";

/** The variable in which flags are handed to child processes, as JSON. */
export const FLAGS_VARIABLE = "HEADROOM_FLAGS";

const LOOPBACK_ADDRESSES = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigInput {
  readonly env?: Environment;
  /** Where relative paths start and `headroom.yaml` is looked for. Default: `HEADROOM_CWD`, else the process's own. */
  readonly cwd?: string;
  /** Default: what `HEADROOM_FLAGS` holds. */
  readonly flags?: ConfigFlags;
}

const FlagsSchema = z.strictObject({
  config: z.string().min(1).optional(),
  kubeconfig: z.array(z.string().min(1)).optional(),
  context: z.array(z.string().min(1)).optional(),
  port: PORT_SCHEMA.optional(),
  address: z.string().min(1).optional(),
  demo: z.boolean().optional(),
});

/** The flags as child processes get them: put the result in `HEADROOM_FLAGS`. */
export function encodeFlags(flags: ConfigFlags): string {
  return JSON.stringify(flags);
}

/**
 * The configuration: defaults, then `headroom.yaml` (or the file of `--config` or `HEADROOM_CONFIG`), then environment
 * variables, then flags. Lists of kubeconfigs add up, in that order of precedence. `KUBECONFIG` and `~/.kube/config`
 * are never looked at: starting a dashboard must not read production by surprise.
 * @throws ConfigError naming every problem with its file, line and path, its variable or its flag.
 */
export function loadConfig(input: ConfigInput = {}): HeadroomConfig {
  const env = input.env ?? process.env;
  // Next's standalone server changes its working directory, so `headroom serve` hands down the one it was started in.
  const cwd = input.cwd ?? nonEmpty(env.HEADROOM_CWD) ?? process.cwd();
  const problems: ConfigProblem[] = [];
  const flags = readFlags(input.flags, env, problems);
  const named = flags.config ?? nonEmpty(env.HEADROOM_CONFIG);
  const file = named === undefined ? findDefaultFile(cwd) : resolvePath(cwd, named);
  const read = file === null ? null : readConfigFile(file);
  const fromFile: ConfigFile = read?.content ?? {};
  const variable = <T>(name: string, schema: z.ZodType<T>): T | undefined =>
    readVariable(env, name, schema, problems);

  const addressFlag = flags.address;
  const addressVariable = nonEmpty(env.HEADROOM_ADDRESS);
  const address = addressFlag ?? addressVariable ?? fromFile.server?.address ?? "127.0.0.1";
  if (!LOOPBACK_ADDRESSES.test(address)) {
    problems.push({
      ...origin(file, read, "server.address", [
        ["--address", addressFlag],
        ["HEADROOM_ADDRESS", addressVariable],
      ]),
      expected:
        "a loopback address (127.0.0.1, ::1 or localhost): there is no authentication yet, so whoever reaches another address would see every cluster. Use a tunnel such as ssh -L",
    });
  }
  const modeVariable = variable("HEADROOM_ACCESS_MODE", ACCESS_MODE_SCHEMA);
  const mode = modeVariable ?? fromFile.access?.mode ?? "none";
  if (mode !== "none") {
    problems.push({
      ...origin(file, read, "access.mode", [["HEADROOM_ACCESS_MODE", modeVariable]]),
      expected: `none: sign-in by ${mode} does not exist yet, and serving without it would let everybody in`,
    });
  }
  if (flags.context !== undefined && (flags.kubeconfig ?? []).length === 0) {
    problems.push({ source: "--context", position: null, path: "", expected: "--kubeconfig PATH beside it" });
  }
  const contextVariable = splitNames(env.HEADROOM_CONTEXT, ",");
  if (contextVariable.length > 0 && splitNames(env.HEADROOM_KUBECONFIG, path.delimiter).length === 0) {
    problems.push({
      source: "HEADROOM_CONTEXT",
      position: null,
      path: "",
      expected: "HEADROOM_KUBECONFIG beside it",
    });
  }
  const retention = fromFile.retention ?? {};
  const clusters = fromFile.clusters ?? {};
  const config: HeadroomConfig = {
    file,
    workingDirectory: cwd,
    clusters: {
      kubeconfigs: [
        ...targets("flag", cwd, flags.kubeconfig ?? [], flags.context),
        ...targets(
          "environment",
          cwd,
          splitNames(env.HEADROOM_KUBECONFIG, path.delimiter),
          contextVariable.length > 0 ? contextVariable : undefined,
        ),
        ...(clusters.kubeconfigs ?? []).flatMap((each) =>
          // Paths in the file are relative to it, so that it means the same from every working directory.
          targets("configuration-file", file === null ? cwd : path.dirname(file), [each.path], each.contexts),
        ),
      ],
      inCluster: variable("HEADROOM_IN_CLUSTER", BooleanSchema) ?? clusters.inCluster ?? false,
      labels: clusters.labels ?? {},
      budget: {
        requestsPerMinute:
          variable("HEADROOM_REQUESTS_PER_MINUTE", NUMBER_IN_TEXT.pipe(REQUESTS_PER_MINUTE_SCHEMA)) ??
          clusters.budget?.requestsPerMinute ??
          120,
        bytesPerMinute:
          variable("HEADROOM_BYTES_PER_MINUTE", BYTES_SCHEMA) ??
          clusters.budget?.bytesPerMinute ??
          256 * 2 ** 20,
      },
      forceDemo: flags.demo ?? variable("HEADROOM_DEMO", BooleanSchema) ?? false,
    },
    store: { url: readStoreUrl(cwd, file, read, nonEmpty(env.HEADROOM_STORE_URL), problems) },
    server: {
      address,
      port:
        flags.port ??
        variable("HEADROOM_PORT", NUMBER_IN_TEXT.pipe(PORT_SCHEMA)) ??
        fromFile.server?.port ??
        3000,
      baseUrl: variable("HEADROOM_BASE_URL", BASE_URL_SCHEMA) ?? fromFile.server?.baseUrl ?? null,
    },
    audit: readAudit({
      cwd,
      file,
      fromFile,
      env,
      isEnabled: variable("HEADROOM_AUDIT_WEBHOOK", BooleanSchema),
    }),
    access: { mode: "none" },
    retention: {
      fineSeconds: retention.fine ?? 2 * 3600,
      fiveMinutesSeconds: retention.fiveMinutes ?? 14 * 86_400,
      hourlySeconds: retention.hourly ?? 400 * 86_400,
      scrapesSeconds: retention.scrapes ?? 90 * 86_400,
      incidentsSeconds: retention.incidents ?? 30 * 86_400,
    },
    detection: {
      paths: fromFile.detection?.paths ?? [
        { name: "alert on API server latency", seconds: 300 },
        { name: "DNS cache expiry", seconds: 1800 },
      ],
    },
    agents: {
      catalogueFiles: (fromFile.agents?.catalogue ?? []).map((each) =>
        resolvePath(file === null ? cwd : path.dirname(file), each),
      ),
    },
    policy: {
      approvers: fromFile.policy?.approvers ?? 1,
      requireEvidence: fromFile.policy?.requireEvidence ?? "declared",
      maxDrainSeconds: fromFile.policy?.maxDrainSeconds ?? 120,
      waivers: (fromFile.policy?.waivers ?? []).map((each) => ({ ...each, subject: each.subject ?? null })),
    },
    collector: {
      mode:
        variable("COLLECTOR", z.enum(["external", "supervised"], { error: "external or supervised" })) ??
        "supervised",
    },
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Text that is no number stays text, so that the schema behind it says what was expected. */
const NUMBER_IN_TEXT = z.string().transform((text): unknown => (/^\d+$/.test(text) ? Number(text) : text));

const BooleanSchema = z
  .enum(["true", "false", "1", "0"], { error: "true or false" })
  .transform((value) => value === "true" || value === "1");

function readFlags(given: ConfigFlags | undefined, env: Environment, problems: ConfigProblem[]): ConfigFlags {
  let raw: unknown = given;
  const encoded = nonEmpty(env[FLAGS_VARIABLE]);
  if (given === undefined && encoded !== undefined) {
    try {
      raw = JSON.parse(encoded);
    } catch {
      problems.push({ source: FLAGS_VARIABLE, position: null, path: "", expected: "flags as JSON" });
    }
  }
  if (raw === undefined) return {};
  const parsed = FlagsSchema.safeParse(raw);
  if (parsed.success) return withoutUndefined(parsed.data);
  for (const issue of parsed.error.issues) {
    problems.push({
      source: issue.path.length === 0 ? FLAGS_VARIABLE : `--${String(issue.path[0])}`,
      position: null,
      path: "",
      expected: issue.message,
    });
  }
  return {};
}

/** Drops members that are `undefined`, which zod keeps in the type of an optional member. */
function withoutUndefined(flags: z.infer<typeof FlagsSchema>): ConfigFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function readVariable<T>(
  env: Environment,
  name: string,
  schema: z.ZodType<T>,
  problems: ConfigProblem[],
): T | undefined {
  const value = nonEmpty(env[name]);
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push({
    source: name,
    position: null,
    path: "",
    expected: parsed.error.issues[0]?.message ?? "another value",
  });
  return undefined;
}

/** An empty variable is an unset one, as in most shells and in container manifests. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

function splitNames(value: string | undefined, separator: string): readonly string[] {
  return (value ?? "")
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function findDefaultFile(cwd: string): string | null {
  const file = path.join(cwd, CONFIG_FILE_NAME);
  return existsSync(file) ? file : null;
}

/** Absolute path; `~/` is the home of the user that runs Headroom. */
export function resolvePath(base: string, given: string): string {
  return given.startsWith("~/") ? path.join(homedir(), given.slice(2)) : path.resolve(base, given);
}

function targets(
  source: KubeconfigTarget["source"],
  base: string,
  paths: readonly string[],
  contexts: readonly string[] | undefined,
): readonly KubeconfigTarget[] {
  return paths.map((each) => ({ source, path: resolvePath(base, each), contexts: contexts ?? ["*"] }));
}

/** Where a value that cannot be used came from: the first flag or variable that is set, else the file. */
function origin(
  file: string | null,
  read: ReadConfigFile | null,
  configPath: string,
  overrides: readonly (readonly [source: string, value: unknown])[],
): Omit<ConfigProblem, "expected"> {
  const set = overrides.find(([, value]) => value !== undefined);
  if (set) return { source: set[0], position: null, path: "" };
  return {
    source: file ?? CONFIG_FILE_NAME,
    position: read?.positionOf(configPath.split(".")) ?? null,
    path: configPath,
  };
}

function readAudit({
  cwd,
  file,
  fromFile,
  env,
  isEnabled,
}: {
  readonly cwd: string;
  readonly file: string | null;
  readonly fromFile: ConfigFile;
  readonly env: Environment;
  readonly isEnabled: boolean | undefined;
}): HeadroomConfig["audit"] {
  const webhook = fromFile.audit?.webhook ?? {};
  const variable = nonEmpty(env.HEADROOM_AUDIT_TOKEN_FILE);
  const named = variable ?? webhook.tokenFile ?? null;
  const base = variable === undefined && file !== null ? path.dirname(file) : cwd;
  return {
    webhookEnabled: isEnabled ?? webhook.enabled ?? false,
    tokenFile: named === null ? null : resolvePath(base, named),
  };
}

function readStoreUrl(
  cwd: string,
  file: string | null,
  read: ReadConfigFile | null,
  fromVariable: string | undefined,
  problems: ConfigProblem[],
): string {
  const fromFile = read?.content.store?.url;
  const given = fromVariable ?? fromFile ?? "file:./data/headroom.db";
  const base =
    fromVariable === undefined && fromFile !== undefined && file !== null ? path.dirname(file) : cwd;
  const relative = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/.exec(given)?.[1];
  if (relative !== undefined) return `file:${resolvePath(base, relative)}`;
  problems.push({
    ...origin(file, read, "store.url", [["HEADROOM_STORE_URL", fromVariable]]),
    expected: /^postgres(?:ql)?:/.test(given)
      ? 'a "file:" URL: PostgreSQL is not supported yet'
      : 'a URL such as "file:./data/headroom.db"',
  });
  return "";
}
