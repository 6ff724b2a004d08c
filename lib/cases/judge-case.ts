import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Figures, FigureValue } from "../domain/findings/index.ts";
import type { ScanReport } from "../inputs/scan-inputs.ts";

const folder = (path: string) => new URL(path, import.meta.url);

const IndexSchema = z.array(
  z.object({ id: z.string(), kind: z.int(), title: z.string(), inputs: z.array(z.string()) }),
);

const ExpectedSchema = z.object({
  verdict: z.enum(["fail", "warn", "pass"]),
  findings: z.array(z.object({ rule: z.string(), subject: z.string() })),
  figures: z.record(z.string(), z.json()),
  must_not: z.array(z.string()),
  negative: z.boolean(),
});
export type ExpectedCase = z.output<typeof ExpectedSchema>;

export interface CaseToScan {
  readonly id: string;
  readonly kind: number;
  readonly title: string;
  /** Files to scan. */
  readonly paths: readonly string[];
  readonly expected: ExpectedCase;
}

/** Cases with inputs, in the order of the index. */
export function readCases(): readonly CaseToScan[] {
  const index = IndexSchema.parse(JSON.parse(readFileSync(folder("index.json"), "utf8")));
  return index
    .filter(({ inputs }) => inputs.length > 0)
    .map(({ id, kind, title, inputs }) => ({
      id,
      kind,
      title,
      paths: inputs.map((each) => folder(each).pathname),
      expected: ExpectedSchema.parse(JSON.parse(readFileSync(folder(`inputs/${id}/expected.json`), "utf8"))),
    }));
}

/** What is not as it should be, in sentences; empty for a case that is right. */
export function judgeCase(expected: ExpectedCase, report: ScanReport): readonly string[] {
  const found = report.findings.map(({ rule, subject }) => `${rule} at ${subject}`);
  const counted = report.findings.filter(({ severity }) => severity !== "info");
  return [
    ...(report.problems.length > 0 ? [`inputs could not be read: ${JSON.stringify(report.problems)}`] : []),
    ...(report.verdict === expected.verdict
      ? []
      : [`verdict ${report.verdict}, expected ${expected.verdict}`]),
    ...expected.findings
      .map(({ rule, subject }) => `${rule} at ${subject}`)
      .filter((each) => !found.includes(each))
      .map((each) => `not found: ${each}; found: ${found.join(", ") || "nothing"}`),
    ...(expected.negative
      ? counted.map(({ rule, subject }) => `nothing is wrong, yet: ${rule} at ${subject}`)
      : []),
    ...expected.must_not.flatMap((each) => findForbidden(each, report)),
    ...compareFigures(expected, report),
  ];
}

/** `fail` or `verdict fail`, a rule or an area, or `RULE on RESOURCE`, the rule without its area. */
function findForbidden(text: string, { verdict, findings }: ScanReport): readonly string[] {
  const byVerdict = /^(?:verdict )?(fail|warn)$/.exec(text);
  if (byVerdict !== null) return verdict === byVerdict[1] ? [`verdict ${verdict} must not be`] : [];
  const [rule = "", resource] = text.split(" on ");
  const hits = findings.filter((each) => {
    const isRule = rule.endsWith("*")
      ? each.rule.startsWith(rule.slice(0, -1))
      : each.rule === rule || each.rule.endsWith(`.${rule}`);
    return isRule && (resource === undefined || namesResource(each.figures, resource));
  });
  return hits.map((each) => `must not be reported: ${text}; ${each.rule} at ${each.subject}`);
}

/** By the figure `resources`: a finding about lists names what is listed there. */
function namesResource({ resources }: Figures, resource: string): boolean {
  return Array.isArray(resources) && resources.includes(resource);
}

const TOLERANCE = 0.01;

/** Figures of findings that carry an expected name; one that is named differently is not compared. */
function compareFigures(expected: ExpectedCase, report: ScanReport): readonly string[] {
  const rules = new Set(expected.findings.map(({ rule }) => rule));
  return Object.entries(expected.figures).flatMap(([name, value]) => {
    const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return report.findings
      .filter(({ rule, figures }) => rules.has(rule) && Object.hasOwn(figures, key))
      .filter(({ figures }) => !isClose(figures[key] ?? null, value))
      .map(
        ({ rule, figures }) =>
          `${rule}: ${key} ${JSON.stringify(figures[key])}, expected ${JSON.stringify(value)}`,
      );
  });
}

function isClose(actual: FigureValue, expected: unknown): boolean {
  if (typeof actual === "number" && typeof expected === "number") {
    return Math.abs(actual - expected) <= TOLERANCE * Math.abs(expected);
  }
  if (typeof expected !== "object" || expected === null) return actual === expected;
  if (typeof actual !== "object" || actual === null) return false;
  const fields = actual as Readonly<Record<string, FigureValue>>;
  return Object.entries(expected).every(([key, value]) => isClose(fields[key] ?? null, value));
}
