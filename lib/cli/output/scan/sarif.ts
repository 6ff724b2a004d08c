import { createHash } from "node:crypto";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Finding, FindingSeverity, Rule, WaivedFinding } from "../../../domain/findings/index.ts";
import type { InputProblem } from "../../../inputs/input-problem.ts";
import { SCAN_EXIT, type ScanOutput, scanExitCode } from "./scan-output.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/**
 * SARIF 2.1.0: findings as results, what stayed undecided as results of kind `open`, waived findings with a
 * suppression, unreadable inputs as notifications of the invocation.
 */
export function formatScanSarif(output: ScanOutput): string {
  const { report, notRead, version } = output;
  const named = new Set(
    [...report.findings, ...report.waived.map(({ finding }) => finding), ...report.undecided].map(
      ({ rule }) => rule,
    ),
  );
  const rules = report.rules.filter(({ name }) => named.has(name));
  const indexOf = new Map(rules.map(({ name }, index) => [name, index]));
  const ruleOf = (rule: string) => {
    const ruleIndex = indexOf.get(rule);
    return { ruleId: rule, ...(ruleIndex === undefined ? {} : { ruleIndex }) };
  };
  const exitCode = scanExitCode(output);
  return JSON.stringify(
    {
      $schema: SCHEMA,
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: { name: "headroom", version, semanticVersion: version, rules: rules.map(asDescriptor) },
          },
          invocations: [
            {
              executionSuccessful: exitCode !== SCAN_EXIT.unreadable,
              exitCode,
              toolExecutionNotifications: [
                ...report.problems.map(asNotification),
                ...notRead.map(({ part, message }) => ({
                  level: "warning",
                  message: { text: `${part} was not read: ${message}` },
                })),
              ],
            },
          ],
          results: [
            ...report.findings.map((finding) => ({ ...ruleOf(finding.rule), ...asResult(finding) })),
            ...report.waived.map((each) => ({ ...ruleOf(each.finding.rule), ...asSuppressed(each) })),
            ...report.undecided.map(({ rule, subject, missing }) => ({
              ...ruleOf(rule),
              kind: "open",
              level: "none",
              message: { text: `${subject}: ${missing}` },
              locations: [{ logicalLocations: [{ fullyQualifiedName: subject }] }],
              partialFingerprints: { "headroom/v1": fingerprint(rule, subject) },
            })),
          ],
          columnKind: "utf16CodeUnits",
        },
      ],
    },
    null,
    2,
  );
}

const LEVELS: Readonly<Record<FindingSeverity, string>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function asDescriptor(rule: Rule) {
  const [source] = rule.sources.filter(({ url }) => url !== null);
  return {
    id: rule.name,
    shortDescription: { text: rule.title },
    fullDescription: { text: `${rule.what} ${rule.why}` },
    help: { text: rule.fix },
    ...(source?.url == null ? {} : { helpUri: source.url }),
    defaultConfiguration: { level: LEVELS[rule.severity] },
  };
}

function asResult(finding: Finding) {
  const { severity, subject, message, rule, evidence, figures, related, why, fix } = finding;
  return {
    kind: "fail",
    level: LEVELS[severity],
    message: { text: `${subject}: ${message}` },
    locations: [locationOf(finding)],
    partialFingerprints: { "headroom/v1": fingerprint(rule, subject) },
    properties: {
      subject,
      why,
      fix,
      evidence: { ...evidence, observedAt: isoOf(evidence.observedAt) },
      figures,
      related,
    },
  };
}

function asSuppressed({ finding, waiver }: WaivedFinding) {
  return {
    ...asResult(finding),
    suppressions: [
      { kind: "external", status: "accepted", justification: `${waiver.reason} (until ${waiver.until})` },
    ],
  };
}

function locationOf({ position, subject }: Finding) {
  return {
    ...(position === null || isNoFile(position.file)
      ? {}
      : {
          physicalLocation: {
            artifactLocation: { uri: uriOf(position.file) },
            ...(position.line === null ? {} : { region: { startLine: position.line } }),
          },
        }),
    logicalLocations: [{ fullyQualifiedName: subject }],
  };
}

function asNotification({ file, line, column, message }: InputProblem) {
  const region =
    line === null ? {} : { region: { startLine: line, ...(column === null ? {} : { startColumn: column }) } };
  return {
    level: "error",
    message: { text: `${file}: ${message}` },
    ...(isNoFile(file)
      ? {}
      : { locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }] }),
  };
}

/** Standard input and a cluster are no files that a tool could open. */
const isNoFile = (file: string) => file === "-" || file.startsWith("context ");

/** A relative path as a relative reference, so that it fits the checkout; an absolute one as a file URI. */
function uriOf(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  return path.normalize(file).split(path.sep).map(encodeURIComponent).join("/");
}

const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The same finding at another line, or with other figures, stays the same. */
function fingerprint(rule: string, subject: string): string {
  return createHash("sha256").update(`${rule}\u0000${subject}`).digest("hex").slice(0, 32);
}
