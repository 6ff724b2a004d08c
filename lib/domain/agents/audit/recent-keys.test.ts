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
    const faults: string[] = [];
    for (let i = 0; i < 1000; i++) {
      if (!keys.add(`key-${i}`)) faults.push(`${i} was there`);
      if (i >= 63 && !keys.has(`key-${i - 63}`)) faults.push(`${i - 63} is forgotten`);
      if (i >= 128 && keys.has(`key-${i - 128}`)) faults.push(`${i - 128} is still known`);
    }
    expect(faults).toEqual([]);
  });

  test("50,000 UUIDs that differ in one digit are told apart", () => {
    const keys = new RecentKeys(1 << 16);
    const same = Array.from({ length: 50_000 }, (_, i) =>
      keys.add(`00000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`),
    ).filter((isNew) => !isNew);
    expect(same).toHaveLength(0);
  });
});
