import { type RuleVersion, ruleVersion } from "../../kubernetes/version.ts";
import { expandPriorityLevels, type PriorityLevelList } from "../configuration/expand-objects.ts";
import type { AdjustmentCase } from "./adjust-limits.ts";
import type { LevelLimits } from "./level-limits.ts";
import { ADJUSTMENT_PERIOD_NS, type AssumedDemand, LimitsController } from "./limits-controller.ts";

interface LevelsInput {
  /** Kubernetes version, e.g. "1.34.13". */
  readonly v: string;
  /** Server concurrency limit in seats: `--max-requests-inflight` + `--max-mutating-requests-inflight`. */
  readonly scl: number;
  /** "defaults" stands for all default levels of the version; of two objects of one name the later counts. */
  readonly priorityLevels: PriorityLevelList;
}

/** A configuration, in the fields of the vector set `max-seats`. */
export interface LimitsInput extends LevelsInput {
  /** A configuration that is read afterwards. */
  readonly second?: { readonly scl: number; readonly priorityLevels: PriorityLevelList } | undefined;
}

export interface LimitsAnswer {
  /** By level name, sorted. To 1.27 without the exempt level, which has no limits there. */
  readonly limits: Readonly<Record<string, LevelLimits>>;
  /** Where there is a `second`. */
  readonly secondLimits?: Readonly<Record<string, LevelLimits>>;
}

/** An adjustment period, in the fields of the vector set `borrowing`. */
export interface BorrowingPeriod {
  readonly lengthUs: number;
  /** In order of time: [microseconds since the start of the period, level, seats from then on]. */
  readonly demand: readonly (readonly [number, string, number])[];
  /** Figures that are assumed by level name, in a period without length. */
  readonly injected?: Readonly<Record<string, AssumedDemand>> | undefined;
}

export interface BorrowingInput extends LevelsInput {
  readonly periods: readonly BorrowingPeriod[];
}

/** [high watermark, average, deviation, smoothed demand, current limit]; `null` is not a number. */
export type LevelRow = readonly [number, number | null, number | null, number | null, number];

export interface AdjustmentAnswer {
  readonly fairFrac: number | null;
  readonly pl: Readonly<Record<string, LevelRow>>;
  readonly case: AdjustmentCase;
  readonly fault: string | null;
}

export interface BorrowingAnswer {
  readonly afterDigest: AdjustmentAnswer;
  /** After each period, in order. */
  readonly adjustments: readonly AdjustmentAnswer[];
}

/**
 * Limits of every level while nobody asks for anything.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function computeLimits({ v, scl, priorityLevels, second }: LimitsInput): LimitsAnswer {
  const version = ruleVersion(v);
  const controller = new LimitsController(version);
  controller.configure(0, expandPriorityLevels(priorityLevels, version.minor), scl);
  const limits = limitsOf(controller);
  if (second === undefined) return { limits };
  const next = expandPriorityLevels(second.priorityLevels, version.minor);
  controller.configure(ADJUSTMENT_PERIOD_NS, next, second.scl);
  return { limits, secondLimits: limitsOf(controller) };
}

/**
 * Limits over adjustment periods with the given demand. An idle period precedes the first.
 *
 * @throws {RangeError} where `v` is no version, or a period names a level that is not there.
 */
export function replayBorrowing({ v, scl, priorityLevels, periods }: BorrowingInput): BorrowingAnswer {
  const version = ruleVersion(v);
  const controller = openController(version, scl, priorityLevels);
  const afterDigest = adjustmentOf(controller);
  let nowNs = ADJUSTMENT_PERIOD_NS;
  controller.adjust(nowNs);
  const adjustments = periods.map(({ lengthUs, demand, injected }) => {
    for (const [offsetUs, level, seats] of demand) {
      const integrator = controller.demandOf(level);
      if (integrator === null) throw new RangeError(`There is no priority level ${level}.`);
      integrator.set(nowNs + offsetUs * 1000, seats);
    }
    nowNs += lengthUs * 1000;
    controller.adjust(nowNs, injected && new Map(Object.entries(injected)));
    return adjustmentOf(controller);
  });
  return { afterDigest, adjustments };
}

function openController(version: RuleVersion, scl: number, listed: PriorityLevelList): LimitsController {
  const controller = new LimitsController(version);
  controller.configure(0, expandPriorityLevels(listed, version.minor), scl);
  return controller;
}

function limitsOf({ levels }: LimitsController): Record<string, LevelLimits> {
  return Object.fromEntries(
    levels.map(({ name, nominalCL, minCL, maxCL, currentCL, maxSeats }) => [
      name,
      { nominalCL, minCL, maxCL, currentCL, maxSeats },
    ]),
  );
}

function adjustmentOf({ levels, adjustment }: LimitsController): AdjustmentAnswer {
  return {
    fairFrac: numberOrNull(adjustment.fairFrac),
    pl: Object.fromEntries(
      levels.map(({ name, demand, currentCL }) => [
        name,
        [
          demand.highWatermark,
          numberOrNull(demand.average),
          numberOrNull(demand.deviation),
          numberOrNull(demand.smoothed),
          currentCL,
        ],
      ]),
    ),
    case: adjustment.case,
    fault: adjustment.fault,
  };
}

const numberOrNull = (figure: number) => (Number.isNaN(figure) ? null : figure);
