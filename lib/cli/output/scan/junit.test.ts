// @vitest-environment jsdom
import { describe, expect, test } from "vitest";
import { formatScanJunit } from "./junit.ts";
import type { FailOn } from "./scan-output.ts";
import { EMPTY, FULL } from "./test-fixtures.ts";

/** The schema that build servers share: elements, their attributes and children, in this order. */
const JUNIT = {
  testsuites: {
    required: [],
    optional: ["name", "time", "tests", "failures", "errors", "disabled"],
    children: ["testsuite"],
  },
  testsuite: {
    required: ["name", "tests"],
    optional: ["failures", "errors", "time", "skipped", "disabled", "timestamp", "hostname", "id", "package"],
    children: ["testcase"],
  },
  testcase: {
    required: ["name", "classname"],
    optional: ["time"],
    children: ["skipped", "error", "failure", "system-out"],
  },
  failure: { required: [], optional: ["message", "type"], children: [] },
  error: { required: [], optional: ["message", "type"], children: [] },
  skipped: { required: [], optional: ["message"], children: [] },
  "system-out": { required: [], optional: [], children: [] },
} as const;

function checkElement(element: Element): readonly string[] {
  const rule = JUNIT[element.tagName as keyof typeof JUNIT];
  if (rule === undefined) return [`<${element.tagName}> is none`];
  const names = element.getAttributeNames();
  const known: readonly string[] = [...rule.required, ...rule.optional];
  const children: readonly string[] = rule.children;
  return [
    ...rule.required
      .filter((name) => !names.includes(name))
      .map((name) => `${element.tagName} lacks ${name}`),
    ...names.filter((name) => !known.includes(name)).map((name) => `${element.tagName} has ${name}`),
    ...[...element.children].flatMap((child) =>
      children.includes(child.tagName) ? checkElement(child) : [`<${child.tagName}> in <${element.tagName}>`],
    ),
  ];
}

function parseXml(text: string): Element {
  const document = new DOMParser().parseFromString(text, "text/xml");
  const fault = document.querySelector("parsererror");
  if (fault !== null) throw new Error(fault.textContent ?? "not well-formed");
  return document.documentElement;
}

describe("JUnit", () => {
  test.each([
    ["everything", FULL],
    ["nothing", EMPTY],
  ])("%s is well-formed and has the elements of the schema", (_, each) => {
    const root = parseXml(formatScanJunit(each));
    expect([root.tagName, checkElement(root)]).toEqual(["testsuites", []]);
    for (const element of [root, ...root.children]) {
      const count = (tag: string) =>
        String([...element.querySelectorAll("testcase")].filter((own) => own.querySelector(tag)).length);
      expect(element.getAttribute("tests")).toBe(String(element.querySelectorAll("testcase").length));
      expect([element.getAttribute("failures"), element.getAttribute("errors")]).toEqual([
        count("failure"),
        count("error"),
      ]);
    }
  });

  test("what --fail-on lets pass is no failure; unreadable inputs are errors, waived and undecided are skipped", () => {
    const failing = (failOn: FailOn) =>
      parseXml(formatScanJunit({ ...FULL, failOn })).querySelectorAll("failure").length;
    expect([failing("error"), failing("warning"), failing("never")]).toEqual([2, 3, 0]);
    const root = parseXml(formatScanJunit(FULL));
    expect([root.querySelectorAll("error").length, root.querySelectorAll("skipped").length]).toEqual([3, 2]);
  });

  test("a rule without findings is a case that passed", () => {
    const root = parseXml(formatScanJunit(EMPTY));
    expect(root.querySelector('testcase[classname="rollout.unpaced"]')?.children.length).toBe(0);
  });

  test("what XML cannot hold is replaced, what it can is kept", () => {
    const root = parseXml(formatScanJunit(FULL));
    const names = [...root.querySelectorAll("testcase")].map((each) => each.getAttribute("name"));
    expect(names).toContain("DaemonSet ns/a <&> \"q\" 'x' \ufffd\u202e");
  });
});
