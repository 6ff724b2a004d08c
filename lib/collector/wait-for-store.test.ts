import { expect, test } from "vitest";
import type { CollectorState } from "../db/store.ts";
import { waitForStore } from "./wait-for-store.ts";

const other = (pid: number): CollectorState => ({
  pid,
  startedAt: 1,
  heartbeatAt: 2,
  version: "0.1.0",
  stoppedAt: null,
  crashes: 0,
  lastCrashAt: null,
  lastCrash: null,
});

/** A store that answers each claim with the next of these, and with the last one for ever. */
function makeStore(
  answers: readonly (CollectorState | null)[],
  onClaim: (count: number) => void = () => undefined,
) {
  let claims = 0;
  const told: unknown[] = [];
  return {
    told,
    collector: {
      claim: () => {
        const answer = answers[Math.min(claims, answers.length - 1)] ?? null;
        claims += 1;
        onClaim(claims);
        return Promise.resolve(answer);
      },
    },
    logger: { warn: (_message: string, fields?: object) => told.push(fields) },
  };
}
const never = new Promise<never>(() => undefined);

test("a store that nobody works on is had at once, and nothing is said", async () => {
  const store = makeStore([null]);
  expect(await waitForStore({ ...store, stopped: never })).toBe(true);
  expect(store.told).toEqual([]);
});

test("each other one is named once, and the store is had when the last is gone", async () => {
  const store = makeStore([other(10), other(10), other(11), other(11), null]);
  expect(await waitForStore({ ...store, stopped: never, retryMs: 1 })).toBe(true);
  expect(store.told).toEqual([
    { otherPid: 10, otherVersion: "0.1.0" },
    { otherPid: 11, otherVersion: "0.1.0" },
  ]);
});

test("one that is told to end while it waits does not have it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const store = makeStore([other(10)], (claims) => {
    if (claims === 2) resolve();
  });
  expect(await waitForStore({ ...store, stopped: promise, retryMs: 1 })).toBe(false);
});
