import type { AgentKind } from "./agent.ts";
import { parseImageReference } from "./image-reference.ts";

/** What an agent is told by. */
export interface AgentIdentity {
  readonly kind: AgentKind;
  /** `null` for what lives in none. */
  readonly namespace: string | null;
  readonly name: string;
}

/**
 * The id of an agent, stable over clusters and time: `daemonset/observability/node-telemetry`, `staticpod/kube-system/etcd`,
 * `client/kubelet`. What is no workload is `client/` and its name.
 */
export function agentIdOf({ kind, namespace, name }: AgentIdentity): string {
  if (kind === "node-client" || kind === "client") return `client/${name}`;
  return `${kind.toLowerCase()}/${namespace ?? "default"}/${name}`;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):(.+)$/;

/**
 * Who sends requests that no workload is known for: all kubelets are one, other users are told by name. A user's name
 * that holds more than a path may is kept readable; two different users never get one id.
 */
export function identityOfUser(userName: string): AgentIdentity {
  if (userName.startsWith("system:node:")) return { kind: "node-client", namespace: null, name: "kubelet" };
  const account = SERVICE_ACCOUNT.exec(userName);
  if (account !== null) return { kind: "client", namespace: account[1] ?? null, name: encodeName(userName) };
  return { kind: "client", namespace: null, name: encodeName(userName) };
}

const encodeName = (name: string) => encodeURIComponent(name).replaceAll("%3A", ":").replaceAll("%40", "@");

/** One agent as it stands on one cluster, as far as clusters are compared. */
export interface AgentOnCluster {
  readonly clusterName: string;
  readonly id: string;
  readonly kind: AgentKind;
  readonly name: string;
  readonly image: string | null;
}

/** One agent of the fleet. */
export interface FleetAgent<T extends AgentOnCluster> {
  /** The id most of its clusters have; of several as frequent the first by name. */
  readonly id: string;
  /** Other ids that it goes by on some clusters, sorted. */
  readonly otherIds: readonly string[];
  /** In the order given. */
  readonly members: readonly T[];
}

/**
 * Groups what is one agent: first by id; then agents of one kind, name and image that live in differently named
 * namespaces on different clusters. Two that stand side by side on one cluster stay two. Sorted by id.
 */
export function groupFleetAgents<T extends AgentOnCluster>(agents: readonly T[]): FleetAgent<T>[] {
  const byId = Map.groupBy(agents, ({ id }) => id);
  const byLikeness = Map.groupBy(byId.values(), (members) => likenessOf(members));
  return [...byLikeness.values()]
    .flatMap((alike) => (alike.length > 1 && !meetOnOneCluster(alike) ? [alike.flat()] : alike))
    .map(toFleetAgent)
    .sort((a, b) => compareText(a.id, b.id));
}

/** Agents without a known image are like none but themselves. */
function likenessOf([first]: readonly AgentOnCluster[]): string {
  const image = first === undefined || first.image === null ? null : parseImageReference(first.image);
  if (first === undefined || image === null) return `id\0${first?.id ?? ""}`;
  // Mirrors put a path of their own in front: the last part is what stays.
  const repository = image.repository.slice(image.repository.lastIndexOf("/") + 1);
  return `${first.kind}\0${first.name}\0${repository}`;
}

function meetOnOneCluster(groups: readonly (readonly AgentOnCluster[])[]): boolean {
  const seen = new Set<string>();
  for (const members of groups) {
    const clusters = new Set(members.map(({ clusterName }) => clusterName));
    for (const cluster of clusters) {
      if (seen.has(cluster)) return true;
      seen.add(cluster);
    }
  }
  return false;
}

function toFleetAgent<T extends AgentOnCluster>(members: readonly T[]): FleetAgent<T> {
  const counts = new Map<string, number>();
  for (const { id } of members) counts.set(id, (counts.get(id) ?? 0) + 1);
  const ids = [...counts].sort(([a, n], [b, m]) => m - n || compareText(a, b)).map(([id]) => id);
  const [id = "", ...otherIds] = ids;
  return { id, otherIds: otherIds.sort(compareText), members };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
