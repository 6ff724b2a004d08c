import { expect, test } from "vitest";
import { bandsOf, simulateStorm, summariseStorm } from "@/lib/domain/storm/index";
import { makeAgent, makeStorm } from "@/lib/domain/storm/testing/make-storm";
import { drawStorm } from "@/lib/domain/what-if/drawn-storm";
import { NO_WHAT_IF, reduceWhatIf, type WhatIfAction } from "./what-if-state";

const result = simulateStorm(makeStorm({ agents: [makeAgent({ replicas: 3 })] }));
const storm = drawStorm(result);
const ask = (id: number, key: string): WhatIfAction => ({ kind: "ask", id, key, seedsWanted: 20 });
const replied = (id: number, key: string): WhatIfAction => ({
  kind: "reply",
  key,
  reply: { kind: "storm", id, storm },
});
const after = (...actions: readonly WhatIfAction[]) => actions.reduce(reduceWhatIf, NO_WHAT_IF);

test("the storm before stays while another is on its way", () => {
  expect(after(ask(1, "a"), replied(1, "a"), ask(2, "b"))).toMatchObject({ storm, isPending: true });
});

test("the same storm asked for with more beside it is not dimmed and keeps its bands", () => {
  const bands: WhatIfAction = {
    kind: "reply",
    key: "a",
    reply: { kind: "bands", id: 1, bands: bandsOf([summariseStorm(result)]), seedsWanted: 20 },
  };
  const again = after(ask(1, "a"), replied(1, "a"), bands, ask(2, "a"));
  expect(again.isPending).toBe(false);
  expect(reduceWhatIf(again, replied(2, "a")).bands).not.toBeNull();
  expect(reduceWhatIf(reduceWhatIf(again, ask(3, "b")), replied(3, "b")).bands).toBeNull();
});

test("what an older question says changes nothing", () => {
  const state = after(ask(1, "a"), ask(2, "b"));
  expect(reduceWhatIf(state, replied(1, "b"))).toBe(state);
});

test("a failure ends the waiting, and the next question begins without it", () => {
  const failed = after(ask(1, "a"), {
    kind: "reply",
    key: "a",
    reply: { kind: "failed", id: 1, message: "seed must be a whole number" },
  });
  expect(failed).toMatchObject({ isPending: false, isDone: true, failure: "seed must be a whole number" });
  expect(reduceWhatIf(failed, ask(2, "b")).failure).toBeNull();
});
