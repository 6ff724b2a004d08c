import type { SourcePosition } from "../../finding.ts";
import type { ScannedMetricSample } from "../../rule.ts";
import { compareNatural } from "../natural-order.ts";
import type { LevelLook } from "./starvation.ts";

/** Source: apiserver pkg/util/flowcontrol/metrics, v0.26 to v0.37. */
const FIGURES: Readonly<Record<string, keyof LevelLook>> = {
  apiserver_flowcontrol_rejected_requests_total: "rejected",
  apiserver_flowcontrol_dispatched_requests_total: "dispatched",
  apiserver_flowcontrol_current_inqueue_requests: "waiting",
  apiserver_flowcontrol_current_executing_seats: "executing",
  apiserver_flowcontrol_current_limit_seats: "limit",
};
export const WANTED_METRICS: readonly string[] = Object.keys(FIGURES).sort();

/** Levels kept of a page; no server has nearly as many. */
const LEVELS_KEPT = 1000;

/** What metrics pages say of priority levels, page by page. */
export class LevelMetrics {
  readonly #pages = new Map<string, Map<string, Record<keyof LevelLook, number | null>>>();

  take({ name, labels, value }: ScannedMetricSample, { file }: SourcePosition): void {
    const figure = FIGURES[name];
    const level = labels.priority_level;
    if (figure === undefined || level === undefined || !Number.isFinite(value)) return;
    let levels = this.#pages.get(file);
    if (levels === undefined) {
      levels = new Map();
      this.#pages.set(file, levels);
    }
    let look = levels.get(level);
    if (look === undefined) {
      if (levels.size >= LEVELS_KEPT) return;
      look = { waiting: null, executing: null, dispatched: null, rejected: null, limit: null };
      levels.set(level, look);
    }
    // One series for each FlowSchema and reason.
    look[figure] = (look[figure] ?? 0) + value;
  }

  /** By the order of the files' names. A level that never rejected has no such series: 0. */
  get looks() {
    return [...this.#pages]
      .sort(([a], [b]) => compareNatural(a, b))
      .map(([file, levels]) => ({
        file,
        levels: new Map(
          [...levels].map(([level, look]) => [
            level,
            { ...look, rejected: look.rejected ?? (look.dispatched === null ? null : 0) },
          ]),
        ),
      }));
  }
}
