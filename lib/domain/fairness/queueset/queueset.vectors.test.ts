import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { type QueueSetAnswer, type QueueSetInput, replayQueueSet } from "./replay-line.ts";

interface QueueSetVector extends QueueSetInput, Omit<QueueSetAnswer, "crash"> {
  readonly id: string;
  readonly note: string;
}

const { vectors } = readVectors<QueueSetVector>("queueset.json.gz");
const byId = (id: string): QueueSetVector => {
  const found = vectors.find((vector) => vector.id === id);
  if (found === undefined) throw new Error(`There is no scenario ${id}.`);
  return found;
};

/** Floats at the 12 digits that the set states; everything else as it is. */
function rounded({ demandAvg, demandDev, ...totals }: QueueSetAnswer["totals"]) {
  const at12Digits = (figure: number | null) => (figure === null ? null : Number(figure.toPrecision(12)));
  return { ...totals, demandAvg: at12Digits(demandAvg), demandDev: at12Digits(demandDev) };
}

function countLetters({ outcomes }: Pick<QueueSetAnswer, "outcomes">): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [letter] of outcomes) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

describe("the queue set against upstream's", () => {
  it("gives every outcome and every time to the nanosecond: 315 scenarios", () => {
    const wrong = vectors.flatMap((vector) => {
      const own = replayQueueSet(vector);
      const rows = own.outcomes.flatMap((row, request) => {
        const expected = vector.outcomes[request];
        return JSON.stringify(row) === JSON.stringify(expected) ? [] : [{ request, row, expected }];
      });
      const totals = rounded(own.totals);
      const areTotalsEqual =
        JSON.stringify(sorted(totals)) === JSON.stringify(sorted(rounded(vector.totals)));
      if (rows.length === 0 && areTotalsEqual && own.crash === null) return [];
      return [{ id: vector.id, rows: rows.slice(0, 3), totals: areTotalsEqual ? "equal" : totals }];
    });
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(315);
  });

  it("answers for any version from 1.28.5 on as for none", () => {
    for (const v of ["1.28.5", "1.29.6", "1.31.14", "1.34.13", "1.36.6", "1.37.2", "1.40"]) {
      expect(replayQueueSet({ ...byId("Q1"), v })).toEqual(replayQueueSet(byId("Q1")));
    }
  });
});

describe("bursts of the reference: 1,000 at once, one flow, hand 6, length limit 50, nothing finishes", () => {
  const BURSTS: [string, number, number, number, number, number][] = [
    ["Q1", 245, 10, 24, 976, 0],
    ["Q2", 56, 10, 5, 995, 0],
    ["Q3", 50, 10, 5, 300, 695],
    ["Q4", 245, 1, 245, 300, 455],
    ["Q5", 56, 8, 7, 300, 693],
    ["Q6", 250, 10, 25, 300, 675],
  ];
  it.each(BURSTS)("%s: limit %i, width %i", (id, limit, width, executing, queued, queueFull) => {
    const scenario = byId(id);
    expect(scenario.config.concurrencyLimit).toBe(limit);
    expect(scenario.requests[0]?.[2]).toBe(width);
    const { outcomes, totals } = replayQueueSet(scenario);
    expect(outcomes.filter(([, dispatchUs]) => dispatchUs === 0)).toHaveLength(executing);
    expect(outcomes.filter(([letter]) => letter === "F")).toHaveLength(queueFull);
    expect(outcomes.filter(([letter, , finishUs]) => letter === "T" && finishUs === 15_000_000)).toHaveLength(
      queued,
    );
    expect(totals.peakSeats).toBe(executing * width);
  });

  it("Q1 and Q2: the longest queue grows far past its limit without a queue-full", () => {
    expect(replayQueueSet(byId("Q1")).totals.peakQueueLen).toBe(163);
    expect(replayQueueSet(byId("Q2")).totals.peakQueueLen).toBe(166);
  });

  it("Q7: wider than the limit, the first runs alone and queue-full applies", () => {
    const own = replayQueueSet(byId("Q7"));
    expect(own.outcomes.filter(([, dispatchUs]) => dispatchUs === 0)).toHaveLength(1);
    expect(own.totals.peakSeats).toBe(37);
    expect(countLetters(own)).toHaveProperty("F");
  });

  it("Q8: a Reject level runs the first, wide as it is, and rejects until it ends", () => {
    const own = replayQueueSet(byId("Q8"));
    expect(own.outcomes[0]?.[0]).toBe("E");
    expect(countLetters(own)).toHaveProperty("L");
    expect(countLetters(own)).not.toHaveProperty("T");
  });
});

const sorted = (totals: object) => Object.entries(totals).toSorted(([a], [b]) => (a < b ? -1 : 1));
