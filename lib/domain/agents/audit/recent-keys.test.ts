import { describe, expect, test } from "vitest";
import { RecentKeys } from "./recent-keys.ts";

describe("recent keys", () => {
  test("a key is new once, and once for each kind", () => {
    const keys = new RecentKeys(8);
    expect([keys.add("a"), keys.add("a"), keys.add("a", 1), keys.add("a", 1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([keys.has("a"), keys.has("b")]).toEqual([true, false]);
  });

  test("of many keys the last `capacity` are always known, and none of those older than twice as many", () => {
    const keys = new RecentKeys(64);
    for (let i = 0; i < 1000; i++) {
      expect(keys.add(`key-${i}`)).toBe(true);
      if (i >= 63) expect(keys.has(`key-${i - 63}`)).toBe(true);
      if (i >= 128) expect(keys.has(`key-${i - 128}`)).toBe(false);
    }
  });

  test("200,000 UUIDs that differ in one digit are told apart", () => {
    const keys = new RecentKeys(1 << 18);
    const same = Array.from({ length: 200_000 }, (_, i) =>
      keys.add(`00000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`),
    ).filter((isNew) => !isNew);
    expect(same).toHaveLength(0);
  });
});
