import { describe, expect, test } from "vitest";
import { FieldSelectorShapes, withoutValues } from "./read-selector.ts";

describe("the shape of a field selector", () => {
  const shapes = new FieldSelectorShapes();
  test.each([
    ["", null, null],
    ["spec.nodeName=n1", "spec.nodeName=$(NAME)", "n1"],
    ["spec.nodeName==n1", "spec.nodeName=$(NAME)", "n1"],
    ["status.phase!=Failed,spec.nodeName=n1", "spec.nodeName=$(NAME),status.phase!=Failed", "n1"],
    ["spec.nodeName!=n1", "spec.nodeName!=n1", null],
    ["spec.nodeName=", "spec.nodeName=", null],
    ["metadata.name=x,spec.nodeName=n1", "metadata.name=x,spec.nodeName=$(NAME)", "n1"],
    ["metadata.name=kube-root-ca.crt", "metadata.name=$(NAME)", "kube-root-ca.crt"],
    ["=", "=", null],
    ["no operator", "(malformed)", null],
  ])("%s", (selector, template, value) => {
    expect(shapes.of(selector)).toMatchObject({ template, value });
  });

  test("of a very long one is not looked at", () => {
    expect(shapes.of(`spec.nodeName=${"n".repeat(3000)}`)).toMatchObject({
      template: "(longer than is looked at)",
      value: null,
    });
  });

  test("stays right when more selectors came than are remembered", () => {
    const wrong = Array.from({ length: 9000 }, (_, i) => `n${i}`).filter(
      (name) => shapes.of(`spec.nodeName=${name}`).value !== name,
    );
    expect(wrong).toEqual([]);
  });
});

test.each([
  ["app=web", "app=$(VALUE)"],
  ["app=web,tier!=db", "app=$(VALUE),tier!=$(VALUE)"],
  ["job in (a, b),!old,new", "job in $(VALUE),!old,new"],
  ["metadata.name=$(NAME),type=x", "metadata.name=$(NAME),type=$(VALUE)"],
])("%s without its values is %s", (selector, expected) => {
  expect(withoutValues(selector)).toBe(expected);
});
