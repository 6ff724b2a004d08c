import { expect, test } from "vitest";
import type { AgentSummary, FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import { diffFanOut } from "./diff-fan-out.ts";

const AT = Date.UTC(2026, 10, 30);

const agent = (over: Partial<AgentSummary> = {}): AgentSummary => ({
  id: "daemonset/a/agent",
  title: "a/agent",
  version: "2.6.3",
  verdict: "visible",
  simulated: "visible",
  copies: 1180,
  drainSeconds: 12,
  undrained: 0,
  bytes: 184e9,
  seats: 11_800,
  ...over,
});
const summary = (...agents: readonly AgentSummary[]): FanOutSummary => ({ at: AT, nodes: 1180, agents });

test("the first projection tells nothing, nor does an agent that is new", () => {
  expect(diffFanOut(null, summary(agent()))).toEqual([]);
  expect(diffFanOut(summary(), summary(agent()))).toEqual([]);
});

test("another verdict is told with figures before and after, by its severity", () => {
  const [event, ...others] = diffFanOut(
    summary(agent()),
    summary(agent({ verdict: "unsafe", drainSeconds: null, undrained: 2, bytes: 240e9 })),
  );
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    kind: "agent-verdict-changed",
    severity: "error",
    before: "visible",
    after: "unsafe",
    lead: "a/agent 2.6.3 is unsafe.",
  });
  expect(event?.text.replaceAll(/[\u00a0\u202f]/g, " ")).toBe(
    "If all copies LIST at once: ≈ 240 GB for 1 180 copies, 11 800 seats, does not drain (simulated). Before it was visible: ≈ 184 GB for 1 180 copies, 11 800 seats, drains in 12 s (simulated).",
  );
});

test("the same verdict at a sixth more bytes is dearer; below that, or of little, it is not", () => {
  const kinds = (before: number, after: number) =>
    diffFanOut(summary(agent({ bytes: before })), summary(agent({ bytes: after }))).map(({ kind }) => kind);
  expect(kinds(100e9, 120e9)).toEqual(["agent-dearer"]);
  expect(kinds(100e9, 110e9)).toEqual([]);
  expect(kinds(1e6, 90e6)).toEqual([]);
  expect(kinds(120e9, 100e9)).toEqual([]);
});

test("what is not known before or after is not dearer", () => {
  expect(diffFanOut(summary(agent({ bytes: null })), summary(agent()))).toEqual([]);
});

test("an incident that begins or ends is no change of an agent: the figures say the same", () => {
  const sure = summary(agent({ verdict: "unsafe", simulated: "unsafe" }));
  const doubtful = summary(agent({ verdict: "inconclusive", simulated: "unsafe" }));
  expect(diffFanOut(sure, doubtful)).toEqual([]);
  expect(diffFanOut(doubtful, sure)).toEqual([]);
  const better = summary(agent({ verdict: "inconclusive", simulated: "visible" }));
  expect(diffFanOut(sure, better).map(({ kind }) => kind)).toEqual(["agent-verdict-changed"]);
});

test("more than five at once are one event", () => {
  const many = Array.from({ length: 6 }, (_, index) => agent({ id: `a${index}` }));
  const events = diffFanOut(
    summary(...many),
    summary(...many.map((each) => ({ ...each, verdict: "inconclusive" as const, simulated: null }))),
  );
  expect(events.map(({ lead }) => lead)).toEqual(["6 agents are inconclusive now"]);
});
