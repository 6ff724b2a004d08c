import { causeOf } from "../../domain/clusters/failure-cause.ts";
import type { AgentSummary } from "../../domain/fan-out/fan-out-summary.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatDuration } from "../../format/duration.ts";
import { dayKey, formatDayAndMinute, formatMinute } from "../../format/instant.ts";
import { formatCount } from "../../format/number.ts";
import type { FleetCluster } from "./load-fleet.ts";

/** The worst thing about a cluster in one sentence with figures, and the path of the page that shows it. */
export interface WorstThing {
  readonly text: string;
  readonly href: string;
}

export const clusterPath = (clusterId: string): string => `/clusters/${encodeURIComponent(clusterId)}`;

/** Instants in sentences are in UTC and say so: the server does not know the reader's time zone. */
export const formatUtc = (at: number): string => `${formatDayAndMinute(at, "UTC")} UTC`;

/** The same for a row with little room: the day is left out where it is that of `now`. */
const formatShortUtc = (at: number, now: number): string =>
  dayKey(at, "UTC") === dayKey(now, "UTC") ? `${formatMinute(at, "UTC")} UTC` : formatUtc(at);

/** The outage, then what rejects or is crowded, then what could not be read. */
export function describeWorst(one: FleetCluster, now: number): WorstThing {
  const path = clusterPath(one.cluster.id);
  const { unreachableSince } = one.cluster;
  const outage = one.collection.find((each) => each.rule === "collector.unreachable");
  if (unreachableSince !== null) {
    const failure = latestFailure(one);
    return {
      text: `Unreachable since ${formatShortUtc(unreachableSince, now)}${failure === null ? "" : `: ${causeOf(failure)}`}`,
      href: path,
    };
  }
  const [fairness] = one.fairness;
  const { severity, worst } = one.fanOut;
  const isFanOutWorse = severity === "error" && fairness?.severity !== "error";
  if (worst !== null && (isFanOutWorse || (severity === "warning" && fairness === undefined)))
    return { text: describeWorstAgent(worst), href: `${path}/fan-out` };
  if (fairness !== undefined) return { text: fairness.text, href: fairnessHref(one, 0) };
  const collection = one.collection.find((each) => each.severity !== "info" && each !== outage);
  if (collection !== undefined) return { text: `${collection.title}. ${collection.happens}`, href: path };
  if (one.assessment.state === "unknown") return { text: "Not read yet", href: path };
  return { text: "Nothing to do", href: path };
}

/** `observability/node-telemetry unsafe: ≈ 481 GB, 28 000 seats if all 2 000 copies LIST at once, never drains`. */
export function describeWorstAgent({
  title,
  version,
  verdict,
  bytes,
  seats,
  copies,
  undrained,
  drainSeconds,
}: AgentSummary): string {
  const cost = [
    bytes === null ? null : `≈ ${formatBytes(bytes)}`,
    seats === null ? null : `${formatCount(seats)} seats`,
  ].filter((part) => part !== null);
  const drain =
    undrained > 0
      ? ", never drains (simulated)"
      : drainSeconds === null
        ? ""
        : `, drains in ${formatDuration(drainSeconds)} (simulated)`;
  const name = version === null ? title : `${title} ${version}`;
  return `${name} ${verdict}: ${cost.join(", ")} if ${copies === null ? "all copies LIST" : copies === 1 ? "its copy LISTs" : `all ${formatCount(copies)} copies LIST`} at once${drain}`;
}

/** The fairness page at the level and server of a finding. */
export function fairnessHref(one: FleetCluster, index: number): string {
  const finding = one.fairness[index];
  const path = `${clusterPath(one.cluster.id)}/fairness`;
  if (finding === undefined) return path;
  return `${path}?${new URLSearchParams({ server: finding.serverName, level: finding.priorityLevelName })}`;
}

function latestFailure(one: FleetCluster): string | null {
  const failed = one.parts
    .filter((each) => each.latest.failure !== null)
    .sort((a, b) => b.latest.startedAt - a.latest.startedAt)[0];
  return failed?.latest.failure?.message ?? null;
}
