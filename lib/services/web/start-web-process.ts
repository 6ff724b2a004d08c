import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../../config/config-error.ts";
import type { HeadroomConfig } from "../../config/config-types.ts";
import { loadConfig } from "../../config/load-config.ts";
import { readEnv } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { createLogger, type Logger } from "../../logger.ts";
import { relayOutput } from "../../supervisor/relay-output.ts";
import { type Supervisor, superviseCollector } from "../../supervisor/supervise-collector.ts";
import { publishSupervision } from "../../supervisor/supervision-state.ts";
import { getServiceContext } from "../context.ts";
import { redirectConsole } from "./redirect-console.ts";

/** Exit code for what the person can mend: configuration, a store of a newer release, an address. */
const EXIT_WRONG_USAGE = 2;
/** Time that open requests get to be answered once this process is told to end. */
const OPEN_REQUESTS_MS = 2_000;

/** One start per process, whatever a bundler or a reload makes of this module. */
const holder = globalThis as { __headroomWeb?: { supervisor: Supervisor | null } };

/**
 * What the web process does once, before its first request: checks the configuration and the address it listens on,
 * opens the store (which deploys migrations), and starts the collector. What the person must mend ends the process with
 * a sentence; a store that is full, locked or read-only does not: pages say so, and /readyz.
 */
export async function startWebProcess(): Promise<void> {
  if (holder.__headroomWeb !== undefined) return;
  const held: { supervisor: Supervisor | null } = { supervisor: null };
  holder.__headroomWeb = held;
  endWhenTold(() => held.supervisor);
  const env = readEnv();
  const logger = createLogger("web");
  const config = readConfigOrExit();
  if (env.NODE_ENV === "production") {
    exitUnlessLoopback(process.env.HOSTNAME);
    redirectConsole(logger);
  }
  await openStoreOrExplain(logger);
  if (config.collector.mode === "external") {
    logger.info("collector runs elsewhere");
    return;
  }
  held.supervisor = startCollector(config, env.HEADROOM_COLLECTOR_ENTRY, logger);
}

function readConfigOrExit(): HeadroomConfig {
  try {
    return loadConfig();
  } catch (error) {
    if (error instanceof ConfigError) exitWith(`The configuration cannot be used:\n${error.message}`);
    throw error;
  }
}

/** Next's server listens everywhere when it is not told where; without authentication that would let everybody in. */
function exitUnlessLoopback(hostname = ""): void {
  if (/^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(hostname)) return;
  exitWith(
    `Headroom listens on a loopback address only, since there is no authentication yet; HOSTNAME is ${hostname === "" ? "not set" : "another one"}. Start it with npm start, or set HOSTNAME=127.0.0.1.`,
  );
}

async function openStoreOrExplain(logger: Logger): Promise<void> {
  try {
    const { storeNotice } = await getServiceContext();
    if (storeNotice !== null) logger.warn("store", { notice: storeNotice });
  } catch (error) {
    if (error instanceof AppError && (error.code === "store-newer" || error.code === "invalid-input")) {
      exitWith(error.message);
    }
    logger.error("the store cannot be opened; it is tried again with every request", { err: error });
  }
}

function exitWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(EXIT_WRONG_USAGE);
}

function startCollector(config: HeadroomConfig, entry: string | undefined, logger: Logger): Supervisor {
  void forgetCrashes(logger);
  const output = relayOutput({
    onLogLine: (line) => process.stderr.write(`${line}\n`),
    onText: (text) => logger.warn("collector output", { text }),
  });
  const supervisor = superviseCollector({
    entry: path.resolve(/* turbopackIgnore: true */ config.workingDirectory, entry ?? "dist/collector.mjs"),
    cwd: config.workingDirectory,
    env: { ...process.env, HEADROOM_CWD: config.workingDirectory },
    onOutput: (chunk) => output.add(chunk),
    onCrash: ({ message, at, crashes }) => {
      output.flush();
      logger.error("collector ended", { reason: message, crashes });
      void recordCrash(message, at, logger);
    },
  });
  publishSupervision(() => supervisor.state());
  return supervisor;
}

/**
 * Ends the collector and this process when told to. Next ends the process itself once open requests are answered, but
 * waits for ever for a connection that a browser opened and never used: those are cut after a while.
 */
function endWhenTold(supervisor: () => Supervisor | null): void {
  const end = async () => {
    const isStopped = supervisor()?.stop();
    await sleep(OPEN_REQUESTS_MS, undefined, { ref: false });
    await isStopped;
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end());
  // `headroom serve` holds the other end; when it is killed it can pass no signal on, and nobody would end this process.
  // It is `undefined` for a process that was started without a channel.
  if (process.connected === false) void end();
  else if (process.connected) process.once("disconnect", () => void end());
}

async function recordCrash(message: string, at: number, logger: Logger): Promise<void> {
  try {
    await (await getServiceContext()).store.collector.recordCrash(message, at);
  } catch (error) {
    logger.warn("the crash of the collector could not be recorded", { err: error });
  }
}

async function forgetCrashes(logger: Logger): Promise<void> {
  try {
    await (await getServiceContext()).store.collector.forgetCrashes();
  } catch (error) {
    logger.warn("earlier crashes of the collector could not be forgotten", { err: error });
  }
}
