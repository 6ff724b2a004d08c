import type { ClusterEvent } from "../domain/clusters/event.ts";
import type { SeriesSample } from "../domain/clusters/series.ts";
import { DEFAULT_SEED } from "./demo-fleet.ts";
import { demoScenario } from "./demo-scenario.ts";
import { type ClusterPlan, planOf, serverNames } from "./fleet-plan.ts";
import {
  nodesAt,
  podsAt,
  RESTART_AFTER,
  RESTART_OUTAGE,
  ROLLOUT_LEAD,
  type Stories,
  storiesOf,
  UPGRADE_BEFORE_DAYS,
} from "./stories.ts";
import { serverSamples } from "./value-at.ts";

export interface HistoryRequest {
  /** Name of a cluster of the fleet. */
  readonly cluster: string;
  readonly seed?: string;
  /** The fleet's anchor: the same as given to `startDemoFleet`. */
  readonly anchorAt: number;
  /** Milliseconds since the epoch; samples lie in `[from, to)`, at multiples of the step. */
  readonly from: number;
  readonly to: number;
  readonly stepSeconds: number;
}

export interface HistoryTick {
  readonly atSeconds: number;
  readonly samples: readonly SeriesSample[];
}

/**
 * What scrapes every `stepSeconds` would have stored, oldest first; made one instant at a time. An instant at which
 * no server answered has no samples. A series has the same key object at every instant. Generated, not measured:
 * whoever stores it labels it so.
 */
export function* generateHistory(request: HistoryRequest): Generator<HistoryTick> {
  const { cluster, anchorAt, from, to, stepSeconds, seed = DEFAULT_SEED } = request;
  const plan = planOf(cluster);
  const scenario = demoScenario(plan, storiesOf(anchorAt), seed);
  const step = stepSeconds * 1000;
  for (let at = Math.ceil(from / step) * step; at < to; at += step) {
    const samples = serverNames(plan).flatMap((_, serverIndex) =>
      serverSamples({ scenario, serverIndex, at, windowSeconds: stepSeconds }),
    );
    if (samples.length > 0) samples.push(...sizeSamples(plan, anchorAt, at));
    yield { atSeconds: at / 1000, samples };
  }
}

function sizeSamples(plan: ClusterPlan, anchorAt: number, at: number): SeriesSample[] {
  return [
    { key: NODES, value: nodesAt(plan, anchorAt, at) },
    { key: PODS, value: podsAt(plan, anchorAt, at) },
  ];
}

const NODES = { metric: "nodes", serverId: null, priorityLevelName: null, rejectReason: null } as const;
const PODS = { ...NODES, metric: "pods" } as const;

const DAY = 86_400_000;
const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/**
 * What changed in a cluster of the fleet in `[from, to)`, oldest first: the changes that its pages tell of. Only up to
 * the anchor; what happens later is seen by scraping.
 */
export function generateEvents({
  cluster,
  anchorAt,
  from,
  to,
}: Omit<HistoryRequest, "stepSeconds" | "seed">): ClusterEvent[] {
  const plan = planOf(cluster);
  const stories = storiesOf(anchorAt);
  return [...growthEvents(plan, anchorAt), ...storyEvents(plan, stories)]
    .filter((event) => event.at >= from && event.at < to && event.at < anchorAt)
    .toSorted((a, b) => a.at - b.at);
}

type EventText = Omit<ClusterEvent, "before" | "after"> & Partial<Pick<ClusterEvent, "before" | "after">>;
const event = (text: EventText): ClusterEvent => ({ before: null, after: null, ...text });

/** Nodes: one event for a step, one a week for steady growth. */
function growthEvents(plan: ClusterPlan, anchorAt: number): ClusterEvent[] {
  const { growth } = plan;
  if (growth.kind === "none") return [];
  const instants =
    growth.kind === "step"
      ? [[growth.daysBefore + 0.01, growth.daysBefore]]
      : [
          [28, 21],
          [21, 14],
          [14, 7],
          [7, 0.2],
        ];
  return instants.flatMap(([earlier = 0, later = 0]) => {
    const before = nodesAt(plan, anchorAt, anchorAt - earlier * DAY);
    const after = nodesAt(plan, anchorAt, anchorAt - later * DAY);
    if (before === after) return [];
    return [
      event({
        kind: "node-count-changed",
        severity: growth.kind === "step" ? "warning" : "info",
        at: anchorAt - later * DAY,
        subject: "nodes",
        lead: `${number(before)} → ${number(after)} nodes.`,
        text: growth.kind === "step" ? "Added by cluster-autoscaler." : "Over seven days.",
        before: String(before),
        after: String(after),
      }),
    ];
  });
}

