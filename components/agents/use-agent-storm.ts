"use client";

import { useMemo } from "react";
import type { AgentSubject } from "@/lib/contracts/agent-pages";
import { findInputFault } from "@/lib/domain/storm/input-fault";
import type { StormInput } from "@/lib/domain/storm/storm-input";
import type { OfferedScenario, WhatIfScenario } from "@/lib/domain/what-if/scenarios";
import {
  defaultReplicas,
  type PreparedWhatIf,
  prepareWhatIf,
  type WhatIfChoice,
} from "@/lib/domain/what-if/what-if-input";
import {
  applyChosen,
  type OfferedRemedy,
  offerRemedies,
  type StartOfCopy,
  startOfCopy,
} from "@/lib/domain/what-if/what-if-remedies";
import type { SideStorm } from "@/lib/domain/what-if/what-if-runner";
import { useWhatIf, type WhatIfQuestion } from "./use-what-if";
import type { WhatIfState } from "./what-if-state";

/** Seeds of the bands, the first included. */
const SEEDS = 20;
/** Scenarios in which remedies are compared: the upper bound, and what happens every week. */
export const COMPARED_SCENARIOS = ["start-all", "rolling-10"] as const satisfies readonly WhatIfScenario[];

export interface AgentChoice extends WhatIfChoice {
  /** Ids of remedies, in the order in which they are applied. */
  readonly remedies: readonly string[];
}

/** `undefined`: not simulated yet; `null`: cannot be. */
export type Side = SideStorm | null | undefined;

/** One remedy, or none, in the scenarios that are compared. */
export interface RemedyRow {
  /** Empty: as it is. */
  readonly id: string;
  readonly title: string;
  readonly costs: string;
  readonly start: StartOfCopy;
  /** In start-all and in a healthy update; `barred`: it changes nothing there, and why. */
  readonly startAll: Side | { readonly barred: string };
  readonly update: Side | { readonly barred: string };
}

export interface AgentStorm {
  readonly view: WhatIfState;
  readonly prepared: PreparedWhatIf | null;
  /** As it is, without remedies. */
  readonly sideOf: (scenario: OfferedScenario) => Side;
  /** Of start-all with as many copies as there are now and no jitter. */
  readonly asItIs: Side;
  /** The same as it is simulated, with its key; `null`: nothing can be. */
  readonly asItIsStorm: KeyedInput | null;
  /** In the chosen scenario, each by itself. */
  readonly remedies: readonly { readonly remedy: OfferedRemedy; readonly side: Side }[];
  /** Why remedies that were chosen change nothing, one sentence each. */
  readonly skipped: readonly string[];
  readonly compared: readonly RemedyRow[];
}

/** A storm and what it is kept by: equal keys are equal inputs. */
export interface KeyedInput {
  readonly key: string;
  readonly input: StormInput;
}

/** All storms of a page, by what they are for. */
interface AgentStorms {
  readonly prepared: PreparedWhatIf;
  readonly main: KeyedInput;
  readonly asItIs: KeyedInput;
  readonly scenarios: ReadonlyMap<WhatIfScenario, KeyedInput>;
  readonly remedies: readonly { readonly remedy: OfferedRemedy; readonly storm: KeyedInput | null }[];
  readonly compared: readonly {
    readonly remedy: Pick<OfferedRemedy, "id" | "title" | "costs">;
    readonly start: StartOfCopy;
    readonly storms: readonly (KeyedInput | { readonly barred: string })[];
  }[];
  readonly skipped: readonly string[];
}

/**
 * The storm of a choice, simulated in a worker, and beside it the verdict of each other scenario and of each remedy.
 * `readAt` names the figures that it rests on: equal choices on equal figures are simulated once.
 */
export function useAgentStorm(
  subject: AgentSubject | null,
  settled: AgentChoice,
  /** What a control stands at while it moves; `null`: it rests. Only the storm itself follows it. */
  moving: Partial<Pick<AgentChoice, "replicas" | "jitterSeconds">> | null,
  readAt: number,
): AgentStorm {
  const { scenario, replicas, jitterSeconds, seed } = settled;
  const chosen = settled.remedies.join("+");
  const choice = useMemo(
    (): AgentChoice => ({
      scenario,
      replicas,
      jitterSeconds,
      seed,
      remedies: chosen === "" ? [] : chosen.split("+"),
    }),
    [scenario, replicas, jitterSeconds, seed, chosen],
  );
  const storms = useMemo(
    () => (subject === null ? null : prepareStorms(subject, readAt, choice)),
    [subject, readAt, choice],
  );
  const movingReplicas = moving?.replicas;
  const movingJitter = moving?.jitterSeconds;
  const question = useMemo((): WhatIfQuestion | null => {
    if (subject === null || storms === null) return null;
    if (movingReplicas === undefined && movingJitter === undefined) return questionOf(storms, seed);
    const { key, input } = prepareMain(subject, readAt, {
      ...choice,
      replicas: movingReplicas ?? choice.replicas,
      jitterSeconds: movingJitter ?? choice.jitterSeconds,
    });
    return { key, stormKey: key, input, sides: [], laterSides: [], furtherSeeds: furtherSeeds(seed) };
  }, [subject, readAt, choice, storms, seed, movingReplicas, movingJitter]);
  const view = useWhatIf(question);
  const sideOf = (storm: KeyedInput | null | undefined): Side =>
    storm == null ? null : view.sides.get(storm.key);
  const either = (storm: KeyedInput | { readonly barred: string } | undefined) =>
    storm !== undefined && "barred" in storm ? storm : sideOf(storm);
  return {
    view,
    prepared: storms?.prepared ?? null,
    sideOf: ({ name }) => sideOf(storms?.scenarios.get(name)),
    asItIs: storms === null ? undefined : sideOf(storms.asItIs),
    asItIsStorm: storms?.asItIs ?? null,
    remedies: (storms?.remedies ?? []).map(({ remedy, storm }) => ({ remedy, side: sideOf(storm) })),
    skipped: storms?.skipped ?? [],
    compared: (storms?.compared ?? []).map(({ remedy, start, storms: [startAll, update] }) => ({
      ...remedy,
      start,
      startAll: either(startAll),
      update: either(update),
    })),
  };
}

