import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { ConfigFlags } from "../config/config-types.ts";
import { registerAgents } from "./register/agents.ts";
import { registerFairness } from "./register/fairness.ts";
import { registerRollout } from "./register/rollout.ts";
import { registerRules, registerScan } from "./register/scan.ts";
import { registerSeats } from "./register/seats.ts";
import { registerStorm } from "./register/storm.ts";

/** Wrong usage, or an input that cannot be read. */
const WRONG_USAGE = 2;

/** Writes to the standard streams; a reader that has gone away (`| head`) is no error. */
const output = {
  out: (text: string) => void process.stdout.write(`${text}\n`),
  err: (text: string) => void process.stderr.write(`${text}\n`),
};

interface CommonOptions {
  readonly output: "text" | "json";
  readonly quiet: boolean;
  readonly config?: string;
}

interface CollectOptions extends CommonOptions {
  readonly once: boolean;
  readonly context: readonly string[];
  readonly kubeconfig?: string;
  readonly store: boolean;
}

/** Commands load what they need when they run: `--help` and `--version` stay quick. */
function createProgram(setExitCode: (code: number) => void): Command {
  const program = new Command("headroom")
    .description("How much room each Kubernetes control plane has left.")
    .version(packageJson.version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .configureOutput({ writeErr: (text) => void process.stderr.write(text) });

  withCommonOptions(program.command("collect"))
    .summary("read clusters: all that are configured, or once")
    .description(
      `Reads clusters. Without --once it is the collector alone: every configured cluster (the demo fleet where there is none), into the store, until it is ended.

With --once it makes one pass over each context and prints per part what was read, requests, bytes on the wire and seconds. It finds the kubeconfig as kubectl does ($KUBECONFIG, else ~/.kube/config) and reads the current context unless --context names others. Nothing is stored unless --store is given.

Exit codes of --once: 0 everything was read, 2 wrong usage or a kubeconfig that cannot be used, 3 a cluster could not be read, or only in part.`,
    )
    .option("--once", "make one pass and end", false)
    .option("--context <name>", "context to read with --once; may be given again", collectText, [])
    .option("--kubeconfig <path>", "kubeconfig to read with --once")
    .option("--store", "with --once: keep what was read in the store of the configuration", false)
    .action(async (options: CollectOptions) => setExitCode(await collect(options)));

  const db = program.command("db").summary("the store: deploy, check, prune, backup, restore");
  const dbCommand = (name: string, summary: string, ...args: readonly string[]) => {
    const command = db.command(name).description(summary);
    for (const arg of args) command.argument(arg);
    return command.option("--config <path>", "configuration file");
  };
  dbCommand("deploy", "Makes the store where it is absent and applies what is missing.").action(
    async (options: Pick<CommonOptions, "config">) => setExitCode(await onStore("deploy", options)),
  );
  dbCommand("check", "Says whether the store is sound, and how large it is. Reads only.").action(
    async (options: Pick<CommonOptions, "config">) => setExitCode(await onStore("check", options)),
  );
  dbCommand("prune", "Rolls up and deletes what is older than its retention.").action(
    async (options: Pick<CommonOptions, "config">) => setExitCode(await onStore("prune", options)),
  );
  dbCommand("backup", "Copies the store while everything runs. Never overwrites.", "<file>").action(
    async (file: string, options: Pick<CommonOptions, "config">) =>
      setExitCode(await onStore("backup", options, file)),
  );
  dbCommand("restore", "Puts a backup in place of the store, which is kept aside.", "<file>").action(
    async (file: string, options: Pick<CommonOptions, "config">) =>
      setExitCode(await onStore("restore", options, file)),
  );

  registerScan(program, setExitCode);
  registerRules(program, setExitCode);
  registerSeats(program, setExitCode);
  registerAgents(program, setExitCode);
  registerFairness(program, setExitCode);
  registerRollout(program, setExitCode);
  registerStorm(program, setExitCode);

  program
    .command("serve")
    .summary("web server and collector")
    .description("Starts the web server and the collector.")
    .option("--port <number>", "port to listen on", parsePort)
    .option("--address <address>", "loopback address to listen on")
    .option("--kubeconfig <path>", "kubeconfig to read; may be given again", collectText, [])
    .option("--context <name>", "context of these kubeconfigs; may be given again", collectText, [])
    .option("--demo", "serve the demo fleet even where clusters are configured")
    .option("--config <path>", "configuration file")
    .action(async (options: ServeFlags) => setExitCode(await serve(options)));
  return program;
}

interface ServeFlags {
  readonly port?: number;
  readonly address?: string;
  readonly kubeconfig: readonly string[];
  readonly context: readonly string[];
  readonly demo?: boolean;
  readonly config?: string;
}

function withCommonOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--output <format>", "form of what is printed").choices(["text", "json"]).default("text"),
    )
    .option("--quiet", "print only what is not as it should be", false)
    .option("--config <path>", "configuration file");
}

