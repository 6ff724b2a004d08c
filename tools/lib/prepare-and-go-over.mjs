import { goOver } from "./go-over.mjs";
import { prepare } from "./prepare.mjs";

/**
 * Prepares what is missing and runs something else in place of this process, on the Node that was found. What cannot
 * be prepared is one sentence and exit code 2.
 * @param {{ build: boolean }} what
 * @param {(prepared: ReturnType<typeof prepare>) => Parameters<typeof goOver>[0]} decide
 */
export function prepareAndGoOver(what, decide) {
  try {
    goOver(decide(prepare(what)));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}
