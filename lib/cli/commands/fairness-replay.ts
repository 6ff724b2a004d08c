import { readFile, stat } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { QueueSetAnswer, QueueSetConfig } from "../../domain/fairness/index.ts";
import { computeLimits, defaultPriorityLevels } from "../../domain/fairness/index.ts";
import { ruleVersion } from "../../domain/kubernetes/version.ts";
import { formatNumber } from "../../domain/rollout/figure.ts";
import { formatDuration } from "../../format/duration.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { type LineObject, LineProblem } from "../json-lines.ts";
import { explainReplay, MAX_SCENARIO_BYTES, replayScenario } from "../lines/replay-line.ts";
import { plain } from "../output/price.ts";
import { chooseStyle } from "../output/style.ts";
import type { ReplayFlags } from "../register/fairness.ts";
import { missingFlags } from "../register/flag-values.ts";

const ANSWERED = 0;
const WRONG_USAGE = 2;
const US_PER_SECOND = 1_000_000;

/** `headroom fairness replay` for the one scenario that its flags describe. Returns the exit code. */
export async function runFairnessReplay(flags: ReplayFlags): Promise<number> {
  const scenario = flags.scenario === undefined ? waveOf(flags) : await readScenario(flags.scenario);
  if (typeof scenario === "string") return refuse(scenario);
  try {
    const answer = replayScenario({
      ...scenario,
      ...(flags.kubernetesVersion === undefined ? {} : { v: flags.kubernetesVersion }),
    });
    process.stdout.write(
      `${flags.output === "json" ? formatJson(scenario, answer) : formatText(flags, scenario, answer)}\n`,
    );
    return ANSWERED;
  } catch (error) {
    if (!(error instanceof LineProblem)) throw error;
    return refuse(`${flags.scenario ?? "the wave"}: ${error.message}.`);
  }
}

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return WRONG_USAGE;
}

async function readScenario(path: string): Promise<LineObject | string> {
  try {
    if (path !== "-" && (await stat(path)).size > MAX_SCENARIO_BYTES) {
      return `${path}: expected at most ${MAX_SCENARIO_BYTES} bytes.`;
    }
    const source = path === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
    const value: unknown = JSON.parse(source.replace(/^\ufeff/, ""));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as LineObject;
    return `${path}: expected one JSON object.`;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return `${path}: expected one JSON object; scenarios one a line come with --input.`;
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `${path}: this file ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}.`;
  }
}

/** A wave of like requests as a scenario; a sentence where the flags do not describe one. */
function waveOf(flags: ReplayFlags): LineObject | string {
  const config = configOf(flags);
  if (typeof config === "string") return config;
  const { requests } = flags;
  if (requests === undefined) return missingFlags({ "--requests": requests }) ?? "";
  const step = requests > 1 ? (flags.overSeconds * US_PER_SECOND) / requests : 0;
  return {
    config,
    flows: Array.from({ length: flags.flows }, (_, flow) => ["wave", `flow-${flow}`]),
    requests: Array.from({ length: requests }, (_, index) => [
      Math.floor(index * step),
      index % flags.flows,
      flags.seats,
      0,
      0,
      Math.round(flags.serviceSeconds * US_PER_SECOND),
      Math.round(flags.waitLimitSeconds * US_PER_SECOND),
      -1,
    ]),
  };
}

function configOf(flags: ReplayFlags): QueueSetConfig | string {
  const { queues, handSize, queueLengthLimit, concurrencyLimit, priorityLevel, kubernetesVersion } = flags;
  const level =
    priorityLevel === undefined
      ? null
      : levelOf(priorityLevel, kubernetesVersion, flags.serverConcurrencyLimit);
  if (typeof level === "string") return level;
  const config = {
    queues: queues ?? level?.queues,
    handSize: handSize ?? level?.handSize ?? (queues !== undefined && queues < 1 ? 1 : undefined),
    queueLengthLimit:
      queueLengthLimit ?? level?.queueLengthLimit ?? (queues !== undefined && queues < 1 ? 0 : undefined),
    concurrencyLimit: concurrencyLimit ?? level?.concurrencyLimit,
  };
  const missing = missingFlags({
    "--queues": config.queues,
    "--hand-size": config.handSize,
    "--queue-length-limit": config.queueLengthLimit,
    "--concurrency-limit": config.concurrencyLimit,
  });
  return missing === null
    ? (config as QueueSetConfig)
    : missing.replace("Missing ", "Missing --priority-level, or ");
}

