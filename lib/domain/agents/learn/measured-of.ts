import { serviceAccountUser } from "../../fairness/matching/request-user.ts";
import type { AgentWorkload } from "../agent-workload.ts";
import type { FindMeasured } from "../agents-of.ts";
import type { MeasuredReads } from "../resolve-agent.ts";
import type { LearnedAgent } from "./learned-agents.ts";

/**
 * What an audit log says of workloads: of each what its ServiceAccount was seen to read, by the pods' names where the log
 * has them. Where several workloads share an account and the log does not tell them apart, it says nothing of either.
 */
export function measuredOf(
  learned: readonly LearnedAgent[],
  workloads: readonly AgentWorkload[],
): FindMeasured {
  const byUser = Map.groupBy(learned, ({ userName }) => userName ?? "");
  const sharers = Map.groupBy(workloads, userOfWorkload);
  return (workload) => {
    const user = userOfWorkload(workload);
    if (user === null) return null;
    const ofUser = byUser.get(user) ?? [];
    const isAlone = (sharers.get(user)?.length ?? 0) <= 1;
    const own = ofUser.filter(({ observed }) => isSame(observed.workload, workload, isAlone));
    return own.length === 0 ? null : joinReads(own);
  };
}

const userOfWorkload = ({ userName, serviceAccountName, namespace }: AgentWorkload): string | null =>
  userName ?? (serviceAccountName === null ? null : serviceAccountUser(namespace, serviceAccountName).name);

function isSame(
  guess: LearnedAgent["observed"]["workload"],
  { kind, name }: AgentWorkload,
  isAlone: boolean,
): boolean {
  return guess === null ? isAlone : guess.kind === kind && guess.name === name;
}

/** Several programs of one pod are one agent. */
function joinReads(agents: readonly LearnedAgent[]): MeasuredReads {
  const main = agents.reduce((best, each) => (each.observed.requests > best.observed.requests ? each : best));
  return {
    informers: agents.flatMap(({ informers }) => informers.map(({ observed: _, ...informer }) => informer)),
    client: main.client,
    userAgent: main.userAgent,
    agentVersion: main.version,
    isComplete: agents.every(({ observed }) => observed.isComplete),
  };
}
