import { describe, expect, test } from "vitest";
import { isReversePass, isSticky, noteAnswer, type Stickiness, UNKNOWN_STICKINESS } from "./stickiness.ts";

const A = 1_700_000_000_120;
const B = 1_700_003_777_450;

/** Answers on one connection, one after the other. */
function note(
  starts: readonly (number | null)[],
  {
    from = UNKNOWN_STICKINESS,
    connectionId = "connection-1",
    isOutOfTurn = true,
  }: { from?: Stickiness; connectionId?: string | null; isOutOfTurn?: boolean } = {},
): Stickiness {
  return starts.reduce<Stickiness>(
    (known, processStartAt) => noteAnswer(known, { slot: 0, connectionId, processStartAt, isOutOfTurn }),
    from,
  );
}

/**
 * Passes through a balancer that gives each request to the next server and has no other clients; `between` requests
 * come between the reads of two passes. What is believed after each pass.
 */
function takeTurns(servers: number, between: number, passes: number): readonly boolean[] {
  let known = UNKNOWN_STICKINESS;
  let next = 0;
  return Array.from({ length: passes }, () => {
    const isOutOfTurn = isReversePass(known);
    const order = Array.from({ length: servers }, (_, index) => (isOutOfTurn ? servers - 1 - index : index));
    for (const slot of order) {
      const processStartAt = A + (next++ % servers) * 3_600_000;
      known = noteAnswer(known, { slot, connectionId: `connection-${slot}`, processStartAt, isOutOfTurn });
    }
    known = { ...known, passes: known.passes + 1 };
    next += between;
    return isSticky(known, servers);
  });
}

describe("isSticky", () => {
  test.each([
    { servers: 2, repeats: 6 },
    { servers: 3, repeats: 4 },
    { servers: 5, repeats: 3 },
  ])("with $servers servers it takes $repeats repeats on kept connections", ({ servers, repeats }) => {
    const starts = Array.from({ length: repeats }, () => A);
    expect(isSticky(note(starts), servers)).toBe(false);
    expect(isSticky(note([...starts, A]), servers)).toBe(true);
  });

  test("repeats in one order are not enough", () => {
    const inTurn = note(
      Array.from({ length: 20 }, () => A),
      { isOutOfTurn: false },
    );
    expect(isSticky(inTurn, 2)).toBe(false);
    expect(isSticky(note([A], { from: inTurn }), 2)).toBe(true);
  });

  test("one connection that two servers answered settles it for good", () => {
    const spread = note([A, A, A, A, A, A, A, B]);
    expect(spread.hasSpread).toBe(true);
    const later = note(
      Array.from({ length: 50 }, () => B),
      { from: spread },
    );
    expect(isSticky(later, 2)).toBe(false);
  });

  test("a restart comes with another connection and proves nothing either way", () => {
    const before = note([A, A, A, A, A, A, A]);
    const after = note([B], { from: before, connectionId: "connection-2" });
    expect(after).toMatchObject({ hasSpread: false, repeats: 6 });
    expect(isSticky(after, 2)).toBe(true);
  });

  test("a clock that was set is no other server, and no repeat", () => {
    expect(note([A, A + 1000, A + 1000])).toMatchObject({ hasSpread: false, repeats: 1 });
  });

  test("an answer without a connection or a start time is no repeat", () => {
    expect(note([A, null, A]).repeats).toBe(0);
    expect(note([A, A], { connectionId: null }).repeats).toBe(0);
  });

  test.each([2, 3, 4, 5, 7])("a quiet balancer of requests over %i servers is never believed", (servers) => {
    for (let between = 0; between <= 2 * servers; between++) {
      expect(takeTurns(servers, between, 12), `${between} requests in between`).not.toContain(true);
    }
  });
});
