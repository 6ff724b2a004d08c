import { describe, expect, it } from "vitest";
import { applyCollapseRule } from "./collapse-rule.ts";

const measured = { seatsPerList: 10, cpuSecondsPerList: 1.78, cores: 1, deadlineSeconds: 60 };

describe("the rule of thumb for a collapse", () => {
  it("foresees the one that was measured: 360 seats, 36 LISTs, more than 60 s each; and none at 56 seats", () => {
    expect(applyCollapseRule({ ...measured, limitSeats: 360 })).toMatchObject({
      executingAtOnce: 36,
      isPredicted: true,
    });
    expect(applyCollapseRule({ ...measured, limitSeats: 56 })).toMatchObject({
      executingAtOnce: 5.6,
      isPredicted: false,
    });
  });

  it("needs as many copies as the seats let in, and fewer cores than LISTs", () => {
    expect(applyCollapseRule({ ...measured, limitSeats: 360, copies: 20 }).isPredicted).toBe(false);
    expect(applyCollapseRule({ ...measured, limitSeats: 360, cores: 8 }).isPredicted).toBe(false);
    expect(applyCollapseRule({ ...measured, limitSeats: 5, cpuSecondsPerList: 61, cores: 8 })).toEqual({
      executingAtOnce: 1,
      secondsPerList: 61,
      isPredicted: true,
    });
  });
});
