import { type Command, InvalidArgumentError, Option } from "commander";
import { SCORE_SCENARIO_NAMES, type ScoreScenario } from "../../domain/scores/score-scenarios.ts";
import { FAIL_ON, type FailOn } from "../output/scan/scan-output.ts";
import { collectTexts, countFlag } from "./flag-values.ts";

/** Where clusters and agents come from. */
export interface AgentSourceFlags {
  readonly cluster?: readonly string[];
  readonly context?: readonly string[];
  readonly kubeconfig?: string;
  readonly learned?: readonly string[];
  readonly namespace: string;
  readonly config?: string;
  readonly output: "text" | "json";
}

export interface AgentsListFlags extends AgentSourceFlags {
  readonly top: number;
}

export interface AgentsShowFlags extends AgentSourceFlags {
  readonly nodes?: readonly number[];
}

export interface AgentsScoreFlags extends AgentSourceFlags {
  readonly nodes?: readonly number[];
  readonly scenario?: readonly ScoreScenario[];
  readonly seed: number;
  readonly seeds: number;
  readonly failOn: FailOn;
}

const SOURCES = `Agents come from PATH (manifests, a rendered chart, agent.yaml: public/schemas/agent.schema.json; - is standard input), else from what runs on the clusters. Clusters come from --cluster (its name in the store, or a file with facts given by hand: public/schemas/cluster-facts.schema.json) and from --context (read now, as \`headroom collect --once\` does); a cluster.yaml among the paths is taken as well; with none of them it is all clusters of the store.

What each agent reads is told by the best evidence there is: an audit log (--learned takes what \`headroom agents learn --output json\` wrote), a dump of requests in process among the paths, the annotation headroom.dev/informers or agent.yaml, the catalogue of published agents (own entries: agents.catalogue in headroom.yaml), and else the bound that RBAC sets.`;

const EXITS =
  "2 wrong usage or an input that cannot be read (the rest is still answered), 3 a cluster that could not be read, or only in part";

const LIST_DESCRIPTION = `Lists agents with what all their copies cost a cluster when they start at once, most seats first.

${SOURCES}

A figure with ≥ is this much or more: something of it is not known. With ≤ it is a bound. ? is not known, and not zero.

Exit codes: 0 listed, ${EXITS}.

Examples:
  headroom agents list
  headroom agents list --context prod-us-east --learned learned.json
  helm template my-agent | headroom agents list - --cluster cluster.yaml`;

const SHOW_DESCRIPTION = `Shows one agent: what it reads with evidence and source, what one start and all copies cost, where its requests queue, what it costs while nothing happens, and at other numbers of nodes.

AGENT is its id as \`headroom agents list\` shows it (daemonset/observability/node-telemetry), or the end of it.

${SOURCES}

Exit codes: 0 shown, ${EXITS}; no agent of that name is wrong usage.

Examples:
  headroom agents show fluent-bit --context prod-us-east
  headroom agents show node-telemetry ./manifests --cluster cluster.yaml --nodes 2000 --nodes 5000`;

const SCORE_DESCRIPTION = `Says whether agents that are not installed yet may go to clusters: a simulated storm of their start on each, by scenario and seed, with the verdict and what it rests on. This is what a pipeline calls.

${SOURCES}

invisible: nobody is rejected, neighbours wait at most 1 s, its own requests at most 3 s (99th percentile), the link is used at most 80 %. visible: only the agent is rejected, neighbours wait at most 5 s, it drains within 60 s. unsafe: anything worse. inconclusive: the evidence or the facts carry no verdict, and it says why. Figures are simulated throughout, from the 5th to the 95th percentile of the seeds; of several seeds, scenarios, agents and clusters the worst verdict counts. Several agents of the input are scored each by itself and all together.

Exit codes: 0 nothing at or above --fail-on; 1 at or above it (unsafe is an error, so is inconclusive where the figures say unsafe; visible and inconclusive are warnings); ${EXITS}. Of several the order is 2, 3, 1.

Examples:
  helm template my-agent | headroom agents score - --cluster prod.yaml --cluster staging.yaml
  headroom agents score agent.yaml --context prod-us-east --nodes 5000 --output json`;

/** `headroom agents list`, `show` and `score`. */
export function registerAgentReports(agents: Command, setExitCode: (code: number) => void): void {
  withSources(agents.command("list").argument("[paths...]", "manifests, charts, agent.yaml"))
    .summary("agents with evidence and cost")
    .description(LIST_DESCRIPTION)
    .option("--top <number>", "agents of a cluster shown as text, 0 for all", countFlag(), 30)
    .action(async (paths: readonly string[], flags: AgentsListFlags) => {
      const { runAgentsList } = await import("../commands/agents-report.ts");
      setExitCode(await runAgentsList(paths, flags));
    });
  withSources(
    agents
      .command("show")
      .argument("<agent>", "id, or the end of one")
      .argument("[paths...]", "manifests, charts, agent.yaml"),
  )
    .summary("one agent: what it reads, by which evidence, and what it costs")
    .description(SHOW_DESCRIPTION)
    .option("--nodes <number>", "its cost at so many nodes; may be given again", collectCounts)
    .action(async (agent: string, paths: readonly string[], flags: AgentsShowFlags) => {
      const { runAgentsShow } = await import("../commands/agents-report.ts");
      setExitCode(await runAgentsShow(agent, paths, flags));
    });
  withSources(agents.command("score").argument("<paths...>", "manifests, charts, agent.yaml"))
    .summary("may agents that are not installed yet go to clusters?")
    .description(SCORE_DESCRIPTION)
    .option("--nodes <number>", "nodes of the cluster; may be given again", collectCounts)
    .addOption(
      new Option(
        "--scenario <name>",
        "how the copies come to start; may be given again; by default both",
      ).argParser(collectScenarios),
    )
    .option("--seed <number>", "first seed", countFlag(), 1)
    .option("--seeds <number>", "how many seeds", countFlag(1), 5)
    .addOption(
      new Option("--fail-on <severity>", "from which verdict on to end with 1")
        .choices([...FAIL_ON])
        .default("error"),
    )
    .action(async (paths: readonly string[], flags: AgentsScoreFlags) => {
      const { runAgentsScore } = await import("../commands/agents-score.ts");
      setExitCode(await runAgentsScore(paths, flags));
    });
}

/** Flags that say where clusters and agents come from, and the form of what is printed. */
export function withSources(command: Command, formats: readonly string[] = ["text", "json"]): Command {
  return command
    .option(
      "--cluster <name>",
      "cluster of the store, or a file with facts; may be given again",
      collectTexts,
    )
    .option("--context <name>", "context of a cluster to read now; may be given again", collectTexts)
    .option("--kubeconfig <path>", "kubeconfig of --context; else as kubectl finds it")
    .option("--learned <file>", "what agents learn wrote as JSON; may be given again", collectTexts)
    .option("--namespace <name>", "namespace of objects that name none", "default")
    .option("--config <path>", "configuration file")
    .addOption(new Option("--output <format>", "form of what is printed").choices(formats).default("text"));
}

const collectCounts = (text: string, before: readonly number[] = []): readonly number[] => [
  ...before,
  countFlag(1)(text),
];

function collectScenarios(text: string, before: readonly ScoreScenario[] = []): readonly ScoreScenario[] {
  const found = SCORE_SCENARIO_NAMES.find((name) => name === text);
  if (found === undefined) throw new InvalidArgumentError(`expected ${SCORE_SCENARIO_NAMES.join(" or ")}`);
  return before.includes(found) ? before : [...before, found];
}
