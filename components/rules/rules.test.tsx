// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { renderPage } from "@/components/test-support/render-page";
import { RULES } from "@/lib/domain/findings";
import { RulePage } from "./rule-page";
import { asRuleRow, type RuleRow } from "./rule-row";
import { ruleMarkdown, rulesMarkdown } from "./rules-markdown";
import { RulesPage } from "./rules-page";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const ROWS = RULES.map(asRuleRow);
const named = (name: string): RuleRow => {
  const row = ROWS.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no rule ${name}`);
  return row;
};
const shownNames = () =>
  within(screen.getByRole("table"))
    .getAllByRole("link")
    .map(({ textContent }) => textContent);

test("every rule of the registry is listed and leads to its page", () => {
  renderPage(<RulesPage rules={ROWS} />);
  expect(shownNames()).toEqual(RULES.map(({ name }) => name));
  expect(screen.getByRole("link", { name: "rollout.unpaced" }).getAttribute("href")).toBe(
    "/rules/rollout.unpaced",
  );
});

test("the filter narrows by every word, stands in the URL, and says when nothing fits", async () => {
  const user = userEvent.setup();
  const { urls } = renderPage(<RulesPage rules={ROWS} />);
  await user.type(screen.getByRole("searchbox"), "rollout error");
  expect(shownNames()).toContain("rollout.unpaced");
  expect(shownNames().every((name) => name?.startsWith("rollout."))).toBe(true);
  expect(urls.at(-1)).toBe("?q=rollout+error");
  await user.type(screen.getByRole("searchbox"), " zzz");
  expect(screen.getByText("No rule fits the filter")).toBeDefined();
});

test("a filter of the URL is applied at once", () => {
  renderPage(<RulesPage rules={ROWS} />, { search: "?q=collector." });
  expect(shownNames().every((name) => name?.startsWith("collector."))).toBe(true);
});

test("a rule's page says what, why, fix, versions and sources, and names its neighbours", () => {
  const rule = named("collector.insecure-tls");
  renderPage(<RulePage rule={rule} neighbours={[named("collector.unreachable")]} />);
  for (const text of [rule.what, rule.why, rule.fix, rule.title])
    expect(screen.getByText(text)).toBeDefined();
  expect(screen.getByRole("heading", { level: 1, name: rule.name })).toBeDefined();
  expect(screen.getByText("over time, by the collector")).toBeDefined();
  expect(screen.getByRole("link", { name: rule.sources[0]?.text ?? "" }).getAttribute("href")).toBe(
    rule.sources[0]?.url,
  );
  expect(screen.getByRole("link", { name: "collector.unreachable" }).getAttribute("href")).toBe(
    "/rules/collector.unreachable",
  );
});

test("a rule that scan decides shows the command", () => {
  renderPage(<RulePage rule={named("rollout.unpaced")} neighbours={[]} />);
  expect(screen.getByText("headroom scan PATH --rules rollout.unpaced")).toBeDefined();
});

test("both pages copy as Markdown", () => {
  expect(rulesMarkdown([named("rollout.unpaced")], "http://x/rules")).toContain(
    "| error | rollout.unpaced | An update replaces every pod at once | all | scan |",
  );
  expect(rulesMarkdown([], "http://x/rules")).toContain("No rule fits the filter.");
  expect(ruleMarkdown(named("rollout.unpaced"), "http://x/r")).toMatch(/^## rollout\.unpaced \(error\)\n/);
});
