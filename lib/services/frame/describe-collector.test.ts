import { expect, test } from "vitest";
import type { CollectorState } from "../../db/store.ts";
import type { SupervisionState } from "../../supervisor/supervision-state.ts";
import { describeCollector } from "./describe-collector.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const beat = (agoSeconds: number, over: Partial<CollectorState> = {}): CollectorState => ({
  pid: 7,
  startedAt: NOW - 3_600_000,
  heartbeatAt: NOW - agoSeconds * 1000,
  version: "0.1.0",
  stoppedAt: null,
  crashes: 0,
  lastCrashAt: null,
  lastCrash: null,
  ...over,
});
const running = (agoSeconds: number): SupervisionState => ({
  kind: "running",
  startedAt: NOW - agoSeconds * 1000,
  pid: 7,
});
const restarting: SupervisionState = {
  kind: "restarting",
  crashes: 3,
  lastCrashAt: NOW - 2000,
  lastCrash: "It ran out of memory.",
  nextStartAt: NOW + 2000,
};

test.each<[string, SupervisionState, CollectorState | null, string, string | null]>([
  ["beats", running(60), beat(5), "running", null],
  ["was just forked", running(3), null, "starting", null],
  ["was just forked, after one that still seems to beat", running(3), beat(5), "starting", null],
  [
    "was forked long ago and never wrote",
    running(60),
    null,
    "stopped",
    "has written nothing since it was started",
  ],
  ["hangs", running(600), beat(90), "stopped", "has written nothing since 2026-11-30 11:58 UTC"],
  [
    "crashed and will be started",
    restarting,
    beat(1),
    "restarting",
    "It ran out of memory. It ended 3 times in a row.",
  ],
  ["is stopped with this process", { kind: "stopped" }, beat(1), "stopped", "The collector is stopped."],
  ["runs elsewhere", { kind: "external" }, beat(5), "running", null],
  ["ran elsewhere", { kind: "external" }, beat(31), "external-absent", "since 2026-11-30 11:59 UTC"],
  [
    "ended elsewhere",
    { kind: "external" },
    beat(1, { stoppedAt: NOW }),
    "external-absent",
    "npm run collector",
  ],
  [
    "was never there",
    { kind: "external" },
    null,
    "external-absent",
    "No collector has written to this store yet.",
  ],
])("a collector that %s", (_title, supervision, stored, state, message) => {
  const described = describeCollector({ supervision, stored, now: NOW });
  expect(described.state).toBe(state);
  if (message === null) expect(described.message).toBeNull();
  else expect(described.message).toContain(message);
});

test("a first crash is told in one breath", () => {
  const { message } = describeCollector({
    supervision: { ...restarting, crashes: 1 },
    stored: null,
    now: NOW,
  });
  expect(message).toBe(
    "The collector ended at 2026-11-30 11:59 UTC: It ran out of memory. It is started again; pages show what was stored before.",
  );
});
