import {
  add,
  type Curve,
  constant,
  during,
  fixedWindows,
  outside,
  scale,
  type Windows,
  wave,
} from "../fake-api-server/curve.ts";
import {
  type ClusterLoad,
  type FlowLoad,
  type LevelLoad,
  seededRipples,
} from "../fake-api-server/load-model.ts";
import type { LevelConfiguration } from "../fake-api-server/seat-limits.ts";
import { shape } from "../fake-api-server/shapes.ts";
import {
  accountFlow,
  coresFor,
  type FlowShare,
  type LevelDemand,
  loadByShare,
  STANDARD_FLOWS,
  standardWatches,
} from "../fake-api-server/standard-load.ts";
import { type ClusterPlan, serverNames } from "./fleet-plan.ts";
import { nodesAt, RESTART_AFTER, ROLLOUT_LEAD, type Stories, serverStartedAt, windowAt } from "./stories.ts";

/** Index of the server that is busiest when the fleet starts: the second where there are several. */
export const busiestServer = (plan: ClusterPlan) => (plan.servers > 1 ? 1 : 0);

/** Limits of an idle server, by level: what the seats of quiet levels are scaled to. */
const IDLE_LIMITS: Readonly<Record<string, number>> = {
  "leader-election": 58,
  "node-high": 170,
  system: 117,
  "workload-high": 114,
  "workload-low": 56,
  "global-default": 56,
};
const DAY_SECONDS = 86_400;
/** How far load swings over a day, and by chance. */
const DAILY = 0.35;
const NOISE = 0.22;

/**
 * Load of one demo cluster. The busiest level stands at the plan's seats when the fleet starts, on the busiest server;
 * everything else stays below it in share of its limit. Values move by the second and by the hour, and are the same
 * for the same instant and anchor.
 */
export function demoLoad(
  plan: ClusterPlan,
  stories: Stories,
  levels: readonly LevelConfiguration[],
  minor: number,
): ClusterLoad {
  const loads: Record<string, LevelLoad> = {};
  for (const level of Object.keys(STANDARD_FLOWS)) {
    loads[level] = loadByShare(flowsOf(level), demandOf(plan, stories, level));
  }
  if (plan.name === "ml-us-east") loads["workload-low"] = incidentLevel(plan, stories);
  if (plan.name === "ci-us-east") loads["workload-low"] = withRejections(loads["workload-low"], stories);
  const cpu = serverNames(plan).map((_, server) => cpuOf(plan, stories, server));
  return {
    minor,
    serverConcurrencyLimit: 600,
    levels,
    loads,
    startedAt: (server, at) => serverStartedAt(plan, stories, server, at),
    cores: coresFor(plan.nodes),
    cpuCores: (server) => cpu[server] ?? constant(0),
    residentMemoryBytes: (server, at) => memoryOf(plan, stories, server, at),
    storageBytes: (at) => storageOf(plan, stories, at),
    watchesAt: (_server, at) => standardWatches(nodesAt(plan, stories.anchorAt, at) / plan.servers),
  };
}

const lease = (namespace: string, name: string) =>
  shape("update", "leases", { group: "coordination.k8s.io", scope: "resource", namespace, name });

const WORKLOAD_LOW: readonly FlowShare[] = [
  accountFlow(
    "gitops",
    "application-controller",
    shape("get", "deployments", { group: "apps", scope: "resource", namespace: "gitops", name: "web" }),
    3,
  ),
  accountFlow(
    "batch",
    "workflow-controller",
    shape("update", "jobs", { group: "batch", scope: "resource", namespace: "batch", name: "nightly" }),
    2,
  ),
  accountFlow("monitoring", "prometheus", shape("list", "pods"), 1),
  accountFlow("storage", "csi-provisioner", shape("list", "persistentvolumeclaims"), 1),
  accountFlow(
    "ingress",
    "ingress-controller",
    shape("get", "services", { scope: "resource", namespace: "ingress", name: "web" }),
    0.4,
  ),
  accountFlow("cert-manager", "cert-manager", lease("cert-manager", "cert-manager-controller"), 0.4),
];

const flowsOf = (level: string): readonly FlowShare[] =>
  level === "workload-low" ? WORKLOAD_LOW : (STANDARD_FLOWS[level] ?? []);

/** Seats and requests per second of a level while nothing is wrong. */
function demandOf(plan: ClusterPlan, stories: Stories, level: string): LevelDemand {
  const surge = plan.name === "prod-us-east" && level === "workload-low" ? stories.borrowing : null;
  const servers = serverNames(plan).map((_, server) => ({
    seats: balanced(plan, stories, `${level}/seats/${server}`, seatsOf(plan, level, server)),
    rate: balanced(plan, stories, `${level}/rate/${server}`, ratePerSecond(plan, level)),
  }));
  return {
    seatsAt: (server, at) =>
      surge === null || windowAt(surge, at) === null ? (servers[server]?.seats.at(at) ?? 0) : SURGE_SEATS,
    dispatched: (server) => servers[server]?.rate ?? constant(0),
  };
}

