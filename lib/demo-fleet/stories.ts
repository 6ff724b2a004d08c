import { fixedWindows, type Interval, recurring, type Windows } from "../fake-api-server/curve.ts";
import type { ClusterPlan } from "./fleet-plan.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * When things happen in the demo fleet, all relative to its anchor: the instant of its first start (milliseconds
 * since the epoch). Before the anchor each story has happened once, as the pages tell it; after it, the stories that
 * can return do so.
 */
export interface Stories {
  readonly anchorAt: number;
  /** ml-us-east rejects requests: from the first 429 to the last. */
  readonly incident: Windows;
  /** The rollout that causes it, from the change of the image to its undoing. */
  readonly rollout: Windows;
  /** edge-ap-south does not answer. */
  readonly unreachable: Windows;
  /** prod-us-east: a batch of reports makes workload-low borrow above its nominal limit. */
  readonly borrowing: Windows;
  /** ci-us-east: 212 requests were rejected two days before the anchor. */
  readonly ciRejections: Interval;
}

/** The incident began 19 min 12 s before the anchor, lasts 70 min, and comes back 30 min after its end. */
const INCIDENT_BEFORE = 19 * MINUTE + 12 * SECOND;
const INCIDENT_SECONDS = 70 * 60;
const INCIDENT_PERIOD_SECONDS = 100 * 60;
/** From the change of the image to the first rejection. */
export const ROLLOUT_LEAD = 108 * SECOND;
/** From the first rejection to the restart of the third API server, and how long that takes. */
export const RESTART_AFTER = 8 * MINUTE + 42 * SECOND;
export const RESTART_OUTAGE = 35 * SECOND;

export function storiesOf(anchorAt: number): Stories {
  const incidentAt = anchorAt - INCIDENT_BEFORE;
  return {
    anchorAt,
    incident: recurring(incidentAt, INCIDENT_SECONDS, INCIDENT_PERIOD_SECONDS),
    rollout: recurring(
      incidentAt - ROLLOUT_LEAD,
      INCIDENT_SECONDS + ROLLOUT_LEAD / SECOND,
      INCIDENT_PERIOD_SECONDS,
    ),
    unreachable: recurring(anchorAt - 3.5 * HOUR, 7.5 * 3600, 8 * 3600),
    borrowing: fixedWindows([
      [anchorAt - 4 * DAY - 6.5 * HOUR, anchorAt - 4 * DAY - 6.5 * HOUR + 4 * MINUTE],
      [anchorAt - 2 * DAY - 9 * HOUR, anchorAt - 2 * DAY - 9 * HOUR + 4 * MINUTE],
      [anchorAt - 1 * DAY - 3 * HOUR, anchorAt - 1 * DAY - 3 * HOUR + 3 * MINUTE],
    ]),
    ciRejections: [anchorAt - 2 * DAY + 40 * MINUTE, anchorAt - 2 * DAY + 42 * MINUTE],
  };
}

/** The window that holds an instant, or `null`. */
export function windowAt(windows: Windows, at: number): Interval | null {
  return windows(at, at + 1)[0] ?? null;
}

/** The last window that began before an instant, or `null`; looks back one period of the incident. */
export function lastIncidentBefore({ incident }: Stories, at: number): Interval | null {
  return incident(at - INCIDENT_PERIOD_SECONDS * SECOND, at).at(-1) ?? null;
}

/** Nodes at an instant: grown to the plan's number at the anchor, steady after it. */
export function nodesAt(plan: ClusterPlan, anchorAt: number, at: number): number {
  const before = (anchorAt - at) / DAY;
  const { growth } = plan;
  if (before <= 0 || growth.kind === "none") return plan.nodes;
  if (growth.kind === "steady") return Math.max(1, plan.nodes - Math.round(growth.perDay * before));
  return before > growth.daysBefore ? plan.nodes - growth.nodes : plan.nodes;
}

export const podsAt = (plan: ClusterPlan, anchorAt: number, at: number): number =>
  Math.round(nodesAt(plan, anchorAt, at) * plan.podsPerNode);

/** The control plane of prod-us-east was upgraded then, one server after the other. */
export const UPGRADE_BEFORE_DAYS = 6;

/** When the API server process of this index last started. Servers of other clusters run for weeks. */
export function serverStartedAt(plan: ClusterPlan, stories: Stories, server: number, at: number): number {
  const { anchorAt } = stories;
  if (plan.name === "ml-us-east" && server === 2) {
    const incident = lastIncidentBefore(stories, at);
    const restartedAt =
      incident === null ? Number.POSITIVE_INFINITY : incident[0] + RESTART_AFTER + RESTART_OUTAGE;
    if (restartedAt <= at) return restartedAt;
    // Between the first 429 and the restart of a later round, the restart of the round before still counts.
    const before = incident === null ? null : lastIncidentBefore(stories, incident[0]);
    if (before !== null) return before[0] + RESTART_AFTER + RESTART_OUTAGE;
  }
  const upgradedAt = anchorAt - UPGRADE_BEFORE_DAYS * DAY + server * 11 * MINUTE;
  if (plan.name === "prod-us-east" && at >= upgradedAt) return upgradedAt;
  const days = 41 + ((plan.nodes * 7 + server * 3) % 60);
  return anchorAt - days * DAY + server * 17 * MINUTE;
}

/** True while this API server does not run: the restart in the incident. */
export function isServerDown(plan: ClusterPlan, stories: Stories, server: number, at: number): boolean {
  if (plan.name !== "ml-us-east" || server !== 2) return false;
  const incident = windowAt(stories.incident, at);
  if (incident === null) return false;
  const since = at - incident[0] - RESTART_AFTER;
  return since >= 0 && since < RESTART_OUTAGE;
}
