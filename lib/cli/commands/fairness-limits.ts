import {
  type AdjustmentAnswer,
  computeLimits,
  defaultPriorityLevels,
  type LimitsAnswer,
  replayBorrowing,
} from "../../domain/fairness/index.ts";
import { ruleVersion } from "../../domain/kubernetes/version.ts";
import { formatNumber } from "../../domain/rollout/figure.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { borrowingOutputs, brokenOf, explainAdjustment } from "../lines/limits-line.ts";
import { chooseStyle, type Style } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import type { LimitsFlags } from "../register/fairness.ts";
import { missingFlags } from "../register/flag-values.ts";
import { type FlowControlObjects, readFlowControl } from "./read-flow-control.ts";

const ANSWERED = 0;
const WRONG_USAGE = 2;
/** The one level whose requests never wait: its figures say what it keeps from the others, not what holds it back. */
const EXEMPT = "exempt";
const NO_LIMIT = "no limit";
/** Adjustments come every 10 s. */
const PERIOD_US = 10_000_000;

/** `headroom fairness limits` for the one server that its flags describe. Returns the exit code. */
export async function runFairnessLimits(flags: LimitsFlags): Promise<number> {
  const { kubernetesVersion: v, serverConcurrencyLimit: scl } = flags;
  if (v === undefined) return refuse(missingFlags({ "--kubernetes-version": v }) ?? "");
  const read = flags.priorityLevels === undefined ? null : await readFlowControl(flags.priorityLevels);
  if (typeof read === "string") return refuse(read);
  if (read !== null && read.priorityLevels.length === 0) {
    return refuse(`${flags.priorityLevels}: expected PriorityLevelConfigurations, found none.`);
  }
  const base = flags.withDefaults === true || read === null ? (["defaults"] as const) : [];
  const priorityLevels = [...base, ...(read?.priorityLevels ?? [])];
  const input = { v, scl, priorityLevels };
  const limits = computeLimits(input);
  const unknown = Object.keys(flags.demand ?? {}).filter((level) => !Object.hasOwn(limits.limits, level));
  if (unknown.length > 0) {
    return refuse(
      `--demand: expected one of the levels ${Object.keys(limits.limits).join(", ")}, got ${unknown.join(", ")}.`,
    );
  }
  const borrowing =
    flags.demand === undefined
      ? null
      : replayBorrowing({ ...input, periods: periodsOf(flags.demand, flags.periods) });
  const { note, minor } = ruleVersion(v);
  const absent = base.length > 0 ? [] : defaultsNotIn(read?.priorityLevels ?? [], minor);
  const gap =
    absent.length === 0
      ? null
      : `${flags.priorityLevels} lacks default levels of 1.${minor}: ${absent.join(", ")}. Without them the others have more; --with-defaults adds them.`;
  const broken = brokenOf(v, priorityLevels);
  const style = chooseStyle(process.stdout, process.env);
  if (flags.output === "json") {
    const tool = { name: "headroom", version: HEADROOM_VERSION };
    const steps = borrowing && {
      ...borrowingOutputs(borrowing),
      explanation: borrowing.adjustments.map(explainAdjustment),
    };
    const all = {
      schemaVersion: 1,
      tool,
      kubernetesVersion: v,
      scl,
      ...limits,
      ...steps,
      ...(note === null ? {} : { note }),
      ...(gap === null ? {} : { notes: [gap] }),
      ...broken,
    };
    process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
    return ANSWERED;
  }
  const lines = [
    style.bold(`${formatNumber(scl)} seats per API server, Kubernetes ${v}`),
    ...(note === null ? [] : [style.yellow(note)]),
    ...(gap === null ? [] : [style.yellow(gap)]),
    "",
    ...limitLines(limits, style),
    ...Object.entries(broken.broken ?? {}).map(([name, fault]) =>
      style.yellow(`${name}: ${fault}: the API server goes on without it.`),
    ),
    ...(borrowing === null ? [] : ["", ...borrowingLines(borrowing.adjustments, style)]),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return ANSWERED;
}

/** Default levels that a file lacks. An API server adds the mandatory ones itself; they are not in it either. */
function defaultsNotIn(levels: FlowControlObjects["priorityLevels"], minor: number): readonly string[] {
  const given = new Set(levels.map(({ metadata }) => metadata.name));
  return defaultPriorityLevels(minor)
    .map(({ name }) => name)
    .filter((name) => !given.has(name));
}

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return WRONG_USAGE;
}

/** The demand stands from the first moment on; levels that are not named ask for nothing. */
function periodsOf(demand: Readonly<Record<string, number>>, periods: number) {
  return Array.from({ length: periods }, (_, index) => ({
    lengthUs: PERIOD_US,
    demand: index === 0 ? Object.entries(demand).map(([level, seats]) => [0, level, seats] as const) : [],
  }));
}

function limitLines({ limits }: LimitsAnswer, style: Style): readonly string[] {
  const rows = Object.entries(limits).map(([name, level]) => [
    name,
    formatNumber(level.nominalCL),
    formatNumber(level.minCL),
    name === EXEMPT ? NO_LIMIT : formatNumber(level.currentCL),
    name === EXEMPT ? NO_LIMIT : formatNumber(level.maxCL),
    level.maxSeats === 0 ? "–" : formatNumber(level.maxSeats),
  ]);
  const heads = ["priority level", "nominal", "minimum", "current, idle", "bound", "one request"];
  return [
    ...formatTable(heads, rows, style),
    style.dim("bound: what borrowing may lift a level to by its configuration, not capacity"),
    style.dim(
      "Each API server has these seats for itself: two have twice as many, and lend nothing to each other.",
    ),
    style.dim("one request: most seats that its level lets one request take; –: the level sets none"),
  ];
}

function borrowingLines(adjustments: readonly AdjustmentAnswer[], style: Style): readonly string[] {
  const names = Object.keys(adjustments[0]?.pl ?? {});
  const heads = ["current limit after", ...names];
  const rows = adjustments.map(({ pl }, index) => [
    `${(index + 1) * 10} s`,
    ...names.map((name) => (name === EXEMPT ? NO_LIMIT : formatNumber(pl[name]?.[4] ?? 0))),
  ]);
  const last = adjustments.at(-1);
  return [
    ...formatTable(heads, rows, style),
    ...(last === undefined ? [] : [style.dim(explainAdjustment(last))]),
  ];
}
