import { type Command, InvalidArgumentError } from "commander";
import { VERBS, type Verb } from "../../domain/kubernetes/resource-request.ts";
import {
  collectTexts,
  countFlag,
  misplacedBesideInput,
  misplacedFlags,
  parseSecondsFlag,
  parseVersionFlag,
  withAnswerOptions,
  withExamples,
} from "./flag-values.ts";
import { addCostOptions, type CostFlags, parseMethodFlag, parsePathFlag } from "./request-flags.ts";

interface AnswerFlags {
  readonly input?: string;
  readonly output: "text" | "json";
  readonly kubernetesVersion?: string;
}

export interface MatchFlags extends AnswerFlags, CostFlags {
  readonly user?: string;
  readonly serviceAccount?: string;
  readonly group?: readonly string[];
  readonly verb?: Verb;
  readonly resource?: string;
  readonly apiGroup?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly flowSchemas?: string;
  readonly priorityLevels?: string;
  readonly withDefaults?: boolean;
  readonly serverConcurrencyLimit: number;
}

export interface LimitsFlags extends AnswerFlags {
  readonly priorityLevels?: string;
  readonly withDefaults?: boolean;
  readonly serverConcurrencyLimit: number;
  readonly demand?: Readonly<Record<string, number>>;
  readonly periods: number;
}

export interface ReplayFlags extends AnswerFlags {
  readonly scenario?: string;
  readonly priorityLevel?: string;
  readonly serverConcurrencyLimit: number;
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly concurrencyLimit?: number;
  readonly requests?: number;
  readonly flows: number;
  readonly seats: number;
  readonly serviceSeconds: number;
  readonly overSeconds: number;
  readonly waitLimitSeconds: number;
}

type SetExitCode = (code: number) => void;

/** `headroom fairness match|limits|replay`. */
export function registerFairness(program: Command, setExitCode: SetExitCode): void {
  const fairness = program
    .command("fairness")
    .summary("API Priority and Fairness: match, limits, replay")
    .description("What API Priority and Fairness does with requests. It computes; no cluster is asked.");
  registerMatch(fairness, setExitCode);
  registerLimits(fairness, setExitCode);
  registerReplay(fairness, setExitCode);
}

const VERSION_FLAG = [
  "--kubernetes-version <version>",
  "of the API server, such as 1.36 or v1.34.2-gke.100",
  parseVersionFlag,
] as const;
const PARTS_OF_A_PATH = ["--api-group", "--subresource", "--namespace", "--name"];
const WAVE_FLAGS = [
  ...["--priority-level", "--server-concurrency-limit", "--queues", "--hand-size", "--queue-length-limit"],
  ...["--concurrency-limit", "--requests", "--flows", "--seats", "--service-seconds", "--over-seconds"],
  "--wait-limit-seconds",
];
const SERVER_FLAG = [
  "--server-concurrency-limit <seats>",
  "seats of one API server: --max-requests-inflight + --max-mutating-requests-inflight",
  countFlag(1),
  600,
] as const;

const DEFAULTS_FLAG = [
  "--with-defaults",
  "the files hold only what differs: all other objects are the defaults of the version",
] as const;

