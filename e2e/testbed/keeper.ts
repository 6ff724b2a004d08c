import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type KeeperCommand =
  | {
      readonly do: "start";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: NodeJS.ProcessEnv;
      readonly cwd: string;
      readonly logPath: string;
    }
  | { readonly do: "signal"; readonly name: string; readonly signal: NodeJS.Signals };

export type KeeperEvent =
  | { readonly event: "started"; readonly name: string; readonly pid: number }
  | { readonly event: "failed"; readonly name: string; readonly message: string }
  | {
      readonly event: "exited";
      readonly name: string;
      readonly code: number | null;
      readonly signal: string | null;
    };

export interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  readonly logPath: string;
  /** Resolves when the process ends; never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  hasEnded(): boolean;
  /** Signals the process group and waits for the process to end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** The end of its log, for error messages. */
  logTail(lines?: number): string;
}

interface StartOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/**
 * The parent's side of a keeper: processes started here die with this process, even after kill -9 of it.
 * Each log is `<directory>/<name>.log`.
 */
export class Keeper {
  readonly directory: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #listeners = new Map<string, (event: KeeperEvent) => void>();
  readonly #ended: Promise<void>;
  #hasEnded = false;

  constructor(directory: string, options: { readonly removeDirectory: boolean }) {
    this.directory = directory;
    const script = fileURLToPath(new URL("./keeper-process.ts", import.meta.url));
    const { NODE_OPTIONS: _, ...env } = process.env; // a test runner's loaders have no place in the keeper
    this.#child = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        script,
        directory,
        ...(options.removeDirectory ? ["--remove"] : []),
      ],
      { detached: true, stdio: ["pipe", "pipe", "inherit"], env: env as NodeJS.ProcessEnv }, // detached: Ctrl-C is ours to handle
    );
    this.pid = this.#child.pid ?? 0;
    // A command that arrives after its end is dropped; the listeners have heard of the end.
    this.#child.stdin?.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true;
        for (const [name, listener] of this.#listeners)
          listener({ event: "exited", name, code: null, signal: null });
        resolve();
      };
      this.#child.on("error", end);
      this.#child.on("exit", end);
    });
    const { stdout } = this.#child;
    if (stdout) {
      createInterface({ input: stdout }).on("line", (line) => {
        const event = JSON.parse(line) as KeeperEvent; // written by keeper-process.ts alone
        this.#listeners.get(event.name)?.(event);
      });
    }
  }

  /**
   * Starts a process. A name is in use until its process has ended.
   *
   * @throws Error when the program cannot be started.
   */
  async start({ name, command, args, env, cwd }: StartOptions): Promise<KeptProcess> {
    if (this.#hasEnded) throw new Error(`the keeper has ended, ${name} cannot be started`);
    if (this.#listeners.has(name)) throw new Error(`a process named ${name} runs already`);
    const logPath = join(this.directory, `${name}.log`);
    const started = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<{ code: number | null; signal: string | null }>();
    let hasEnded = false;
    this.#listeners.set(name, (event) => {
      if (event.event === "started") return started.resolve(event.pid);
      hasEnded = true;
      this.#listeners.delete(name);
      if (event.event === "failed") return started.reject(new Error(`${command}: ${event.message}`));
      started.reject(new Error(`the keeper of ${name} ended`)); // no effect once started
      ended.resolve({ code: event.code, signal: event.signal });
    });
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    this.#send({
      do: "start",
      name,
      command,
      args,
      env: { ...inherited, ...env } as NodeJS.ProcessEnv,
      cwd: cwd ?? this.directory,
      logPath,
    });
    const pid = await started.promise;
    return {
      name,
      pid,
      logPath,
      ended: ended.promise,
      hasEnded: () => hasEnded,
      kill: async (signal = "SIGKILL") => {
        this.#send({ do: "signal", name, signal });
        await ended.promise;
      },
      logTail: (lines = 15) => tail(logPath, lines),
    };
  }

  /** Kills all processes, and resolves when they and the keeper are gone. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }

  #send(command: KeeperCommand): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }
}

function tail(path: string, lines: number): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "";
  }
}
