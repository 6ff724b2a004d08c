import type { Agent, AgentClient, AgentKind, Replicas } from "../agent.ts";
import { agentIdOf, identityOfUser } from "../agent-identity.ts";
import type { Evidence } from "../evidence.ts";
import { compareInformers } from "../informer-text.ts";
import { type AgentLearning, OTHERS } from "./agent-learning.ts";
import { describeReads, type ShapeReads } from "./describe-reads.ts";
import type {
  AgentObservation,
  LearnedAgent,
  LearnedInformer,
  ObservedLoop,
  ObservedRequests,
  TimeRange,
} from "./learned-agents.ts";
import { loopOf } from "./loops.ts";
import { joinCodes } from "./request-flow.ts";
import { isMostly, topCounts } from "./shares.ts";
import type { WorkloadGuess } from "./workload-of-pods.ts";

/** What all that is learned from one log is known by. */
export interface LogFacts extends TimeRange {
  readonly source: string;
}

const SHOWN_USER_AGENTS = 8;
const SHOWN_REQUESTS = 20;
/** A WATCH ends after ten minutes at most: a copy seen first later than this after the beginning of the log is new. */
const NEW_COPY_SECONDS = 900;
/** How long a new copy has to be followed before what it does not read counts as not read. */
const FOLLOWED_SECONDS = 60;

/** Agents out of what was counted, those who list most first. */
export function describeLearned(learned: readonly AgentLearning[], log: LogFacts): readonly LearnedAgent[] {
  const agents = learned.map((each) => describeAgent(each, log)).sort(compareAgents);
  return withDifferentIds(agents);
}

