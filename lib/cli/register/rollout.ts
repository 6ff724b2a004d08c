import { type Command, InvalidArgumentError, Option } from "commander";
import { type IntOrPercent, parseIntOrPercent } from "../../domain/rollout/int-or-percent.ts";
import {
  countFlag,
  MOST_SECONDS,
  misplacedBesideInput,
  misplacedFlags,
  parsePositiveFlag,
  parseSecondsFlag,
  parseVersionFlag,
  withAnswerOptions,
  withExamples,
} from "./flag-values.ts";

/** Flags of `rollout plan` as they were given; absent ones have no key. */
export interface RolloutFlags {
  readonly input?: string;
  readonly output: "text" | "json";
  readonly kind: "DaemonSet" | "Deployment" | "StatefulSet";
  readonly kubernetesVersion?: string;
  readonly daemonset?: string;
  readonly nodes?: number;
  readonly unavailable?: number;
  readonly empty?: number;
  readonly updated?: number;
  readonly updatedUnavailable?: number;
  readonly strategy: "RollingUpdate" | "OnDelete" | "Recreate";
  readonly maxUnavailable?: IntOrPercent;
  readonly maxSurge?: IntOrPercent;
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly partition?: number;
  readonly podManagement: "OrderedReady" | "Parallel";
  readonly newPods: "healthy" | "never-ready" | "crash-loop";
  readonly runSeconds?: number;
  readonly terminationSeconds?: number;
  readonly removalSeconds?: number;
  readonly scheduleSeconds?: number;
  readonly pullSeconds?: number;
  readonly startSeconds?: number;
  readonly readySeconds?: number;
  readonly jitter?: number;
  readonly seed: number;
  readonly qps?: number;
  readonly burst?: number;
  readonly requestSeconds: number;
}

/** More than any cluster has; a state is held whole. */
const MOST_PODS = 200_000;

const DESCRIPTION = `Which pods a controller replaces now when the template changes, why, and the pace until all are replaced. It computes; no cluster is asked.

A DaemonSet is described by --nodes and by how many of them are not as they should be, or by --daemonset FILE (as "kubectl get daemonset NAME -o yaml" prints it), taken for the moment at which a new template arrives. All pods that are not named otherwise are old and available.

What goes now is exact, by version of kube-controller-manager (1.26 to 1.37). The pace is a simulation over durations: give yours, the defaults are assumptions. Every figure says which it is.

With --input: fields id, v, maxUnavailable, maxSurge, minReadySeconds and nodes, as [[pods, does the node match], …] or {"runs": [[nodes, pods, match], …]}. A pod is o (old template) or n (new), then nothing (Ready), - (not Ready), y (Ready for 5 s), p, f or s (Pending, Failed, Succeeded), then t where it is terminating. Optional: strategy, and simulate (true: the whole pace in the answer).

Exit codes: 0 answered, 2 wrong usage or an input that cannot be read.`;

/** `headroom rollout plan`. */
export function registerRollout(program: Command, setExitCode: (code: number) => void): void {
  const rollout = program.command("rollout").summary("how controllers replace pods: plan");
  const plan = rollout
    .command("plan")
    .summary("which pods go now, and the pace to the end")
    .description(DESCRIPTION)
    .addOption(
      new Option("--kind <kind>", "what is rolled out")
        .choices(["DaemonSet", "Deployment", "StatefulSet"])
        .default("DaemonSet"),
    )
    .option(
      "--kubernetes-version <version>",
      "of kube-controller-manager, such as 1.36 or 1.30.4",
      parseVersionFlag,
    )
    .option("--nodes <number>", "nodes that should run a pod of the DaemonSet", countFlag(0, MOST_PODS))
    .option(
      "--daemonset <file>",
      "the DaemonSet itself, JSON or YAML, - for standard input; flags given beside it win",
    )
    .option(
      "--unavailable <number>",
      "old pods that are not available now (default 0)",
      countFlag(0, MOST_PODS),
    )
    .option("--empty <number>", "nodes without a pod now (default 0)", countFlag(0, MOST_PODS))
    .option(
      "--updated <number>",
      "nodes with an available new pod already (default 0)",
      countFlag(0, MOST_PODS),
    )
    .option(
      "--updated-unavailable <number>",
      "nodes with a new pod that is not available (default 0)",
      countFlag(0, MOST_PODS),
    )
    .addOption(
      new Option("--strategy <strategy>", "update strategy")
        .choices(["RollingUpdate", "OnDelete", "Recreate"])
        .default("RollingUpdate"),
    )
    .option("--max-unavailable <limit>", "number or percentage (default 1; Deployment 25%)", parseLimitFlag)
    .option("--max-surge <limit>", "number or percentage (default 0; Deployment 25%)", parseLimitFlag)
    .option("--min-ready-seconds <seconds>", "minReadySeconds (default 0)", countFlag(0, 2 ** 31 - 1))
    .option("--replicas <number>", "replicas of a Deployment or StatefulSet", countFlag(0, MOST_PODS))
    .option(
      "--partition <ordinal>",
      "StatefulSet: ordinals below it keep the old template (default 0)",
      countFlag(),
    )
    .addOption(
      new Option("--pod-management <policy>", "StatefulSet: podManagementPolicy")
        .choices(["OrderedReady", "Parallel"])
        .default("OrderedReady"),
    );
  addPaceOptions(plan);
  withExamples(plan, [
    "headroom rollout plan --kubernetes-version 1.36 --nodes 5000 --unavailable 40 --max-unavailable 10%",
    "headroom rollout plan --kubernetes-version 1.30.4 --nodes 100 --unavailable 40 --max-unavailable 1",
    "kubectl -n monitoring get daemonset agent -o yaml | headroom rollout plan --kubernetes-version 1.36 --daemonset -",
    "headroom rollout plan --kubernetes-version 1.36 --kind Deployment --replicas 200",
    `echo '{"id":1,"v":"1.36","maxUnavailable":"10%","nodes":{"runs":[[40,["o-"],true],[60,["o"],true]]}}' | headroom rollout plan --input -`,
  ]);
  withAnswerOptions(plan, "daemonset-rolling-update").action(async (flags: RolloutFlags, command: Command) =>
    setExitCode(await run(flags, command)),
  );
}

