import { describe, expect, it } from "vitest";
import type { FlowSchema, PriorityLevelConfiguration } from "../configuration/api-objects.ts";
import { asFlowSchema, asPriorityLevel } from "../configuration/expand-objects.ts";
import { compareObjectsWithDefaults, type DefaultsComparison } from "./compare-with-defaults.ts";
import { defaultFlowControl } from "./defaults.ts";
import { diffSpec } from "./diff-spec.ts";

const AUTOUPDATE = "apf.kubernetes.io/autoupdate-spec";

/** The defaults of a minor, as a cluster holds them that nobody has touched. */
function defaultsOf(minor: number) {
  const { flowSchemas, priorityLevelConfigurations } = defaultFlowControl(minor);
  return {
    flowSchemas: flowSchemas.map(asFlowSchema),
    priorityLevels: priorityLevelConfigurations.map(asPriorityLevel),
  };
}

interface Edits {
  readonly schema?: (schema: FlowSchema) => FlowSchema | null;
  readonly level?: (level: PriorityLevelConfiguration) => PriorityLevelConfiguration | null;
  readonly more?: readonly FlowSchema[];
}

/** What is not a plain default after some edits. */
function compare(minor: number, { schema = (s) => s, level = (l) => l, more = [] }: Edits = {}) {
  const { flowSchemas, priorityLevels } = defaultsOf(minor);
  const all = compareObjectsWithDefaults(
    minor,
    [...flowSchemas.map(schema).filter((s) => s !== null), ...more],
    priorityLevels.map(level).filter((l) => l !== null),
  );
  return all.filter(({ verdict, text }) => verdict !== "default" || text !== null);
}

const editLevel =
  (name: string, edit: (level: PriorityLevelConfiguration) => PriorityLevelConfiguration) =>
  (level: PriorityLevelConfiguration) =>
    level.metadata.name === name ? edit(level) : level;

const withShares = (shares: number, autoupdate?: string, generation?: number) =>
  editLevel("workload-low", ({ metadata, spec }) => ({
    metadata: {
      ...metadata,
      annotations: autoupdate === undefined ? {} : { [AUTOUPDATE]: autoupdate },
      generation,
    },
    spec: { ...spec, limited: { ...spec.limited, nominalConcurrencyShares: shares } },
  }));

const extra = (name: string, metadata: Partial<FlowSchema["metadata"]> = {}): FlowSchema => ({
  metadata: { name, ...metadata },
  spec: { priorityLevelConfiguration: { name: "workload-low" }, rules: [] },
});

const brief = ({ kind, name, verdict, fate }: DefaultsComparison) => [kind, name, verdict, fate];