/** Cluster-wide LISTs first, then all LISTs, then requests: what loads a server most. */
function compareAgents(a: LearnedAgent, b: LearnedAgent): number {
  return (
    listsOf(b, "cluster") - listsOf(a, "cluster") ||
    listsOf(b, null) - listsOf(a, null) ||
    b.observed.requests - a.observed.requests ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

const listsOf = ({ informers }: LearnedAgent, scope: LearnedInformer["scope"] | null): number =>
  informers
    .filter((informer) => scope === null || informer.scope === scope)
    .reduce((sum, { observed }) => sum + observed.lists + observed.watchLists, 0);

/** Several programs of one workload or user would bear one id: all but the first by name carry the program's too. */
function withDifferentIds(agents: readonly LearnedAgent[]): readonly LearnedAgent[] {
  const families = Map.groupBy(agents, ({ id }) => id);
  return agents.map((agent) => {
    const alike = families.get(agent.id) ?? [];
    const first = alike.map(familyOf).sort()[0];
    const family = familyOf(agent);
    return alike.length < 2 || family === first
      ? agent
      : { ...agent, id: `${agent.id}/${encodeURIComponent(family)}` };
  });
}

const familyOf = (agent: LearnedAgent): string => agent.observed.family;

function describeAgent(learning: AgentLearning, log: LogFacts): LearnedAgent {
  const { userName, facts } = learning;
  const workload = workloadOf(learning);
  const identity = identityOf(userName, facts.family, workload);
  const reads = describeReads(learning.shapes, evidenceOf(learning, log));
  const observed = observationOf(learning, log, { workload, reads });
  const agent: Agent = {
    id: agentIdOf(identity),
    ...identity,
    userName: userName === "" ? null : userName,
    userGroups: groupsOf(learning),
    userAgent: observed.userAgents[0] ?? null,
    image: null,
    version: facts.version,
    replicas: replicasOf(identity.kind, observed),
    client: clientOf(learning, log),
    informers: reads.informers,
    isKnown: reads.informers.length > 0 || observed.isComplete,
    conflicts: [],
  };
  return {
    ...agent,
    informers: reads.informers.toSorted(compareInformers),
    observed,
    notes: notesOf(learning, observed, reads),
  };
}

/** The workload of nine in ten of its pods by their names; `null`: none. */
function workloadOf({ workloads, podsWithoutWorkload }: AgentLearning): WorkloadGuess | null {
  const all = [...workloads.values()];
  const pods = all.reduce((sum, each) => sum + each.pods, podsWithoutWorkload);
  return all.find((each) => isMostly(each.pods, pods))?.guess ?? null;
}

function identityOf(
  userName: string,
  family: string,
  workload: WorkloadGuess | null,
): { readonly kind: AgentKind; readonly namespace: string | null; readonly name: string } {
  const ofUser = identityOfUser(userName);
  if (workload !== null && ofUser.namespace !== null) return { ...workload, namespace: ofUser.namespace };
  // What else runs with a node's credentials is no kubelet.
  if (ofUser.kind === "node-client" && family !== "kubelet")
    return { ...ofUser, name: `node:${encodeURIComponent(family)}` };
  return ofUser;
}

function groupsOf({ groups, userName }: AgentLearning): readonly string[] {
  return userName === "system:node:*" ? ["system:nodes", "system:authenticated"] : [...groups].sort();
}

function replicasOf(kind: AgentKind, { copies, isCopiesAtLeast }: AgentObservation): Replicas {
  if (isCopiesAtLeast) return { kind: "unknown" };
  if (kind === "DaemonSet" || kind === "node-client") return { kind: "per-node", count: copies };
  return { kind: "fixed", count: copies };
}

function clientOf(learning: AgentLearning, log: LogFacts): AgentClient {
  const { library, libraryVersion, make } = learning.facts;
  return {
    library,
    version: libraryVersion,
    qps: null,
    burst: null,
    acceptsGzip: null,
    evidence: {
      ...evidenceOf(learning, log),
      raisedBy:
        make === "client-go" && libraryVersion === null
          ? "The go.mod of the program: its user agent does not say which client-go it is built with."
          : make === "not known"
            ? "A catalogue entry or an annotation: its user agent does not say by which library it talks."
            : null,
    },
  };
}

function evidenceOf({ all }: AgentLearning, { source }: LogFacts): Evidence {
  return {
    grade: "measured",
    source,
    observedAt: all.lastAt === null ? null : Math.round(all.lastAt),
    citation: null,
    raisedBy: "An annotation or a catalogue entry for the form it asks for, which audit logs do not show.",
  };
}

function observationOf(
  learning: AgentLearning,
  log: LogFacts,
  { workload, reads }: { readonly workload: WorkloadGuess | null; readonly reads: ShapeReads },
): AgentObservation {
  const { all, throttled, namedByPod, namedByNode } = learning;
  const seconds = log.firstAt === null || log.lastAt === null ? 0 : (log.lastAt - log.firstAt) / 1000;
  return {
    firstAt: all.firstAt,
    lastAt: all.lastAt,
    family: learning.facts.family,
    requests: all.requests,
    requestsPerSecond: seconds >= 1 ? all.requests / seconds : null,
    copiesBy: isMostly(namedByPod, all.requests)
      ? "pod"
      : isMostly(namedByNode, all.requests)
        ? "node"
        : "address",
    copies: all.copies,
    isCopiesAtLeast: all.isCopiesAtLeast,
    userAgents: topCounts(learning.userAgents, SHOWN_USER_AGENTS).map(([text]) => text),
    workload,
    make: learning.facts.make,
    codes: joinCodes([all]),
    throttled: throttled.requests,
    throttledPeak:
      throttled.peakAt === null ? null : { requestsPerSecond: throttled.peakPerSecond, at: throttled.peakAt },
    loops: [...reads.loops, ...writeLoops(learning)].sort(
      (a, b) => b.requestsPerSecond - a.requestsPerSecond,
    ),
    writes: requestsOf(learning.writes),
    others: requestsOf(new Map([...learning.others, ...reads.others])),
    impersonated: learning.impersonated,
    isComplete: isComplete(learning, log),
  };
}

function requestsOf(counts: ReadonlyMap<string, number>): readonly ObservedRequests[] {
  const named = topCounts(counts, SHOWN_REQUESTS).filter(([what]) => what !== OTHERS);
  const shown = named.reduce((sum, [, requests]) => sum + requests, 0);
  const rest = [...counts.values()].reduce((sum, requests) => sum + requests, 0) - shown;
  return [...named, ...(rest > 0 ? [[OTHERS, rest] as const] : [])].map(([what, requests]) => ({
    what,
    requests,
  }));
}

function writeLoops({ loops }: AgentLearning): readonly ObservedLoop[] {
  return [...loops].flatMap(([what, flow]) => loopOf(what, flow) ?? []);
}

function isComplete({ newCopyAt, all }: AgentLearning, { firstAt, lastAt }: LogFacts): boolean {
  if (newCopyAt === null || firstAt === null || lastAt === null || all.isCopiesAtLeast) return false;
  return newCopyAt - firstAt >= NEW_COPY_SECONDS * 1000 && lastAt - newCopyAt >= FOLLOWED_SECONDS * 1000;
}

function notesOf(learning: AgentLearning, observed: AgentObservation, reads: ShapeReads): readonly string[] {
  const notes: string[] = [...reads.notes];
  const { copiesBy, copies, isCopiesAtLeast, workload, impersonated, requests } = observed;
  if (workload !== null) {
    notes.push(`Taken for the ${workload.kind} ${workload.name} by the names of its pods.`);
  }
  if (isCopiesAtLeast) notes.push(`It has more copies than the ${copies} that were told apart.`);
  if (copiesBy === "address") {
    notes.push(
      copies === 1
        ? "All requests come from one address: several copies behind one proxy or load balancer would look the same."
        : "Copies are told apart by their addresses: several behind one proxy count as one, and one that moves counts again.",
    );
  } else if (copiesBy === "pod" && workload?.kind !== "DaemonSet" && copies > 1) {
    notes.push("Copies are pods seen over the whole time of the log; not all of them need have run at once.");
  }
  if (impersonated > 0)
    notes.push(`${impersonated} of ${requests} requests were made for it by somebody who impersonates it.`);
  if (learning.userAgents.size > SHOWN_USER_AGENTS) notes.push("It goes by more user agents than are shown.");
  return notes;
}
