import type { Frame } from "../../contracts/common.ts";
import type { CollectorState } from "../../db/store.ts";
import { formatMarkdownInstant } from "../../format/instant.ts";
import type { SupervisionState } from "../../supervisor/supervision-state.ts";

/** Seconds without a heartbeat after which a collector counts as gone. */
export const HEARTBEAT_STALE_SECONDS = 30;

export interface CollectorFacts {
  readonly supervision: SupervisionState;
  /** What the collector itself wrote last; `null` where none ever wrote. */
  readonly stored: CollectorState | null;
  readonly now: number;
}

/** How the collector stands, in one word for the page and one sentence where something is wrong. */
export function describeCollector({ supervision, stored, now }: CollectorFacts): Frame["collector"] {
  const heartbeatAt = stored?.heartbeatAt ?? null;
  const isBeating =
    stored !== null &&
    stored.stoppedAt === null &&
    now - stored.heartbeatAt <= HEARTBEAT_STALE_SECONDS * 1000;
  switch (supervision.kind) {
    case "external":
      return isBeating
        ? { state: "running", message: null, heartbeatAt }
        : { state: "external-absent", message: describeAbsence(heartbeatAt), heartbeatAt };
    case "restarting":
      return {
        state: "restarting",
        message: describeRestart(supervision),
        heartbeatAt,
      };
    case "stopped":
      return {
        state: "stopped",
        message: "The collector is stopped. Pages show what was stored.",
        heartbeatAt,
      };
    case "running": {
      // A heartbeat of the process before does not count for this one.
      const isOfThisOne = stored !== null && stored.heartbeatAt >= supervision.startedAt;
      if (isOfThisOne && isBeating) return { state: "running", message: null, heartbeatAt };
      if (now - supervision.startedAt <= HEARTBEAT_STALE_SECONDS * 1000) {
        return { state: "starting", message: null, heartbeatAt };
      }
      return {
        state: "stopped",
        message: `The collector runs as process ${supervision.pid} but has written nothing since ${heartbeatAt === null ? "it was started" : formatMarkdownInstant(heartbeatAt)}. Pages show what was stored before.`,
        heartbeatAt,
      };
    }
    default:
      return assertNever(supervision);
  }
}

function describeAbsence(heartbeatAt: number | null): string {
  const since =
    heartbeatAt === null
      ? "No collector has written to this store yet."
      : `No collector has written to this store since ${formatMarkdownInstant(heartbeatAt)}.`;
  return `${since} Start one with: npm run collector`;
}

function describeRestart(crash: Extract<SupervisionState, { kind: "restarting" }>): string {
  return [
    `The collector ended at ${formatMarkdownInstant(crash.lastCrashAt)}: ${crash.lastCrash}`,
    ...(crash.crashes > 1 ? [`It ended ${crash.crashes} times in a row.`] : []),
    "It is started again; pages show what was stored before.",
  ].join(" ");
}

function assertNever(value: never): never {
  throw new Error(`unknown state ${JSON.stringify(value)}`);
}