describe("compareWithDefaults", () => {
  it("finds nothing in the untouched defaults of any version", () => {
    for (let minor = 26; minor <= 37; minor++) expect(compare(minor)).toEqual([]);
  });

  it("finds nothing where an older API version calls the shares assured", () => {
    const level = editLevel("workload-low", ({ metadata, spec }) => ({
      apiVersion: "flowcontrol.apiserver.k8s.io/v1beta2",
      metadata,
      spec: {
        ...spec,
        limited: { ...spec.limited, nominalConcurrencyShares: undefined, assuredConcurrencyShares: 100 },
      },
    }));
    expect(compare(26, { level })).toEqual([]);
  });

  it("names a changed field with the default's and the cluster's value", () => {
    expect(compare(34, { level: withShares(300, "false") })).toEqual([
      {
        kind: "PriorityLevelConfiguration",
        name: "workload-low",
        verdict: "changed",
        isMandatory: false,
        autoupdateSpec: "false",
        isKeptAtDefault: false,
        changes: [{ path: "spec.limited.nominalConcurrencyShares", defaultValue: 100, clusterValue: 300 }],
        fate: null,
        provider: null,
        text: "Differs from the default in spec.limited.nominalConcurrencyShares.",
      },
    ]);
  });

  it("tells edits that stay from edits that the API server takes back", () => {
    const fate = (autoupdate?: string, generation?: number) => {
      const [found] = compare(34, { level: withShares(300, autoupdate, generation) });
      return [found?.isKeptAtDefault, found?.fate];
    };
    expect(fate("true")).toEqual([true, "reset"]);
    expect(fate("false")).toEqual([false, null]);
    expect(fate(undefined, 1)).toEqual([true, "reset"]);
    expect(fate(undefined, 2)).toEqual([false, null]);
    expect(fate("perhaps", 1)).toEqual([true, "reset"]);
    expect(fate(undefined)).toEqual([null, null]);
  });

  it("says of a default that is pinned that it will not follow upgrades", () => {
    expect(compare(34, { level: withShares(100, "false") })).toMatchObject([
      {
        verdict: "default",
        isKeptAtDefault: false,
        text: expect.stringContaining("will not follow upgrades"),
      },
    ]);
  });

  it("takes mandatory objects for reset whatever they are annotated, but leaves exempt its shares", () => {
    const level = (level: PriorityLevelConfiguration): PriorityLevelConfiguration => {
      const annotations = { [AUTOUPDATE]: "false" };
      if (level.metadata.name === "catch-all") {
        const limited = { ...level.spec.limited, nominalConcurrencyShares: 6 };
        return { metadata: { name: "catch-all", annotations }, spec: { ...level.spec, limited } };
      }
      if (level.metadata.name !== "exempt") return level;
      const exempt = { nominalConcurrencyShares: 10, lendablePercent: 50 };
      return { metadata: { name: "exempt" }, spec: { type: "Exempt", exempt } };
    };
    expect(compare(34, { level })).toMatchObject([
      { name: "catch-all", verdict: "changed", fate: "reset", isMandatory: true },
      { name: "exempt", verdict: "changed", fate: null, isKeptAtDefault: false },
    ]);
  });

  it("shows changes inside rules by their path", () => {
    const schema = (schema: FlowSchema): FlowSchema => {
      if (schema.metadata.name !== "system-leader-election") return schema;
      const [rule] = schema.spec.rules ?? [];
      const subjects = [...(rule?.subjects ?? []), { kind: "Group", group: { name: "ops" } }];
      const resourceRules = rule?.resourceRules?.map((entry) => ({
        ...entry,
        verbs: ["update", "get", "create", "patch"],
        namespaces: [...(entry.namespaces ?? [])],
        clusterScope: false,
      }));
      return { ...schema, spec: { ...schema.spec, rules: [{ subjects, resourceRules }] } };
    };
    expect(compare(34, { schema })[0]?.changes).toEqual([
      {
        path: "spec.rules[0].subjects[3]",
        defaultValue: null,
        clusterValue: { kind: "Group", group: { name: "ops" } },
      },
      {
        path: "spec.rules[0].resourceRules[0].verbs",
        defaultValue: ["get", "create", "update"],
        clusterValue: ["update", "get", "create", "patch"],
      },
    ]);
  });

  it("lists missing defaults and added objects", () => {
    const found = compare(34, {
      schema: (schema) => (schema.metadata.name === "probes" ? null : schema),
      more: [extra("team-a")],
    });
    expect(found.map(brief)).toEqual([
      ["FlowSchema", "probes", "missing", "recreated"],
      ["FlowSchema", "team-a", "added", null],
    ]);
  });

  it("knows defaults of earlier versions, which go unless they are kept", () => {
    const found = compare(34, {
      more: [
        extra("endpoint-controller", { annotations: { [AUTOUPDATE]: "true" } }),
        extra("workload-leader-election", { annotations: { [AUTOUPDATE]: "false" } }),
      ],
    });
    expect(found.map(brief)).toEqual([
      ["FlowSchema", "endpoint-controller", "added", "deleted"],
      ["FlowSchema", "workload-leader-election", "added", null],
    ]);
    expect(found[0]?.text).toContain("A default up to 1.33, none of 1.34.");
  });

  it("shows a provider's own objects as such", () => {
    const found = compare(34, {
      more: [
        extra("eks-exempt"),
        extra("monitoring", { managedFields: [{ manager: "eks-internal" }] }),
        extra("openshift-apiserver"),
        extra("aks-managed-apiserver-guard"),
        extra("system-node-proxiers"),
      ],
    });
    expect(
      found.map(({ name, verdict, provider }) => [name, verdict, provider?.name, provider?.evidence]),
    ).toEqual([
      ["aks-managed-apiserver-guard", "provider", "AKS", "name"],
      ["eks-exempt", "provider", "EKS", "name"],
      ["monitoring", "provider", "EKS", "manager"],
      ["openshift-apiserver", "provider", "OpenShift", "name"],
      ["system-node-proxiers", "provider", "IBM Cloud", "name"],
    ]);
    expect(found[0]?.text).toMatch(/running out of memory/);
  });
});

describe("diffSpec", () => {
  it("takes absent, null, false and empty for the same", () => {
    expect(diffSpec("spec", { a: false, b: null, c: [], d: {} }, {})).toEqual([]);
    expect(diffSpec("spec", { a: { b: null } }, { a: null })).toEqual([]);
  });

  it("does not take 0 or the empty word for nothing", () => {
    expect(diffSpec("spec", { a: 0, b: 1 }, { b: 1 })).toEqual([
      { path: "spec.a", defaultValue: 0, clusterValue: null },
    ]);
    expect(diffSpec("spec", { groups: [""] }, { groups: [] })).toHaveLength(1);
  });

  it("compares words without their order, objects with it", () => {
    expect(diffSpec("spec", { v: ["a", "b"] }, { v: ["b", "a"] })).toEqual([]);
    expect(diffSpec("spec", [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }])).toHaveLength(2);
  });
});
