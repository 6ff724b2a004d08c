import { loadConfig } from "../../config/load-config.ts";
import { type IgnoredRule, parseIgnored, RULES, type Rule, rulesNamed } from "../../domain/findings/index.ts";
import { describeInputProblem } from "../../inputs/input-problem.ts";
import { type ClusterBase, type ScanProgress, scanInputs } from "../../inputs/scan-inputs.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { formatScanJson } from "../output/scan/json.ts";
import { formatScanJunit } from "../output/scan/junit.ts";
import { formatScanMarkdown } from "../output/scan/markdown.ts";
import { formatScanSarif } from "../output/scan/sarif.ts";
import { SCAN_EXIT, type ScanOutput, scanExitCode } from "../output/scan/scan-output.ts";
import { formatScanText } from "../output/scan/text.ts";
import { chooseStyle, printable } from "../output/style.ts";
import type { ScanFlags } from "../register/scan.ts";
import type { ReadContext } from "./scan-context.ts";

const err = (text: string) => void process.stderr.write(`${text}\n`);

/** `headroom scan`. Returns the exit code. */
export async function runScan(paths: readonly string[], flags: ScanFlags): Promise<number> {
  const usage = findMisuse(paths, flags);
  if (usage !== null) return refuse(usage);
  const rules = chooseRules(flags.rules ?? []);
  if (typeof rules === "string") return refuse(rules);
  const ignored = readIgnored(flags.ignore ?? []);
  if (typeof ignored === "string") return refuse(ignored);
  const config = loadConfig({ flags: flags.config === undefined ? {} : { config: flags.config } });

  let context: ReadContext | null = null;
  if (flags.context !== undefined) {
    const { readContext } = await import("./scan-context.ts");
    const read = await readContext(
      { name: flags.context, kubeconfig: flags.kubeconfig ?? null, config, env: process.env, rules },
      err,
    );
    if (read === null) return SCAN_EXIT.unreadable;
    context = read;
  }
  const base: ClusterBase | null = context?.base ?? null;
  const progress = process.stderr.isTTY === true && !flags.quiet ? new ProgressLine() : null;
  const report = await scanInputs({
    paths,
    rules,
    ...(base === null ? {} : { base }),
    ignored,
    waivers: config.policy.waivers,
    now: Date.now(),
    ...(progress === null ? {} : { onProgress: (each) => progress.show(each) }),
  });
  progress?.clear();
  const output: ScanOutput = {
    report,
    notRead: context?.notRead ?? [],
    failOn: flags.failOn,
    version: HEADROOM_VERSION,
  };
  process.stdout.write(format(output, flags));
  for (const problem of report.problems) err(printable(describeInputProblem(problem)));
  if (report.isNothingGiven && report.problems.length === 0) {
    err("No input of a kind that is read was found. `headroom scan --help` lists the kinds.");
  }
  return scanExitCode(output);
}

function format(output: ScanOutput, { output: form, quiet }: ScanFlags): string {
  switch (form) {
    case "text": {
      const lines = formatScanText(output, {
        style: chooseStyle(process.stdout, process.env),
        isQuiet: quiet,
      });
      return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
    }
    case "json":
      return `${formatScanJson(output)}\n`;
    case "sarif":
      return `${formatScanSarif(output)}\n`;
    case "junit":
      return formatScanJunit(output);
    case "markdown":
      return formatScanMarkdown(output);
    default: {
      const never: never = form;
      throw new Error(`unknown format ${String(never)}`);
    }
  }
}

function findMisuse(paths: readonly string[], { context, kubeconfig }: ScanFlags): string | null {
  if (paths.length === 0 && context === undefined) {
    return "Name files or folders to check, or a cluster with --context. - is standard input.";
  }
  if (kubeconfig !== undefined && context === undefined) return "--kubeconfig: only with --context.";
  return null;
}

function chooseRules(names: readonly string[]): readonly Rule[] | string {
  const wanted = names
    .flatMap((each) => each.split(","))
    .map((each) => each.trim())
    .filter((each) => each !== "");
  if (wanted.length === 0) return RULES;
  const unknown = wanted.filter((each) => rulesNamed(each).length === 0);
  if (unknown.length > 0) return unknownRules("--rules", unknown);
  return RULES.filter((rule) => wanted.some((each) => rulesNamed(each).includes(rule)));
}

function readIgnored(texts: readonly string[]): readonly IgnoredRule[] | string {
  const ignored = texts.map(parseIgnored);
  const unknown = ignored.filter(({ rule }) => rulesNamed(rule).length === 0).map(({ rule }) => rule);
  return unknown.length > 0 ? unknownRules("--ignore", unknown) : ignored;
}

const unknownRules = (flag: string, names: readonly string[]) =>
  `${flag}: no rule is named ${names.join(", ")}. \`headroom rules\` lists them.`;

function refuse(sentence: string): number {
  err(sentence);
  return SCAN_EXIT.unreadable;
}

/** One line on a terminal that is written over. */
class ProgressLine {
  #shownAt = 0;

  show({ file, filesDone, files, bytesDone, bytes }: ScanProgress): void {
    const now = performance.now();
    if (now - this.#shownAt < 100) return;
    this.#shownAt = now;
    const share =
      bytesDone === null
        ? ""
        : `  ${formatMegabytes(bytesDone)}${bytes === null ? "" : ` of ${formatMegabytes(bytes)}`}`;
    process.stderr.write(`\r\u001b[K${filesDone} of ${files}  ${printable(file).slice(-60)}${share}`);
  }

  clear(): void {
    process.stderr.write("\r\u001b[K");
  }
}

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
