import { expect, test } from "vitest";
import { historyQuery, historySearch } from "./clusters.ts";
import { refetchIntervalMs } from "./query-client.ts";

test("the default view has no query string; choices appear in it by their own names", () => {
  expect(historySearch({ range: "24h" })).toBe("");
  expect(historySearch({ range: "7d", level: "workload-low", at: 1_790_000_000_000 })).toBe(
    "?range=7d&level=workload-low&at=1790000000000",
  );
  expect(historySearch({ range: "24h", server: "s1", chart: "seats" })).toBe("?server=s1&chart=seats");
});

test("a range that ends in the past is not asked for again", () => {
  expect(historyQuery("c1", { range: "2h", at: 1 }).refetchInterval).toBe(false);
  expect(historyQuery("c1", { range: "2h" }).refetchInterval).toBe(10_000);
});

test("pages ask again after a third of the period, between 5 and 30 s", () => {
  expect([5, 30, 60, 3600].map(refetchIntervalMs)).toEqual([5_000, 10_000, 20_000, 30_000]);
});
