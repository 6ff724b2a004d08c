import type { DaemonNode, DaemonPod } from "./daemonset-node.ts";

/** A pod in short: what it is named in `lib/vectors` and on the command line. */
const CODE = /^([on])(-|y|p|f|s)?(t)?$/;
/** Ready for so long that no `minReadySeconds` in use is longer. */
const LONG_READY_SECONDS = 1800;
const SHORT_READY_SECONDS = 5;

/** What a pod's code may look like, for messages. */
export const POD_CODE_FORM =
  "o (old template) or n (new), then nothing (Ready for 30 min), y (Ready for 5 s), - (not Ready), p (Pending), f (Failed) or s (Succeeded), then t where it is terminating";

/** Reads a pod's code (`POD_CODE_FORM`); `null` where it is none. */
export function parsePodCode(code: string, name: string): DaemonPod | null {
  const match = CODE.exec(code);
  if (match === null) return null;
  const [, template, state = "", terminating] = match;
  return {
    name,
    isUpdated: template === "n",
    isTerminating: terminating !== undefined,
    phase: phaseOf(state),
    readySeconds: state === "" ? LONG_READY_SECONDS : state === "y" ? SHORT_READY_SECONDS : null,
  };
}

/**
 * A node with pods given by their codes, oldest first. A pod is named `NODE-CODE-nINDEX`.
 * Returns the code that is none where there is one.
 */
export function nodeFromCodes(
  name: string,
  codes: readonly string[],
  isMatching: boolean,
): DaemonNode | { readonly wrongCode: string } {
  const pods: DaemonPod[] = [];
  for (const [index, code] of codes.entries()) {
    const pod = parsePodCode(code, `${name}-${code}-n${index}`);
    if (pod === null) return { wrongCode: code };
    pods.push(pod);
  }
  return { name, pods, shouldRun: isMatching, shouldContinueRunning: isMatching };
}

function phaseOf(state: string): DaemonPod["phase"] {
  switch (state) {
    case "p":
      return "Pending";
    case "f":
      return "Failed";
    case "s":
      return "Succeeded";
    default:
      return "Running";
  }
}
