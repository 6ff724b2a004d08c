import { describe, expect, it } from "vitest";
import { SeededRandom } from "../fairness/testing/seeded-random.ts";
import { ClientRateLimit } from "../rollout/client-rate-limit.ts";
import { clientGoRules } from "./client-go.ts";
import { ReflectorBackOff } from "./reflector-back-off.ts";
import type { ScriptedAnswer, ServerScript } from "./server-script.ts";
import { ReflectorSimulation, type ReflectorSimulationOptions } from "./simulate-reflector.ts";

const LISTED: ScriptedAnswer = { kind: "ok", rv: "100" };
const HOLD: ScriptedAnswer = { kind: "hold" };
const REJECTED: ScriptedAnswer = { kind: "status", code: 429, reason: "TooManyRequests", retryAfter: 1 };
const EXPIRED: ScriptedAnswer = { kind: "status", code: 410, reason: "Expired" };
const AWAY: ScriptedAnswer = { kind: "refused" };
const BROKEN: ScriptedAnswer = { kind: "status", code: 500, reason: "InternalError" };
const TOO_LARGE = { kind: "status", code: 504, reason: "Timeout", cause: "ResourceVersionTooLarge" } as const;
const INITIAL: ScriptedAnswer = { kind: "initial", rv: "100", items: 3 };

function simulate(
  script: Partial<ServerScript>,
  { v = "1.34", ...options }: Partial<ReflectorSimulationOptions> & { v?: string } = {},
): ReflectorSimulation {
  const rules = clientGoRules(v);
  return new ReflectorSimulation({
    rules,
    watchList: false,
    random: () => 0.5,
    server: { list: [LISTED], watch: [HOLD], watchList: [INITIAL], ...script },
    ...options,
  });
}

/** `l` LIST, `w` WATCH, `W` WATCH with initial events; version, then `/limit`, then `>token`. */
const shown = (simulation: ReflectorSimulation, seconds = 3600, max = 40) =>
  simulation
    .runUntil(seconds, max)
    .map(({ verb, isWatchList, query: { resourceVersion = "", limit, continue: token } }) => {
      const letter = verb === "list" ? "l" : isWatchList ? "W" : "w";
      return `${letter}${resourceVersion}${limit === undefined ? "" : `/${limit}`}${token === undefined ? "" : `>${token}`}`;
    })
    .join(" ");

const instants = (simulation: ReflectorSimulation, max: number) =>
  simulation.runUntil(100_000, max).map(({ atSeconds }) => atSeconds);

