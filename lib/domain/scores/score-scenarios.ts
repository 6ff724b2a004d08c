import { ASSUMED_DURATIONS } from "../rollout/pod-durations.ts";
import type { StormScenario } from "../storm/index.ts";

/** How an agent that nobody has installed yet comes to start. */
export const SCORE_SCENARIO_NAMES = ["start-all", "first-rollout"] as const;
export type ScoreScenario = (typeof SCORE_SCENARIO_NAMES)[number];

interface Preset {
  readonly scenario: StormScenario;
  readonly assumption: string;
}

/** Every copy within 2 s is the upper bound: a configuration that all reload, a power event. */
export const SCORE_SCENARIOS: Readonly<Record<ScoreScenario, Preset>> = {
  "start-all": {
    scenario: { kind: "start-all", windowSeconds: 2 },
    assumption: "start-all: every copy starts within 2 s.",
  },
  "first-rollout": {
    scenario: {
      kind: "first-rollout",
      controller: { qps: 20, burst: 30 },
      durations: ASSUMED_DURATIONS,
      jitterRatio: 0.5,
    },
    assumption:
      "first-rollout: the controller creates 20 pods a second; pulling and starting each takes what a small agent plausibly takes.",
  },
};