/** What a batch of reports asks for at once: above the nominal limit of workload-low (245). */
const SURGE_SEATS = 300;

function seatsOf(plan: ClusterPlan, level: string, server: number): number {
  const { busiest } = plan;
  const share = server === busiestServer(plan) ? 1 : 0.8;
  if (level === busiest.level) return busiest.seats * share;
  const limit = IDLE_LIMITS[level];
  if (limit === undefined) return 1.2;
  const ratio = busiest.seats / (IDLE_LIMITS[busiest.level] ?? 56);
  const quiet: Readonly<Record<string, number>> = {
    system: 0.55,
    "workload-high": 0.45,
    "workload-low": 0.45,
    "node-high": 0.3,
    "global-default": 0.1,
    "leader-election": 0.05,
  };
  return limit * Math.min(ratio, 0.6) * (quiet[level] ?? 0.1) * share;
}

/** Requests per second of a level on one server: kubelets by the node, controllers by the cluster. */
function ratePerSecond({ nodes, servers }: ClusterPlan, level: string): number {
  const perServer = nodes / servers;
  const rates: Readonly<Record<string, number>> = {
    exempt: 2.4,
    "leader-election": 2 + nodes * 0.002,
    "node-high": 0.5 + perServer * 0.27,
    system: 0.5 + perServer * 0.14,
    "workload-high": 3 + perServer * 0.05,
    "workload-low": 3 + perServer * 0.04,
    "global-default": 0.4,
  };
  return rates[level] ?? 0;
}

/** A curve that has exactly this value at the anchor and moves around it. */
function balanced(plan: ClusterPlan, { anchorAt }: Stories, key: string, value: number): Curve {
  const daily = {
    periodSeconds: DAY_SECONDS,
    amplitude: DAILY,
    phase: -((2 * Math.PI * anchorAt) / 1000 / DAY_SECONDS),
  };
  const ripples = [...seededRipples(`${plan.name}/${key}`, NOISE), daily];
  const atAnchor = wave(1, ripples).at(anchorAt);
  return wave(value / atAnchor, ripples);
}

// ---- ml-us-east: one agent LISTs all pods again and again -------------------------------------------------------

const AGENT = accountFlow("scheduling", "gpu-feature-agent", shape("list", "pods"), 1);
/** Requests of the agent on one server while the level is full, about. */
const AGENT_REQUESTS = 212;
const AGENT_SEATS = 10;
/** Others present in the full level. */
const OTHERS_IN_FULL_LEVEL = 7;
const OTHERS_ON_RESTARTED_SERVER = 6;
/** Per second and server, while its two neighbours do the same or the third server is empty. */
const REJECTED = { three: 4, two: 9.55 };
const SERVED = 6.1;

/** When workload-low of this server is full: all three until the restart, then the two that kept their connections. */
function fullWindows({ rollout, incident }: Stories, server: number): Windows {
  return (from, to) =>
    rollout(from, to).flatMap(([start, end]) => {
      const first = incident(start, end)[0]?.[0] ?? start + ROLLOUT_LEAD;
      const until = server === 2 ? first + RESTART_AFTER : end;
      const begin = start + 45_000;
      return begin < to && until > from ? [[begin, until] as const] : [];
    });
}

/** Rejections start with the incident, not with the rollout; a part of them before the restart, a part after. */
function rejectingWindows({ incident }: Stories, part: "three" | "two"): Windows {
  return (from, to) =>
    incident(from, to).flatMap(([start, end]) => {
      const window =
        part === "three"
          ? ([start, start + RESTART_AFTER] as const)
          : ([start + RESTART_AFTER, end] as const);
      return window[0] < to && window[1] > from ? [window] : [];
    });
}

