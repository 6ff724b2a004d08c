import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FORCE_MS = 8000;
const endings: (() => Promise<void> | void)[] = [];

/** What is done before the bench ends, last first, however it ends. */
export function atEnd(work: () => Promise<void> | void): void {
  endings.push(work);
}

/** A folder that is gone when the bench is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "headroom-bench-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ends a child with SIGTERM, after eight seconds by force, and resolves when it is gone. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), FORCE_MS);
  await gone;
  clearTimeout(force);
}

/** Runs a bench to its end and cleans up after it, after an error and after a signal too. */
export async function runBench(bench: () => Promise<void>): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
  let exitCode = 0;
  try {
    await Promise.race([bench(), interrupted]);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    exitCode = 1;
  }
  for (const work of endings.reverse()) {
    try {
      await work();
    } catch (error) {
      process.stderr.write(`while cleaning up: ${String(error)}\n`);
      exitCode = 1;
    }
  }
  process.exit(exitCode);
}
