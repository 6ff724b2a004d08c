import { expect, test } from "vitest";
import { DEFAULT_PREFERENCES, parsePreferences } from "./preferences";

const stored = (items: Record<string, string>) => parsePreferences((key) => items[key] ?? null);

test("nothing stored is the default: system theme, UTC, keys on", () => {
  expect(stored({})).toEqual(DEFAULT_PREFERENCES);
});

test("what is stored is taken where it means something", () => {
  expect(
    stored({
      "headroom.theme": "light",
      "headroom.time-zone": "Asia/Tokyo",
      "headroom.letter-keys": "false",
    }),
  ).toMatchObject({ theme: "light", timeZone: "Asia/Tokyo", hasLetterKeys: false });
  expect(
    stored({ "headroom.theme": "sepia", "headroom.time-zone": "Mars/Olympus", "headroom.letter-keys": "?" }),
  ).toEqual(DEFAULT_PREFERENCES);
});