function incidentLevel(plan: ClusterPlan, stories: Stories): LevelLoad {
  const full = [0, 1, 2].map((server) => fullWindows(stories, server));
  const calm = demandOf(plan, stories, "workload-low");
  const demand: LevelDemand = {
    seatsAt: (server, at) => {
      if (windowAt(full[server] ?? fixedWindows([]), at) !== null) return OTHERS_IN_FULL_LEVEL;
      const isSpared = server === 2 && windowAt(stories.incident, at) !== null;
      return isSpared ? OTHERS_ON_RESTARTED_SERVER : calm.seatsAt(server, at);
    },
    dispatched: (server) => calm.dispatched(server),
  };
  const others = loadByShare(WORKLOAD_LOW, demand);
  const isFull = (server: number) => full[server] ?? fixedWindows([]);
  const agent: FlowLoad = {
    ...AGENT,
    seatsEach: AGENT_SEATS,
    executionSeconds: 5.9,
    requestsAt: (server, at) => agentRequests(stories, server, at),
    dispatchedAtOnce: (server) => outside(constant(0.15), isFull(server)),
    dispatchedLate: (server) => during(constant(SERVED), isFull(server)),
    rejected: (server) => ({ "time-out": rejectedCurve(stories, server, 1) }),
  };
  return {
    flows: [agent, ...others.flows.map((flow) => suffering(flow, stories, isFull))],
    seatsAskedAt: (server, at) =>
      agentRequests(stories, server, at) * AGENT_SEATS + others.seatsAskedAt(server, at),
  };
}

/** In the full level another flow is served later, at a third of its rate, and now and then refused. */
function suffering(flow: FlowLoad, stories: Stories, isFull: (server: number) => Windows): FlowLoad {
  const shares: Readonly<Record<string, number>> = {
    "system:serviceaccount:gitops:application-controller": 0.025,
    "system:serviceaccount:batch:workflow-controller": 0.015,
    "system:serviceaccount:monitoring:prometheus": 0.01,
  };
  const share = shares[flow.userName] ?? 0;
  return {
    ...flow,
    dispatchedAtOnce: (server) => outside(flow.dispatchedAtOnce(server), isFull(server)),
    dispatchedLate: (server) => during(scale(flow.dispatchedAtOnce(server), 0.33), isFull(server)),
    rejected: (server) =>
      share === 0 ? {} : { "time-out": rejectedCurve(stories, server, share / REJECTED.two) },
  };
}

function rejectedCurve(stories: Stories, server: number, share: number): Curve {
  const early = during(constant(REJECTED.three * share), rejectingWindows(stories, "three"));
  if (server === 2) return early;
  return add(early, during(constant(REJECTED.two * share), rejectingWindows(stories, "two")));
}

/** Copies come as the rollout reaches their nodes, and ask again before they are answered. */
function agentRequests(stories: Stories, server: number, at: number): number {
  const window = windowAt(stories.rollout, at);
  if (window === null) return 0;
  if (server === 2 && windowAt(fullWindows(stories, 2), at) === null && at > window[0] + ROLLOUT_LEAD)
    return 0;
  const grown = Math.min(1, (at - window[0]) / ROLLOUT_LEAD);
  const swing = 1 + 0.03 * Math.sin(at / 7000 + server) + 0.02 * Math.sin(at / 23_000 + 2 * server);
  return Math.round(AGENT_REQUESTS * grown * swing);
}

// ---- ci-us-east: 212 rejected on one day ------------------------------------------------------------------------

const CI_REJECTED = 212;

function withRejections(load: LevelLoad | undefined, { ciRejections }: Stories): LevelLoad {
  const [first, ...others] = load?.flows ?? [];
  if (load === undefined || first === undefined) throw new RangeError("workload-low has no flows.");
  const [start, end] = ciRejections;
  const perSecond = CI_REJECTED / 3 / ((end - start) / 1000);
  const curve = during(constant(perSecond), fixedWindows([ciRejections]));
  return { ...load, flows: [{ ...first, rejected: () => ({ "time-out": curve }) }, ...others] };
}

// ---- the processes ----------------------------------------------------------------------------------------------

function cpuOf(plan: ClusterPlan, stories: Stories, server: number): Curve {
  const base = balanced(plan, stories, `cpu/${server}`, 0.2 + plan.nodes * 0.0021);
  if (plan.name !== "ml-us-east") return base;
  return add(base, during(constant(13.4), fullWindows(stories, server)));
}

function memoryOf(plan: ClusterPlan, stories: Stories, server: number, at: number): number {
  const nodes = nodesAt(plan, stories.anchorAt, at);
  const base =
    (0.6e9 + nodes * 11.2e6) * (1 + 0.025 * Math.sin(at / 1_900_000 + server) + 0.01 * Math.sin(at / 47_000));
  const isFull = plan.name === "ml-us-east" && windowAt(fullWindows(stories, server), at) !== null;
  return isFull ? base * 2.6 : base;
}

/** Grows slowly with the cluster; every six hours the file is defragmented. */
function storageOf(plan: ClusterPlan, stories: Stories, at: number): number {
  const base =
    90e6 +
    nodesAt(plan, stories.anchorAt, at) * 520_000 +
    ((at - stories.anchorAt) / 86_400_000) * plan.nodes * 1500;
  const sixHours = 6 * 3_600_000;
  return base * (1 + 0.18 * ((at % sixHours) / sixHours));
}
