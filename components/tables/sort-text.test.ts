import { expect, test } from "vitest";
import type { Column } from "./column";
import { parseSort, writeSort } from "./sort-text";

const columns: readonly Column<{ readonly nodes: number }>[] = [
  { id: "name", label: "Name", cell: () => null },
  { id: "nodes", label: "Nodes", cell: () => null, sort: (row) => row.nodes },
];

test.each(["nodes", "-nodes"])("?sort=%s is read and written alike", (text) => {
  expect(writeSort(parseSort(text, columns))).toBe(text);
});

test.each(["", "-", "name", "-gone"])("?sort=%s is the default order and left out", (text) => {
  expect(parseSort(text, columns)).toEqual([]);
  expect(writeSort(parseSort(text, columns))).toBe("");
});
