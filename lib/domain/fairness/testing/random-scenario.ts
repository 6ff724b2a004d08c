import type { QueueSetInput, RequestRow } from "../queueset/replay-line.ts";
import { SeededRandom } from "./seeded-random.ts";

export interface ScenarioOptions {
  readonly seed: number;
  readonly requests: number;
  /** Chance of a configuration change between two arrivals. */
  readonly changeChance: number;
}

/**
 * A scenario with everything at once: several flows, widths beyond the limit, tails, waiting limits, clients that give
 * up, changes of limits and queues (down to a Reject level). Equal options give equal scenarios.
 */
export function makeRandomScenario({ seed, requests, changeChance }: ScenarioOptions): QueueSetInput {
  const random = new SeededRandom(seed);
  const flows = Array.from(
    { length: random.integer(1, 12) },
    (_, flow) => ["service-accounts", `system:serviceaccount:s-${seed}-${flow}:default`] as const,
  );
  const queues = random.pick([1, 2, 8, 16, 64]);
  const config = {
    queues,
    handSize: random.integer(1, Math.min(queues, 6)),
    queueLengthLimit: random.integer(1, 20),
    concurrencyLimit: random.integer(1, 40),
  };
  const rows: RequestRow[] = [];
  const changes: [number, number, number, number, number][] = [];
  const widest = random.pick([1, 3, 10, 60]);
  let nowUs = 0;
  for (let request = 0; request < requests; request++) {
    nowUs += random.next() < 0.4 ? 0 : Math.round(random.exponential(20_000));
    const hasTail = random.next() < 0.3;
    rows.push([
      nowUs,
      random.integer(0, flows.length - 1),
      random.integer(1, widest),
      hasTail ? random.integer(1, 12) : 0,
      hasTail ? random.integer(1, 40_000) : 0,
      Math.round(random.exponential(100_000)),
      random.pick([0, 15_000_000, 200_000]),
      random.next() < 0.1 ? nowUs + Math.round(random.exponential(100_000)) : -1,
    ]);
    if (random.next() < changeChance) {
      const newQueues = random.pick([queues, queues, 0, 1, 4, 32]);
      const hand = newQueues === 0 ? 0 : random.integer(1, Math.min(newQueues, 6));
      changes.push([nowUs, newQueues, hand, random.integer(1, 20), random.integer(0, 40)]);
    }
  }
  // In the end there is room, so that all that still waits may go.
  changes.push([nowUs + 60_000_000, config.queues, config.handSize, config.queueLengthLimit, 1000]);
  return { config, changes, flows, requests: rows };
}
