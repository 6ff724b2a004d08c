import { hasLevelCap, nextLevelMaxSeats } from "../../cost/level-cap.ts";
import type { RuleVersion } from "../../kubernetes/version.ts";
import { MANDATORY_NAMES } from "../configuration/api-objects.ts";
import { defaultPriorityLevels } from "../configuration/expand-objects.ts";
import { findLevelFault } from "../configuration/level-fault.ts";
import { DemandIntegrator } from "../demand/demand-integrator.ts";
import { type DemandStatistics, NO_DEMAND, updateDemandStatistics } from "../demand/demand-statistics.ts";
import type { PriorityLevelObject } from "../fairness-part.ts";
import { type Adjustment, adjustLimits, exemptRuleOf } from "./adjust-limits.ts";
import type { LevelState } from "./level-limits.ts";
import { type StaticLimits, staticLimits } from "./static-limits.ts";

/** How often current limits are adjusted. */
export const ADJUSTMENT_PERIOD_NS = 10_000_000_000;

/** On a real server some time passes between the making of a level's statistics and their first use. */
const MOMENT_NS = 1000;

/** The high watermark and smoothed demand that somebody assumes for a level. */
export type AssumedDemand = Pick<DemandStatistics, "highWatermark" | "smoothed">;

interface Level {
  configuration: PriorityLevelObject;
  readonly integrator: DemandIntegrator;
  limits: StaticLimits;
  demand: DemandStatistics;
  currentCL: number;
  maxSeats: number;
  isDraining: boolean;
}

/**
 * The limits of all priority levels of one API server over time: what its configuration controller does with them. The
 * caller owns the clock: `configure` when the objects change, `adjust` every 10 s, `demandOf(level).set` in between (or
 * hands that integrator to the level's queue set).
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26 to v1.37.
 */
export class LimitsController {
  readonly #version: RuleVersion;
  #levels = new Map<string, Level>();
  #adjustment: Adjustment = { currentCL: new Map(), fairFrac: 0, case: "shared", fault: null };

  constructor(version: RuleVersion) {
    this.#version = version;
  }

  /** How the current limits came about. */
  get adjustment(): Adjustment {
    return this.#adjustment;
  }

  /**
   * Every level with limits, sorted by name. To 1.27 the exempt level has none and is not among them.
   */
  get levels(): readonly LevelState[] {
    return this.#limited()
      .map(({ configuration, limits, demand, currentCL, maxSeats, isDraining }) => ({
        name: configuration.name,
        isExempt: configuration.type === "Exempt",
        ...limits,
        currentCL,
        maxSeats,
        demand,
        isDraining,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Seat demand of a level over time; `null` for a level that is not there. */
  demandOf(name: string): DemandIntegrator | null {
    return this.#levels.get(name)?.integrator ?? null;
  }

  /**
   * New objects or a new server limit: nominal, minimal and maximal limits and caps follow, then current limits are
   * adjusted at once. Broken levels are ignored, missing mandatory ones supplied. A removed level goes when it
   * `isIdle`; until then its shares count. On a server some time lies between two calls, and so it must here for
   * versions without the guard of `updateDemandStatistics`.
   */
  configure(
    nowNs: number,
    levels: readonly PriorityLevelObject[],
    serverConcurrencyLimit: number,
    isIdle: (name: string) => boolean = (name) => this.demandOf(name)?.value === 0,
  ): void {
    const next = new Map<string, Level>();
    for (const level of levels) {
      if (findLevelFault(level) !== null) continue;
      next.set(level.name, this.#reconfigured(nowNs, level));
    }
    for (const [name, level] of this.#levels) {
      if (next.has(name) || (!MANDATORY_NAMES.includes(name) && isIdle(name))) continue;
      level.isDraining = !MANDATORY_NAMES.includes(name);
      next.set(name, level);
    }
    for (const level of defaultPriorityLevels(this.#version.minor)) {
      if (!MANDATORY_NAMES.includes(level.name) || next.has(level.name)) continue;
      next.set(level.name, this.#reconfigured(nowNs, level));
    }
    const added = [...next.values()].filter((level) => !this.#levels.has(level.configuration.name));
    this.#levels = next;
    this.#limit(serverConcurrencyLimit);
    for (const level of added) {
      const lendable = level.limits.nominalCL - level.limits.minCL;
      level.currentCL = level.limits.nominalCL - Math.floor(lendable / 2);
    }
    this.adjust(nowNs);
  }

  /**
   * Ends a period: statistics are renewed, current limits follow. `assumed` puts figures in place of a level's
   * measured ones; then statistics of a period without length stay as they are in every version.
   */
  adjust(nowNs: number, assumed?: ReadonlyMap<string, AssumedDemand>): Adjustment {
    for (const level of this.#limited()) {
      const period = level.integrator.reset(nowNs);
      const figures = assumed?.get(level.configuration.name);
      if (figures !== undefined) {
        level.demand = { average: 0, deviation: 0, ...figures };
      } else if (assumed !== undefined && period.durationSeconds === 0) {
        level.demand = { ...level.demand, highWatermark: period.max };
      } else {
        level.demand = updateDemandStatistics(level.demand, period, this.#version);
      }
    }
    this.#adjustment = adjustLimits(
      this.#limited().map(({ configuration, limits, demand, currentCL }) => ({
        name: configuration.name,
        isExempt: configuration.type === "Exempt",
        limits,
        demand,
        currentCL,
      })),
      exemptRuleOf(this.#version.minor),
    );
    for (const [name, currentCL] of this.#adjustment.currentCL) {
      const level = this.#levels.get(name);
      if (level !== undefined) level.currentCL = currentCL;
    }
    return this.#adjustment;
  }

  /** Nominal limits and what follows from them. */
  #limit(serverConcurrencyLimit: number): void {
    const levels = this.#limited();
    const shareSum = levels.reduce(
      (sum, { configuration }) => sum + (configuration.nominalConcurrencyShares ?? 0),
      0,
    );
    for (const level of levels) {
      const { configuration } = level;
      level.limits = staticLimits(configuration, shareSum, serverConcurrencyLimit);
      if (!hasLevelCap(this.#version)) continue;
      level.maxSeats = nextLevelMaxSeats(level.maxSeats, level.limits.nominalCL, configuration.handSize);
    }
  }

  #reconfigured(nowNs: number, configuration: PriorityLevelObject): Level {
    const known = this.#levels.get(configuration.name);
    if (known !== undefined) return Object.assign(known, { configuration, isDraining: false });
    return {
      configuration,
      integrator: new DemandIntegrator(nowNs - MOMENT_NS),
      limits: { nominalCL: 0, minCL: 0, maxCL: 0 },
      demand: NO_DEMAND,
      currentCL: 0,
      maxSeats: 0,
      isDraining: false,
    };
  }

  /** The levels that have limits. */
  #limited(): Level[] {
    const levels = [...this.#levels.values()];
    return exemptRuleOf(this.#version.minor) === "none"
      ? levels.filter(({ configuration }) => configuration.type !== "Exempt")
      : levels;
  }
}
