import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetDeniedError, type BudgetPermit, type BudgetRequest, ClusterBudget } from "./budget.ts";
import { FakeClock } from "./test-support/fake-clock.ts";

const MIB = 1024 * 1024;

function setUp(limits: { requestsPerMinute?: number; bytesPerMinute?: number } = {}) {
  const clock = new FakeClock();
  return { clock, budget: new ClusterBudget({ clock, limits }) };
}

/** Reserves, and tells what came of it without waiting for it. */
function ask(budget: ClusterBudget, request: BudgetRequest) {
  const state: { permit: BudgetPermit | null; error: unknown } = { permit: null, error: null };
  budget.reserve(request).then(
    (permit) => {
      state.permit = permit;
    },
    (error: unknown) => {
      state.error = error;
    },
  );
  return state;
}

/** Sends requests one after another through the budget, each at once done. */
async function run(budget: ClusterBudget, count: number, request: BudgetRequest, bytes = 0) {
  for (let index = 0; index < count; index++) {
    const permit = await budget.reserve(request);
    permit.charge(bytes);
    permit.release();
  }
}

describe("ClusterBudget", () => {
  it("the default admits a full pass over 5,000 nodes and three servers with 32 MB of metrics each, without a wait", async () => {
    const { clock, budget } = setUp();
    await run(budget, 80, { server: null }, 0.2 * MIB);
    for (const server of ["a:6443", "b:6443", "c:6443"]) {
      await run(budget, 3, { server }, 0.1 * MIB);
      await run(budget, 1, { server }, 32 * MIB);
    }
    expect(clock.pausesMs).toEqual([]);
    expect(budget.state().bytesLeft).toBeGreaterThan(100 * MIB);
  });

  it("one server gets 6 requests in 30 s on average, and 40 a minute while an incident page is open", async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 100_000 });
    await run(budget, 90, { server: "a:6443" });
    let done = 0;
    const endless = async () => {
      for (;;) {
        const permit = await budget.reserve({ server: "a:6443" });
        done++;
        permit.release();
      }
    };
    void endless();
    await clock.advance(300_000);
    expect(done).toBe(60);
    budget.setIncidentMode(true);
    done = 0;
    await clock.advance(60_000);
    expect(done).toBe(40);
    budget.setIncidentMode(false);
    done = 0;
    await clock.advance(60_000);
    expect(done).toBe(12);
  });

  it("never has two requests at one server, whichever answers behind the shared address", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            server: fc.constantFrom(null, "a", "b"),
            durationMs: fc.integer({ min: 0, max: 500 }),
            startMs: fc.integer({ min: 0, max: 1000 }),
          }),
          { maxLength: 12 },
        ),
        async (requests) => {
          const { clock, budget } = setUp();
          const running: (string | null)[] = [];
          let finished = 0;
          for (const { server, durationMs, startMs } of requests) {
            void clock.sleep(startMs).then(async () => {
              const permit = await budget.reserve({ server });
              const clashes = running.filter(
                (other) => other === null || server === null || other === server,
              );
              running.push(server);
              expect(clashes).toEqual([]);
              await clock.sleep(durationMs);
              running.splice(running.indexOf(server), 1);
              finished++;
              permit.release();
            });
          }
          await clock.advance(20_000);
          expect(finished).toBe(requests.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("servers do not wait for each other, and a request through the shared address counts against each of them", async () => {
    const { clock, budget } = setUp();
    const a = ask(budget, { server: "a" });
    const b = ask(budget, { server: "b" });
    const shared = ask(budget, { server: null });
    const lateA = ask(budget, { server: "a" });
    await clock.advance(0);
    expect([a.permit, b.permit].every((permit) => permit !== null)).toBe(true);
    expect([shared.permit, lateA.permit]).toEqual([null, null]);
    a.permit?.release();
    b.permit?.release();
    await clock.advance(0);
    // First come, first served: it is not starved by requests for single servers.
    expect(shared.permit).not.toBeNull();
    expect(lateA.permit).toBeNull();
    shared.permit?.release();
    await clock.advance(0);
    expect(lateA.permit).not.toBeNull();
    const left = Object.fromEntries(
      budget.state().servers.map((entry) => [entry.server, entry.requestsLeft]),
    );
    expect(left).toEqual({ a: 87, b: 88, "": 89 });
  });

  it("requests per minute bound the cluster, and those in line are served in order", async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    const order: string[] = [];
    for (const server of ["a", "b", "c", "d"]) {
      void budget.reserve({ server }).then((permit) => {
        order.push(`${server} ${clock.now() - startedAt}`);
        permit.release();
      });
    }
    const startedAt = clock.now();
    await clock.advance(59_999);
    expect(order).toEqual(["a 0", "b 0", "c 30000"]);
    await clock.advance(1);
    expect(order.at(-1)).toBe("d 60000");
  });

  it("what cannot be had before the deadline is denied at once, with the figure and the instant", async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    await run(budget, 2, { server: "a" });
    const denied = ask(budget, { server: "a", deadlineAt: clock.now() + 29_999 });
    const waits = ask(budget, { server: "b", deadlineAt: clock.now() + 30_000 });
    await clock.advance(0);
    expect(denied.error).toBeInstanceOf(BudgetDeniedError);
    expect(denied.error).toMatchObject({
      reason: "budget",
      shortfall: { setting: "requestsPerMinute", current: 2, neededAtLeast: null },
      retryAt: clock.now() + 30_000,
    });
    expect(waits.error).toBeNull();
    await clock.advance(30_000);
    expect(waits.permit).not.toBeNull();
  });

  it("a request behind a busy server is denied when its deadline comes", async () => {
    const { clock, budget } = setUp();
    ask(budget, { server: "a" });
    const late = ask(budget, { server: "a", deadlineAt: clock.now() + 5000 });
    await clock.advance(4999);
    expect(late.error).toBeNull();
    await clock.advance(1);
    expect(late.error).toMatchObject({ reason: "budget", shortfall: { setting: "requestsPerServer" } });
  });

  it("a request made after its deadline is too late, which is no fault of the budget", async () => {
    const { clock, budget } = setUp();
    const late = ask(budget, { server: "a", deadlineAt: clock.now() - 1 });
    await clock.advance(0);
    expect(late.error).toMatchObject({ reason: "timeout", shortfall: null });
  });

  it("bytes are charged as they come; the response that exceeds what is left is told to stop", async () => {
    const { clock, budget } = setUp({ bytesPerMinute: 60_000 });
    const first = await budget.reserve({ server: "a" });
    expect(first.charge(40_000)).toBeNull();
    first.release();
    const second = ask(budget, { server: "a", expectedBytes: 30_000 });
    await clock.advance(9_999);
    expect(second.permit).toBeNull();
    await clock.advance(1);
    expect(second.permit?.foresee(30_000)).toBeNull();
    expect(second.permit?.foresee(30_001)).toEqual({
      setting: "bytesPerMinute",
      current: 60_000,
      neededAtLeast: null,
    });
    expect(second.permit?.charge(30_001)).toMatchObject({ neededAtLeast: null });
    // More than a whole minute's bytes in one response: waiting would never help, so it says what would.
    expect(second.permit?.charge(50_000)).toEqual({
      setting: "bytesPerMinute",
      current: 60_000,
      neededAtLeast: 80_001,
    });
  });

  it("a response that is known never to fit is denied before it is sent, with the figure to raise", async () => {
    const { clock, budget } = setUp({ bytesPerMinute: 60_000 });
    const never = ask(budget, { server: "a", expectedBytes: 60_001 });
    const other = ask(budget, { server: "a" });
    await clock.advance(0);
    expect(never.error).toMatchObject({
      reason: "budget",
      shortfall: { setting: "bytesPerMinute", current: 60_000, neededAtLeast: 60_001 },
      retryAt: null,
    });
    expect(other.permit).not.toBeNull();
  });

  it("a server that asked to wait is left alone; others are not, and a deadline before that says throttled", async () => {
    const { clock, budget } = setUp();
    budget.holdServer("a", clock.now() + 20_000);
    const denied = ask(budget, { server: "a", deadlineAt: clock.now() + 10_000 });
    const waits = ask(budget, { server: "a" });
    const other = ask(budget, { server: "b" });
    await clock.advance(19_999);
    expect(denied.error).toMatchObject({ reason: "throttled", shortfall: null });
    expect(other.permit).not.toBeNull();
    expect(waits.permit).toBeNull();
    await clock.advance(1);
    expect(waits.permit).not.toBeNull();
  });

  it("who gives up leaves the line, and those behind move up", async () => {
    const { clock, budget } = setUp();
    const running = ask(budget, { server: "a" });
    const controller = new AbortController();
    const impatient = ask(budget, { server: null, signal: controller.signal });
    const behind = ask(budget, { server: "b" });
    await clock.advance(0);
    expect(behind.permit).toBeNull();
    controller.abort(new Error("enough"));
    await clock.advance(0);
    expect(impatient.error).toEqual(new Error("enough"));
    expect(behind.permit).not.toBeNull();
    expect(budget.state().waiting).toBe(0);
    running.permit?.release();
    running.permit?.release();
    expect(ask(budget, { server: "c", signal: controller.signal }).permit).toBeNull();
  });

  it("a clock that is set back neither gives nor takes", async () => {
    const { budget, clock } = setUp({ requestsPerMinute: 60 });
    await run(budget, 60, { server: "a" });
    const before = budget.state();
    await clock.advance(-100_000);
    expect(budget.state()).toEqual(before);
  });
});
