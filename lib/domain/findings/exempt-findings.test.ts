import { describe, expect, test } from "vitest";
import { exemptFindings, isRuleNamed, parseIgnored } from "./exempt-findings.ts";
import type { Finding } from "./finding.ts";

const finding = (rule: string, subject: string): Finding => ({
  rule,
  severity: "error",
  subject,
  message: "",
  why: "",
  fix: "",
  evidence: { grade: "checked", source: "a.yaml", observedAt: null },
  figures: {},
  related: [],
  position: null,
});
const RESULTS = {
  findings: [finding("list.a", "x"), finding("list.a", "y"), finding("rollout.b", "x")],
  undecided: [{ rule: "list.a", subject: "z", missing: "m" }],
};
const NOW = Date.parse("2026-11-30T23:59:59Z");
const exempt = (options: Partial<Parameters<typeof exemptFindings>[1]>) =>
  exemptFindings(RESULTS, { ignored: [], waivers: [], now: NOW, ...options });
const names = (findings: readonly Finding[]) => findings.map(({ rule, subject }) => `${rule} ${subject}`);

test.each<[string, string, string | null]>([
  ["list.a", "list.a", null],
  ["list.a:DaemonSet ns/name", "list.a", "DaemonSet ns/name"],
  ["apf.x:user system:kube-proxy", "apf.x", "user system:kube-proxy"],
  [" list.a : ", "list.a", null],
])("%j ignores %j at %j", (text, rule, subject) => {
  expect(parseIgnored(text)).toEqual({ rule, subject });
});

test("a name stands for one rule, an area for its rules", () => {
  expect([
    isRuleNamed("list.a", "list.a"),
    isRuleNamed("list.a", "list.ab"),
    isRuleNamed("list.*", "list.ab"),
  ]).toEqual([true, false, true]);
});

test("ignored findings are gone and counted; so is what stayed undecided", () => {
  const { findings, undecided, ignored } = exempt({ ignored: [{ rule: "list.*", subject: null }] });
  expect([names(findings), undecided, ignored]).toEqual([["rollout.b x"], [], 2]);
  expect(names(exempt({ ignored: [{ rule: "list.a", subject: "y" }] }).findings)).toEqual([
    "list.a x",
    "rollout.b x",
  ]);
});

describe("waivers", () => {
  const waiver = (until: string, subject: string | null = null) => ({
    rule: "list.a",
    subject,
    reason: "r",
    until,
  });

  test("hold for their rule, at their subject or at all, through their last day", () => {
    const { findings, waived, expired } = exempt({ waivers: [waiver("2026-11-30", "x")] });
    expect(names(findings)).toEqual(["list.a y", "rollout.b x"]);
    expect(waived.map((each) => each.finding.subject)).toEqual(["x"]);
    expect(expired).toEqual([]);
    expect(names(exempt({ waivers: [waiver("2026-11-30")] }).findings)).toEqual(["rollout.b x"]);
  });

  test("end: the finding counts again and the waiver is named", () => {
    const { findings, waived, expired } = exempt({
      waivers: [waiver("2026-11-29", "x"), waiver("2026-11-01")],
    });
    expect([findings.length, waived.length]).toEqual([3, 0]);
    expect(expired.map((each) => [each.finding.subject, each.waiver.until])).toEqual([
      ["x", "2026-11-29"],
      ["y", "2026-11-01"],
    ]);
  });

  test("a newer waiver holds where an older one has ended", () => {
    expect(exempt({ waivers: [waiver("2026-01-01"), waiver("2027-01-01")] }).waived).toHaveLength(2);
  });
});