/** A default level as a queue set, at its nominal limit. */
function levelOf(name: string, v: string | undefined, scl: number): QueueSetConfig | string {
  if (v === undefined) return missingFlags({ "--kubernetes-version": v }) ?? "";
  const levels = defaultPriorityLevels(ruleVersion(v).minor);
  const level = levels.find((each) => each.name === name);
  if (level === undefined) {
    return `--priority-level: expected one of ${levels.map((each) => each.name).join(", ")}, got ${JSON.stringify(name)}.`;
  }
  const { limits } = computeLimits({ v, scl, priorityLevels: ["defaults"] });
  return {
    queues: level.type === "Exempt" ? -1 : (level.queues ?? 0),
    handSize: level.handSize ?? 1,
    queueLengthLimit: level.queueLengthLimit ?? 0,
    concurrencyLimit: limits[name]?.nominalCL ?? 0,
  };
}

function formatJson(scenario: LineObject, answer: QueueSetAnswer): string {
  const tool = { name: "headroom", version: HEADROOM_VERSION };
  const { config } = scenario;
  return JSON.stringify({ schemaVersion: 1, tool, config, ...answer, explanation: explainReplay(answer) });
}

function formatText(flags: ReplayFlags, scenario: LineObject, answer: QueueSetAnswer): string {
  const style = chooseStyle(process.stdout, process.env);
  const { outcomes, totals } = answer;
  const last = outcomes.reduce((latest, [, dispatchUs]) => Math.max(latest, dispatchUs), 0);
  const isWave = flags.scenario === undefined;
  const config = scenario.config as QueueSetConfig;
  return [
    style.bold(
      `${formatNumber(outcomes.length)} requests${flags.priorityLevel === undefined ? "" : ` at ${flags.priorityLevel}, at ${flags.concurrencyLimit === undefined ? "its nominal limit" : `a limit of ${formatNumber(flags.concurrencyLimit)} seats`}`}`,
    ),
    ...(isWave ? describeWave(flags, config).map((line) => style.dim(line)) : []),
    ...explainReplay(answer).map((sentence) => `  ${sentence}`),
    `  the last to be executed began after ${seconds(last)}; all was over after ${seconds(totals.end)}`,
    ...(totals.demandAvg === null
      ? []
      : [
          `  demand ${formatNumber(totals.demandAvg)} seats on average, ${formatNumber(totals.demandMax)} at most`,
        ]),
    ...(config.queues > 0 && totals.peakQueueLen > config.queueLengthLimit
      ? [
          style.dim(
            `  A queue counts as full only while all seats are taken. Some stayed free that were too few for the next request, so more than ${formatNumber(config.queueLengthLimit)} waited in one.`,
          ),
        ]
      : []),
    ...idleLimit(flags).map((line) => style.dim(line)),
  ].join("\n");
}

/** What the wave and the level are taken to be, with the flags that say otherwise. */
function describeWave(flags: ReplayFlags, config: QueueSetConfig): readonly string[] {
  const { queues, handSize, queueLengthLimit, concurrencyLimit } = config;
  const level =
    queues < 0
      ? "exempt: nobody waits"
      : `${formatNumber(concurrencyLimit)} seats, ${queues === 0 ? "no queues" : `${formatNumber(queues)} queues of ${formatNumber(queueLengthLimit)}, a hand of ${handSize}`}`;
  const arrival = flags.overSeconds === 0 ? "all at once" : `over ${flags.overSeconds} s`;
  return [
    `  the level: ${level}`,
    `  each request: ${formatNumber(flags.seats)} ${flags.seats === 1 ? "seat" : "seats"} for ${flags.serviceSeconds} s (--service-seconds), waits ${flags.waitLimitSeconds === 0 ? "for ever" : `at most ${flags.waitLimitSeconds} s`}; ${formatNumber(flags.flows)} ${flags.flows === 1 ? "flow" : "flows"}; ${arrival}`,
  ];
}

/** A level stands at its nominal limit only while others ask for theirs: what it has while nobody does. */
function idleLimit({ priorityLevel, concurrencyLimit, kubernetesVersion: v, ...flags }: ReplayFlags) {
  if (priorityLevel === undefined || concurrencyLimit !== undefined || v === undefined) return [];
  const { limits } = computeLimits({
    v,
    scl: flags.serverConcurrencyLimit,
    priorityLevels: ["defaults"],
  });
  const level = limits[priorityLevel];
  if (level === undefined || level.currentCL === level.nominalCL) return [];
  return [
    `  While nobody asked for anything before, the limit of ${priorityLevel} is ${formatNumber(level.currentCL)} and not ${formatNumber(level.nominalCL)}: --concurrency-limit ${level.currentCL} plays that.`,
  ];
}

const seconds = (us: number): string => plain(formatDuration(us / US_PER_SECOND));