function storyEvents(plan: ClusterPlan, stories: Stories): ClusterEvent[] {
  switch (plan.name) {
    case "ml-us-east":
      return incidentEvents(stories);
    case "prod-us-east":
      return productionEvents(stories);
    case "data-eu-west":
      return [
        event({
          kind: "api-service-added",
          severity: "info",
          at: stories.anchorAt - 101 * 60_000,
          subject: "v1beta1.visibility.queueing.example.io",
          lead: "APIService added.",
          text: "Served by queueing-system/queue-visibility.",
        }),
        event({
          kind: "agent-added",
          severity: "info",
          at: stories.anchorAt - 103 * 60_000,
          subject: "queueing-system/queue-visibility",
          lead: "Deployment added.",
          text: "Image queue-visibility 0.16.0.",
          after: "registry.example.com/queueing/queue-visibility:0.16.0",
        }),
      ];
    case "edge-ap-south": {
      const [down] = stories.unreachable(stories.anchorAt - 1, stories.anchorAt);
      return down === undefined
        ? []
        : [
            event({
              kind: "cluster-unreachable",
              severity: "unknown",
              at: down[0],
              subject: plan.name,
              lead: "Unreachable.",
              text: "i/o timeout on 3 of 3 API servers.",
            }),
          ];
    }
    case "ci-us-east":
      return [
        event({
          kind: "rejections-started",
          severity: "warning",
          at: stories.ciRejections[0],
          subject: "workload-low",
          lead: "212 requests rejected.",
          text: "time-out on 3 of 3 API servers, within 2 min.",
        }),
        event({
          kind: "rejections-ended",
          severity: "info",
          at: stories.ciRejections[1],
          subject: "workload-low",
          lead: "No rejection any more.",
          text: "workload-low is below its limit on every server.",
        }),
      ];
    default:
      return [];
  }
}

function incidentEvents({ incident, anchorAt }: Stories): ClusterEvent[] {
  const [window] = incident(anchorAt - 1, anchorAt);
  if (window === undefined) return [];
  const image = (version: string) => `registry.example.com/scheduling/gpu-feature-agent:${version}`;
  return [
    event({
      kind: "agent-image-changed",
      severity: "warning",
      at: window[0] - ROLLOUT_LEAD,
      subject: "scheduling/gpu-feature-agent",
      lead: "1.8.4 → 1.9.0.",
      text: "DaemonSet on 640 nodes, maxUnavailable 10 %.",
      before: image("1.8.4"),
      after: image("1.9.0"),
    }),
    event({
      kind: "rejections-started",
      severity: "error",
      at: window[0],
      subject: "workload-low",
      lead: "Requests are rejected.",
      text: "workload-low answers 429, reason time-out, on 3 of 3 API servers.",
    }),
    event({
      kind: "api-server-restarted",
      severity: "warning",
      at: window[0] + RESTART_AFTER + RESTART_OUTAGE,
      subject: "ml-us-east-cp-2",
      lead: "API server restarted.",
      text: "35 s without data; its watches moved to the other two.",
    }),
  ];
}

function productionEvents({ anchorAt }: Stories): ClusterEvent[] {
  const upgradeAt = anchorAt - UPGRADE_BEFORE_DAYS * DAY;
  const shipper = (version: string) => `registry.example.com/logging/log-shipper:${version}`;
  const restarts = [0, 1, 2].map((server) =>
    event({
      kind: "api-server-restarted",
      severity: "info",
      at: upgradeAt + server * 11 * 60_000,
      subject: `prod-us-east-cp-${server}`,
      lead: "API server restarted.",
      text: "kube-apiserver 1.34.1 → 1.34.2.",
    }),
  );
  return [
    event({
      kind: "agent-image-changed",
      severity: "info",
      at: anchorAt - 7 * DAY,
      subject: "logging/log-shipper",
      lead: "3.4.0 → 3.5.0.",
      text: "Reads pods from the kubelet.",
      before: shipper("3.4.0"),
      after: shipper("3.5.0"),
    }),
    ...restarts,
    event({
      kind: "version-changed",
      severity: "info",
      at: upgradeAt + 22 * 60_000,
      subject: "kube-apiserver",
      lead: "1.34.1 → 1.34.2.",
      text: "On 3 of 3 servers.",
      before: "v1.34.1",
      after: "v1.34.2",
    }),
  ];
}
