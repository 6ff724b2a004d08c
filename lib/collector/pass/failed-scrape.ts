import type { Clock } from "../../clock.ts";
import type { PartName, ReadFailure } from "../../domain/clusters/part.ts";
import type { ScrapeResult } from "../scrape-cluster.ts";
import type { ScrapeMemory } from "../scrape-memory.ts";

/** A pass that ended before its first request: every part that was due failed for the same reason. */
export function failedScrape(input: {
  readonly due: readonly PartName[];
  readonly failure: ReadFailure;
  readonly clock: Clock;
  readonly memory: ScrapeMemory;
}): ScrapeResult {
  const { due, failure, clock, memory } = input;
  const startedAt = clock.now();
  return {
    startedAt,
    durationSeconds: 0,
    requests: 0,
    wireBytes: 0,
    decodedBytes: 0,
    clusterUid: null,
    parts: due.map((part) => ({
      part,
      outcome: {
        part,
        status: "failed" as const,
        startedAt,
        durationSeconds: 0,
        requests: 0,
        wireBytes: 0,
        answer: failure.message,
        failure,
        notRead: [],
      },
      value: null,
    })),
    permissions: {},
    samplesAtSeconds: Math.floor(startedAt / 1000),
    samples: [],
    memory,
  };
}
