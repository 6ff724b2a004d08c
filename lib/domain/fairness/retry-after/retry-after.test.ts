import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { replayRetryAfter } from "./retry-after-line.ts";

interface RetryAfterVector {
  readonly id: string;
  readonly note: string;
  readonly drops: readonly (readonly [number, string, number])[];
  readonly retryAfter: readonly (readonly number[])[];
}

const T0 = 1_700_000_000;

/** What the first rejection of each second is told, where `dropsAt` says how many come in second t0 + i. */
function perSecond(seconds: number, dropsAt: (i: number) => number): number[] {
  const rows = Array.from({ length: seconds }, (_, i) => [(T0 + i) * 1000, "x", dropsAt(i)] as const);
  const { retryAfter } = replayRetryAfter({ v: "1.34", drops: rows.filter(([, , drops]) => drops > 0) });
  return retryAfter.map(([first = 0]) => first);
}

describe("Retry-After", () => {
  it("is upstream's: 103 sequences of rejections", () => {
    const { vectors } = readVectors<RetryAfterVector>("retry-after.json");
    const wrong = vectors.flatMap(({ id, drops, retryAfter }) => {
      const own = replayRetryAfter({ v: "1.34.13", drops }).retryAfter;
      return JSON.stringify(own) === JSON.stringify(retryAfter) ? [] : [{ id, own, retryAfter }];
    });
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(103);
  });

  it.each([3, 10])(
    "with %i rejections every second doubles at t0 + 1, 3, 7, 15, 31 and stays at 32",
    (drops) => {
      const told = perSecond(60, () => drops);
      expect([0, 1, 2, 3, 6, 7, 14, 15, 30, 31, 59].map((i) => told[i])).toEqual([
        1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32,
      ]);
    },
  );

  it("with 2 rejections every second stays at 1", () => {
    expect(new Set(perSecond(60, () => 2))).toEqual(new Set([1]));
  });

  it("stays at 32 with one rejection in every second", () => {
    expect(perSecond(140, (i) => (i < 40 ? 10 : 1)).at(-1)).toBe(32);
  });

  it("falls one second with each lone rejection after quiet windows", () => {
    const told = perSecond(400, (i) => (i < 40 ? 10 : i % 40 === 0 && i >= 80 ? 1 : 0));
    expect(told.slice(40, 46)).toEqual([31, 30, 29, 28, 27, 26]);
  });

  it("is 1 up to 1.27, whatever happens", () => {
    const drops = Array.from({ length: 60 }, (_, i) => [(T0 + i) * 1000, "x", 50] as const);
    const told = replayRetryAfter({ v: "1.27.16", drops }).retryAfter;
    expect(new Set(told.flat())).toEqual(new Set([1]));
  });
});
