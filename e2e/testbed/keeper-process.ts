/**
 * A small supervisor: starts processes for its parent, and kills them all when the parent goes away, however
 * it went. The parent holds the other end of standard input, which the kernel closes even after kill -9.
 *
 * Usage: node keeper-process.ts DIRECTORY [--remove]
 * Standard input takes one JSON command a line, standard output gives one JSON event a line. DIRECTORY gets a
 * `processes.json` that names all processes, so that the next start can sweep up after a keeper that was
 * itself killed; with --remove the folder is removed at the end.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { KeeperCommand, KeeperEvent } from "./keeper.ts";
import { identify, killGroup, type ProcessIdentity } from "./process-identity.ts";

const [, , directory = "", ...flags] = process.argv;
const running = new Map<string, ProcessIdentity>();
let closing = false;

record();
// Ctrl-C goes to the whole foreground group; the parent decides what it means, and we see its end.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", closeAll);
process.on("SIGHUP", closeAll);
// Nobody reads once the parent is gone; the end of standard input says so too.
process.stdout.on("error", () => undefined);

const input = createInterface({ input: process.stdin });
input.on("line", (line) => obey(JSON.parse(line) as KeeperCommand)); // our own parent writes these lines
input.on("close", closeAll);

function obey(command: KeeperCommand): void {
  switch (command.do) {
    case "start":
      start(command);
      return;
    case "signal": {
      const identity = running.get(command.name);
      if (identity) killGroup(identity, command.signal);
      return;
    }
    default:
      command satisfies never;
  }
}

function start({ name, command, args, env, cwd, logPath }: KeeperCommand & { do: "start" }): void {
  if (closing) return;
  const log = openSync(logPath, "a");
  // detached: a process group of its own, so that one signal reaches its children as well.
  const child = spawn(command, args, { detached: true, stdio: ["ignore", log, log], env, cwd });
  closeSync(log);
  child.on("error", (error) => tell({ event: "failed", name, message: error.message }));
  child.on("exit", (code, signal) => {
    running.delete(name);
    record();
    tell({ event: "exited", name, code, signal });
    if (closing && running.size === 0) finish();
  });
  if (child.pid === undefined) return;
  running.set(name, identify(child.pid) ?? { pid: child.pid, startTicks: 0 });
  record();
  tell({ event: "started", name, pid: child.pid });
}

function closeAll(): void {
  if (closing) return;
  closing = true;
  if (running.size === 0) finish();
  for (const identity of running.values()) killGroup(identity);
}

function finish(): void {
  // The next sweep removes what could not be removed now.
  if (flags.includes("--remove")) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  process.exit(0);
}

function record(): void {
  const path = join(directory, "processes.json");
  writeFileSync(
    `${path}.new`,
    JSON.stringify({ keeper: identify(process.pid), children: [...running.values()] }),
  );
  renameSync(`${path}.new`, path);
}

function tell(event: KeeperEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
