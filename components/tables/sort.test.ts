import { describe, expect, test } from "vitest";
import type { Column } from "./column";
import { nextSort, parseSort, sortRows, writeSort } from "./sort";

interface Row {
  readonly name: string;
  readonly nodes: number | null;
  readonly version: string;
}
const cell = () => null;
const columns: readonly Column<Row>[] = [
  { id: "name", label: "Name", cell },
  { id: "nodes", label: "Nodes", cell, sort: (row) => row.nodes },
  { id: "version", label: "Version", cell, sort: (row) => row.version },
];
const rows: readonly Row[] = [
  { name: "a", nodes: 3, version: "1.9.1" },
  { name: "b", nodes: null, version: "1.34.2" },
  { name: "c", nodes: 10, version: "1.34.10" },
  { name: "d", nodes: 3, version: "1.34.2" },
];
const order = (text: string) =>
  sortRows(rows, columns, parseSort(text, columns))
    .map(({ name }) => name)
    .join("");

describe("sorting", () => {
  test.each([
    ["nodes", "adcb"],
    ["-nodes", "cadb"],
    ["version", "abdc"],
    ["", "abcd"],
    ["name", "abcd"],
    ["-gone", "abcd"],
  ])("?sort=%s gives %s", (text, expected) => {
    expect(order(text)).toBe(expected);
  });

  test("unknown comes last in either direction", () => {
    expect(order("nodes").at(-1)).toBe("b");
    expect(order("-nodes").at(-1)).toBe("b");
  });

  test("the third press returns to the default order", () => {
    const first = nextSort(null, "nodes", "descending");
    const second = nextSort(first, "nodes", "descending");
    expect(writeSort(first)).toBe("-nodes");
    expect(writeSort(second)).toBe("nodes");
    expect(writeSort(nextSort(second, "nodes", "descending"))).toBe("");
  });

  test("pressing another column starts with what that one prefers", () => {
    expect(writeSort(nextSort({ columnId: "nodes", direction: "descending" }, "version", "ascending"))).toBe(
      "version",
    );
  });
});
