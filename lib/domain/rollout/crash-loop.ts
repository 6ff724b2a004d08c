import { isAtLeast, type KubernetesVersion, ruleVersion } from "../kubernetes/version.ts";
import { BackOff, type BackOffRules } from "./back-off.ts";
import { type Tick, toSeconds, toTicks } from "./ticks.ts";

/** A gate that the kubelet's start-up flags or configuration set; absent: as the version has it. */
export interface CrashLoopGates {
  readonly ReduceDefaultCrashLoopBackOffDecay?: boolean;
  readonly KubeletCrashLoopBackOffMax?: boolean;
}

export interface CrashLoopInput {
  /** Of the kubelet. */
  readonly version: string | KubernetesVersion;
  readonly gates?: CrashLoopGates;
  /** `crashLoopBackOff.maxContainerRestartPeriod` of the kubelet's configuration, 1 to 300; absent: 300. */
  readonly maxContainerRestartPeriodSeconds?: number;
}

export interface CrashLoopRules extends BackOffRules {
  /** Sentences for people: what of the input had no effect, and which version answered. */
  readonly notes: readonly string[];
}

const DEFAULT_INITIAL_SECONDS = 10;
const DEFAULT_CAP_SECONDS = 300;
const REDUCED_INITIAL_SECONDS = 1;
const REDUCED_CAP_SECONDS = 60;
/** Fixed; before it was twice the cap, which was the same. */
const RESET_SECONDS = 600;
const REDUCED_SINCE_MINOR = 33;
const CONFIGURABLE_SINCE_MINOR = 32;
const CONFIGURABLE_ON_SINCE_MINOR = 35;

/**
 * The back-off of containers that end, by version and gates of the kubelet.
 *
 * Source: kubernetes pkg/kubelet/kubelet.go (newCrashLoopBackOff), pkg/features/kube_features.go, v1.26 to v1.37.2.
 *
 * @throws {RangeError} where the version is none, or the period lies outside 1 to 300.
 */
export function crashLoopRules({
  version,
  gates = {},
  maxContainerRestartPeriodSeconds,
}: CrashLoopInput): CrashLoopRules {
  const rule = ruleVersion(version);
  const notes = rule.note === null ? [] : [rule.note];
  const known = (gate: keyof CrashLoopGates, sinceMinor: number, onSinceMinor: number): boolean => {
    if (!isAtLeast(rule, sinceMinor)) {
      if (gates[gate] !== undefined) notes.push(`1.${rule.minor} has no gate ${gate}: it has no effect.`);
      return false;
    }
    return gates[gate] ?? isAtLeast(rule, onSinceMinor);
  };
  const isReduced = known(
    "ReduceDefaultCrashLoopBackOffDecay",
    REDUCED_SINCE_MINOR,
    Number.POSITIVE_INFINITY,
  );
  const isConfigurable = known(
    "KubeletCrashLoopBackOffMax",
    CONFIGURABLE_SINCE_MINOR,
    CONFIGURABLE_ON_SINCE_MINOR,
  );
  let initialSeconds = isReduced ? REDUCED_INITIAL_SECONDS : DEFAULT_INITIAL_SECONDS;
  let capSeconds = isReduced ? REDUCED_CAP_SECONDS : DEFAULT_CAP_SECONDS;
  if (isConfigurable) {
    // The configured period wins over the reduced one, also where it is only its default.
    capSeconds = checkPeriod(maxContainerRestartPeriodSeconds ?? DEFAULT_CAP_SECONDS);
    initialSeconds = Math.min(initialSeconds, capSeconds);
  } else if (maxContainerRestartPeriodSeconds !== undefined) {
    notes.push(
      "maxContainerRestartPeriod has no effect without the gate KubeletCrashLoopBackOffMax (on from 1.35).",
    );
  }
  return { initialSeconds, capSeconds, resetSeconds: RESET_SECONDS, notes };
}

/** One start of a container. */
export interface ContainerStart {
  readonly startTick: Tick;
  readonly finishTick: Tick;
  /** Ticks waited before this start, from the finish before; 0 for the first two. */
  readonly waitTicks: number;
}

/**
 * The starts of a container that ends every time, beginning before `untilTicks`. `runTicks` gives how long the nth start
 * (from 0) runs. The back-off belongs to the pod: a pod that replaces this one starts with a fresh one. That the kubelet
 * looks at a pod a moment later than it could is left out.
 */
export function* containerStarts(
  rules: BackOffRules,
  runTicks: (start: number) => number,
  untilTicks: Tick,
): Generator<ContainerStart> {
  const backOff = new BackOff<null>(rules);
  let startTick = 0;
  let waitTicks = 0;
  for (let start = 0; startTick < untilTicks; start++) {
    const finishTick = startTick + runTicks(start);
    yield { startTick, finishTick, waitTicks };
    const next = backOff.waitsUntil(null, finishTick);
    backOff.advance(null, finishTick, next);
    waitTicks = next - finishTick;
    startTick = next;
  }
}

/** Seconds at which a container that runs `runSeconds` each time starts, before `untilSeconds`; the first is 0. */
export function crashLoopStarts(
  rules: BackOffRules,
  runSeconds: number,
  untilSeconds: number,
): readonly number[] {
  const run = Math.max(1, toTicks(runSeconds));
  return [...containerStarts(rules, () => run, toTicks(untilSeconds))].map(({ startTick }) =>
    toSeconds(startTick),
  );
}

function checkPeriod(seconds: number): number {
  if (seconds >= 1 && seconds <= DEFAULT_CAP_SECONDS) return seconds;
  throw new RangeError(`maxContainerRestartPeriod must be from 1 s to 300 s, not ${seconds} s.`);
}
