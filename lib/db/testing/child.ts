import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  /** The next line that the child prints; `null` when it prints no more. */
  readonly nextLine: () => Promise<string | null>;
  readonly send: (line: string) => void;
  /** Ends it at once and resolves, with the lines that were still on their way, when it is gone. */
  readonly kill: () => Promise<readonly string[]>;
  /** Resolves with its exit code and everything it printed, when it ends by itself. */
  readonly finish: () => Promise<{ readonly code: number | null; readonly lines: readonly string[] }>;
}

export interface ChildOptions {
  /** Program and arguments that the child is run by, `unshare --mount` for example. */
  readonly wrapper?: readonly string[];
  /** Folder in which children keep what they compiled, so that the next one starts in half the time. */
  readonly compileCache?: string;
}

/** A process of its own that runs a script of this folder, by this Node. */
export function startChild(script: string, args: readonly string[], options: ChildOptions = {}): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const [program = process.execPath, ...rest] = [...(options.wrapper ?? []), process.execPath, path, ...args];
  const { compileCache } = options;
  const child = spawn(program, rest, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...(compileCache && { NODE_COMPILE_CACHE: compileCache }) },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    return done === true ? null : String(value);
  };
  const drain = async () => {
    const rest: string[] = [];
    for (let line = await nextLine(); line !== null; line = await nextLine()) rest.push(line);
    return rest;
  };
  return {
    nextLine,
    send: (line) => child.stdin.write(`${line}\n`),
    kill: async () => {
      child.kill("SIGKILL");
      const [rest] = await Promise.all([drain(), ended(child)]);
      return rest;
    },
    finish: async () => {
      const [rest] = await Promise.all([drain(), ended(child)]);
      return { code: child.exitCode, lines: rest };
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
