import { describe, expect, test } from "vitest";
import { evaluateRules, holdsFor, RuleRun, wantedMetrics } from "./evaluate-rules.ts";
import { judgeFindings } from "./finding.ts";
import { ALL_VERSIONS, type Rule, type RuleAnswer, type RuleFinding } from "./rule.ts";
import { factsWith } from "./testing/facts.ts";

const EVIDENCE = { grade: "checked", source: "a.yaml:1", observedAt: null } as const;
const found = (subject: string, fields: Partial<RuleFinding> = {}): RuleFinding => ({
  subject,
  message: `${subject} is wrong.`,
  evidence: EVIDENCE,
  ...fields,
});

const described = (name: string): Omit<Rule, "check"> => ({
  name,
  severity: "warning",
  versions: ALL_VERSIONS,
  title: "",
  what: "",
  why: `why of ${name}`,
  fix: `fix of ${name}`,
  sources: [],
});
const rule = (name: string, answer: RuleAnswer | (() => RuleAnswer), fields: Partial<Rule> = {}): Rule => ({
  ...described(name),
  ...fields,
  check: { kind: "facts", evaluate: typeof answer === "function" ? answer : () => answer },
});
const keys = (rules: readonly Rule[]) =>
  evaluateRules(rules, factsWith()).findings.map((each) => `${each.severity} ${each.rule} ${each.subject}`);

test("findings are sorted by severity, rule, subject, whatever the order of the rules", () => {
  const rules = [
    rule("b.two", { findings: [found("y"), found("x", { severity: "info" })] }),
    rule("a.one", { findings: [found("z"), found("a", { severity: "error" })] }),
  ];
  const sorted = ["error a.one a", "warning a.one z", "warning b.two y", "info b.two x"];
  expect(keys(rules)).toEqual(sorted);
  expect(keys([...rules].reverse())).toEqual(sorted);
});

test("what a finding leaves out is the rule's own", () => {
  const [finding] = evaluateRules([rule("a.one", { findings: [found("x")] })], factsWith()).findings;
  expect(finding).toMatchObject({
    severity: "warning",
    why: "why of a.one",
    fix: "fix of a.one",
    figures: {},
    related: [],
  });
});

test("one rule and subject is one finding: the worse one stands, what the others say is related", () => {
  const answers = [
    found("x", { message: "b" }),
    found("x", { message: "a", severity: "error", related: ["s"] }),
    found("x", { message: "b" }),
  ];
  for (const findings of [answers, [...answers].reverse()]) {
    expect(evaluateRules([rule("a.one", { findings })], factsWith()).findings).toMatchObject([
      { severity: "error", message: "a", related: ["b", "s"] },
    ]);
  }
});

test("a symptom joins its cause where that is reported, and stands for itself where it is not", () => {
  const symptom = rule("b.symptom", {
    findings: [found("x", { symptomOf: { rule: "a.cause", subject: "c" } })],
  });
  const cause = rule("a.cause", { findings: [found("c")] });
  expect(evaluateRules([symptom, cause], factsWith()).findings).toMatchObject([
    { rule: "a.cause", subject: "c", related: ["b.symptom at x: x is wrong."] },
  ]);
  expect(keys([symptom])).toEqual(["warning b.symptom x"]);
});

test("what is undecided is said once a rule and subject, and not where the rule has a finding there", () => {
  const undecided = [
    { subject: "x", missing: "b" },
    { subject: "x", missing: "a" },
    { subject: "y", missing: "c" },
  ];
  const results = evaluateRules([rule("a.one", { findings: [found("y")], undecided })], factsWith());
  expect(results.undecided).toEqual([{ rule: "a.one", subject: "x", missing: "a" }]);
});

describe("versions", () => {
  const until30 = { versions: { from: null, until: 30 } };
  test.each<[string | null, boolean]>([
    ["1.30.14", true],
    ["v1.31.0-gke.100", false],
    ["2.0.0", false],
    [null, true],
    ["not a version", true],
  ])("a rule up to 1.30 on %s: %s", (version, holds) => {
    expect(holdsFor(until30, version)).toBe(holds);
  });

  test("a rule that does not hold is not asked", () => {
    const never = rule(
      "a.one",
      () => {
        throw new Error("asked");
      },
      { versions: { from: 34, until: null } },
    );
    expect(evaluateRules([never], factsWith({ cluster: { kubernetesVersion: "1.33.1" } })).findings).toEqual(
      [],
    );
  });
});

describe("streams", () => {
  const counter = (name: string): Rule => ({
    ...described(name),
    check: {
      kind: "stream",
      metrics: ["b_total", "a*"],
      begin: () => {
        let lines = 0;
        return {
          logLine: () => {
            lines++;
          },
          finish: () => ({ findings: [found(`${lines} lines`)] }),
        };
      },
    },
  });

  test("events reach every rule that listens, and each run counts anew", () => {
    for (const _ of [1, 2]) {
      const run = new RuleRun([counter("a.one"), counter("b.two")], factsWith());
      const listen = run.listener("logLine");
      listen?.("first", { file: "a.log", line: 1 });
      listen?.("second", { file: "a.log", line: 2 });
      expect(run.finish().findings.map(({ subject }) => subject)).toEqual(["2 lines", "2 lines"]);
    }
  });

  test("nothing listens where no rule does: the input need not be read", () => {
    expect(new RuleRun([counter("a.one")], factsWith()).listener("auditEvent")).toBeNull();
  });

  test("wanted metrics are named once", () => {
    expect(wantedMetrics([counter("a.one"), counter("b.two")])).toEqual(["a*", "b_total"]);
  });
});

test.each<[readonly ("error" | "warning" | "info")[], number, string]>([
  [["info", "error", "warning"], 1, "fail"],
  [["info", "warning"], 1, "warn"],
  [["info"], 1, "unknown"],
  [[], 1, "unknown"],
  [["info"], 0, "pass"],
  [[], 0, "pass"],
])("the verdict of %j with %i undecided is %s", (severities, undecided, verdict) => {
  expect(
    judgeFindings(
      severities.map((severity) => ({ severity })),
      new Array(undecided),
    ),
  ).toBe(verdict);
});