function addPaceOptions(plan: Command): void {
  plan
    .addOption(
      new Option("--new-pods <behaviour>", "how pods of the new template behave")
        .choices(["healthy", "never-ready", "crash-loop"])
        .default("healthy"),
    )
    .option(
      "--run-seconds <seconds>",
      "with crash-loop: how long the process runs each time",
      parsePositiveFlag,
    )
    .option(
      "--termination-seconds <seconds>",
      "from the deletion until the containers have ended (assumed: 5)",
      parseSecondsFlag,
    )
    .option(
      "--removal-seconds <seconds>",
      "from there until the pod object is gone (assumed: 1)",
      parseSecondsFlag,
    )
    .option(
      "--schedule-seconds <seconds>",
      "from the creation until the pod is bound (assumed: 1)",
      parseSecondsFlag,
    )
    .option(
      "--pull-seconds <seconds>",
      "image pull (assumed: 15; 0 where the image is there)",
      parseSecondsFlag,
    )
    .option("--start-seconds <seconds>", "until the process runs (assumed: 2)", parseSecondsFlag)
    .option("--ready-seconds <seconds>", "from there until the first Ready (assumed: 10)", parseSecondsFlag)
    .option(
      "--jitter <ratio>",
      "each duration is longer by 0 to this ratio, by chance (default 0)",
      parseSecondsFlag,
    )
    .option("--seed <number>", "seed of that chance: equal seeds give equal plans", countFlag(), 1)
    .option("--qps <number>", "--kube-api-qps of kube-controller-manager (default 20)", parsePositiveFlag)
    .option(
      "--burst <number>",
      "--kube-api-burst of kube-controller-manager (default 30)",
      countFlag(1, MOST_SECONDS),
    )
    .option("--request-seconds <seconds>", "what a call to the API server takes", parseSecondsFlag, 0.01);
}

const OF_DAEMONSETS = ["--nodes", "--daemonset", "--empty", "--updated", "--updated-unavailable"];
const OF_STATEFULSETS = ["--partition", "--pod-management"];
/** What would be passed over without a word. */
const NOT_OF: Readonly<Record<RolloutFlags["kind"], readonly string[]>> = {
  DaemonSet: ["--replicas", ...OF_STATEFULSETS],
  Deployment: [...OF_DAEMONSETS, ...OF_STATEFULSETS],
  StatefulSet: [...OF_DAEMONSETS, "--max-surge"],
};

function misplacedOf({ kind, newPods }: RolloutFlags, command: Command): string | null {
  const ofKind = misplacedFlags(command, NOT_OF[kind], `not of a ${kind}`);
  if (ofKind !== null || newPods === "crash-loop") return ofKind;
  return misplacedFlags(command, ["--run-seconds"], "only with --new-pods crash-loop");
}

async function run(flags: RolloutFlags, command: Command): Promise<number> {
  if (flags.input !== undefined) {
    const misplaced = misplacedBesideInput(command);
    if (misplaced !== null) {
      process.stderr.write(`${misplaced}\n`);
      return 2;
    }
    const [{ answerInput }, { answerRolloutLine }] = await Promise.all([
      import("../lines/answer-input.ts"),
      import("../lines/rollout-line.ts"),
    ]);
    return answerInput(flags.input, { answer: answerRolloutLine });
  }
  const misplaced = misplacedOf(flags, command);
  if (misplaced !== null) {
    process.stderr.write(`${misplaced}\n`);
    return 2;
  }
  const { runRolloutPlan } = await import("../commands/rollout-plan.ts");
  return runRolloutPlan(flags);
}

function parseLimitFlag(text: string): IntOrPercent {
  const limit = parseIntOrPercent(text);
  if (limit === null) {
    throw new InvalidArgumentError("expected a whole number of at least 0, or a percentage from 0% to 100%");
  }
  return limit;
}
