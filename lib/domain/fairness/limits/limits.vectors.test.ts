import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { agreesAtDigits } from "../testing/agrees-at-digits.ts";
import {
  type BorrowingInput,
  computeLimits,
  type LevelRow,
  type LimitsAnswer,
  type LimitsInput,
  replayBorrowing,
} from "./replay-limits.ts";

interface Vector {
  readonly id: string;
  readonly versions: readonly string[];
  readonly note: string;
}
type MaxSeatsVector = Vector & Omit<LimitsInput, "v"> & LimitsAnswer;
interface RecordedAdjustment {
  readonly fairFrac: number | null;
  readonly pl: Readonly<Record<string, LevelRow>>;
}
type BorrowingVector = Vector &
  Omit<BorrowingInput, "v"> & {
    readonly afterDigest: RecordedAdjustment;
    readonly adjustments: readonly RecordedAdjustment[];
  };

/** High watermark and limit exactly, the floats between them at 12 digits. */
function agrees(own: RecordedAdjustment, expected: RecordedAdjustment): boolean {
  const levels = Object.entries(expected.pl);
  return (
    agreesAtDigits(own.fairFrac, expected.fairFrac, 12) &&
    Object.keys(own.pl).length === levels.length &&
    levels.every(([name, row]) => {
      const ownRow = own.pl[name];
      return row.every((figure, i) => {
        const isFloat = i > 0 && i < 4;
        return isFloat ? agreesAtDigits(ownRow?.[i] ?? null, figure, 12) : ownRow?.[i] === figure;
      });
    })
  );
}

describe("limits against upstream's", () => {
  it("are nominal, minimal, maximal, current limits and caps of 80 configurations, also of a second one", () => {
    const { vectors } = readVectors<MaxSeatsVector>("max-seats.json");
    const wrong = vectors.flatMap(({ id, versions, limits, secondLimits, ...input }) =>
      versions.flatMap((v) => {
        const own = computeLimits({ ...input, v });
        const expected = secondLimits === undefined ? { limits } : { limits, secondLimits };
        try {
          expect(own).toEqual(expected);
          return [];
        } catch {
          return [{ id, v, own, expected }];
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(80);
  });

  it("follow demand over adjustment periods: 302 sequences", () => {
    const { vectors } = readVectors<BorrowingVector>("borrowing.json.gz");
    const wrong = vectors.flatMap(({ id, versions, afterDigest, adjustments, ...input }) =>
      versions.flatMap((v): object[] => {
        const own = replayBorrowing({ ...input, v });
        const expected = [afterDigest, ...adjustments];
        const steps = [own.afterDigest, ...own.adjustments];
        if (steps.length !== expected.length) return [{ id, v, steps: steps.length }];
        const step = steps.findIndex((answer, i) => {
          const recorded = expected[i];
          return recorded === undefined || !agrees(answer, recorded);
        });
        return step < 0 ? [] : [{ id, v, step, own: steps[step], expected: expected[step] }];
      }),
    );
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(302);
  });
});
