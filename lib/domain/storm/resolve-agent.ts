import type { Agent, AgentInformer } from "../agents/agent.ts";
import { userOf } from "../fairness/matching/request-user.ts";
import { type InformerClient, informerClient } from "../informers/clients.ts";
import { DEFAULT_PAGE_SIZE } from "../informers/reflector-request.ts";
import type { StormAgent, StormBackOff, StormClient, StormCluster, StormInformer } from "./storm-input.ts";

export interface ResolvedAgent {
  readonly agent: StormAgent;
  /** Why no verdict should rest on it, one sentence each. */
  readonly doubts: readonly string[];
}

/** Waits of a reflector: client-go's own. */
export const CLIENT_GO_BACK_OFF: StormBackOff = {
  baseSeconds: 0.8,
  capSeconds: 30,
  jitterRatio: 1,
  resetSeconds: 120,
};

/** Taken where the client's version is not known: WatchList is off in it, so that LISTs are simulated. */
const ASSUMED_CLIENT_GO = "0.34";
const ASSUMED_CONTROLLER_RUNTIME = "0.22";
const ASSUMED_POLL_SECONDS = 60;
const CLIENT_GO_RETRIES = 10;

export interface AgentQuestion {
  readonly agent: Agent;
  readonly cluster: StormCluster;
  /** Copies to simulate; absent: those that the agent has on the cluster. */
  readonly replicas?: number | undefined;
}

/**
 * An agent made ready for a simulation on a cluster. What is not known is assumed and said in `agent.assumptions`.
 */
export function resolveStormAgent({ agent, cluster, replicas }: AgentQuestion): ResolvedAgent {
  const assumptions: string[] = [];
  const doubts: string[] = [];
  if (!agent.isKnown) doubts.push(`Nothing is known of what ${agent.name} reads.`);
  const library = resolveLibrary(agent, assumptions);
  const user = resolveUser(agent, assumptions);
  const isBounded = agent.informers.some(({ evidence }) => evidence.grade === "bounded");
  if (isBounded) doubts.push(`What ${agent.name} reads is only bounded by what it may read.`);
  const informers = agent.informers.flatMap((informer) =>
    resolveInformer({ agent, informer, cluster, library, assumptions, doubts }),
  );
  const resolved: StormAgent = {
    id: agent.id,
    name: agent.name,
    kind: agent.kind,
    replicas: replicas ?? resolveReplicas(agent, cluster, assumptions, doubts),
    userName: user.name,
    userGroups: user.groups,
    namespace: agent.namespace ?? "",
    client: resolveClient(agent, library, assumptions),
    informers,
    startJitterSeconds: 0,
    assumptions,
  };
  return { agent: resolved, doubts };
}

function resolveLibrary({ name, client }: Agent, assumptions: string[]): InformerClient {
  const library = client.library === "other" ? "client-go" : client.library;
  if (client.library === "other")
    assumptions.push(
      `The client of ${name} is not client-go: it is taken to wait and retry like client-go's reflectors.`,
    );
  const assumed = library === "controller-runtime" ? ASSUMED_CONTROLLER_RUNTIME : ASSUMED_CLIENT_GO;
  if (client.version === null || client.library === "other") {
    if (client.library !== "other")
      assumptions.push(`The version of ${library} in ${name} is not known: ${assumed} is taken.`);
    return informerClient(library, assumed);
  }
  try {
    return informerClient(library, client.version);
  } catch {
    // What somebody declared may be anything.
    assumptions.push(`"${client.version}" is no version of ${library}: ${assumed} is taken for ${name}.`);
    return informerClient(library, assumed);
  }
}

function resolveUser(
  agent: Agent,
  assumptions: string[],
): { readonly name: string; readonly groups: readonly string[] } {
  const { userName, userGroups, name, namespace, kind } = agent;
  const assumed = namespace === null ? name : `system:serviceaccount:${namespace}:${name}`;
  const known = userName ?? (kind === "node-client" ? "system:node:*" : assumed);
  if (userName === null) assumptions.push(`The user of ${name} is not known: ${known} is taken.`);
  return { name: known, groups: userGroups.length > 0 ? userGroups : userOf(known).groups };
}

function resolveReplicas(
  { name, replicas }: Agent,
  cluster: StormCluster,
  assumptions: string[],
  doubts: string[],
): number {
  if (replicas.kind === "fixed") return replicas.count;
  if (replicas.kind === "per-node") {
    if (replicas.count !== null) return replicas.count;
    assumptions.push(
      `How many copies of ${name} run is not known: one on each of ${cluster.nodes} nodes is taken.`,
    );
    return cluster.nodes;
  }
  assumptions.push(`How many copies of ${name} run is not known: one is taken.`);
  doubts.push(`How many copies of ${name} run is not known.`);
  return 1;
}

