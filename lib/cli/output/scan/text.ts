import {
  describePlace,
  type Finding,
  type FindingSeverity,
  type Verdict,
} from "../../../domain/findings/index.ts";
import { printable, type Style } from "../style.ts";
import type { ScanOutput } from "./scan-output.ts";

/** Names of skipped files shown one by one. */
const SKIPPED_SHOWN = 20;

/** For people. `isQuiet` leaves out what is as it should be: what was read, what was skipped or waived. */
export function formatScanText(
  { report, notRead }: ScanOutput,
  { style, isQuiet }: { readonly style: Style; readonly isQuiet: boolean },
): readonly string[] {
  const blocks: (readonly string[])[] = [
    ...report.findings.map((finding) => findingLines(finding, style)),
    report.undecided.map(
      ({ rule, subject, missing }) =>
        `${style.bold("unknown")}  ${printable(rule)}  ${printable(subject)}\n  ${printable(missing)}`,
    ),
    report.expired.map(
      ({ finding, waiver }) =>
        `waiver ended ${waiver.until}: ${printable(finding.rule)}  ${printable(finding.subject)}  (${printable(waiver.reason)})`,
    ),
    notRead.map(({ part, message }) => style.yellow(`not read: ${printable(part)}: ${printable(message)}`)),
    ...(isQuiet ? [] : [waivedLines(report), skippedLines(report, style)]),
  ];
  const shown = blocks.filter((block) => block.length > 0).flatMap((block) => [...block, ""]);
  if (isQuiet && report.verdict === "pass") return shown.slice(0, -1);
  return [...shown, summaryLine(report, style)];
}

function findingLines(finding: Finding, style: Style): readonly string[] {
  const { severity, rule, subject, message, why, fix, evidence, figures, related } = finding;
  return [
    `${colourOf(severity, style)(severity)}  ${style.bold(printable(rule))}  ${printable(subject)}  ${style.dim(printable(describePlace(finding)))}`,
    `  ${printable(message)}`,
    `  Why:  ${printable(why)}`,
    `  Fix:  ${printable(fix)}`,
    ...Object.entries(figures)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => style.dim(`  ${name}: ${printable(figureText(value))}`)),
    ...related.map((each) => `  Also: ${printable(each)}`),
    style.dim(`  Evidence: ${evidence.grade}, ${printable(evidence.source)}`),
  ];
}

const figureText = (value: unknown) =>
  Array.isArray(value) && value.every((each) => typeof each !== "object")
    ? value.join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

function waivedLines({ waived, ignored }: ScanOutput["report"]): readonly string[] {
  return [
    ...waived.map(
      ({ finding, waiver }) =>
        `waived until ${waiver.until}: ${printable(finding.rule)}  ${printable(finding.subject)}  (${printable(waiver.reason)})`,
    ),
    ...(ignored > 0 ? [`ignored: ${count(ignored, "finding")}`] : []),
  ];
}

function skippedLines({ skipped }: ScanOutput["report"], style: Style): readonly string[] {
  return [
    ...skipped
      .slice(0, SKIPPED_SHOWN)
      .map(({ file, reason }) => style.dim(`skipped: ${printable(file)}: ${printable(reason)}`)),
    ...(skipped.length > SKIPPED_SHOWN ? [style.dim(`skipped: ${skipped.length - SKIPPED_SHOWN} more`)] : []),
  ];
}

function summaryLine(
  { verdict, findings, undecided, waived, problems, figures }: ScanOutput["report"],
  style: Style,
) {
  const of = (severity: FindingSeverity) => findings.filter((each) => each.severity === severity).length;
  const counts = [
    [of("error"), "error"],
    [of("warning"), "warning"],
    [of("info"), "info"],
    [undecided.length, "unknown"],
    [waived.length, "waived"],
    [problems.length, "unreadable input"],
  ] as const;
  const words = counts
    .filter(([number]) => number > 0)
    .map(([number, word]) =>
      word === "error" || word === "warning" || word.endsWith("input")
        ? count(number, word)
        : `${number} ${word}`,
    );
  const read = Object.entries(figures).map(
    ([name, value]) => `${String(value)} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
  );
  return `${verdictStyle(verdict, style)(verdict)}: ${words.join(", ") || "nothing found"}${style.dim(` (read: ${read.join(", ")})`)}`;
}

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;

function colourOf(severity: FindingSeverity, style: Style): (text: string) => string {
  return severity === "error" ? style.red : severity === "warning" ? style.yellow : style.dim;
}

function verdictStyle(verdict: Verdict, style: Style): (text: string) => string {
  return verdict === "fail" ? style.red : verdict === "pass" ? style.green : style.yellow;
}
