import { type Curve, scale, wave } from "./curve.ts";
import type { OpenWatches, RequestShape } from "./figures.ts";
import { type ClusterLoad, type FlowLoad, type LevelLoad, seededRipples, splitWhole } from "./load-model.ts";
import type { LevelConfiguration } from "./seat-limits.ts";
import { shape } from "./shapes.ts";

/** A flow as a share of its level's load. */
export interface FlowShare {
  readonly flowSchemaName: string;
  readonly flowDistinguisher: string;
  readonly userName: string;
  readonly shape: RequestShape;
  readonly weight: number;
}

const serviceAccount = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`;

/** A ServiceAccount outside kube-system: one flow, by user. */
export function accountFlow(
  namespace: string,
  name: string,
  request: RequestShape,
  weight: number,
): FlowShare {
  const userName = serviceAccount(namespace, name);
  return {
    flowSchemaName: "service-accounts",
    flowDistinguisher: userName,
    userName,
    shape: request,
    weight,
  };
}

const ANY_NODE = "system:node:worker-00001";

/** Who is in each default level of a healthy cluster, with shares of its load. */
export const STANDARD_FLOWS: Readonly<Record<string, readonly FlowShare[]>> = {
  exempt: [
    {
      flowSchemaName: "exempt",
      flowDistinguisher: "",
      userName: "system:apiserver",
      shape: shape("get", "services"),
      weight: 3,
    },
    {
      flowSchemaName: "probes",
      flowDistinguisher: "",
      userName: "system:anonymous",
      shape: { ...shape("get", ""), path: "/readyz", scope: "", resource: "", version: "" },
      weight: 1,
    },
  ],
  "leader-election": [
    {
      flowSchemaName: "system-leader-election",
      flowDistinguisher: "system:kube-controller-manager",
      userName: "system:kube-controller-manager",
      shape: shape("update", "leases", {
        group: "coordination.k8s.io",
        scope: "resource",
        namespace: "kube-system",
        name: "kube-controller-manager",
      }),
      weight: 1,
    },
  ],
  "node-high": [
    {
      flowSchemaName: "system-node-high",
      flowDistinguisher: ANY_NODE,
      userName: ANY_NODE,
      shape: shape("patch", "nodes", { scope: "resource", name: "worker-00001", subresource: "status" }),
      weight: 1,
    },
  ],
  system: [
    {
      flowSchemaName: "system-nodes",
      flowDistinguisher: ANY_NODE,
      userName: ANY_NODE,
      shape: shape("get", "pods", { scope: "resource", namespace: "default", name: "web-0" }),
      weight: 1,
    },
  ],
  "workload-high": [
    {
      flowSchemaName: "kube-controller-manager",
      flowDistinguisher: "",
      userName: "system:kube-controller-manager",
      shape: shape("list", "replicasets", { group: "apps" }),
      weight: 2,
    },
    {
      flowSchemaName: "kube-system-service-accounts",
      flowDistinguisher: "",
      userName: serviceAccount("kube-system", "kube-proxy"),
      shape: shape("list", "endpointslices", { group: "discovery.k8s.io" }),
      weight: 3,
    },
  ],
  "workload-low": [
    accountFlow(
      "gitops",
      "application-controller",
      shape("get", "deployments", { group: "apps", scope: "resource", namespace: "gitops", name: "web" }),
      5,
    ),
    accountFlow("monitoring", "prometheus", shape("list", "pods"), 2),
    accountFlow(
      "cert-manager",
      "cert-manager",
      shape("update", "leases", {
        group: "coordination.k8s.io",
        scope: "resource",
        namespace: "cert-manager",
        name: "controller",
      }),
      1,
    ),
  ],
  "global-default": [
    {
      flowSchemaName: "global-default",
      flowDistinguisher: "engineer",
      userName: "engineer",
      shape: shape("list", "pods", { scope: "namespace", namespace: "default" }),
      weight: 1,
    },
  ],
};

export interface LevelDemand {
  /** Seats asked on a server, before rounding. */
  seatsAt(server: number, at: number): number;
  /** Requests dispatched per second on a server. */
  dispatched(server: number): Curve;
}

/** The load of a level from shares: whole requests that add up, one seat each. */
export function loadByShare(shares: readonly FlowShare[], demand: LevelDemand): LevelLoad {
  return {
    flows: flowsByShare(shares, demand),
    seatsAskedAt: (server, at) => wholeSeats(demand, server, at),
  };
}

const wholeSeats = (demand: LevelDemand, server: number, at: number) =>
  Math.max(0, Math.round(demand.seatsAt(server, at)));

function flowsByShare(shares: readonly FlowShare[], demand: LevelDemand): FlowLoad[] {
  const weights = shares.map((share) => share.weight);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let memo: { server: number; at: number; parts: number[] } | null = null;
  const partsAt = (server: number, at: number) => {
    if (memo?.server !== server || memo.at !== at) {
      memo = { server, at, parts: splitWhole(wholeSeats(demand, server, at), weights) };
    }
    return memo.parts;
  };
  return shares.map((share, index) => {
    const dispatched: Curve[] = [];
    return {
      flowSchemaName: share.flowSchemaName,
      flowDistinguisher: share.flowDistinguisher,
      userName: share.userName,
      shape: share.shape,
      seatsEach: 1,
      executionSeconds: 0.012,
      requestsAt: (server, at) => partsAt(server, at)[index] ?? 0,
      dispatchedAtOnce: (server) =>
        (dispatched[server] ??= scale(demand.dispatched(server), sum === 0 ? 0 : share.weight / sum)),
      dispatchedLate: () => null,
      rejected: () => ({}),
    };
  });
}

/** Seats and rates of the default levels for a cluster of this size when nothing is wrong. */
export function standardDemand(level: string, nodes: number, seed: string): LevelDemand {
  const [seats, perSecond] = standardLevel(level, nodes);
  const curves = new Map<number, { seats: Curve; rate: Curve }>();
  const curveOf = (server: number) => {
    const known = curves.get(server);
    if (known) return known;
    const key = `${seed}/${level}/${server}`;
    const made = {
      seats: wave(seats, seededRipples(`${key}/seats`, 0.5)),
      rate: wave(perSecond, seededRipples(`${key}/rate`, 0.4)),
    };
    curves.set(server, made);
    return made;
  };
  return {
    seatsAt: (server, at) => curveOf(server).seats.at(at),
    dispatched: (server) => curveOf(server).rate,
  };
}

function standardLevel(level: string, nodes: number): [seats: number, perSecond: number] {
  switch (level) {
    case "exempt":
      return [2, 3];
    case "leader-election":
      return [1, 4];
    case "node-high":
      return [1 + nodes / 90, 1 + nodes * 0.11];
    case "system":
      return [1 + nodes / 60, 1 + nodes * 0.05];
    case "workload-high":
      return [1 + nodes / 60, 4 + nodes * 0.02];
    case "workload-low":
      return [2 + nodes / 90, 5 + nodes * 0.02];
    case "global-default":
      return [1, 0.6];
    default:
      return [0, 0];
  }
}

export interface StandardLoadInput {
  readonly minor: number;
  readonly levels: readonly LevelConfiguration[];
  readonly seed: string;
  readonly startedAt: (server: number, at: number) => number;
  nodesAt(at: number): number;
  /** For the size of the load: it does not follow every node. */
  readonly typicalNodes: number;
  readonly servers: number;
  storageBytes(at: number): number;
}

/** The load of a healthy cluster. */
export function standardLoad(input: StandardLoadInput): ClusterLoad {
  const { typicalNodes, seed } = input;
  const loads: Record<string, LevelLoad> = {};
  for (const [level, shares] of Object.entries(STANDARD_FLOWS)) {
    loads[level] = loadByShare(shares, standardDemand(level, typicalNodes, seed));
  }
  return {
    minor: input.minor,
    serverConcurrencyLimit: 600,
    levels: input.levels,
    loads,
    startedAt: input.startedAt,
    cores: coresFor(typicalNodes),
    cpuCores: (server) => wave(0.15 + typicalNodes * 0.0011, seededRipples(`${seed}/cpu/${server}`, 0.4)),
    residentMemoryBytes: (server, at) =>
      (0.6e9 + typicalNodes * 9e6) * (1 + 0.04 * Math.sin(at / 611_000 + server)),
    storageBytes: input.storageBytes,
    watchesAt: (_server, at) => standardWatches(input.nodesAt(at) / input.servers),
  };
}

/** Cores of an API server, as clusters of that size have them. */
export function coresFor(nodes: number): number {
  if (nodes >= 1000) return 16;
  if (nodes >= 300) return 8;
  return nodes >= 20 ? 4 : 2;
}

/** Open watches on one server: mostly those of the kubelets connected to it. */
export function standardWatches(nodesHere: number): OpenWatches[] {
  const row = (
    resource: string,
    open: number,
    group = "",
    scope: OpenWatches["scope"] = "cluster",
  ): OpenWatches => ({
    group,
    version: "v1",
    resource,
    scope,
    open: Math.round(open),
  });
  return [
    row("configmaps", nodesHere * 5, "", "resource"),
    row("csidrivers", nodesHere, "storage.k8s.io"),
    row("endpointslices", nodesHere * 1.2 + 4, "discovery.k8s.io"),
    row("nodes", nodesHere * 2 + 6),
    row("pods", nodesHere + 12),
    row("secrets", nodesHere * 4, "", "resource"),
    row("services", nodesHere * 2 + 9),
  ];
}