const baseKey = ({ clusterId }: AgentSubject, readAt: number, seed: number) =>
  `${clusterId} ${readAt} ${seed}`;

const stormKeyOf = (base: string, name: WhatIfScenario, copies: number, jitter: number, remedies = "") =>
  `${base} ${name} ${copies} ${jitter} ${remedies}`;

/** The storm alone, as quickly as it can be prepared: a control may be moving. */
function prepareMain(subject: AgentSubject, readAt: number, choice: AgentChoice): KeyedInput {
  const { replicas, jitterSeconds, seed } = choice;
  const prepared = prepareWhatIf({ ...subject, now: readAt }, choice);
  const { input, applied } = applyChosen(prepared.input, choice.remedies);
  const base = baseKey(subject, readAt, seed);
  return { key: stormKeyOf(base, prepared.chosen.name, replicas, jitterSeconds, applied.join("+")), input };
}

const furtherSeeds = (seed: number): readonly number[] =>
  Array.from({ length: SEEDS - 1 }, (_, index) => seed + index + 1);

function prepareStorms(subject: AgentSubject, readAt: number, choice: AgentChoice): AgentStorms {
  const { jitterSeconds, seed } = choice;
  const of = { ...subject, now: readAt };
  const base = baseKey(subject, readAt, seed);
  const here = (name: WhatIfScenario, remedies = "") =>
    stormKeyOf(base, name, choice.replicas, jitterSeconds, remedies);
  const prepared = prepareWhatIf(of, choice);
  const usual = defaultReplicas(subject);
  const asItIs = prepareWhatIf(of, { scenario: "start-all", replicas: usual, jitterSeconds: 0, seed });
  const scenarios = new Map(
    prepared.offered.map((each) => [each.name, { key: here(each.name), input: prepared.inputOf(each) }]),
  );
  const inScenario = (name: WhatIfScenario) =>
    prepared.offered.filter((each) => each.name === name).map((each) => prepared.inputOf(each))[0] ??
    prepared.input;
  // What cannot be simulated has no remedy: the storm itself says why.
  const isPossible = findInputFault(prepared.input) === null;
  const remedied = applyChosen(prepared.input, isPossible ? choice.remedies : []);
  const compared = COMPARED_SCENARIOS.map((name) => ({
    name,
    input: inScenario(name),
    offered: isPossible ? offerRemedies(inScenario(name)) : [],
  }));
  return {
    prepared,
    main: { key: here(prepared.chosen.name, remedied.applied.join("+")), input: remedied.input },
    asItIs: { key: stormKeyOf(base, "start-all", usual, 0), input: asItIs.input },
    scenarios,
    // What changes nothing here comes last.
    remedies: (isPossible ? offerRemedies(prepared.input) : [])
      .toSorted((a, b) => Number(b.answer.isApplicable) - Number(a.answer.isApplicable))
      .map((remedy) => ({
        remedy,
        storm: remedy.answer.isApplicable
          ? { key: here(prepared.chosen.name, remedy.id), input: remedy.answer.input }
          : null,
      })),
    compared: !isPossible
      ? []
      : [
          {
            remedy: { id: "", title: "As it is", costs: "" },
            start: startOfCopy(inScenario("start-all")),
            storms: compared.map(({ name, input }) => ({ key: here(name), input })),
          },
          ...(compared[0]?.offered ?? []).flatMap(({ id, title, costs }) => {
            const answers = compared.map(({ name, offered }) => ({
              name,
              answer: offered.find((each) => each.id === id)?.answer,
            }));
            const applied = answers.flatMap(({ answer }) =>
              answer?.isApplicable === true ? [answer.input] : [],
            );
            const [first] = applied;
            if (first === undefined) return [];
            return [
              {
                remedy: { id, title, costs },
                start: startOfCopy(first),
                storms: answers.map(({ name, answer }) =>
                  answer?.isApplicable === true
                    ? { key: here(name, id), input: answer.input }
                    : { barred: answer?.reason ?? "" },
                ),
              },
            ];
          }),
        ],
    skipped: remedied.skipped,
  };
}

function questionOf(storms: AgentStorms, seed: number): WhatIfQuestion {
  const { main, asItIs, scenarios, remedies, compared } = storms;
  const sides = [asItIs, ...scenarios.values(), ...remedies.flatMap(({ storm }) => storm ?? [])];
  const later = compared.flatMap((row) => row.storms.flatMap((storm) => ("barred" in storm ? [] : [storm])));
  const first = new Map(sides.map((side) => [side.key, side]));
  return {
    key: `${main.key} and what stands beside it`,
    stormKey: main.key,
    input: main.input,
    // One storm may be wanted for several reasons.
    sides: [...first.values()],
    laterSides: [
      ...new Map(later.filter(({ key }) => !first.has(key)).map((side) => [side.key, side])).values(),
    ],
    furtherSeeds: furtherSeeds(seed),
  };
}
