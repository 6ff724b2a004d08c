import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "../clock.ts";
import { COLLECTOR_ENVIRONMENT, COLLECTOR_V8_FLAGS } from "./collector-flags.ts";
import { decideRestart, type Ended, type RestartDecision } from "./decide-restart.ts";
import { describeCrash } from "./describe-crash.ts";
import type { SupervisionState } from "./supervision-state.ts";

/** Milliseconds between the request to end and the end by force. */
const STOP_GRACE_MS = 5_000;
/** How often it is looked whether the collector gave a sign of life, which it does every five seconds. */
const LOOK_MS = 10_000;
/** Looks in a row without one after which it hangs. Looks, not time: a machine that slept has missed none. */
const SILENT_LOOKS = 12;
/** How long the last words of a collector that has ended are waited for. */
const LAST_WORDS_MS = 2_000;
const KEPT_LINES = 60;
const KEPT_CHARACTERS = 4_000;

const HANGING = "No sign of life for two minutes: it was ended by force.";

export interface SuperviseOptions {
  /** File of the collector, a bundle or a TypeScript source. */
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly decide?: (ended: Ended) => RestartDecision;
  readonly stopGraceMs?: number;
  readonly lookMs?: number;
  /** Gets what the collector writes on standard error, as it comes. */
  readonly onOutput: (chunk: Buffer) => void;
  /** Called once per crash, with a sentence free of credentials. */
  readonly onCrash: (crash: {
    readonly message: string;
    readonly at: number;
    readonly crashes: number;
  }) => void;
}

export interface Supervisor {
  state(): SupervisionState;
  /** Ends the collector, by force after five seconds, and starts no other. Resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Keeps a collector running as a process of its own: started now, started again with back-off whenever it ends by
 * itself, ended by force when it gives no sign of life for two minutes, ended with this one. It gets an IPC channel,
 * whose end tells it that this process is gone, and on which any message is a sign of life.
 */
export function superviseCollector(options: SuperviseOptions): Supervisor {
  const {
    entry,
    clock = systemClock,
    decide = decideRestart,
    stopGraceMs = STOP_GRACE_MS,
    lookMs = LOOK_MS,
  } = options;
  let state: SupervisionState = { kind: "stopped" };
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  let crashes = 0;

  const start = () => {
    timer = null;
    const startedAt = clock.now();
    if (!existsSync(entry)) {
      crash(startedAt, `The collector's file ${entry} does not exist. npm start builds it.`);
      return;
    }
    const lines = new LastLines();
    const started = fork(entry, [], {
      cwd: options.cwd,
      env: { ...COLLECTOR_ENVIRONMENT, ...options.env, NODE_ENV: process.env.NODE_ENV },
      // Flags such as --inspect belong to this process and would clash in the other.
      execArgv: [...COLLECTOR_V8_FLAGS],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    child = started;
    state = { kind: "running", startedAt, pid: started.pid ?? 0 };
    started.stderr?.on("data", (chunk: Buffer) => {
      lines.add(chunk);
      options.onOutput(chunk);
    });
    let silentLooks = 0;
    started.on("message", () => {
      silentLooks = 0;
    });
    let isHanging = false;
    const looking = setInterval(() => {
      silentLooks += 1;
      if (silentLooks < SILENT_LOOKS || isHanging) return;
      isHanging = true;
      // One whose event loop stands still does not hear SIGTERM.
      started.kill("SIGKILL");
    }, lookMs);
    looking.unref();
    let spawnError: string | null = null;
    started.on("error", (error) => {
      spawnError = error.message;
      // A process that never came to be sends no "close".
      if (started.pid === undefined) ended(null, null);
    });
    // "close" rather than "exit": by then all of standard error has come. It never comes where a process that the
    // collector started holds standard error and outlives it.
    started.on("close", (code, signal) => ended(code, signal));
    started.on("exit", (code, signal) => setTimeout(() => ended(code, signal), LAST_WORDS_MS).unref());
    let isOver = false;
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      if (isOver) return;
      isOver = true;
      clearInterval(looking);
      started.stderr?.destroy();
      child = null;
      if (isStopping) return;
      const reason = isHanging
        ? HANGING
        : (spawnError ?? describeCrash({ code, signal, lines: lines.read() }));
      crash(startedAt, reason);
    };
  };

  const crash = (startedAt: number, message: string) => {
    const at = clock.now();
    const decision = decide({ crashesBefore: crashes, ranSeconds: (at - startedAt) / 1000 });
    crashes = decision.crashes;
    state = {
      kind: "restarting",
      crashes,
      lastCrashAt: at,
      lastCrash: message,
      nextStartAt: at + decision.delaySeconds * 1000,
    };
    options.onCrash({ message, at, crashes });
    timer = setTimeout(start, decision.delaySeconds * 1000);
    // The web server keeps this process alive; waiting for a restart does not.
    timer.unref();
  };

  start();
  return {
    state: () => state,
    stop: async () => {
      isStopping = true;
      if (timer !== null) clearTimeout(timer);
      state = { kind: "stopped" };
      if (child !== null) await endProcess(child, stopGraceMs);
    },
  };
}

async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await gone;
  clearTimeout(force);
}

/** The last lines of a stream, within bounds whatever comes. */
class LastLines {
  #lines: string[] = [];
  #rest = "";

  add(chunk: Buffer): void {
    const parts = (this.#rest + chunk.toString("utf8")).split("\n");
    this.#rest = (parts.pop() ?? "").slice(-KEPT_CHARACTERS);
    this.#lines = [...this.#lines, ...parts.map((line) => line.slice(0, KEPT_CHARACTERS))].slice(-KEPT_LINES);
  }

  read(): readonly string[] {
    return [...this.#lines, this.#rest];
  }
}