function resolveClient({ name, client }: Agent, library: InformerClient, assumptions: string[]): StormClient {
  const qps = client.qps ?? library.rate?.qps ?? null;
  // client-go takes a rate below 0 for none.
  const isLimited = qps !== null && qps > 0;
  if (client.acceptsGzip === null)
    assumptions.push(`Whether ${name} accepts gzip is not known: it is taken to, as Go's clients do.`);
  return {
    clientGoVersion: `0.${library.rules.version.minor}`,
    qps: isLimited ? qps : null,
    burst: Math.max(1, client.burst ?? library.rate?.burst ?? 10),
    acceptsGzip: client.acceptsGzip ?? true,
    maxRetries: CLIENT_GO_RETRIES,
    backOff: CLIENT_GO_BACK_OFF,
    cacheSyncTimeoutSeconds: library.cacheSyncTimeoutSeconds,
  };
}

interface InformerQuestion {
  readonly agent: Agent;
  readonly informer: AgentInformer;
  readonly cluster: StormCluster;
  readonly library: InformerClient;
  readonly assumptions: string[];
  readonly doubts: string[];
}

function resolveInformer(question: InformerQuestion): readonly StormInformer[] {
  const { agent, informer, cluster, library, assumptions, doubts } = question;
  const { apiGroup, resource, mode } = informer;
  const name = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  if (resource === "*") {
    doubts.push(`${agent.name} may read everything: what it reads is not known.`);
    return [];
  }
  if (mode === "get") {
    assumptions.push(
      `The ${name} that ${agent.name} asks for one by one are left out: each GET takes one seat.`,
    );
    return [];
  }
  const collection = cluster.collections.find(
    (one) => one.apiGroup === apiGroup && one.resource === resource,
  );
  if (collection === undefined)
    doubts.push(
      `How many ${name} there are is not known, and ${agent.name} reads them: they are taken to be none.`,
    );
  if (informer.representation === null)
    assumptions.push(`The form in which ${agent.name} asks for ${name} is not known: JSON is taken.`);
  if (mode === "poll" && informer.periodSeconds === null)
    assumptions.push(
      `How often ${agent.name} polls ${name} is not known: every ${ASSUMED_POLL_SECONDS} s is taken.`,
    );
  return [
    {
      apiGroup,
      resource,
      scope: informer.scope,
      namespace: resolveNamespace(agent, informer),
      fieldSelector: resolveFieldSelector(informer),
      labelSelector: informer.labelSelector ?? "",
      representation: informer.representation ?? "json",
      mode,
      periodSeconds: mode === "poll" ? (informer.periodSeconds ?? ASSUMED_POLL_SECONDS) : 0,
      resourceVersion: informer.resourceVersion ?? (mode === "informer" ? "0" : ""),
      pageSize: informer.pageSize ?? (mode === "informer" ? DEFAULT_PAGE_SIZE : 0),
      watchList: resolveWatchList(informer, library),
      matchingObjects: resolveMatching(
        informer,
        collection?.objects ?? 0,
        collection?.objectsPerNode ?? 0,
        name,
        question,
      ),
    },
  ];
}

function resolveNamespace({ namespace }: Agent, informer: AgentInformer): string {
  if (informer.scope !== "namespace" && informer.scope !== "single-object") return "";
  return informer.namespace ?? (informer.scope === "namespace" ? (namespace ?? "") : "");
}

function resolveFieldSelector({ scope, resource, fieldSelector }: AgentInformer): string {
  if (fieldSelector !== null) return fieldSelector;
  if (scope !== "own-node") return "";
  return resource === "nodes" ? "metadata.name=$(NODE_NAME)" : "spec.nodeName=$(NODE_NAME)";
}

/** As asked for, else as the client has it. Where the API server has none, it asks in vain and then LISTs. */
const resolveWatchList = ({ mode, watchList }: AgentInformer, library: InformerClient): boolean =>
  mode === "informer" && (watchList ?? library.watchListDefault);

function resolveMatching(
  { scope, labelSelector, fieldSelector }: AgentInformer,
  objects: number,
  objectsPerNode: number,
  name: string,
  { agent, assumptions }: InformerQuestion,
): number | null {
  switch (scope) {
    case "own-node":
      return name === "nodes" ? 1 : Math.min(objects, objectsPerNode);
    case "single-object":
      return Math.min(1, objects);
    case "namespace":
      assumptions.push(
        `How many ${name} the namespace has that ${agent.name} reads is not known: all of the cluster are taken.`,
      );
      return null;
    case "cluster":
      if ((labelSelector ?? "") !== "" || (fieldSelector ?? "") !== "") {
        assumptions.push(
          `How many ${name} the selector of ${agent.name} leaves is not known: all are taken.`,
        );
      }
      return null;
  }
}
