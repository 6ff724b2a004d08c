import { stringify } from "yaml";
import { formatCounted, formatNumber } from "../../../domain/rollout/figure.ts";
import type { FlowSchemaCheck, VerdictName } from "../../../domain/storm/index.ts";
import type { StormAnswer } from "../../commands/storm-answer.ts";
import type { StormReplay } from "../../commands/storm-examples.ts";
import type { NamedScenario } from "../../commands/storm-scenario.ts";
import { formatClusterHead } from "../agents/list-text.ts";
import { printable, type Style } from "../style.ts";
import { formatTable } from "../table.ts";
import { figureTable, neighbourTable, remedyTable, solvedLines, type Table } from "./storm-tables.ts";

/** Cluster by cluster: the verdict with its reasons first, then figures, then what they rest on. */
export function formatStormText(
  scenario: NamedScenario,
  answers: readonly StormAnswer[],
  replay: StormReplay | null,
  style: Style,
): readonly string[] {
  return [
    ...answers.flatMap((answer, index) => [
      ...(index > 0 ? [""] : []),
      ...formatAnswer(scenario, answer, style),
    ]),
    ...(replay === null ? [] : ["", style.bold(replay.title), ...replay.lines.map((line) => `  ${line}`)]),
  ];
}

function formatAnswer(
  { scenario, text }: NamedScenario,
  answer: StormAnswer,
  style: Style,
): readonly string[] {
  const { cluster, verdict, failure } = answer;
  // What speaks against its figures is said among the doubts.
  const [head = ""] = formatClusterHead(cluster, style);
  if (failure !== null || verdict === null)
    return [`${style.red("not simulated")}  ${head}`, `  ${printable(failure ?? "It is not known why.")}`];
  const copies = answer.agents.map(
    ({ name, copies: number }) => `${printable(name)} × ${formatNumber(number)}`,
  );
  return [
    `${paint(verdict, style)}  ${head}`,
    ...(answer.nodes === cluster.facts.nodes || answer.nodes === null
      ? []
      : [`  at ${formatCounted(answer.nodes, "node")}`]),
    `  ${scenario.kind}: ${text}`,
    `  ${copies.join(", ")}`,
    ...verdictLines(answer, style),
    "",
    ...indent(formatTable(...tableArguments(figureTable(answer), style))),
    style.dim(`  simulated, ${seedText(answer)}; nothing here was measured`),
    ...section(neighbourTable(answer), style),
    ...remedyLines(answer, style),
    ...solvedLines(answer).flatMap((line, index) => [...(index === 0 ? [""] : []), `  ${line}`]),
    ...ownLevelLines(answer, style),
    ...(answer.assumptions.length === 0
      ? []
      : ["", "  Assumed:", ...answer.assumptions.map((each) => style.dim(`  - ${printable(each)}`))]),
  ];
}

export function verdictLines(
  { verdict, simulated, reasons, doubts, rollNormally }: StormAnswer,
  style: Style,
): readonly string[] {
  if (rollNormally !== null) return [`  ${style.green(rollNormally)}`];
  return [
    ...doubts.map((doubt) => style.yellow(`  ${printable(doubt)}`)),
    ...(verdict === "inconclusive" && simulated !== null
      ? [`  The figures by themselves say ${paint(simulated, style)}.`]
      : []),
    ...reasons.map(({ text }) => `  ${printable(text)}`),
  ];
}

const seedText = ({ seeds, undrained }: StormAnswer) =>
  `${formatCounted(seeds.length, "seed")} from ${seeds[0] ?? 0}${undrained === 0 ? "" : `, ${undrained} of them without an end`}`;

function section(table: Table | null, style: Style): readonly string[] {
  return table === null ? [] : ["", ...indent(formatTable(...tableArguments(table, style)))];
}

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

const tableArguments = ({ heads, rows }: Table, style: Style) =>
  [heads, rows.map((row) => row.map(printable)), style] as const;

function remedyLines({ comparison }: StormAnswer, style: Style): readonly string[] {
  if (comparison === null) return [];
  return [
    ...section(remedyTable(comparison), style),
    "",
    ...comparison.rows.map(({ title, costs }) => `  ${title}: ${costs.join(" ")}`),
    ...comparison.notApplicable.map(({ title, reason }) => style.dim(`  ${title}: not here. ${reason}`)),
  ];
}

function ownLevelLines({ ownLevel, check }: StormAnswer, style: Style): readonly string[] {
  if (ownLevel === null) return [];
  return [
    "",
    ...(check === null ? [] : checkLines(check).map((line) => `  ${printable(line)}`)),
    style.dim("  # FlowSchema and priority level of its own, for kubectl apply -f -"),
    ...ownLevel.manifests.flatMap((manifest) => ["---", ...stringify(manifest).trimEnd().split("\n")]),
  ];
}

/** Whom the objects would have caught of what was recorded. */
export function checkLines({
  requests,
  caught,
  missed,
  isThrottled,
  nominalSeats,
}: FlowSchemaCheck): readonly string[] {
  const sum = (rows: readonly { readonly requests: number }[]) =>
    formatNumber(rows.reduce((total, row) => total + row.requests, 0));
  const others = caught.filter(({ isIntended }) => !isIntended);
  return [
    `Of ${formatNumber(requests)} recorded requests it would have caught ${sum(caught)}, ${sum(others)} of them of others.`,
    ...others.map((row) => `  also caught: ${row.userName} ${row.what}, ${formatNumber(row.requests)}`),
    ...missed.map((row) => `  not caught: ${row.userName} ${row.what}, ${formatNumber(row.requests)}`),
    isThrottled === null
      ? `How many seats they held at once was not recorded: whether ${nominalSeats} are enough is not known.`
      : isThrottled
        ? `They held more than its ${nominalSeats} seats: they would have waited.`
        : `They held no more than its ${nominalSeats} seats.`,
  ];
}

export function paint(verdict: VerdictName, style: Style): string {
  switch (verdict) {
    case "unsafe":
      return style.red(verdict);
    case "visible":
    case "inconclusive":
      return style.yellow(verdict);
    case "invisible":
      return style.green(verdict);
  }
}
