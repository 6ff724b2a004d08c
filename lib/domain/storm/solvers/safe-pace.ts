import { sumDurations } from "../../rollout/pod-durations.ts";
import { seededRandom } from "../../rollout/seeded-random.ts";
import { TICKS_PER_SECOND } from "../../rollout/ticks.ts";
import { startTicks } from "../engine/arrivals.ts";
import type { StormInput } from "../storm-input.ts";
import type { VerdictName } from "../verdict.ts";
import { guessCopies, SOLVER_BUDGET, type SolverOptions, verdictOf } from "./largest-invisible.ts";
import { searchBoundary } from "./search-boundary.ts";

export interface SafePace {
  /** Copies that may start in a minute, evenly, and stay invisible; `null`: not even one a minute does. */
  readonly podsPerMinute: number | null;
  /** True: the fastest that was looked at is still invisible. */
  readonly isAtLeast: boolean;
  /** Next pace tried above, and its verdict. */
  readonly next: number | null;
  readonly nextVerdict: VerdictName | null;
  readonly isExact: boolean;
  /** Starts in the busiest minute of the scenario as it is; `null`: its copies do not start. */
  readonly scenarioPodsPerMinute: number | null;
  /** Whether the scenario keeps within the pace by itself; `null` where it starts nobody. */
  readonly isWithin: boolean | null;
  /** `maxUnavailable` that keeps a healthy rolling update within the pace; `null` where it is no such update, or none does. */
  readonly maxUnavailable: number | null;
  /** Seconds from a pod's deletion until the next may go, as that is reckoned with. */
  readonly secondsPerPod: number | null;
  readonly simulations: number;
}

/** Copies started for so long show what a pace comes to; a queue that grows slowly is full by then. */
const LOOKED_AT_MINUTES = 5;
/** No controller is faster: 50 pods a second. */
const FASTEST_PER_MINUTE = 3000;

/**
 * How many copies of the agents may start in a minute on this cluster without anybody noticing, as in a rollout: evenly,
 * those that run already stay quiet. Each pace is simulated for five minutes or until all copies have started. With
 * several agents each keeps that pace.
 *
 * @throws {RangeError} as `simulateStorm`.
 */
export function safePace(input: StormInput, options: SolverOptions = {}): SafePace {
  const { seeds = [input.seed], budget = SOLVER_BUDGET } = options;
  const plain = { ...input, doubts: [] };
  const copies = Math.max(0, ...input.agents.map(({ replicas }) => replicas));
  const verdicts = new Map<number, VerdictName>();
  const verdictAt = (podsPerMinute: number) => {
    const addedNodes = Math.min(copies, Math.max(1, LOOKED_AT_MINUTES * podsPerMinute));
    const scenario = { kind: "node-scale-out", addedNodes, nodesPerMinute: podsPerMinute } as const;
    const verdict = verdictOf({ ...plain, scenario }, seeds);
    verdicts.set(podsPerMinute, verdict);
    return verdict;
  };
  // What the cores get through in a second, for a minute.
  const guess = (60 * guessCopies({ ...plain, scenario: { kind: "start-all", windowSeconds: 0 } })) / 3;
  const found =
    copies === 0
      ? { holdsAt: FASTEST_PER_MINUTE, failsAt: null, isExact: true }
      : searchBoundary({
          low: 1,
          high: FASTEST_PER_MINUTE,
          guess,
          holds: (pace) => verdictAt(pace) === "invisible",
          budget,
        });
  const scenarioPodsPerMinute = busiestMinute(input);
  const { scenario } = input;
  const isUpdate = scenario.kind === "rolling-update";
  const secondsPerPod = isUpdate ? sumDurations(scenario.durations) + scenario.minReadySeconds : null;
  const unavailable =
    secondsPerPod === null || found.holdsAt === null ? 0 : Math.floor((found.holdsAt * secondsPerPod) / 60);
  return {
    podsPerMinute: found.holdsAt,
    isAtLeast: found.failsAt === null,
    next: found.failsAt,
    nextVerdict: found.failsAt === null ? null : (verdicts.get(found.failsAt) ?? null),
    isExact: found.isExact,
    scenarioPodsPerMinute,
    isWithin:
      scenarioPodsPerMinute === null
        ? null
        : found.failsAt === null || scenarioPodsPerMinute <= (found.holdsAt ?? 0),
    maxUnavailable: unavailable >= 1 ? Math.min(copies, unavailable) : null,
    secondsPerPod,
    simulations: verdicts.size * seeds.length,
  };
}

/** Most starts of one agent within a minute. */
function busiestMinute({ cluster, agents, scenario, seed }: StormInput): number | null {
  const random = seededRandom(seed);
  let most: number | null = null;
  for (const agent of agents) {
    const { ticks } = startTicks({ cluster, agent, scenario, agents: agents.length, random });
    let first = 0;
    for (const [index, tick] of ticks.entries()) {
      while (tick - (ticks[first] ?? tick) >= 60 * TICKS_PER_SECOND) first++;
      most = Math.max(most ?? 0, index - first + 1);
    }
  }
  return most;
}
