import { describe, expect, it } from "vitest";
import { defaultFlowControl } from "./defaults.ts";

describe("defaultFlowControl", () => {
  it("has 13 FlowSchemas up to 1.33 and 11 from 1.34, without the two for endpoints and workload leases", () => {
    const names = (minor: number) => defaultFlowControl(minor).flowSchemas.map((schema) => schema.name);
    expect(names(33)).toHaveLength(13);
    expect(names(34)).toHaveLength(11);
    expect(names(33).filter((name) => !names(34).includes(name))).toEqual([
      "endpoint-controller",
      "workload-leader-election",
    ]);
  });

  it("orders FlowSchemas by matchingPrecedence, then name", () => {
    for (const minor of [26, 28, 34, 37]) {
      const schemas = defaultFlowControl(minor).flowSchemas;
      const sorted = schemas.toSorted(
        (a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence || (a.name < b.name ? -1 : 1),
      );
      expect(schemas.map((s) => s.name)).toEqual(sorted.map((s) => s.name));
    }
  });

  it("gives the levels 245 shares in every version, and an exempt stanza from 1.28", () => {
    for (const minor of [26, 27, 28, 33, 34, 37]) {
      const levels = defaultFlowControl(minor).priorityLevelConfigurations;
      const shares = levels.map((l) => l.spec.limited?.nominalConcurrencyShares ?? 0);
      expect(shares.reduce((a, b) => a + b)).toBe(245);
      const exempt = levels.find((l) => l.name === "exempt");
      expect(exempt?.spec.exempt !== undefined).toBe(minor >= 28);
      expect(levels.filter((l) => l.mandatory).map((l) => l.name)).toEqual(["catch-all", "exempt"]);
    }
  });

  it("refuses a minor whose levels it does not know", () => {
    expect(() => defaultFlowControl(25)).toThrow(/1\.25/);
  });
});