async function collect(options: CollectOptions): Promise<number> {
  if (!options.once) {
    const misplaced = [
      options.context.length > 0 ? "--context" : null,
      options.kubeconfig === undefined ? null : "--kubeconfig",
      options.store ? "--store" : null,
    ].filter((flag) => flag !== null);
    if (misplaced.length > 0) {
      output.err(
        `${misplaced.join(", ")}: only with --once. The collector alone reads what is configured: headroom.yaml or HEADROOM_KUBECONFIG.`,
      );
      return WRONG_USAGE;
    }
    return collectForever(options);
  }
  const [{ runCollectOnce }, { loadConfig }, { chooseStyle }] = await Promise.all([
    import("./commands/collect.ts"),
    import("../config/load-config.ts"),
    import("./output/style.ts"),
  ]);
  const config = loadConfig({ flags: flagsOf(options) });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  return runCollectOnce(
    {
      contexts: options.context,
      kubeconfig: options.kubeconfig ?? null,
      format: options.output,
      isQuiet: options.quiet,
      isStored: options.store,
      config,
      env: process.env,
      style: chooseStyle(process.stdout, process.env),
      signal: stop.signal,
    },
    output,
  );
}

/** The collector's own entry runs until it is ended, and ends the process itself. */
async function collectForever(options: CommonOptions): Promise<number> {
  const { encodeFlags, FLAGS_VARIABLE } = await import("../config/load-config.ts");
  if (options.config !== undefined) process.env[FLAGS_VARIABLE] = encodeFlags(flagsOf(options));
  const { runCollector } = await import("../collector/run-collector.ts");
  return runCollector();
}

async function onStore(
  verb: "deploy" | "check" | "prune" | "backup" | "restore",
  options: Pick<CommonOptions, "config">,
  file = "",
): Promise<number> {
  const [commands, { loadConfig }, { systemClock }] = await Promise.all([
    import("./commands/db.ts"),
    import("../config/load-config.ts"),
    import("../clock.ts"),
  ]);
  const { store, retention } = loadConfig({ flags: flagsOf(options) });
  const db = { url: store.url, clock: systemClock };
  switch (verb) {
    case "deploy":
      return commands.runDbDeploy(db, output);
    case "check":
      return commands.runDbCheck(db, output);
    case "prune": {
      const { fineSeconds, fiveMinutesSeconds, hourlySeconds, scrapesSeconds } = retention;
      const seconds = {
        fine: fineSeconds,
        fiveMinutes: fiveMinutesSeconds,
        hourly: hourlySeconds,
        scrapes: scrapesSeconds,
      };
      return commands.runDbPrune({ ...db, retention: seconds }, output);
    }
    case "backup":
      return commands.runDbBackup({ ...db, destinationPath: file }, output);
    case "restore":
      return commands.runDbRestore({ ...db, backupPath: file }, output);
    default: {
      const never: never = verb;
      throw new Error(`unknown command ${String(never)}`);
    }
  }
}

async function serve(options: ServeFlags): Promise<number> {
  const [{ runServe }, { packageRoot }] = await Promise.all([
    import("./commands/serve.ts"),
    import("./package-root.ts"),
  ]);
  const { kubeconfig, context, ...rest } = options;
  const flags: ConfigFlags = {
    ...rest,
    ...(kubeconfig.length > 0 ? { kubeconfig } : {}),
    ...(context.length > 0 ? { context } : {}),
  };
  return runServe({ flags, packageRoot: packageRoot() }, output);
}

function flagsOf({ config }: Pick<CommonOptions, "config">): ConfigFlags {
  return config === undefined ? {} : { config };
}

function collectText(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError("expected a port from 1 to 65535");
  }
  return port;
}

/** Runs the command line. @returns the exit code */
export async function runCli(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    // Known by name: importing the class would load what the command did not need.
    if (error instanceof Error && (error.name === "ConfigError" || error.name === "AppError")) {
      output.err(error.message);
      return WRONG_USAGE;
    }
    throw error;
  }
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`The output could not be written (${error.code ?? error.message}).\n`);
  process.exit(1);
});
// What nobody reads any more is no reason to stop; the exit code says it too.
process.stderr.on("error", () => undefined);
process.exitCode = await runCli(process.argv.slice(2));
