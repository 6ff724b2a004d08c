import { describe, expect, test } from "vitest";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import { driftMarkdown } from "./drift-panel";
import { prepareDrift } from "./prepare-drift";

type Schema = NonNullable<FlowControlResponse["flowSchemas"]>[number];
type Level = NonNullable<FlowControlResponse["priorityLevels"]>[number];

const PLAIN = flowControlFixture();

/** The fixture with objects changed by name (`null`: removed) and some added. */
function withObjects(changes: {
  readonly schemas?: Readonly<Record<string, Partial<Schema> | null>>;
  readonly levels?: Readonly<Record<string, Partial<Level> | null>>;
  readonly added?: readonly Partial<Schema>[];
}): FlowControlResponse {
  const change = <T extends { name: string }>(
    objects: T[],
    by: Readonly<Record<string, Partial<T> | null>> = {},
  ) => objects.flatMap((each) => (by[each.name] === null ? [] : [{ ...each, ...by[each.name] }]));
  const [model] = PLAIN.flowSchemas ?? [];
  if (model === undefined) throw new Error("no FlowSchema");
  return flowControlFixture({
    flowSchemas: [
      ...change(PLAIN.flowSchemas ?? [], changes.schemas),
      ...(changes.added ?? []).map((each) => ({ ...model, autoupdateSpec: null, ...each })),
    ],
    priorityLevels: change(PLAIN.priorityLevels ?? [], changes.levels),
  });
}

const rowsOf = (response: FlowControlResponse) =>
  prepareDrift(response)?.rows.map(({ severity, object, word, details }) => [
    severity,
    object,
    word,
    details.join(" "),
  ]);

test("an untouched cluster is one row", () => {
  expect(rowsOf(PLAIN)).toEqual([
    [
      "ok",
      "11 FlowSchemas, 8 priority levels",
      "as default 1.34",
      "The API server keeps them at the defaults of its version, upgrades included.",
    ],
  ]);
  expect(prepareDrift(PLAIN)).toMatchObject({ differing: 0, total: 19, note: null });
});

test("added, changed field by field, auto-update off, missing, a provider's own; the rest stays one row", () => {
  const response = withObjects({
    added: [
      {
        name: "legacy-exempt",
        matchingPrecedence: 5,
        priorityLevelName: "exempt",
        distinguisherMethod: null,
      },
      { name: "eks-exempt", matchingPrecedence: 4, priorityLevelName: "exempt", distinguisherMethod: null },
      {
        name: "monitoring",
        matchingPrecedence: 4,
        priorityLevelName: "exempt",
        distinguisherMethod: "ByUser",
        managers: ["eks-internal"],
      },
    ],
    schemas: { "service-accounts": { autoupdateSpec: "false" }, probes: null },
    levels: {
      "workload-low": { nominalConcurrencyShares: 300, autoupdateSpec: "false" },
      system: { handSize: 8 },
    },
  });
  expect(rowsOf(response)).toEqual([
    [
      "warning",
      "Priority level system",
      "changed",
      "spec.limited.limitResponse.queuing.handSize: 6 → 8 The API server puts it back within a minute.",
    ],
    [
      "warning",
      "Priority level workload-low",
      "changed, auto-update off",
      "spec.limited.nominalConcurrencyShares: 100 → 300",
    ],
    ["warning", "FlowSchema legacy-exempt", "added", "Precedence 5 → exempt. No default of any version."],
    [
      "warning",
      "FlowSchema probes",
      "missing",
      "A default that is not there. The API server makes it anew within a minute.",
    ],
    [
      "warning",
      "FlowSchema service-accounts",
      "auto-update off",
      "As the default, but it will not follow upgrades.",
    ],
    [
      "info",
      "FlowSchema eks-exempt",
      "EKS’s own",
      "Precedence 4 → exempt. Named as EKS names its own objects.",
    ],
    ["info", "FlowSchema monitoring", "EKS’s own", "Precedence 4 → exempt, ByUser. Written by EKS."],
    [
      "ok",
      "9 other FlowSchemas, 6 other priority levels",
      "as default 1.34",
      "The API server keeps them at the defaults of its version, upgrades included.",
    ],
  ]);
  expect(prepareDrift(response)).toMatchObject({ differing: 7, total: 22 });
});

describe("what is not known", () => {
  test("an object without annotation and generation is neither kept nor not", () => {
    const levels = { system: { autoupdateSpec: null, generation: null } };
    expect(rowsOf(withObjects({ levels }))?.[0]).toEqual([
      "unknown",
      "Priority level system",
      "auto-update not known",
      "As the default; whether it follows upgrades is not known.",
    ]);
  });

  test("objects or a version that were not read leave nothing to compare", () => {
    expect(prepareDrift(flowControlFixture({ flowSchemas: null }))).toBeNull();
    expect(prepareDrift(flowControlFixture({ priorityLevels: null }))).toBeNull();
    expect(prepareDrift(flowControlFixture({ gitVersion: null }))).toBeNull();
    expect(driftMarkdown(flowControlFixture({ gitVersion: null }))).toEqual([]);
  });

  test("a version that is not known is compared with the nearest and says so", () => {
    expect(prepareDrift(flowControlFixture({ gitVersion: "v1.99.0" }))?.note).toContain("rules of 1.37");
  });
});

test("as Markdown", () => {
  const text = driftMarkdown(withObjects({ schemas: { probes: null } })).join("\n");
  expect(text).toContain("### Drift from the defaults of 1.34");
  expect(text).toContain(
    "| FlowSchema probes: A default that is not there. The API server makes it anew within a minute. | missing |",
  );
});
