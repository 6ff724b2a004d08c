// @vitest-environment jsdom
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { fleetFixture, fleetRow } from "@/components/fixtures/fleet-fixture";
import { useTableModel } from "@/components/tables/table-model";
import { fleetColumns } from "./fleet-columns";
import {
  countStates,
  FLEET_FILTERS,
  type FleetFilter,
  fleetRowKey,
  listRoles,
  listVersions,
  NO_FILTER,
} from "./prepare-fleet-rows";

const { rows } = fleetFixture();
const options = { rows, columns: fleetColumns(0), rowKey: fleetRowKey, filters: FLEET_FILTERS };
const names = (filter: Partial<FleetFilter>) => {
  const wanted = { ...NO_FILTER, ...filter };
  const { result } = renderHook(() => useTableModel({ ...options, wanted }));
  return result.current.getRowModel().rows.map(({ original }) => original.name);
};

afterEach(cleanup);

test.each([
  [{}, ["ml-us-east", "edge-ap-south", "prod-us-east", "stage-eu-west"]],
  [{ state: "unreachable" }, ["edge-ap-south"]],
  [{ role: "prod" }, ["prod-us-east"]],
  [{ version: "1.34" }, ["ml-us-east", "prod-us-east"]],
  [{ text: "us-east workload-LOW" }, ["ml-us-east", "prod-us-east"]],
  [{ text: "1.36.1" }, ["stage-eu-west"]],
  [{ risk: "fairness" }, ["ml-us-east", "edge-ap-south", "prod-us-east"]],
  [{ risk: "collection" }, ["edge-ap-south"]],
  [{ state: "ok", version: "1.34" }, []],
] as const)("the filter %j shows %j", (filter, expected) => {
  expect(names(filter)).toEqual(expected);
});

test("states are counted, also those nobody is in", () => {
  expect(countStates(rows)).toEqual({ error: 1, unreachable: 1, warning: 1, unknown: 0, ok: 1 });
});

test("roles are sorted, minor releases newest first by number", () => {
  expect(listRoles(rows)).toEqual(["edge", "ml", "prod", "stage"]);
  expect(listVersions([...rows, fleetRow({ version: "v1.9.0" }), fleetRow({ version: null })])).toEqual([
    "1.36",
    "1.34",
    "1.33",
    "1.9",
  ]);
});