function registerMatch(fairness: Command, setExitCode: SetExitCode): void {
  const match = fairness
    .command("match")
    .summary("which FlowSchema catches a request, and why no earlier one does")
    .description(`Which FlowSchema catches a request, its priority level and flow, and why each earlier FlowSchema does not match. With what is known of the collection (--objects, --object-bytes) or the object (--watchers) also what the request costs at that level, and where a LIST is served.

The request is described by --verb and --resource, or by --method, --path and --query. FlowSchemas and priority levels are the defaults of the version, or those of a cluster: --flow-schemas FILE as "kubectl get flowschemas,prioritylevelconfigurations -o yaml" prints them (or -o json; - is standard input). Groups follow from the name of a service account or a node, unless --group names them.

With --input: fields id, v, user, groups, method, path, query, and where they are not the defaults priorityLevels and flowSchemas (lists of objects and "defaults"). Answers have requestInfo, flowSchema, priorityLevel, distinguisher and an explanation; with objects, size, stats or watchers also the cost.

Exit codes: 0 answered, 2 wrong usage or an input that cannot be read.`)
    .option(...VERSION_FLAG)
    .option("--service-account <namespace/name>", "who asks, as monitoring/agent", parseServiceAccountFlag)
    .option("--user <name>", "who asks where it is no service account, such as system:node:n1 or alice")
    .option("--group <name>", "group; may be given again (default: what follows from the name)", collectTexts)
    .option("--verb <verb>", `verb of a request for a resource: ${VERBS.join(", ")}`, parseVerbFlag)
    .option("--resource <resource>", "such as pods, deployments.apps, pods/status")
    .option("--api-group <group>", "its group (default: the core group)")
    .option("--subresource <name>", "such as status")
    .option("--namespace <namespace>", "namespace that is asked for (default: the whole cluster)")
    .option("--name <name>", "name of the object")
    .option("--method <method>", "HTTP method, with --path", parseMethodFlag)
    .option("--path <path>", "path of the request, with or without its query", parsePathFlag)
    .option("--query <query>", "query of the request, as it is sent")
    .option("--flow-schemas <file>", "the cluster's FlowSchemas, and priority levels if they are in it")
    .option("--priority-levels <file>", "the cluster's PriorityLevelConfigurations")
    .option(...DEFAULTS_FLAG)
    .option(...SERVER_FLAG);
  addCostOptions(match);
  withExamples(match, [
    "headroom fairness match --kubernetes-version 1.36 --service-account monitoring/agent --verb list --resource pods --objects 20000 --object-bytes 4200",
    "headroom fairness match --kubernetes-version 1.34 --user system:node:n1 --verb update --resource leases.coordination.k8s.io --namespace kube-node-lease --name n1",
    "headroom fairness match --kubernetes-version 1.36 --user alice --group admins --path /healthz --flow-schemas flow-control.yaml",
    `echo '{"id":1,"v":"1.36","user":"system:serviceaccount:monitoring:agent","method":"GET","path":"/api/v1/pods","objects":20000,"size":4200}' | headroom fairness match --input -`,
  ]);
  withAnswerOptions(match, "flow-match").action(async (flags: MatchFlags, self: Command) =>
    setExitCode(
      await run(flags, self, {
        lines: async () => ({ answer: (await import("../lines/match-line.ts")).answerMatchLine }),
        flags: async () => (await import("../commands/fairness-match.ts")).runFairnessMatch(flags),
        misplaced: () =>
          flags.path === undefined ? null : misplacedFlags(self, PARTS_OF_A_PATH, "not beside --path"),
      }),
    ),
  );
}

