import type { RuleVersion } from "../../kubernetes/version.ts";
import { DroppedRequests } from "./dropped-requests.ts";

/**
 * What rejected requests are told to wait, by priority level: 1 s up to 1.27, adapted to the rejections since 1.28.
 * One tracker stands for one API server.
 */
export class RetryAfterTracker {
  readonly #isAdaptive: boolean;
  readonly #levels = new Map<string, DroppedRequests>();

  constructor(version: Pick<RuleVersion, "minor">) {
    this.#isAdaptive = version.minor >= 28;
  }

  /** Records a rejection in this Unix second and returns the seconds it is told to wait. */
  reject(priorityLevelName: string, second: number): number {
    if (!this.#isAdaptive) return 1;
    let level = this.#levels.get(priorityLevelName);
    if (level === undefined) {
      level = new DroppedRequests();
      this.#levels.set(priorityLevelName, level);
    }
    level.record(second);
    return level.retryAfterSeconds;
  }

  /** What a level would tell now. */
  retryAfterSeconds(priorityLevelName: string): number {
    return this.#levels.get(priorityLevelName)?.retryAfterSeconds ?? 1;
  }
}
