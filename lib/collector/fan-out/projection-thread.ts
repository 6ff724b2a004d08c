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
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      return await new Promise<ProjectionAnswer>((resolve, reject) => {
        const onAbort = () => reject(deadline.reason);
        deadline.addEventListener("abort", onAbort, { once: true });
        worker.once("message", (answer: ProjectionAnswer) => {
          deadline.removeEventListener("abort", onAbort);
          resolve(answer);
        });
        worker.once("error", reject);
        worker.once("exit", (code) =>
          reject(new Error(`The thread that simulates ended with code ${code}.`)),
        );
        worker.postMessage(question);
      });
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      worker.removeAllListeners();
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
