import { type Command, InvalidArgumentError, Option } from "commander";
import { parseIntOrPercent } from "../../domain/rollout/int-or-percent.ts";
import { parseRemedy, REMEDY_FORMS } from "../../domain/storm/remedies/parse-remedy.ts";
import type { RemedySpec } from "../../domain/storm/remedies/remedy.ts";
import { STORM_SCENARIO_KINDS, type StormScenario } from "../../domain/storm/storm-scenario.ts";
import { FAIL_ON, type FailOn } from "../output/scan/scan-output.ts";
import { type AgentSourceFlags, withSources } from "./agent-reports.ts";
import { collectTexts, countFlag, parsePositiveFlag, parseSecondsFlag, withExamples } from "./flag-values.ts";

/** Parameters of scenarios as they were given; absent ones have no key. */
export interface ScenarioFlags {
  readonly scenario: StormScenario["kind"];
  readonly windowSeconds?: number;
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
  readonly minReadySeconds?: number;
  readonly unavailable?: number;
  readonly batchSize?: number;
  readonly intervalSeconds?: number;
  readonly addedNodes?: number;
  readonly nodesPerMinute?: number;
  readonly crashedSeconds?: number;
  readonly runSeconds?: number;
  readonly server?: number;
  readonly downSeconds?: number;
  readonly resumedRatio?: number;
}

/** Folders of `public/examples`. */
export const STORM_EXAMPLE_NAMES = ["2024-12-11"] as const;
export type StormExampleName = (typeof STORM_EXAMPLE_NAMES)[number];

export const STORM_FORMATS = ["text", "json", "markdown"] as const;

export interface StormFlags extends Omit<AgentSourceFlags, "output">, ScenarioFlags {
  readonly output: (typeof STORM_FORMATS)[number];
  readonly agent?: readonly string[];
  readonly remedy?: readonly RemedySpec[];
  readonly remedies: boolean;
  readonly solve: boolean;
  readonly nodes?: number;
  readonly replicas?: number;
  readonly seed: number;
  readonly seeds: number;
  readonly failOn: FailOn;
  readonly example?: StormExampleName;
}

const DESCRIPTION = `Simulates what happens to the API servers of a cluster when the copies of agents start, or come back, together: what waits, who is rejected, whether it drains, who else suffers, and what would help.

Agents come from PATH (manifests, a rendered chart, agent.yaml: public/schemas/agent.schema.json; - is standard input), else from what runs on the cluster, then --agent says which. Clusters come from --cluster (its name in the store, or a file with facts given by hand: public/schemas/cluster-facts.schema.json) and from --context (read now); a cluster.yaml among the paths is taken as well. All agents named take part together. Nothing is sent to a cluster but the reads of --context.

Everything is simulated over --seeds seeds: a figure is given as its 5th, 50th and 95th percentile, and the worst verdict counts. invisible: nobody is rejected, neighbours wait at most 1 s and its own requests at most 3 s (99th percentile), the link is used at most 80 %. visible: only the agent is rejected, neighbours wait at most 5 s, it drains within 60 s. unsafe: anything worse. inconclusive: the evidence carries no verdict, and it says why.

--remedy changes the storm before it is simulated; given again, each is applied to what the one before left. --remedies compares the usual ones: verdict first, then who has to change what. Remedies: ${REMEDY_FORMS.join(", ")}. With own-level the FlowSchema and PriorityLevelConfiguration are printed; with --learned it is said whom of the recorded they would have caught.

--solve looks for the largest share of the copies and number of nodes that stay invisible, and how many pods a minute may start.

--example replays an outage that was reported in public: its stages, when it breaks, when that is noticed, and what still gets through to take the change back.

JSON: public/schemas/storm-report.schema.json.

Exit codes: 0 nothing at or above --fail-on; 1 at or above it (unsafe is an error, so is inconclusive where the figures say unsafe; visible and inconclusive are warnings); 2 wrong usage, an input that cannot be read, or a storm that cannot be simulated; 3 a cluster that could not be read, or only in part. Of several the order is 2, 3, 1.`;