function registerLimits(fairness: Command, setExitCode: SetExitCode): void {
  const limits = fairness
    .command("limits")
    .summary("seats of each priority level: nominal, least, current under borrowing")
    .description(`Limits of each priority level of one API server in seats: nominal, minimum, maximum, the current limit while nobody asks for anything, and the most that one request takes. The maximum is a bound of the configuration, not capacity: all levels together never run more than the server's limit by borrowing from each other.

With --demand the current limits follow that demand, held over --periods adjustments of 10 s each.

Every API server has these limits for itself: two have twice the seats, and neither borrows from the other.

With --input: fields id, v, scl (seats of the server), priorityLevels (a list of objects and "defaults"; an object replaces the default of its name), second (a configuration read afterwards), or periods with the demand over time (a borrowing sequence). Absent: 600 seats, the default levels. Answers have limits and secondLimits, or afterDigest and adjustments: per level [high watermark, average, deviation, smoothed demand, current limit].

Exit codes: 0 answered, 2 wrong usage or an input that cannot be read.`)
    .option(...VERSION_FLAG)
    .option(...SERVER_FLAG)
    .option(
      "--priority-levels <file>",
      "the cluster's PriorityLevelConfigurations as kubectl prints them (- is standard input)",
    )
    .option(...DEFAULTS_FLAG)
    .option(
      "--demand <level=seats>",
      "seats that a level asks for all the time; may be given again",
      parseDemandFlag,
    )
    .option("--periods <number>", "with --demand: adjustments to show", countFlag(1, 10_000), 6);
  withExamples(limits, [
    "headroom fairness limits --kubernetes-version 1.36",
    "headroom fairness limits --kubernetes-version 1.36 --server-concurrency-limit 1200 --demand workload-low=900 --demand system=10 --periods 6",
    "kubectl get prioritylevelconfigurations -o yaml | headroom fairness limits --kubernetes-version 1.36 --priority-levels -",
    "headroom fairness limits --kubernetes-version 1.36 --priority-levels the-one-that-i-change.yaml --with-defaults",
    `echo '{"id":1,"v":"1.36","scl":1200,"periods":[{"lengthUs":10000000,"demand":[[0,"workload-low",900]]}]}' | headroom fairness limits --input -`,
  ]);
  withAnswerOptions(limits, "max-seats", "borrowing").action(async (flags: LimitsFlags, self: Command) =>
    setExitCode(
      await run(flags, self, {
        lines: async () => ({ answer: (await import("../lines/limits-line.ts")).answerLimitsLine }),
        flags: async () => (await import("../commands/fairness-limits.ts")).runFairnessLimits(flags),
        misplaced: () =>
          flags.demand === undefined ? misplacedFlags(self, ["--periods"], "only with --demand") : null,
      }),
    ),
  );
}

/** A wave of flags is made here; more come from a file. */
const MOST_WAVE_REQUESTS = 2_000_000;
/** Queues as well as seats, as in the lines of --input. */
const MOST_WAVE_SEATS = 1_000_000;

