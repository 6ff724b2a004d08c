import { setTimeout as pause } from "node:timers/promises";
import { ConfigError } from "../config/config-error.ts";
import type { HeadroomConfig } from "../config/config-types.ts";
import { loadConfig } from "../config/load-config.ts";
import { openStore } from "../db/open-store.ts";
import { AppError } from "../errors.ts";
import { systemClock } from "../kube/index.ts";
import { createLogger, type Logger } from "../logger.ts";
import { startCollector } from "./collector.ts";
import { waitForStore } from "./wait-for-store.ts";

/** Longer than this it does not take to stop; who waits for us would end us by force. */
const STOP_MS = 4500;
/** How often the process that forked this one is told that the event loop turns. */
const ALIVE_MS = 5000;
/** Between two openings of a store that is found lost again and again. */
const REOPEN_MS = 1000;
/** Wrong configuration or a store that cannot be used: starting again changes nothing by itself. */
const EXIT_UNUSABLE = 2;

/**
 * The collector as a process: reads the configuration, opens the store, collects until SIGTERM, SIGINT or the end of
 * the process that forked it. Exit code 0 after a clean stop, 2 for what a person has to mend, 1 for a defect, each
 * with one line in the log that says why. Resolves with the exit code.
 */
export async function runCollector(): Promise<number> {
  const logger = createLogger("collector");
  const die = (what: string, error: unknown) => {
    logger.error(what, { err: error });
    process.exit(1);
  };
  // What nobody caught is a defect: a process in an unknown state is ended, and started anew by its supervisor.
  process.on("uncaughtException", (error) => die("the collector crashed", error));
  process.on("unhandledRejection", (reason) => die("the collector crashed", reason));
  try {
    await collectUntilStopped(logger);
    return 0;
  } catch (error) {
    logger.error("the collector cannot start", { err: error });
    return error instanceof ConfigError || error instanceof AppError ? EXIT_UNUSABLE : 1;
  }
}

async function collectUntilStopped(logger: Logger): Promise<void> {
  const stopped = untilStopped();
  reportAlive();
  const config = loadConfig();
  // One round as a rule; another for each time that the store is found damaged, removed or replaced.
  while ((await collectInto(config, logger, stopped)) === "store lost") await pause(REOPEN_MS);
}

/** Collects into the store as it is now, until this process is told to stop or the store is another one. */
async function collectInto(
  config: HeadroomConfig,
  logger: Logger,
  stopped: Promise<string>,
): Promise<"stopped" | "store lost"> {
  const store = await openStore({ url: config.store.url, mode: "read-write" });
  if (!(await waitForStore({ collector: store.collector, logger, stopped }))) {
    await store.close();
    return "stopped";
  }
  let onStoreLost: () => void = () => undefined;
  const lost = new Promise<null>((resolve) => {
    onStoreLost = () => resolve(null);
  });
  const collector = await startCollector({
    config,
    store,
    clock: systemClock,
    random: Math.random,
    logger,
    pid: process.pid,
    onStoreLost,
  });
  const why = await Promise.race([stopped, lost]);
  if (why === null) logger.warn("the store is damaged, or was removed or replaced: it is opened anew");
  else logger.info("stopping", { why });
  const force = setTimeout(() => {
    logger.warn("stopped by force: something under way did not end");
    process.exit(why === null ? 1 : 0);
  }, STOP_MS);
  await collector.stop().catch((error: unknown) => {
    // A store that is lost cannot be told that its collector stopped.
    if (why !== null) throw error;
  });
  await store.close();
  clearTimeout(force);
  if (why === null) return "store lost";
  logger.info("stopped");
  return "stopped";
}

/** A collector that hangs is ended and started anew by its supervisor, which learns it from silence. */
function reportAlive(): void {
  if (process.send === undefined) return;
  const sending = setInterval(() => {
    if (process.connected) process.send?.("alive", undefined, undefined, () => undefined);
  }, ALIVE_MS);
  sending.unref();
}

/** Resolves with the reason: a signal, or the end of the process that forked this one. */
function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    process.once("disconnect", () => resolve("the parent process ended"));
  });
}
