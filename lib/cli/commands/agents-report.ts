import type { Agent } from "../../domain/agents/index.ts";
import { describeInputProblem } from "../../inputs/input-problem.ts";
import { formatAgentsJson, type ReportedCluster, reportAgents } from "../output/agents/agent-report.ts";
import { formatAgentList } from "../output/agents/list-text.ts";
import { formatAgentShow } from "../output/agents/show-text.ts";
import { chooseStyle, printable } from "../output/style.ts";
import type { AgentSourceFlags, AgentsListFlags, AgentsShowFlags } from "../register/agent-reports.ts";
import { type AgentSources, agentsFor, readAgentSources, UNNAMED_CLUSTER } from "./agents-sources.ts";

export const AGENTS_EXIT = { done: 0, found: 1, unusable: 2, notRead: 3 } as const;

export const say = (text: string) => void process.stderr.write(`${printable(text)}\n`);

/** `headroom agents list`. Returns the exit code. */
export async function runAgentsList(paths: readonly string[], flags: AgentsListFlags): Promise<number> {
  const sources = await readAgentSources(paths, flags, say);
  if (sources === null) return AGENTS_EXIT.unusable;
  const clusters = report(sources, [], () => true);
  const style = chooseStyle(process.stdout, process.env);
  const top = flags.top === 0 ? Number.POSITIVE_INFINITY : flags.top;
  print(
    flags,
    () => formatAgentsJson(clusters, sources),
    () => formatAgentList(clusters, { top, style }),
  );
  return end(sources);
}

/** `headroom agents show`. Returns the exit code. */
export async function runAgentsShow(
  name: string,
  paths: readonly string[],
  flags: AgentsShowFlags,
): Promise<number> {
  const sources = await readAgentSources(paths, flags, say);
  if (sources === null) return AGENTS_EXIT.unusable;
  const clusters = report(sources, flags.nodes ?? [], isNamed(name)).filter(
    ({ agents }) => agents.length > 0,
  );
  if (clusters.length === 0) {
    say(`No agent is named ${name}. headroom agents list shows their ids.`);
    end(sources);
    return AGENTS_EXIT.unusable;
  }
  const style = chooseStyle(process.stdout, process.env);
  print(
    flags,
    () => formatAgentsJson(clusters, sources),
    () => formatAgentShow(clusters, style),
  );
  return end(sources);
}

/** An id, or whole parts of the end of one. */
const isNamed =
  (name: string) =>
  ({ id }: Agent) =>
    id === name || id.endsWith(`/${name}`);

function report(
  sources: AgentSources,
  nodes: readonly number[],
  isWanted: (agent: Agent) => boolean,
): readonly ReportedCluster[] {
  const now = Date.now();
  const clusters = sources.clusters.length > 0 ? sources.clusters : [UNNAMED_CLUSTER];
  return clusters.map((cluster) =>
    reportAgents(cluster, agentsFor(sources, cluster).filter(isWanted), { nodes, now }),
  );
}

export function print(
  { output }: Pick<AgentSourceFlags, "output">,
  json: () => string,
  text: () => readonly string[],
): void {
  process.stdout.write(`${output === "json" ? json() : text().join("\n")}\n`);
}

/** Says what could not be read. Unreadable input first: whoever sees it must not take the rest for all there is. */
export function end({ inputs, clusters, problems, notRead }: AgentSources): number {
  for (const problem of problems) say(describeInputProblem(problem));
  for (const { file, reason } of inputs?.skipped ?? []) say(`${file}: skipped: ${reason}`);
  for (const { cluster, part, message } of notRead) say(`${cluster}: ${part}: ${message}`);
  const runsAgents = clusters.some(({ inventory }) => inventory !== null);
  if (inputs !== null && inputs.workloads.length === 0 && !runsAgents && problems.length === 0) {
    say("No agent was found: expected DaemonSets, Deployments, StatefulSets, Pods or agent.yaml.");
    return AGENTS_EXIT.unusable;
  }
  if (problems.length > 0) return AGENTS_EXIT.unusable;
  return notRead.length > 0 ? AGENTS_EXIT.notRead : AGENTS_EXIT.done;
}
