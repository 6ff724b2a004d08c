import { formatCount } from "../cost/format-figures.ts";
import type { LevelSample } from "./fairness-part.ts";

/** Share of the current limit from which a level with waiting requests is worth a warning. */
export const BUSY_SEATS_RATIO = 0.9;

/** Seconds for which a rejection keeps its level at a warning. */
export const REJECTION_WINDOW_SECONDS = 3600;

export interface LevelAssessment {
  readonly severity: "error" | "warning" | "ok";
  /** One line with figures, for people: `workload-low on api-1: 361 of 368 seats, 182 waiting, 9.6 requests/s rejected`. */
  readonly text: string;
}

export interface LevelToAssess {
  readonly level: LevelSample;
  /** For the text. */
  readonly serverName: string;
  /** Exempt levels have no limit and reject nobody. */
  readonly isExempt: boolean;
  /** True where this level rejected a request on this server within `REJECTION_WINDOW_SECONDS`. */
  readonly hasRejectedInWindow: boolean;
}

/**
 * How one priority level stands on one API server. `error`: it rejects now (a rate above 0 since the scrape before).
 * `warning`: requests wait while at least 90 % of the current limit is in use, or it rejected within the last hour.
 * `ok` otherwise, and always for an exempt level. `null`: neither its seats nor its rejections are known.
 */
export function assessLevel({
  level,
  serverName,
  isExempt,
  hasRejectedInWindow,
}: LevelToAssess): LevelAssessment | null {
  const name = `${level.priorityLevelName} on ${serverName}`;
  if (isExempt) {
    return level.executingSeats === null
      ? null
      : { severity: "ok", text: `${name}: ${formatCount(level.executingSeats)} seats, no limit` };
  }
  const isRejecting = level.rejectedPerSecond !== null && level.rejectedPerSecond > 0;
  if (level.executingSeats === null && level.rejectedPerSecond === null && !hasRejectedInWindow) return null;
  const figures = [describeSeats(level), describeWaiting(level)];
  if (isRejecting) {
    figures.push(`${formatRate(level.rejectedPerSecond ?? 0)} requests/s rejected`);
    return { severity: "error", text: `${name}: ${figures.join(", ")}` };
  }
  if (hasRejectedInWindow) {
    figures.push(`requests rejected within the last ${REJECTION_WINDOW_SECONDS / 60} min`);
  }
  const severity = hasRejectedInWindow || isCrowded(level) ? "warning" : "ok";
  return { severity, text: `${name}: ${figures.join(", ")}` };
}

/** Requests wait, and at least `BUSY_SEATS_RATIO` of the current limit is in use. Unknown figures decide nothing. */
function isCrowded({ waitingRequests, executingSeats, currentLimitSeats }: LevelSample): boolean {
  if (waitingRequests === null || executingSeats === null || currentLimitSeats === null) return false;
  return waitingRequests > 0 && executingSeats >= BUSY_SEATS_RATIO * currentLimitSeats;
}

function describeSeats({ executingSeats, currentLimitSeats }: LevelSample): string {
  if (executingSeats === null) return "seats not known";
  if (currentLimitSeats === null) return `${formatCount(executingSeats)} seats, limit not known`;
  return `${formatCount(executingSeats)} of ${formatCount(currentLimitSeats)} seats`;
}

function describeWaiting({ waitingRequests }: LevelSample): string {
  return waitingRequests === null ? "waiting not known" : `${formatCount(waitingRequests)} waiting`;
}

/** Three significant digits; what would show as 0 is shown as less than the smallest step. */
function formatRate(value: number): string {
  if (value < 0.01) return "< 0.01";
  const rounded = Number(value.toPrecision(3));
  return rounded >= 1000 ? formatCount(rounded) : String(rounded);
}
