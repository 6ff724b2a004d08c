"use client";

import { useMemo } from "react";
import type { AgentSubject } from "@/lib/contracts/agent-pages";
import type { OfferedScenario, WhatIfScenario } from "@/lib/domain/what-if/scenarios";
import { defaultReplicas, type PreparedWhatIf, prepareWhatIf } from "@/lib/domain/what-if/what-if-input";
import type { SideStorm } from "@/lib/domain/what-if/what-if-runner";
import { useWhatIf, type WhatIfQuestion } from "./use-what-if";
import type { WhatIfState } from "./what-if-state";

/** Seeds of the bands, the first included. */
const SEEDS = 20;

export interface AgentChoice {
  readonly scenario: WhatIfScenario;
  readonly replicas: number;
  readonly jitterSeconds: number;
  readonly seed: number;
}

export interface AgentStorm {
  readonly view: WhatIfState;
  readonly prepared: PreparedWhatIf | null;
  /** `undefined`: not simulated yet; `null`: cannot be. */
  readonly sideOf: (scenario: OfferedScenario) => SideStorm | null | undefined;
  /** Of start-all with as many copies as there are now and no jitter; `undefined`: not known yet. */
  readonly asItIs: SideStorm | null | undefined;
}

/**
 * The storm of a choice, simulated in a worker, and beside it the verdict of each other scenario. `readAt` names the
 * figures that it rests on: equal choices on equal figures are simulated once.
 */
export function useAgentStorm(subject: AgentSubject | null, choice: AgentChoice, readAt: number): AgentStorm {
  const { scenario, replicas, jitterSeconds, seed } = choice;
  const base = subject === null ? "" : `${subject.clusterId} ${readAt}`;
  const keyOf = (name: WhatIfScenario, copies = replicas, jitter = jitterSeconds) =>
    `${base} ${name} ${copies} ${jitter} ${seed}`;
  const asItIsKey = subject === null ? "" : keyOf("start-all", defaultReplicas(subject), 0);
  const prepared = useMemo(
    () =>
      subject === null
        ? null
        : prepareWhatIf({ ...subject, now: readAt }, { scenario, replicas, jitterSeconds, seed }),
    [subject, readAt, scenario, replicas, jitterSeconds, seed],
  );
  const question = useMemo((): WhatIfQuestion | null => {
    if (subject === null || prepared === null) return null;
    const now = prepareWhatIf(
      { ...subject, now: readAt },
      { scenario: "start-all", replicas: defaultReplicas(subject), jitterSeconds: 0, seed },
    );
    const keyed = (name: WhatIfScenario) => `${base} ${name} ${replicas} ${jitterSeconds} ${seed}`;
    const sides = [
      { key: asItIsKey, input: now.input },
      ...prepared.offered.map((each) => ({ key: keyed(each.name), input: prepared.inputOf(each) })),
    ];
    return {
      key: keyed(prepared.chosen.name),
      input: prepared.input,
      // The first may be one of those below it.
      sides: [...new Map(sides.map((side) => [side.key, side])).values()],
      furtherSeeds: Array.from({ length: SEEDS - 1 }, (_, index) => seed + index + 1),
    };
  }, [subject, prepared, readAt, base, asItIsKey, replicas, jitterSeconds, seed]);
  const view = useWhatIf(question);
  return {
    view,
    prepared,
    sideOf: ({ name }) => view.sides.get(keyOf(name)),
    asItIs: view.sides.get(asItIsKey),
  };
}
