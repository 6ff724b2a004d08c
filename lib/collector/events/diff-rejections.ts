import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { LevelSample, ServerFairness } from "../../domain/fairness/fairness-part.ts";
import type { OpenRejection } from "./change-baseline.ts";
import { groupChanges, type NamedChange } from "./group-changes.ts";

/** At this rate one reading is enough; below it only a second one in a row begins an event. */
const CERTAIN_PER_SECOND = 1;
/** Rejections have ended when there was none for so long. */
export const REJECTIONS_END_SECONDS = 300;

/**
 * When rejections of a priority level on a server began and ended. With hysteresis: a single rejected request begins
 * nothing, and a lull of less than five minutes ends nothing. A server or rate that was not read changes nothing.
 */
export function diffRejections(
  open: ReadonlyMap<string, OpenRejection>,
  servers: readonly ServerFairness[],
  context: { readonly at: number; readonly nameOf: (serverId: string) => string },
): { readonly events: readonly ClusterEvent[]; readonly open: ReadonlyMap<string, OpenRejection> } {
  const { at, nameOf } = context;
  const next = new Map(open);
  const started: NamedChange[] = [];
  const ended: NamedChange[] = [];
  for (const server of servers) {
    for (const level of server.levels) {
      const rate = level.rejectedPerSecond;
      if (rate === null) continue;
      const subject = `${level.priorityLevelName} on ${nameOf(server.serverId)}`;
      const known = open.get(subject);
      if (rate > 0) {
        const isFirst = known === undefined;
        const isCertain = rate >= CERTAIN_PER_SECOND;
        const wasSaid = known !== undefined && known.peakPerSecond > 0;
        next.set(subject, {
          startedAt: known?.startedAt ?? server.observedAt,
          lastRejectedAt: server.observedAt,
          // 0 marks a beginning that has not been said yet.
          peakPerSecond: isFirst && !isCertain ? 0 : Math.max(known?.peakPerSecond ?? 0, rate),
        });
        if (!wasSaid && (isCertain || !isFirst)) started.push(describeStart(subject, level, rate));
      } else if (known !== undefined) {
        const quietSeconds = (server.observedAt - known.lastRejectedAt) / 1000;
        if (known.peakPerSecond === 0) {
          next.delete(subject);
        } else if (quietSeconds >= REJECTIONS_END_SECONDS) {
          next.delete(subject);
          ended.push(describeEnd(subject, known));
        }
      }
    }
  }
  return {
    events: [
      ...groupChanges(
        { kind: "rejections-started", severity: "error", at, many: "priority levels began to reject" },
        started,
      ),
      ...groupChanges(
        { kind: "rejections-ended", severity: "ok", at, many: "priority levels no longer reject" },
        ended,
      ),
    ],
    open: next,
  };
}

function describeStart(subject: string, level: LevelSample, rate: number): NamedChange {
  const reasons = Object.entries(level.rejectedTotal)
    .filter(([, total]) => total > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason]) => reason);
  const seats =
    level.executingSeats === null || level.currentLimitSeats === null
      ? ""
      : `; ${Math.round(level.executingSeats)} of ${Math.round(level.currentLimitSeats)} seats in use`;
  return {
    subject,
    lead: `${subject} rejects requests`,
    text: `${perSecond(rate)} a second (${reasons.join(", ") || "reason not published"})${seats}.`,
    before: "0",
    after: perSecond(rate),
  };
}

function describeEnd(subject: string, open: OpenRejection): NamedChange {
  const minutes = Math.max(1, Math.round((open.lastRejectedAt - open.startedAt) / 60_000));
  return {
    subject,
    lead: `${subject} no longer rejects`,
    text: `after ${minutes} min, at most ${perSecond(open.peakPerSecond)} a second.`,
    before: perSecond(open.peakPerSecond),
    after: "0",
  };
}

function perSecond(rate: number): string {
  return rate >= 10 ? String(Math.round(rate)) : rate.toFixed(rate >= 0.1 ? 1 : 3);
}
