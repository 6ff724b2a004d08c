import { expect, test } from "vitest";
import { PALETTE_SHOWN, type PaletteEntry, rankEntries } from "./rank-entries";

const entry = (name: string): PaletteEntry => ({ href: `/${name}`, name, kind: "cluster", keywords: [] });
const entries = ["prod-eu-west", "prod-us-east", "stage-eu-west"].map(entry);
const names = (query: string, recent: string[] = []) =>
  rankEntries(entries, query, recent).map(({ name }) => name);

test("without a query the recently opened come first, the rest in the order given", () => {
  expect(names("", ["/stage-eu-west"])).toEqual(["stage-eu-west", "prod-eu-west", "prod-us-east"]);
});

test("letters in order find a name, letters out of order do not", () => {
  expect(names("puse")[0]).toBe("prod-us-east");
  expect(names("zzz")).toEqual([]);
});

test("a better fit beats a recent one", () => {
  expect(names("prod-us", ["/prod-eu-west"])[0]).toBe("prod-us-east");
});

test("a long list is cut", () => {
  const many = Array.from({ length: 1000 }, (_, index) => entry(`cluster-${index}`));
  expect(rankEntries(many, "", [])).toHaveLength(PALETTE_SHOWN);
});
