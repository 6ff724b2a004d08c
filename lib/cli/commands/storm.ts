import type { Agent } from "../../domain/agents/index.ts";
import { ProgressLine } from "../output/progress-line.ts";
import { formatStormJson } from "../output/storm/storm-json.ts";
import { formatStormMarkdown } from "../output/storm/storm-markdown.ts";
import { formatStormText } from "../output/storm/storm-text.ts";
import { chooseStyle, printable } from "../output/style.ts";
import type { StormFlags } from "../register/storm.ts";
import { AGENTS_EXIT, end, say } from "./agents-report.ts";
import { type AgentSources, agentsFor, type ReportCluster, readAgentSources } from "./agents-sources.ts";
import { answerStorm, type StormAnswer } from "./storm-answer.ts";
import { openExample, replayExample, type StormReplay } from "./storm-examples.ts";
import { misplacedParameters, type NamedScenario, scenarioOf } from "./storm-scenario.ts";

/** `headroom storm`. Returns the exit code. */
export async function runStorm(givenPaths: readonly string[], given: StormFlags): Promise<number> {
  const opened = openExample(givenPaths, given);
  if (typeof opened === "string") return refuse(opened);
  const { paths, flags, example } = opened;
  const misplaced = misplacedParameters(flags);
  if (misplaced !== null) return refuse(misplaced);
  const sources = await readAgentSources(paths, { ...flags, output: "json" }, say);
  if (sources === null) return AGENTS_EXIT.unusable;
  if (sources.clusters.length === 0) {
    end(sources);
    return refuse("No cluster for a storm: name one with --cluster FILE, --cluster NAME or --context.");
  }
  const chosen = sources.clusters.map((cluster) => ({
    cluster,
    agents: chooseAgents(sources, cluster, flags),
  }));
  const unclear = chosen.map(({ agents }) => agents).find((agents) => typeof agents === "string");
  if (typeof unclear === "string") {
    end(sources);
    return refuse(unclear);
  }
  const scenario = scenarioOf(flags);
  const answers = simulateAll(sources, chosen, scenario, flags);
  const replay = example === null ? null : replayExample(example, answers);
  process.stdout.write(`${formOf({ flags, scenario, answers, replay, sources })}\n`);
  for (const { cluster, failure } of answers) {
    if (failure !== null) say(`${cluster.name ?? "cluster"}: it cannot be simulated: ${failure}`);
  }
  const code = end(sources);
  if (answers.some(({ failure }) => failure !== null)) return AGENTS_EXIT.unusable;
  if (code !== AGENTS_EXIT.done) return code;
  return answers.some((answer) => fails(answer, flags)) ? AGENTS_EXIT.found : AGENTS_EXIT.done;
}

function refuse(sentence: string): number {
  say(sentence);
  return AGENTS_EXIT.unusable;
}

interface Chosen {
  readonly cluster: ReportCluster;
  readonly agents: readonly Agent[] | string;
}

/** Those named; without names all of the paths, or the only one that runs there. */
function chooseAgents(
  sources: AgentSources,
  cluster: ReportCluster,
  { agent: names }: StormFlags,
): readonly Agent[] | string {
  const all = agentsFor(sources, cluster);
  if (names !== undefined) {
    const found = names.map((name) => all.filter(({ id }) => id === name || id.endsWith(`/${name}`)));
    const missing = names.find((_, index) => found[index]?.length === 0);
    if (missing !== undefined)
      return `No agent is named ${missing} on ${cluster.name ?? "the cluster"}. headroom agents list shows their ids.`;
    return [...new Map(found.flat().map((agent) => [agent.id, agent])).values()];
  }
  if (all.length === 0)
    return `No agents are known on ${cluster.name ?? "the cluster"}: name files that hold some.`;
  if (sources.inputs !== null || all.length === 1) return all;
  return `${all.length} agents run on ${cluster.name ?? "the cluster"}: say with --agent which of them start.`;
}

function simulateAll(
  { learned }: AgentSources,
  chosen: readonly Chosen[],
  scenario: NamedScenario,
  flags: StormFlags,
): readonly StormAnswer[] {
  const line = new ProgressLine(process.stderr);
  const now = Date.now();
  const answers: StormAnswer[] = [];
  for (const { cluster, agents } of chosen) {
    if (typeof agents === "string") continue;
    line.show(
      () => `simulating ${printable(cluster.name ?? "cluster")} (${answers.length + 1} of ${chosen.length})`,
    );
    answers.push(answerStorm({ cluster, agents, learned, scenario, flags, now }));
  }
  line.clear();
  return answers;
}

interface Printed {
  readonly flags: StormFlags;
  readonly scenario: NamedScenario;
  readonly answers: readonly StormAnswer[];
  readonly replay: StormReplay | null;
  readonly sources: AgentSources;
}

function formOf({ flags, scenario, answers, replay, sources }: Printed): string {
  switch (flags.output) {
    case "json":
      return formatStormJson({ scenario, remedies: flags.remedy ?? [], answers, replay }, sources);
    case "markdown":
      return formatStormMarkdown(scenario, answers, replay);
    case "text":
      return formatStormText(scenario, answers, replay, chooseStyle(process.stdout, process.env)).join("\n");
  }
}

/** What cannot be told is a warning, but for figures that say by themselves that it is unsafe. */
function fails({ verdict, simulated }: StormAnswer, { failOn }: StormFlags): boolean {
  if (failOn === "never" || verdict === null) return false;
  const isError = verdict === "unsafe" || (verdict === "inconclusive" && simulated === "unsafe");
  return isError || (failOn === "warning" && verdict !== "invisible");
}
