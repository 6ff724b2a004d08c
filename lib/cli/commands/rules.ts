import { areaOf, findRule, RULES, type Rule, rulesNamed } from "../../domain/findings/index.ts";
import { describeVersions } from "../../domain/findings/rule.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { chooseStyle, type Style } from "../output/style.ts";

/** `headroom rules`. Returns the exit code. */
export function runRules(name: string | undefined, { output }: { readonly output: "text" | "json" }): number {
  const rules = name === undefined ? RULES : rulesNamed(name);
  if (rules.length === 0) {
    process.stderr.write(`No rule is named ${name}. \`headroom rules\` lists them.\n`);
    return 2;
  }
  const style = chooseStyle(process.stdout, process.env);
  const [only] = rules;
  const isOne = name !== undefined && findRule(name) !== null && only !== undefined;
  const text = output === "json" ? rulesJson(rules) : isOne ? ruleText(only, style) : listText(rules, style);
  process.stdout.write(`${text}\n`);
  return 0;
}

function rulesJson(rules: readonly Rule[]): string {
  return JSON.stringify(
    {
      schemaVersion: 1,
      tool: { name: "headroom", version: HEADROOM_VERSION },
      rules: rules.map(({ check, ...described }) => ({ ...described, decidedBy: decidedBy(check) })),
    },
    null,
    2,
  );
}

const decidedBy = (check: Rule["check"]) => (check.kind === "collector" ? "collector" : "scan");

function listText(rules: readonly Rule[], style: Style): string {
  const width = Math.max(...rules.map(({ name }) => name.length));
  return rules
    .map((rule, index) => {
      const before = rules[index - 1];
      const gap = before !== undefined && areaOf(before) !== areaOf(rule) ? "\n" : "";
      return `${gap}${style.bold(rule.name.padEnd(width))}  ${rule.severity.padEnd(7)}  ${rule.title}`;
    })
    .join("\n");
}

function ruleText(rule: Rule, style: Style): string {
  const paragraph = (head: string, text: string) => `${style.bold(head)}\n  ${text}`;
  return [
    `${style.bold(rule.name)}  ${rule.severity}\n  ${rule.title}`,
    paragraph("What", rule.what),
    paragraph("Why", rule.why),
    paragraph("Fix", rule.fix),
    paragraph("Kubernetes versions", describeVersions(rule.versions)),
    paragraph(
      "Decided",
      rule.check.kind === "collector"
        ? "over time, by the collector; shown on the pages and by scan --context"
        : "by headroom scan, from files or from a cluster now",
    ),
    paragraph(
      "Source",
      rule.sources.map(({ text, url }) => (url === null ? text : `${text}: ${url}`)).join("\n  "),
    ),
  ].join("\n\n");
}
