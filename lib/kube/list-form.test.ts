import { describe, expect, it } from "vitest";
import { chooseListForm, type ListForm, type ListFormInput } from "./list-form.ts";

const minors = Array.from({ length: 12 }, (_, index) => 26 + index);
const at = (minor: number, patch: number | null = 5) => ({ version: { minor, patch } });

type Short = [limit: number | null, resourceVersion: string, first: string, next: string | null];
const short = (form: ListForm): Short => [
  form.limit,
  form.resourceVersion,
  form.firstPageFrom,
  form.nextPagesFrom,
];

describe("chooseListForm", () => {
  it.each<[string, ListFormInput, Short]>([
    ["1.26, many", { ...at(26), intent: "all", objects: 5000 }, [500, "", "etcd", "etcd"]],
    ["1.26, few", { ...at(26), intent: "all", objects: 500 }, [null, "0", "cache", null]],
    ["1.26, unknown", { ...at(26), intent: "all" }, [500, "", "etcd", "etcd"]],
    ["1.30, many", { ...at(30), intent: "all", objects: 501 }, [500, "", "etcd", "etcd"]],
    ["1.30, few", { ...at(30), intent: "all", objects: 0 }, [null, "0", "cache", null]],
    [
      "1.30 with the alpha gate on",
      { ...at(30), intent: "all", objects: 5000, consistentListFromCache: true },
      [500, "", "etcd", "etcd"],
    ],
    ["1.31, many", { ...at(31), intent: "all", objects: 5000 }, [500, "", "cache", "etcd"]],
    ["1.31, few", { ...at(31), intent: "all", objects: 10 }, [500, "", "cache", null]],
    [
      "1.31, gate off, many",
      { ...at(31), intent: "all", objects: 5000, consistentListFromCache: false },
      [500, "", "etcd", "etcd"],
    ],
    [
      "1.31, gate off, few",
      { ...at(31), intent: "all", objects: 10, consistentListFromCache: false },
      [null, "0", "cache", null],
    ],
    ["1.33.0, many", { ...at(33, 0), intent: "all", objects: 5000 }, [500, "", "etcd", "etcd"]],
    ["1.33.2, few", { ...at(33, 2), intent: "all", objects: 10 }, [null, "", "cache", null]],
    ["1.33.3, few", { ...at(33, 3), intent: "all", objects: 10 }, [500, "", "cache", null]],
    ["1.33.3, many", { ...at(33, 3), intent: "all", objects: 5000 }, [500, "", "cache", "etcd"]],
    ["1.34, unknown", { ...at(34), intent: "all" }, [500, "", "cache", "snapshot"]],
    [
      "1.34, objects of 4 kB: 250 of them are ten seats",
      { ...at(34), intent: "all", objects: 5000, storedObjectBytes: 4000 },
      [250, "", "cache", "snapshot"],
    ],
    [
      "1.37, small objects",
      { ...at(37), intent: "all", objects: 5000, storedObjectBytes: 300 },
      [500, "", "cache", "snapshot"],
    ],
    [
      "1.37, huge objects: pages do not become tiny",
      { ...at(37), intent: "all", objects: 5000, storedObjectBytes: 500_000 },
      [100, "", "cache", "snapshot"],
    ],
    [
      "1.36 with the gate off",
      { ...at(36), intent: "all", objects: 5000, consistentListFromCache: false },
      [500, "", "etcd", "etcd"],
    ],
    [
      "1.37 has no gate any more",
      { ...at(37), intent: "all", objects: 5000, consistentListFromCache: false },
      [500, "", "cache", "snapshot"],
    ],
    ["1.36, events", { ...at(36), intent: "all", objects: 10, isCached: false }, [500, "", "etcd", null]],
    ["1.28, events", { ...at(28), intent: "all", objects: 10, isCached: false }, [500, "", "etcd", null]],
    ["1.29, sample", { ...at(29), intent: "sample", objects: 10 }, [50, "", "etcd", null]],
    ["1.32, sample", { ...at(32), intent: "sample" }, [50, "", "cache", null]],
    ["1.33.1, sample", { ...at(33, 1), intent: "sample" }, [50, "", "etcd", null]],
    ["1.29, count", { ...at(29), intent: "count" }, [1, "", "etcd", null]],
    ["1.35, count", { ...at(35), intent: "count" }, [1, "", "cache", null]],
    ["1.20 counts as the oldest known", { ...at(20), intent: "all" }, [500, "", "etcd", "etcd"]],
    ["1.50 counts as the newest known", { ...at(50), intent: "all" }, [500, "", "cache", "snapshot"]],
  ])("%s", (_, input, expected) => {
    expect(short(chooseListForm(input))).toEqual(expected);
  });

  it("a limit is left out only for a collection that is known to fit one page, in every version", () => {
    for (const minor of minors) {
      for (const patch of [0, 2, 3, null]) {
        for (const objects of [null, 0, 500, 501, 1_000_000]) {
          for (const gate of [null, true, false]) {
            for (const isCached of [true, false]) {
              const form = chooseListForm({
                version: { minor, patch },
                intent: "all",
                objects,
                consistentListFromCache: gate,
                isCached,
              });
              if (objects === null || objects > 500) expect(form.limit).not.toBeNull();
              // A limit with any age is ignored by the cache: that pair would look bounded and is not.
              if (form.resourceVersion === "0") expect(form.limit).toBeNull();
              expect(form.why.length).toBeGreaterThan(20);
            }
          }
        }
      }
    }
  });

  it("a sample or count is never read at any age, for which the limit is ignored", () => {
    for (const minor of minors) {
      for (const intent of ["sample", "count"] as const) {
        const form = chooseListForm({ ...at(minor), intent, objects: 3 });
        expect([form.resourceVersion, form.limit]).toEqual(["", intent === "count" ? 1 : 50]);
      }
    }
  });
});
