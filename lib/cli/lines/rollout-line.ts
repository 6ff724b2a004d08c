import { z } from "zod";
import {
  ASSUMED_DURATIONS,
  boundDaemonSet,
  CONTROLLER_RATE,
  type DaemonNode,
  type DaemonSetState,
  daemonSetRules,
  decideDaemonSet,
  type IntOrPercent,
  isZero,
  nodeFromCodes,
  POD_CODE_FORM,
  paceDaemonSet,
  parseIntOrPercent,
} from "../../domain/rollout/index.ts";
import { type LineObject, LineProblem } from "../json-lines.ts";
import {
  flag,
  INT_OR_PERCENT,
  ignoredFields,
  list,
  MOST_NODES,
  oneOf,
  optional,
  readFields,
  text,
  versionText,
  wholeNumber,
} from "./read-fields.ts";

const limit = () =>
  z.unknown().transform((value, context): IntOrPercent => {
    const parsed = parseIntOrPercent(value);
    if (parsed === null) context.addIssue({ code: "custom", message: INT_OR_PERCENT });
    return parsed ?? 0;
  });

const codes = () => list(text(), "a list of pods");
const NODE = "[pods on it, whether the node matches]";
const RUN = "[number of nodes, pods on each, whether they match]";
const nodes = () =>
  z.union(
    [
      list(z.tuple([codes(), flag()], { error: NODE })),
      z.object({ runs: list(z.tuple([wholeNumber(0), codes(), flag()], { error: RUN })) }),
    ],
    { error: `a list of ${NODE}, or {"runs": [${RUN}, …]}` },
  );

const Line = z.object({
  v: versionText(),
  maxUnavailable: optional(limit()),
  maxSurge: optional(limit()),
  minReadySeconds: optional(wholeNumber(0, 2 ** 31 - 1)),
  nodes: nodes(),
  strategy: optional(oneOf(["RollingUpdate", "OnDelete"])),
  simulate: optional(flag()),
});
type Line = z.output<typeof Line>;

const KNOWN = new Set([
  ...["v", "maxUnavailable", "maxSurge", "minReadySeconds", "nodes"],
  ...["strategy", "simulate", "manage", "rollingUpdate"],
]);

/**
 * A DaemonSet's state in the fields of the vector set `daemonset-rolling-update`. The answer has what the core loop and
 * what the rolling update step do, why, and what bounds the pace (`simulate` runs it to the end).
 */
export function answerRolloutLine(line: LineObject): LineObject {
  const fields = readFields(Line, line);
  const state = stateOf(fields);
  const now = decideDaemonSet(state);
  const { perPodSeconds, inFlight, wavesSeconds, clientSeconds } = boundDaemonSet(
    state,
    ASSUMED_DURATIONS,
    CONTROLLER_RATE,
    now.tally,
  );
  return {
    manage: now.coreLoop,
    rollingUpdate: now.rollingUpdate,
    explanation: now.reasons,
    bounds: { perPodSeconds, inFlight, wavesSeconds, clientSeconds, durations: ASSUMED_DURATIONS },
    ...(fields.simulate === true ? { pace: paceOf(state) } : {}),
    ...ignoredFields(line, KNOWN, Array.isArray(fields.nodes) ? {} : { nodes: { runs: null } }),
  };
}

function stateOf(fields: Line): DaemonSetState {
  return {
    nodes: nodesOf(fields.nodes),
    strategy: fields.strategy ?? "RollingUpdate",
    ...checkedLimits(fields.maxUnavailable, fields.maxSurge),
    minReadySeconds: fields.minReadySeconds ?? 0,
    rules: daemonSetRules(fields.v),
  };
}

/** Exactly one of the two may be other than 0; of absent ones `maxUnavailable` is 1, or 0 beside a surge. */
function checkedLimits(
  maxUnavailable: IntOrPercent | undefined,
  maxSurge: IntOrPercent = 0,
): { readonly maxUnavailable: IntOrPercent; readonly maxSurge: IntOrPercent } {
  const unavailable = maxUnavailable ?? (isZero(maxSurge) ? 1 : 0);
  if (!isZero(unavailable) && !isZero(maxSurge)) {
    throw new LineProblem({
      field: "maxSurge",
      expected: "0, as maxUnavailable is not 0",
      got: JSON.stringify(maxSurge),
    });
  }
  if (isZero(unavailable) && isZero(maxSurge)) {
    throw new LineProblem({
      field: "maxUnavailable",
      expected: "more than 0, as maxSurge is 0",
      got: JSON.stringify(unavailable),
    });
  }
  return { maxUnavailable: unavailable, maxSurge };
}

function nodesOf(given: Line["nodes"]): readonly DaemonNode[] {
  const isRuns = !Array.isArray(given);
  const runs = isRuns ? given.runs : given.map(([pods, isMatching]) => [1, pods, isMatching] as const);
  const total = runs.reduce((sum, [number]) => sum + number, 0);
  if (total > MOST_NODES) {
    throw new LineProblem({ field: "nodes", expected: `at most ${MOST_NODES} nodes`, got: String(total) });
  }
  const found: DaemonNode[] = [];
  for (const [index, [number, pods, isMatching]] of runs.entries()) {
    for (let copy = 0; copy < number; copy++) {
      const node = nodeFromCodes(`n${found.length}`, pods, isMatching);
      if ("wrongCode" in node) {
        const at = pods.indexOf(node.wrongCode);
        throw new LineProblem({
          field: isRuns ? `nodes.runs[${index}][1][${at}]` : `nodes[${index}][0][${at}]`,
          expected: `a pod: ${POD_CODE_FORM}`,
          got: JSON.stringify(node.wrongCode),
        });
      }
      found.push(node);
    }
  }
  return found;
}

function paceOf(state: DaemonSetState): LineObject | null {
  if (state.strategy === "OnDelete") return null;
  const { outcome, figures } = paceDaemonSet(state, {
    durations: ASSUMED_DURATIONS,
    newPods: { kind: "healthy" },
    requestSeconds: 0.01,
  });
  const { startTicks: _, ...rest } = outcome;
  return { ...rest, figures };
}