/** `headroom storm`. */
export function registerStorm(program: Command, setExitCode: (code: number) => void): void {
  const storm = withSources(
    program.command("storm").argument("[paths...]", "manifests, charts, agent.yaml"),
    STORM_FORMATS,
  )
    .summary("simulate a scenario: cluster × agent × scenario")
    .description(DESCRIPTION)
    .option("--agent <id>", "agent that takes part, or the end of its id; may be given again", collectTexts)
    .addOption(
      new Option("--scenario <name>", "how the copies come to ask")
        .choices([...STORM_SCENARIO_KINDS])
        .default("start-all"),
    )
    .option("--remedy <remedy>", "change the storm by it; may be given again", collectRemedies)
    .option("--remedies", "compare what would help", false)
    .option("--solve", "look for what would still be invisible", false)
    .option("--nodes <number>", "nodes of the cluster, with what grows with them", countFlag(1))
    .option("--replicas <number>", "copies of each agent", countFlag(0, 500_000))
    .option("--seed <number>", "first seed: equal seeds give equal results", countFlag(), 1)
    .option("--seeds <number>", "how many seeds", countFlag(1, 1000), 5)
    .addOption(
      new Option("--fail-on <severity>", "from which verdict on to end with 1")
        .choices([...FAIL_ON])
        .default("error"),
    )
    .addOption(
      new Option("--example <name>", "replay a public outage from the files in public/examples").choices([
        ...STORM_EXAMPLE_NAMES,
      ]),
    );
  withParameters(storm);
  withExamples(storm, STORM_EXAMPLES).action(async (paths: readonly string[], flags: StormFlags) => {
    const { runStorm } = await import("../commands/storm.ts");
    setExitCode(await runStorm(paths, flags));
  });
}

/** Run as they stand by a test, in the folder of the published examples. */
export const STORM_EXAMPLES: readonly string[] = [
  "headroom storm agent.yaml --cluster cluster.yaml",
  "headroom storm agent.yaml --cluster cluster.yaml --remedies --seeds 1 --output markdown",
  "headroom storm agent.yaml --cluster cluster.yaml --scenario rolling-update --max-unavailable 1% --seeds 1",
  "headroom storm agent.yaml --cluster cluster.yaml --nodes 500 --remedy start-jitter=60 --solve",
  "headroom storm --example 2024-12-11 --seeds 2",
];

function withParameters(storm: Command): void {
  storm
    .option("--window-seconds <seconds>", "start-all: all start within (default 2)", parseSecondsFlag)
    .option("--max-unavailable <limit>", "rolling-update: number or percentage (default 10%)", parseLimit)
    .option("--max-surge <limit>", "rolling-update: number or percentage (default 0)", parseLimit)
    .option("--min-ready-seconds <seconds>", "rolling-update (default 0)", parseSecondsFlag)
    .option("--unavailable <number>", "rolling-update: copies not Available before (default 0)", countFlag())
    .option("--batch-size <number>", "batches: pods of one (default 10)", countFlag(1))
    .option("--interval-seconds <seconds>", "batches: from one to the next (default 60)", parseSecondsFlag)
    .option("--added-nodes <number>", "node-scale-out (default 100)", countFlag(1))
    .option("--nodes-per-minute <number>", "node-scale-out (default 100)", parsePositiveFlag)
    .option("--crashed-seconds <seconds>", "crash-recovery: how long (default 1800)", parseSecondsFlag)
    .option("--run-seconds <seconds>", "crash-recovery: until a container ends (default 1)", parseSecondsFlag)
    .option("--server <index>", "api-server-restart, -loss: which, from 0 (default all, 0)", countFlag())
    .option("--down-seconds <seconds>", "api-server-restart (default 30)", parseSecondsFlag)
    .option("--resumed-ratio <ratio>", "api-server-restart, -loss: watches resumed (default 0)", parseRatio);
}

function collectRemedies(text: string, before: readonly RemedySpec[] = []): readonly RemedySpec[] {
  try {
    return [...before, parseRemedy(text)];
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function parseLimit(text: string): number | string {
  const read = parseIntOrPercent(/^\d+$/.test(text.trim()) ? Number(text) : text.trim());
  if (read === null) throw new InvalidArgumentError("expected a whole number or a percentage such as 10%");
  return read;
}

function parseRatio(text: string): number {
  const value = parseSecondsFlag(text);
  if (value > 1) throw new InvalidArgumentError("expected a ratio from 0 to 1");
  return value;
}
