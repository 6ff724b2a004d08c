import {
  type IntOrPercent,
  parseIntOrPercent,
  resolveIntOrPercent,
} from "../../../rollout/int-or-percent.ts";
import { type Figures, formatPosition } from "../../finding.ts";
import { numberAt, textAt, valueAt } from "../../json-value.ts";
import { ALL_VERSIONS, type Rule, type RuleAnswer, type RuleFinding } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";

/** A DaemonSet whose update may replace every pod in one step. */
export const rolloutUnpaced: Rule = {
  name: "rollout.unpaced",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "An update replaces every pod at once",
  what: "Looks at DaemonSets with updateStrategy RollingUpdate whose maxUnavailable or maxSurge lets all pods be replaced in one step: 100 %, or a number that reaches the number of nodes. Half of them or more, of at least 100, is a warning.",
  why: "All copies start together: whatever each of them asks of the API server at its start is asked by all in the same seconds, and a fault of the new version is on every node before anybody can see it.",
  fix: "Set maxUnavailable (or maxSurge) to a few pods or a few percent and give minReadySeconds, so that the rollout can be watched and stopped; roll to small clusters first.",
  sources: [
    {
      text: "Kubernetes, Perform a Rolling Update on a DaemonSet",
      url: "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
    },
    {
      text: "Public report of the outage of 11 December 2024: a telemetry agent rolled to all clusters within minutes",
      url: "https://status.openai.com/incidents/ctrsv3lwd797",
    },
  ],
  check: { kind: "facts", evaluate },
};

function evaluate(facts: ScanFacts): RuleAnswer {
  return { findings: facts.objects.ofKind("DaemonSet").flatMap((each) => check(each, facts)) };
}

function check(daemonSet: ScannedObject, facts: ScanFacts): readonly RuleFinding[] {
  const { body, position } = daemonSet;
  const type = textAt(body, "spec", "updateStrategy", "type") ?? "RollingUpdate";
  if (type !== "RollingUpdate") return [];
  const pods = numberAt(body, "status", "desiredNumberScheduled") ?? facts.cluster.nodes;
  const limits = (["maxUnavailable", "maxSurge"] as const).flatMap((field) => {
    const value = parseIntOrPercent(valueAt(body, "spec", "updateStrategy", "rollingUpdate", field));
    return value === null ? [] : [{ field, value }];
  });
  const all = limits.find(({ value }) => reachesAll(value, pods));
  const half = all === undefined ? limits.find(({ value }) => reachesHalf(value, pods)) : undefined;
  const widest = all ?? half;
  if (widest === undefined) return [];
  const timeline = timelineOf(facts);
  const figures: Figures = { [widest.field]: widest.value, pods, ...timeline };
  const atOnce = pods === null ? null : Math.min(pods, resolveIntOrPercent(widest.value, pods));
  return [
    {
      subject: subjectOf(daemonSet),
      severity: all === undefined ? "warning" : "error",
      message:
        all === undefined
          ? `${widest.field} ${widest.value} lets an update replace ${atOnce} of ${pods} pods in one step.`
          : `${widest.field} ${widest.value} lets an update replace ${pods === null ? "all pods" : `all ${pods} pods`} in one step.`,
      ...(pods === null ? {} : { fix: paceFix(widest.field, pods) }),
      evidence: { grade: "checked", source: formatPosition(position), observedAt: null },
      figures,
      position,
    },
  ];
}

/** What a timeline that somebody kept says of the last such rollout; empty where none was given. */
function timelineOf({ measurements }: ScanFacts): Figures {
  const found = measurements.find(({ name }) => /^timeline\.(?:json|ya?ml)$/.test(name))?.value;
  const [deploy, start, end] = ["deploy", "impact_start", "impact_end"].map((field) =>
    minuteOf(textAt(found, field)),
  );
  const toImpact = minutesBetween(deploy, start);
  const impact = minutesBetween(start, end);
  return {
    ...(toImpact === null ? {} : { minutesDeployToImpact: toImpact }),
    ...(impact === null ? {} : { impactMinutes: impact }),
  };
}

/** Of one day, or past its midnight. */
function minutesBetween(from: number | null | undefined, until: number | null | undefined): number | null {
  if (typeof from !== "number" || typeof until !== "number") return null;
  return (until - from + MINUTES_A_DAY) % MINUTES_A_DAY;
}
const MINUTES_A_DAY = 1440;

/** `15:12` as minutes of its day. */
function minuteOf(text: string | null): number | null {
  const match = /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(text ?? "");
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
}

/** Ten waves at any size; each can be looked at before the next. */
const paceFix = (field: string, pods: number) =>
  `Set ${field} to 10% (${Math.ceil(pods / 10)} of ${pods} pods) or less and give minReadySeconds, so that the rollout can be watched and stopped; roll to small clusters first.`;

const PODS_OF_A_HERD = 100;

function reachesHalf(value: IntOrPercent, pods: number | null): boolean {
  return pods !== null && pods >= PODS_OF_A_HERD && resolveIntOrPercent(value, pods) >= pods / 2;
}

/** A number alone says it only where the number of pods is known; one pod is never a herd. */
function reachesAll(value: IntOrPercent, pods: number | null): boolean {
  if (pods !== null && pods < 2) return false;
  if (typeof value === "string") return value === "100%";
  return pods !== null && resolveIntOrPercent(value, pods) >= pods;
}
