import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { clientGoRules } from "./client-go.ts";
import type { ServerScript } from "./server-script.ts";
import { ReflectorSimulation, type SentRequest } from "./simulate-reflector.ts";

interface Vector {
  readonly v: string;
  readonly client: string;
  readonly watchListClient: boolean;
  readonly isDefault: boolean;
  readonly scenario: string;
  readonly script: ServerScript;
  readonly requests: readonly {
    readonly verb: string;
    readonly watchList: boolean;
    readonly query: Readonly<Record<string, string>>;
    readonly response: object;
  }[];
  /** [shortest, longest] observed milliseconds between consecutive requests, on a busy machine. */
  readonly gapsMs: readonly (readonly [number, number])[];
}

/** Longer than any recorded run. */
const SECONDS = 600;

function play({ v, watchListClient, script }: Vector, random: () => number): ReflectorSimulation {
  const rules = clientGoRules(v);
  return new ReflectorSimulation({ rules, watchList: watchListClient, random, server: script });
}

function shown({ verb, isWatchList, query, response }: SentRequest): object {
  const { timeoutSeconds, ...others } = query;
  const seconds = Number(timeoutSeconds);
  const isInRange = Number.isInteger(seconds) && seconds >= 300 && seconds < 600;
  return {
    verb,
    watchList: isWatchList,
    query:
      timeoutSeconds === undefined
        ? query
        : { ...others, timeoutSeconds: isInRange ? "300..599" : timeoutSeconds },
    response,
  };
}

describe("requests of a reflector against the recorded ones", () => {
  const { vectors } = readVectors<Vector>("reflector-requests.json");

  it("are the same in all 280 vectors", () => {
    expect(vectors).toHaveLength(280);
    for (const vector of vectors) {
      const { requests, scenario, v, watchListClient } = vector;
      const found = play(vector, () => 0.5).runUntil(SECONDS, requests.length);
      expect(found.map(shown), `${scenario} ${v} WatchListClient ${watchListClient}`).toEqual(requests);
    }
  });

  it("end where the recorded ones end with an open watch", () => {
    let open = 0;
    for (const vector of vectors) {
      const last = vector.requests.at(-1)?.response ?? {};
      if (!("kind" in last) || (last.kind !== "hold" && last.kind !== "initial")) continue;
      open += 1;
      expect(play(vector, () => 0.5).runUntil(SECONDS)).toHaveLength(vector.requests.length);
    }
    expect(open).toBeGreaterThan(250);
  });

  it("come no earlier than the earliest of the recorded ones can have come, and not later by more than their jitter", () => {
    const late: string[] = [];
    for (const vector of vectors) {
      const count = vector.requests.length;
      const earliest = play(vector, () => 0).runUntil(SECONDS, count);
      const latest = play(vector, () => 1 - 2 ** -32).runUntil(SECONDS, count);
      vector.gapsMs.forEach(([shortest, longest], i) => {
        const gap = (run: readonly SentRequest[]) =>
          ((run[i + 1]?.atSeconds ?? Number.NaN) - (run[i]?.atSeconds ?? Number.NaN)) * 1000;
        // The recorder rounds down to milliseconds.
        if (
          shortest < Math.floor(gap(earliest)) ||
          longest < Math.floor(gap(earliest)) ||
          shortest > gap(latest) + BUSY_MS
        ) {
          late.push(
            `${vector.scenario} ${vector.v} ${i}: ${gap(earliest)} to ${gap(latest)}, recorded ${shortest} to ${longest}`,
          );
        }
      });
    }
    expect(late).toEqual([]);
  });

  it("know the default of WatchListClient of each version", () => {
    for (const { v, watchListClient, isDefault } of vectors) {
      expect(clientGoRules(v).watchListDefault === watchListClient).toBe(isDefault);
    }
  });
});

/** How late the machine that recorded was at times. */
const BUSY_MS = 1500;
