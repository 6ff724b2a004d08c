import { describe, expect, test } from "vitest";
import {
  flowControlApiVersions,
  parseFlowSchema,
  parsePriorityLevel,
  sortFlowSchemas,
} from "./parse-configuration.ts";

const level = (spec: unknown, metadata: object = {}) =>
  parsePriorityLevel({ metadata: { name: "workload-low", ...metadata }, spec });

describe("parsePriorityLevel", () => {
  const queuing = { queues: 128, handSize: 6, queueLengthLimit: 50 };
  test.each([
    ["v1", { nominalConcurrencyShares: 100, lendablePercent: 90 }, 90],
    ["v1beta2", { assuredConcurrencyShares: 100 }, null],
  ])("shares are read under their name in %s", (_version, limited, lendablePercent) => {
    expect(
      level({ type: "Limited", limited: { ...limited, limitResponse: { type: "Queue", queuing } } }),
    ).toEqual({
      name: "workload-low",
      type: "Limited",
      nominalConcurrencyShares: 100,
      lendablePercent,
      borrowingLimitPercent: null,
      limitResponse: "Queue",
      ...queuing,
      autoupdateSpec: null,
      generation: null,
    });
  });

  test("0 shares are 0, not unknown; an exempt level has no queues", () => {
    expect(
      level(
        { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
        { generation: 3, annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
      ),
    ).toMatchObject({
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
      limitResponse: null,
      queues: null,
      autoupdateSpec: "true",
      generation: 3,
    });
  });

  test("anything else is refused", () => {
    expect(() => level({ type: "Weighted" })).toThrow();
    expect(() => parsePriorityLevel(null)).toThrow();
  });
});

describe("parseFlowSchema", () => {
  const item = {
    metadata: { name: "agents", generation: 2 },
    spec: {
      priorityLevelConfiguration: { name: "workload-low" },
      matchingPrecedence: 5000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [], resourceRules: [{ verbs: ["*"] }] }],
    },
    status: { conditions: [{ type: "Dangling", status: "True", reason: "NotFound" }] },
  };

  test("rules are kept as the API gives them", () => {
    expect(parseFlowSchema(item)).toEqual({
      name: "agents",
      matchingPrecedence: 5000,
      priorityLevelName: "workload-low",
      distinguisherMethod: "ByUser",
      rules: item.spec.rules,
      autoupdateSpec: null,
      isDangling: true,
      generation: 2,
    });
  });

  test("who wrote an object is kept by name, each once and sorted; nothing where that is not said", () => {
    const managedFields = [{ manager: "kubectl" }, { manager: "eks-internal" }, { manager: "kubectl" }, {}];
    const managed = { ...item, metadata: { ...item.metadata, managedFields } };
    expect(parseFlowSchema(managed).managers).toEqual(["eks-internal", "kubectl"]);
    expect(parseFlowSchema(item)).not.toHaveProperty("managers");
  });

  test("what the API leaves out has the API's defaults", () => {
    expect(
      parseFlowSchema({
        metadata: { name: "bare" },
        spec: { priorityLevelConfiguration: { name: "system" } },
      }),
    ).toMatchObject({ matchingPrecedence: 1000, distinguisherMethod: null, rules: [], isDangling: false });
  });

  test("schemas are tried by precedence, then name", () => {
    const named = (name: string, matchingPrecedence: number) => ({
      ...parseFlowSchema(item),
      name,
      matchingPrecedence,
    });
    const sorted = sortFlowSchemas([named("b", 2), named("z", 1), named("a", 2)]);
    expect(sorted.map(({ name }) => name)).toEqual(["z", "a", "b"]);
  });
});

test.each([
  [26, ["v1beta3", "v1beta2"]],
  [28, ["v1beta3", "v1beta2"]],
  [29, ["v1", "v1beta3"]],
  [31, ["v1", "v1beta3"]],
  [32, ["v1"]],
  [37, ["v1"]],
  [null, ["v1", "v1beta3", "v1beta2"]],
])("1.%s serves flow control as %j", (minor, versions) => {
  expect(flowControlApiVersions(minor)).toEqual(
    versions.map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
  );
});
