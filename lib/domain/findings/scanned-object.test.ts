import { describe, expect, test } from "vitest";
import { asScannedObject, ObjectIndex, subjectOf } from "./scanned-object.ts";

const AT = { file: "a.yaml", line: 1 };
const object = (kind: string, name: string, namespace?: string) => {
  const found = asScannedObject(
    { apiVersion: "v1", kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } },
    AT,
  );
  if (found === null) throw new Error("no object");
  return found;
};

describe("what is an object", () => {
  test.each<[string, unknown]>([
    ["nothing", null],
    ["a text", "kind: Pod"],
    ["a list", []],
    ["one without a kind", { metadata: { name: "a" } }],
    ["one with an empty kind", { kind: "", metadata: { name: "a" } }],
    ["one without metadata", { kind: "Pod" }],
    ["one whose name is a number", { kind: "Pod", metadata: { name: 1 } }],
    ["one whose metadata is null", { kind: "Pod", metadata: null }],
  ])("%s is none", (_, value) => {
    expect(asScannedObject(value, AT)).toBeNull();
  });

  test("group and subject follow from version, kind and name", () => {
    const found = asScannedObject(
      { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "a", namespace: "n" } },
      AT,
    );
    expect(found).toMatchObject({ apiGroup: "apps", namespace: "n", isWhole: true });
    expect(subjectOf({ kind: "DaemonSet", namespace: "n", name: "a" })).toBe("DaemonSet n/a");
    expect(subjectOf({ kind: "FlowSchema", namespace: null, name: "jail" })).toBe("FlowSchema jail");
    expect(asScannedObject({ kind: "Pod", metadata: { generateName: "a-" } }, AT)).toMatchObject({
      name: "a-",
      apiGroup: "",
    });
  });
});

test("objects are found by kind in their order, and by name the last one, also when it comes after the first question", () => {
  const index = new ObjectIndex([object("Pod", "a", "n"), object("Service", "a"), object("Pod", "b")]);
  expect(index.ofKind("Pod").map(({ name }) => name)).toEqual(["a", "b"]);
  expect(index.find("Pod", "n", "a")).toBe(index.ofKind("Pod")[0]);
  expect([index.find("Pod", null, "a"), index.find("Node", null, "a")]).toEqual([null, null]);
  const again = object("Pod", "a", "n");
  index.add(again);
  expect(index.find("Pod", "n", "a")).toBe(again);
  expect([index.size, index.kinds()]).toEqual([4, ["Pod", "Service"]]);
});