function registerReplay(fairness: Command, setExitCode: SetExitCode): void {
  const replay = fairness
    .command("replay")
    .summary("requests played through the queues of one priority level")
    .description(`Plays requests through the fair queuing of one priority level of one API server: which are executed, when, and which are rejected and why.

One wave of like requests is described by flags; the level by --priority-level (a default of the version, with its nominal limit) or by its numbers. A scenario of any kind comes from --scenario FILE (one JSON object), many from --input (one a line).

Fields: id, config {queues, handSize, queueLengthLimit, concurrencyLimit}, flows [[FlowSchema, distinguisher], ...], requests [[arrival us, flow index, initial seats, final seats, additional latency us, service us, wait limit us (0: none), gives up at us (-1: never)], ...], and changes of the level [[at us, queues, handSize, queueLengthLimit, concurrencyLimit], ...]. Answers have outcomes, per request [outcome, dispatch us, finish us, release us, queue] (E executed, F queue-full, L concurrency-limit, T waited too long, C client gave up, W waits for ever), and totals.

Exit codes: 0 answered, 2 wrong usage or an input that cannot be read.`)
    .option(...VERSION_FLAG)
    .option("--scenario <file>", "one scenario as JSON (- is standard input)")
    .option("--priority-level <name>", "a default level of the version, at its nominal limit")
    .option(...SERVER_FLAG)
    .option(
      "--queues <number>",
      "0: the level rejects what does not fit, -1: it is exempt",
      countFlag(-1, MOST_WAVE_SEATS),
    )
    .option("--hand-size <number>", "queues that one flow may use", countFlag(1))
    .option("--queue-length-limit <number>", "requests that wait in one queue", countFlag())
    .option("--concurrency-limit <seats>", "current limit of the level", countFlag(0, MOST_WAVE_SEATS))
    .option("--requests <number>", "requests of the wave", countFlag(1, MOST_WAVE_REQUESTS))
    .option("--flows <number>", "flows they belong to, in turn", countFlag(1, MOST_WAVE_REQUESTS), 1)
    .option("--seats <number>", "seats of each", countFlag(1, MOST_WAVE_SEATS), 1)
    .option("--service-seconds <seconds>", "how long each is executed", parseSecondsFlag, 1)
    .option(
      "--over-seconds <seconds>",
      "they arrive evenly over so long; 0: all at once",
      parseSecondsFlag,
      0,
    )
    .option("--wait-limit-seconds <seconds>", "how long each may wait; 0: for ever", parseSecondsFlag, 15);
  withExamples(replay, [
    "headroom fairness replay --kubernetes-version 1.36 --priority-level workload-low --requests 1000 --seats 10 --service-seconds 4",
    "headroom fairness replay --queues 64 --hand-size 6 --queue-length-limit 50 --concurrency-limit 100 --requests 5000 --flows 20 --over-seconds 10",
    "headroom fairness replay --scenario storm.json",
    `echo '{"id":1,"config":{"queues":128,"handSize":6,"queueLengthLimit":50,"concurrencyLimit":56},"flows":[["service-accounts","agent"]],"requests":[[0,0,10,0,0,1000000,15000000,-1]]}' | headroom fairness replay --input -`,
  ]);
  withAnswerOptions(replay, "queueset").action(async (flags: ReplayFlags, self: Command) =>
    setExitCode(
      await run(flags, self, {
        lines: async () => {
          const { answerReplayLine, MAX_SCENARIO_BYTES } = await import("../lines/replay-line.ts");
          return { answer: answerReplayLine, maxLineBytes: MAX_SCENARIO_BYTES };
        },
        flags: async () => (await import("../commands/fairness-replay.ts")).runFairnessReplay(flags),
        misplaced: () =>
          flags.scenario === undefined
            ? null
            : misplacedFlags(self, WAVE_FLAGS, "not beside --scenario, which says it all"),
      }),
    ),
  );
}

interface Ways {
  readonly lines: () => Promise<import("../lines/answer-input.ts").LineCommand>;
  readonly flags: () => Promise<number>;
  /** A sentence about flags that have no place beside the others; `null`: all have. */
  readonly misplaced: () => string | null;
}

async function run(flags: AnswerFlags, command: Command, ways: Ways): Promise<number> {
  const misplaced = flags.input === undefined ? ways.misplaced() : misplacedBesideInput(command);
  if (misplaced !== null) {
    process.stderr.write(`${misplaced}\n`);
    return 2;
  }
  if (flags.input === undefined) return ways.flags();
  const { answerInput } = await import("../lines/answer-input.ts");
  return answerInput(flags.input, await ways.lines());
}

/** A verb as the API spells it, or in capitals as people write LIST. */
function parseVerbFlag(text: string): Verb {
  const verb = VERBS.find((each) => each === text.trim().toLowerCase());
  if (verb === undefined) throw new InvalidArgumentError(`expected one of ${VERBS.join(", ")}`);
  return verb;
}

/** `NAMESPACE/NAME`, as its user name. */
function parseServiceAccountFlag(text: string): string {
  const [namespace = "", name = "", ...rest] = text
    .trim()
    .replace(/^system:serviceaccount:/, "")
    .split(/[/:]/);
  if (namespace === "" || name === "" || rest.length > 0) {
    throw new InvalidArgumentError("expected NAMESPACE/NAME, such as monitoring/agent");
  }
  return `system:serviceaccount:${namespace}:${name}`;
}

function parseDemandFlag(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const match = /^([a-z0-9][a-z0-9.-]*)=(\d{1,9})$/.exec(text.trim());
  if (match === null) throw new InvalidArgumentError("expected LEVEL=SEATS, such as workload-low=300");
  return { ...before, [match[1] ?? ""]: Number(match[2]) };
}
