import { describe, expect, it } from "vitest";
import { type JudgedFigures, judgeStorm } from "./judge-storm.ts";

const calm: JudgedFigures = {
  drain: { outcome: "drained", afterLastStartSeconds: 2, why: null },
  totals: { rejectedAll: 0, neighboursRejected: 0, timeouts: 0 },
  ownWaitSecondsP99: 0.1,
  neighbours: [{ waitSecondsP99: 0, isOwnFlow: false, flowDistinguisher: "other" }],
  linkRatio: null,
  memory: { memoryBytes: 0, memoryLowBytes: 0, limitBytes: null },
};

const neighbour = (waitSecondsP99: number | null, isOwnFlow = false) => ({
  ...calm,
  neighbours: [{ waitSecondsP99, isOwnFlow, flowDistinguisher: "ingress" }],
});
const totals = (overrides: Partial<JudgedFigures["totals"]>) => ({
  ...calm,
  totals: { ...calm.totals, ...overrides },
});
const drained = (afterLastStartSeconds: number) => ({
  ...calm,
  drain: { ...calm.drain, afterLastStartSeconds },
});

describe("the verdict of one storm", () => {
  const CASES: readonly (readonly [string, JudgedFigures, string, readonly string[]])[] = [
    ["nobody rejected, nobody waits", calm, "invisible", []],
    ["neighbours wait just 1 s", neighbour(1), "invisible", []],
    ["neighbours wait more than 1 s", neighbour(1.01), "visible", ["neighbours-wait"]],
    ["neighbours wait just 5 s", neighbour(5), "visible", ["neighbours-wait"]],
    ["neighbours wait more than 5 s", neighbour(5.01), "unsafe", ["neighbours-wait"]],
    ["no neighbour came: nobody waits that was seen", neighbour(null), "invisible", []],
    ["the agents' own flow is no neighbour", neighbour(15, true), "invisible", []],
    ["its own requests wait just 3 s", { ...calm, ownWaitSecondsP99: 3 }, "invisible", []],
    ["its own requests wait more than 3 s", { ...calm, ownWaitSecondsP99: 3.1 }, "visible", ["own-wait"]],
    ["it is rejected itself", totals({ rejectedAll: 1 }), "visible", ["own-rejected"]],
    ["others are rejected", totals({ neighboursRejected: 1 }), "unsafe", ["neighbours-rejected"]],
    ["LISTs are aborted", totals({ timeouts: 1 }), "unsafe", ["timeouts"]],
    ["it drains in just 60 s", drained(60), "invisible", []],
    ["it drains in more than 60 s", drained(60.5), "unsafe", ["drain"]],
    ["the link is used 80 %", { ...calm, linkRatio: 0.8 }, "invisible", []],
    ["the link is used more", { ...calm, linkRatio: 0.98 }, "visible", ["link"]],
    [
      "memory does not suffice",
      { ...calm, memory: { memoryBytes: 9e9, memoryLowBytes: 7e9, limitBytes: 8e9 } },
      "unsafe",
      ["memory"],
    ],
    [
      "memory is not known",
      { ...calm, memory: { memoryBytes: 9e9, memoryLowBytes: 7e9, limitBytes: null } },
      "invisible",
      [],
    ],
    [
      "it does not drain",
      { ...calm, drain: { outcome: "never-drains", afterLastStartSeconds: null, why: "w" } },
      "unsafe",
      ["never-drains"],
    ],
    [
      "it collapses",
      { ...calm, drain: { outcome: "collapse", afterLastStartSeconds: null, why: "w" } },
      "unsafe",
      ["collapse"],
    ],
  ];
  it.each(CASES)("%s", (_, figures, verdict, reasons) => {
    const judged = judgeStorm(figures);
    expect(judged.verdict).toBe(verdict);
    expect(judged.simulated).toBe(verdict);
    expect(judged.reasons.map(({ reason }) => reason)).toEqual(reasons);
  });

  it("names what forced it, the worst first, each with its figure", () => {
    const { reasons } = judgeStorm({
      ...neighbour(12.34),
      totals: { rejectedAll: 7, neighboursRejected: 2, timeouts: 0 },
    });
    expect(reasons).toEqual([
      { reason: "neighbours-rejected", verdict: "unsafe", text: "2 requests of others are rejected." },
      { reason: "neighbours-wait", verdict: "unsafe", text: "ingress waits 12.3 s at p99, more than 5 s." },
      { reason: "own-rejected", verdict: "visible", text: "7 of its requests are rejected." },
    ]);
  });

  it("is inconclusive with any doubt about the evidence, and says what the figures alone would", () => {
    const judged = judgeStorm(totals({ neighboursRejected: 1 }), ["The cluster is in an incident."]);
    expect(judged).toMatchObject({ verdict: "inconclusive", simulated: "unsafe" });
    expect(judged.reasons.map(({ reason }) => reason)).toEqual(["evidence", "neighbours-rejected"]);
  });
});