describe("worked examples of reflectors", () => {
  it("waits in [0.8, 1.6), [1.6, 3.2), … [25.6, 51.2), [30, 60) without Retry-After", () => {
    const waits = (random: number) => {
      const at = instants(simulate({ list: [BROKEN] }, { random: () => random }), 9);
      return at.slice(1).map((instant, i) => Math.round((instant - (at[i] ?? 0)) * 1e6) / 1e6);
    };
    const bases = [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30];
    expect(waits(0)).toEqual(bases);
    waits(1 - 2 ** -32).forEach((wait, i) => {
      const longest = 2 * (bases[i] ?? 0);
      expect(wait).toBeLessThan(longest + 1e-9);
      expect(wait).toBeGreaterThan(longest - 1e-5);
    });
  });

  it.each([
    ["LIST", { list: [REJECTED] }, false, "l0/500", 0],
    ["WATCH", { watch: [REJECTED] }, false, "w100", 1],
    ["WatchList", { watchList: [REJECTED] }, true, "W", 0],
  ] as const)(
    "429 with Retry-After 1 on %s: 11 attempts in 10 s, the 12th after [0.8, 1.6) more",
    (_, script, watchList, request, skip) => {
      for (const random of [0, 1 - 2 ** -32]) {
        const simulation = simulate(script, { watchList, random: () => random });
        const at = instants(simulation, 12 + skip).slice(skip);
        expect(at.slice(0, 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        const last = at[11] ?? 0;
        expect(last).toBeGreaterThanOrEqual(10.8);
        expect(last).toBeLessThan(11.6);
        expect(
          shown(simulation)
            .split(" ")
            .slice(skip, 12 + skip),
        ).toEqual(Array(12).fill(request));
      }
    },
  );

  it("after a rejected LIST in WatchList mode the 12th request is a WatchList", () => {
    const requests = shown(
      simulate({ watchList: [BROKEN], list: [REJECTED] }, { watchList: true }),
      3600,
      13,
    );
    expect(requests).toBe(`W ${Array(11).fill("l0/500").join(" ")} W`);
  });

  it("relist after 410: one request at the last version, one at the latest without limit, at once", () => {
    const simulation = simulate({
      list: [LISTED, EXPIRED, { kind: "ok", rv: "200" }],
      watch: [{ kind: "error", code: 410, reason: "Expired", afterMs: 5_000 }, HOLD],
    });
    expect(shown(simulation)).toBe("l0/500 w100 l100 l w200");
    expect(instants(simulation, 9)).toEqual([0, 0, 6.2, 6.2, 6.2]);
  });

  it("about 6 attempts in the first 50 s of an outage", () => {
    expect(simulate({ list: [AWAY] }).runUntil(50)).toHaveLength(6);
  });
});

describe("a reflector that lists", () => {
  it("takes the page size of the refused LIST to the one after 410", () => {
    expect(shown(simulate({ list: [EXPIRED, LISTED] }))).toBe("l0/500 l/500 w100");
  });

  it("asks for the latest state in pages where that was refused too, until a LIST works", () => {
    const simulation = simulate({ list: [EXPIRED, BROKEN, BROKEN, LISTED] });
    expect(shown(simulation)).toBe("l0/500 l/500 l/500 l/500 w100");
    expect(instants(simulation, 9)).toEqual([0, 0, 1.2, 3.6, 3.6]);
  });

  it("follows pages without version, and pages again where the first LIST came in pages", () => {
    const simulation = simulate({
      list: [
        { kind: "ok", rv: "7", continue: "a" },
        { kind: "ok", rv: "8" },
        { kind: "ok", rv: "9" },
      ],
      watch: [{ kind: "error", code: 410, reason: "Expired", afterMs: 2_000 }, HOLD],
    });
    expect(shown(simulation)).toBe("l0/500 l/500>a w7 l7/500 w9");
  });

  it("lists all at once where a later page expired, at the version asked for first", () => {
    const page: ScriptedAnswer = { kind: "ok", rv: "7", continue: "a" };
    expect(shown(simulate({ list: [page, EXPIRED, { kind: "ok", rv: "9" }] }))).toBe("l0/500 l/500>a l0 w9");
    expect(shown(simulate({ list: [page, EXPIRED, EXPIRED, LISTED] }))).toBe("l0/500 l/500>a l0 l/500 w100");
    expect(shown(simulate({ list: [page, BROKEN, LISTED] }))).toBe("l0/500 l/500>a l0/500 w100");
  });

  it("has the page size of the informer where one is set", () => {
    const watch: ScriptedAnswer[] = [{ kind: "error", code: 410, reason: "Expired", afterMs: 2_000 }, HOLD];
    expect(shown(simulate({ watch }, { pageSize: 50 }))).toBe("l0/50 w100 l100/50 w100");
  });

  it("lists the latest state where the version was too large, after the REST client's own repetitions", () => {
    expect(shown(simulate({ list: [TOO_LARGE, LISTED] }))).toBe("l0/500 l/500 w100");
    const simulation = simulate({ list: [{ ...TOO_LARGE, retryAfter: 1 }, LISTED] });
    expect(shown(simulation)).toBe("l0/500 l0/500 w100");
    expect(instants(simulation, 9)).toEqual([0, 1, 1]);
  });

  it("repeats a LIST on EOF, and on a lost HTTP/2 connection from 1.32 on", () => {
    expect(instants(simulate({ list: [{ kind: "eof" }, LISTED] }), 3)).toEqual([0, 1, 1]);
    expect(instants(simulate({ list: [{ kind: "http2-lost" }, LISTED] }, { v: "1.32" }), 3)).toEqual([
      0, 1, 1,
    ]);
    expect(instants(simulate({ list: [{ kind: "http2-lost" }, LISTED] }, { v: "1.31" }), 3)).toEqual([
      0, 1.2, 1.2,
    ]);
    expect(instants(simulate({ list: [{ kind: "timeout" }, LISTED] }), 3)).toEqual([0, 1.2, 1.2]);
  });
});

describe("a reflector that watches", () => {
  it.each([
    ["429 without header: again, without a LIST", { kind: "status", code: 429 }, "l0/500 w100 w100"],
    ["refused: again, without a LIST", AWAY, "l0/500 w100 w100"],
    ["401: a LIST", { kind: "status", code: 401, reason: "Unauthorized" }, "l0/500 w100 l100 w100"],
    ["403: a LIST", { kind: "status", code: 403, reason: "Forbidden" }, "l0/500 w100 l100 w100"],
    ["500: a LIST", BROKEN, "l0/500 w100 l100 w100"],
    ["410: a LIST", EXPIRED, "l0/500 w100 l100 w100"],
    [
      "ERROR event 429: again",
      { kind: "error", code: 429, reason: "TooManyRequests", afterMs: 0 },
      "l0/500 w100 w100",
    ],
    [
      "ERROR event 500: a LIST",
      { kind: "error", code: 500, reason: "InternalError", afterMs: 0 },
      "l0/500 w100 l100 w100",
    ],
    ["closed within a second: a LIST", { kind: "close", afterMs: 999 }, "l0/500 w100 l100 w100"],
  ] as const)("waits after %s", (_, answer, expected) => {
    const simulation = simulate({ watch: [answer, HOLD] });
    expect(shown(simulation)).toBe(expected);
    const after = "afterMs" in answer ? answer.afterMs / 1000 : 0;
    expect(instants(simulation, 9).at(-1)).toBe(after + 1.2);
  });

  it("watches on at once where the stream ends after a second, or after an event", () => {
    expect(instants(simulate({ watch: [{ kind: "close", afterMs: 1000 }, HOLD] }), 9)).toEqual([0, 0, 1]);
    const early = simulate({ watch: [{ kind: "close", rv: "100", afterMs: 10, events: 2 }, HOLD] });
    expect(shown(early)).toBe("l0/500 w100 w102");
    expect(instants(early, 9)).toEqual([0, 0, 0.01]);
  });

  it("takes a watch that ran out of retries for one that closed", () => {
    const simulation = simulate({ watch: [{ kind: "eof" }] });
    expect(shown(simulation, 3600, 24)).toBe(`l0/500 ${Array(23).fill("w100").join(" ")}`);
    // 11 attempts take 10 s, so that the stream was not a very short one, and no wait follows.
    expect(instants(simulation, 24).slice(11, 14)).toEqual([10, 10, 11]);
  });

  it("asks for a timeout of 300 to 599 s, more where the informer asks for more", () => {
    const timeouts = (random: number, minWatchTimeoutSeconds = 0) => {
      const simulation = simulate({}, { random: () => random, minWatchTimeoutSeconds });
      return simulation.runUntil(1)[1]?.query.timeoutSeconds;
    };
    expect([timeouts(0), timeouts(1 - 2 ** -32), timeouts(0, 10), timeouts(0.5, 600)]).toEqual([
      "300",
      "599",
      "300",
      "900",
    ]);
  });
});

describe("a reflector with WatchList", () => {
  const on = (script: Partial<ServerScript>, v = "1.36") => shown(simulate(script, { watchList: true, v }));

  it("has none in 1.26", () => {
    expect(on({}, "1.26")).toBe("l0/500 w100");
    expect(on({}, "1.27")).toBe("W");
  });

  it.each([
    ["a very short stream", { kind: "close", afterMs: 10 }],
    ["400", { kind: "status", code: 400, reason: "BadRequest" }],
    ["a timeout out of DNS", { kind: "dns" }],
  ] as const)("falls back to LIST after %s", (_, answer) => {
    expect(on({ watchList: [answer, INITIAL] })).toBe("W l0/500 w100");
  });

  it("falls back at the last version, and tries WatchList again in the next cycle", () => {
    const lost: ScriptedAnswer = { kind: "close", afterMs: 10 };
    expect(
      on({ watchList: [{ ...INITIAL, kind: "initial410", afterMs: 5_000 }, BROKEN, INITIAL], watch: [lost] }),
    ).toBe("W W100 l100 w100 W100");
  });

  it("sees a version that is too large when it opens a stream from 1.32 on, inside a stream always", () => {
    expect(on({ watchList: [TOO_LARGE, INITIAL] }, "1.31")).toBe("W l0/500 w100");
    expect(on({ watchList: [TOO_LARGE, INITIAL] }, "1.32")).toBe("W W");
    expect(on({ watchList: [{ ...TOO_LARGE, kind: "error", afterMs: 0 }, INITIAL] }, "1.31")).toBe("W W");
  });

  it("starts a stream again at the last version where it closed before its end", () => {
    const scripted: ScriptedAnswer[] = [
      { ...INITIAL, kind: "initial410", afterMs: 5_000 },
      { kind: "close", afterMs: 2_000 },
      INITIAL,
    ];
    expect(on({ watchList: scripted })).toBe("W W100 W100");
  });
});

describe("back-off", () => {
  const bases = (resetsSince: "last-call" | "last-reset", waits: readonly number[]) => {
    const backOff = new ReflectorBackOff(resetsSince, 0);
    let now = 0;
    return waits.map((seconds) => {
      now += seconds * 1e6;
      return backOff.next(now, () => 0) / 1e6;
    });
  };

  it("begins anew two minutes after the last call up to 1.35", () => {
    expect(bases("last-call", [0, 60, 60, 60, 60, 120, 121, 1])).toEqual([
      0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 0.8, 1.6,
    ]);
  });

  it("begins anew two minutes after it last did from 1.36 on, in the middle of an outage", () => {
    expect(bases("last-reset", [0, 60, 60, 60, 60, 60, 1])).toEqual([0.8, 1.6, 3.2, 0.8, 1.6, 3.2, 0.8]);
    const outage = (v: string) => {
      const at = instants(simulate({ list: [AWAY] }, { v }), 30).slice(-9);
      return at.slice(1).map((instant, i) => Math.round((instant - (at[i] ?? 0)) * 1e6) / 1e6);
    };
    expect(outage("1.35")).toEqual(Array(8).fill(45));
    expect(outage("1.36")).toContain(1.2);
  });

  it("is one for cycles and one for watches up to 1.27, and one for both after", () => {
    const script = { watch: [AWAY, BROKEN, HOLD] };
    expect(instants(simulate(script, { v: "1.27" }), 9)).toEqual([0, 0, 1.2, 2.4, 2.4]);
    expect(instants(simulate(script, { v: "1.28" }), 9)).toEqual([0, 0, 1.2, 3.6, 3.6]);
  });
});

describe("the limit of a client", () => {
  it("is shared by its reflectors: 10 LISTs at once, then 5 a second; first attempts of watches are free", () => {
    const rateLimit = new ClientRateLimit({ qps: 5, burst: 10 });
    const first = Array.from({ length: 13 }, () => simulate({}, { rateLimit })).map((simulation) =>
      instants(simulation, 2),
    );
    expect(first.map(([list]) => list)).toEqual([...Array(10).fill(0), 0.2, 0.4, 0.6]);
    for (const [list, watch] of first) expect(watch).toBe(list);
    expect(rateLimit.calls).toBe(13);
  });

  it("holds the repetitions of a watch, too", () => {
    const rateLimit = new ClientRateLimit({ qps: 0.1, burst: 1 });
    const simulation = simulate({ watch: [REJECTED] }, { rateLimit });
    expect(instants(simulation, 4)).toEqual([0, 0, 10, 20]);
    expect(simulation.dump().reflector).toMatchObject({ waitsFor: null, request: { attempt: 3 } });
  });
});

describe("a simulation", () => {
  it("dumps its state", () => {
    const simulation = simulate({ list: [BROKEN] }, { answerSeconds: 0.25 });
    simulation.runUntil(0.1);
    expect(simulation.dump()).toMatchObject({
      nowSeconds: 0,
      requests: 1,
      reflector: { phase: "listing", waitsFor: null, lastResourceVersion: "", request: { attempt: 1 } },
      pending: [{ atSeconds: 0.25, what: "answer: status" }],
    });
    simulation.runUntil(0.5);
    expect(simulation.dump()).toEqual({
      nowSeconds: 0.25,
      requests: 1,
      reflector: {
        phase: "idle",
        waitsFor: "back-off",
        lastResourceVersion: "",
        isLastVersionUnavailable: false,
        isPaginated: false,
        request: null,
        backOff: { nextBaseSeconds: 1.6, countsFromSeconds: 0.25 },
      },
      pending: [{ atSeconds: 1.45, what: "wait ends" }],
    });
  });

  it("stops at a number of requests where a server would be asked again and again at one instant", () => {
    const closing: ScriptedAnswer = { kind: "close", rv: "1", afterMs: 0, events: 1 };
    expect(simulate({ watch: [closing] }).runUntil(1, 500)).toHaveLength(500);
  });

  it("keeps its rules over 300 random servers, and equal seeds give equal requests", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const [once, twice] = [randomRun(seed), randomRun(seed)];
      expect(JSON.stringify(twice)).toBe(JSON.stringify(once));
      let before = 0;
      for (const { verb, isWatchList, query, attempt, atSeconds } of once) {
        expect(atSeconds).toBeGreaterThanOrEqual(before);
        before = atSeconds;
        expect(attempt).toBeGreaterThanOrEqual(1);
        expect(attempt).toBeLessThanOrEqual(11);
        expect(query.continue === undefined || query.resourceVersion === undefined).toBe(true);
        // A LIST has a limit only where the cache would pass over it, or where there is none.
        if (verb === "list" && query.limit !== undefined)
          expect([undefined, "0"]).toContain(query.resourceVersion);
        expect(query.sendInitialEvents === "true").toBe(isWatchList);
        if (verb === "watch" && !isWatchList) expect(Number(query.resourceVersion)).toBeGreaterThan(0);
      }
    }
  });
});

/** A server without pages that answers at random. */
function randomRun(seed: number) {
  const random = new SeededRandom(seed);
  const answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]] = [
    REJECTED,
    EXPIRED,
    AWAY,
    BROKEN,
    TOO_LARGE,
    { kind: "eof" },
    { kind: "reset" },
  ];
  let version = 100;
  const server: ReflectorSimulationOptions["server"] = ({ verb, isWatchList }) => {
    version += random.integer(0, 3);
    const rv = String(version);
    if (random.next() < 0.4) return random.pick(answers);
    if (verb === "list") return { kind: "ok", rv };
    const afterMs = random.integer(0, 20_000);
    if (random.next() < 0.2) return { kind: "error", code: 410, reason: "Expired", afterMs };
    const events = random.integer(0, 2);
    if (isWatchList && random.next() < 0.8) return { kind: "initialClose", rv, items: 2, afterMs, events };
    return { kind: "close", rv, afterMs, events };
  };
  const simulation = new ReflectorSimulation({
    rules: clientGoRules(`1.${random.integer(26, 37)}`),
    watchList: random.next() < 0.5,
    random: () => random.next(),
    server,
    answerSeconds: 0.05,
  });
  return simulation.runUntil(600, 400);
}
