import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ProjectionAnswer, ProjectionQuestion } from "./projection-message.ts";

/** A storm that takes longer is of a size that nobody has. */
const ANSWER_MS = 600_000;
/** Enough for 100,000 copies. */
const LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 } as const;

/**
 * A thread that simulates, started with the first question and ended with `close`, so that nothing of it is held while
 * there is nothing to do. Answers one question at a time.
 */
export class ProjectionThread {
  #worker: Worker | null = null;

  async ask(question: ProjectionQuestion, signal: AbortSignal): Promise<ProjectionAnswer> {
    signal.throwIfAborted();
    this.#worker ??= new Worker(entryFile(), { resourceLimits: LIMITS });
    const worker = this.#worker;
    // The collector's own end waits for no simulation.
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const { promise, resolve, reject } = Promise.withResolvers<ProjectionAnswer>();
    const onAbort = () => reject(deadline.reason);
    const onExit = (code: number) => reject(new Error(`The thread that simulates ended with code ${code}.`));
    deadline.addEventListener("abort", onAbort, { once: true });
    worker.once("message", resolve).once("error", reject).once("exit", onExit);
    try {
      worker.postMessage(question);
      return await promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      deadline.removeEventListener("abort", onAbort);
      // By name: a worker listens to itself, and would not hand over another message without that.
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

/** The entry beside this file, or beside the bundle that this code is part of. */
function entryFile(): string {
  const here = fileURLToPath(import.meta.url);
  if (here.endsWith(".ts")) return join(dirname(here), "worker.ts");
  // Entries lie in the folder of bundles, shared pieces one below it.
  const places = [dirname(here), dirname(dirname(here))].map((folder) => join(folder, "fan-out-worker.mjs"));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`fan-out-worker.mjs is not beside ${here}. npm start builds it.`);
  return found;
}
