import { areaOf, describePlace, type Finding } from "../../../domain/findings/index.ts";
import { describeInputProblem } from "../../../inputs/input-problem.ts";
import { fails, type ScanOutput } from "./scan-output.ts";

interface TestCase {
  readonly suite: string;
  readonly classname: string;
  readonly name: string;
  /** What stands inside the element; `null`: it passed. */
  readonly outcome: {
    readonly tag: "failure" | "error" | "skipped" | "system-out";
    readonly message: string;
    readonly text: string;
  } | null;
}

/**
 * JUnit XML as build servers read it: one suite an area, one case a finding. A finding that makes the command fail is a
 * failure, one that does not passes with its text as output; a rule without findings is one case that
 * passed. Waived and undecided are skipped, unreadable inputs are errors.
 */
export function formatScanJunit(output: ScanOutput): string {
  const cases = listCases(output);
  const suites = [...new Set(cases.map(({ suite }) => suite))].sort();
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="headroom scan" ${countsOf(cases)}>`,
    ...suites.flatMap((suite) => {
      const own = cases.filter((each) => each.suite === suite);
      return [
        `  <testsuite name="${escapeXml(suite)}" ${countsOf(own)} skipped="${countOf(own, "skipped")}">`,
        ...own.flatMap(caseLines),
        "  </testsuite>",
      ];
    }),
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

function listCases({ report, notRead, failOn }: ScanOutput): readonly TestCase[] {
  const named = new Set(
    [...report.findings, ...report.waived.map(({ finding }) => finding), ...report.undecided].map(
      ({ rule }) => rule,
    ),
  );
  return [
    ...report.problems.map((problem): TestCase => {
      const message = describeInputProblem(problem);
      return inputCase(problem.file, { tag: "error", message, text: message });
    }),
    ...notRead.map(
      ({ part, message }): TestCase => inputCase(part, { tag: "error", message: "not read", text: message }),
    ),
    ...report.findings.map(
      (finding): TestCase =>
        ruleCase(
          finding.rule,
          finding.subject,
          fails(finding.severity, failOn)
            ? { tag: "failure", message: finding.message, text: findingText(finding) }
            : { tag: "system-out", message: "", text: findingText(finding) },
        ),
    ),
    ...report.waived.map(
      ({ finding, waiver }): TestCase =>
        ruleCase(finding.rule, finding.subject, {
          tag: "skipped",
          message: `waived until ${waiver.until}: ${waiver.reason}`,
          text: findingText(finding),
        }),
    ),
    ...report.undecided.map(
      ({ rule, subject, missing }): TestCase =>
        ruleCase(rule, subject, { tag: "skipped", message: `unknown: ${missing}`, text: missing }),
    ),
    ...report.rules
      .filter(({ name, check }) => check.kind !== "collector" && !named.has(name))
      .map(({ name }): TestCase => ruleCase(name, name, null)),
  ];
}

const inputCase = (name: string, outcome: TestCase["outcome"]): TestCase => ({
  suite: "inputs",
  classname: "headroom.inputs",
  name,
  outcome,
});

const ruleCase = (rule: string, name: string, outcome: TestCase["outcome"]): TestCase => ({
  suite: areaOf({ name: rule }),
  classname: rule,
  name,
  outcome,
});

function findingText(finding: Finding): string {
  const { severity, message, why, fix, related } = finding;
  return [
    `${severity}: ${message}`,
    `Why: ${why}`,
    `Fix: ${fix}`,
    ...related.map((each) => `Also: ${each}`),
    `At: ${describePlace(finding)}`,
  ].join("\n");
}

function caseLines({ classname, name, outcome }: TestCase): readonly string[] {
  const head = `    <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}" time="0"`;
  if (outcome === null) return [`${head}/>`];
  const { tag, message, text } = outcome;
  if (tag === "system-out") {
    return [`${head}>`, `      <system-out>${escapeXml(text)}</system-out>`, "    </testcase>"];
  }
  const type = tag === "skipped" ? "" : ` type="${tag}"`;
  return [
    `${head}>`,
    `      <${tag} message="${escapeXml(message)}"${type}>${escapeXml(text)}</${tag}>`,
    "    </testcase>",
  ];
}

/** The outermost element has no count of what was skipped. */
function countsOf(cases: readonly TestCase[]): string {
  return `tests="${cases.length}" failures="${countOf(cases, "failure")}" errors="${countOf(cases, "error")}" time="0"`;
}

const countOf = (cases: readonly TestCase[], tag: string) =>
  cases.filter(({ outcome }) => outcome?.tag === tag).length;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** Names come from clusters: what XML 1.0 does not allow is replaced, lone halves of surrogate pairs too. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows no others.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, "\ufffd")
      .replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character] ?? character)
  );
}
