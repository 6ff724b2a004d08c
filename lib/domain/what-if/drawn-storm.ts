import type { StormSimulation } from "../storm/simulate-storm.ts";
import type { StormLevelSeries, StormResult, StormServerResult } from "../storm/storm-result.ts";

/** What is drawn of one API server, one value a step; the step starts at index × stepSeconds. */
export interface DrawnServer {
  readonly name: string;
  readonly stepSeconds: number;
  /** `null`: nothing came to a level that has limits. */
  readonly priorityLevelName: string | null;
  readonly nominalSeats: number;
  readonly executingSeats: readonly number[];
  readonly limitSeats: readonly number[];
  readonly waitingRequests: readonly number[];
  readonly rejectedPerSecond: readonly number[];
  readonly bytesPerSecond: readonly number[];
  readonly memoryBytes: readonly number[];
  readonly linkBytesPerSecond: number | null;
  readonly memoryLimitBytes: number | null;
}

/** A storm that is over, without the series of the servers that are not drawn. */
export interface DrawnStorm extends Omit<StormResult, "servers"> {
  readonly apiServers: number;
  /** The busiest. */
  readonly server: DrawnServer;
}

/** A storm on its way: what its first server has seen so far. */
export interface StormProgress {
  readonly simulatedSeconds: number;
  readonly copies: number;
  readonly copiesDone: number;
  readonly server: DrawnServer;
}

export function drawStorm(result: StormResult): DrawnStorm {
  const { servers, ...rest } = result;
  const busiest = servers[result.busiestServer];
  if (busiest === undefined) throw new RangeError("A storm has no API server.");
  return { ...rest, apiServers: servers.length, server: drawServer(busiest) };
}

/** Does not change the simulation: it can go on. */
export function drawProgress(storm: StormSimulation): StormProgress {
  const asked = storm.servers.map(({ seatsAsked }) => sumOf([...seatsAsked.values()]));
  const server = storm.servers[Math.max(0, asked.indexOf(Math.max(...asked)))];
  if (server === undefined) throw new RangeError("A storm has no API server.");
  const { input, recorder, levels } = server;
  return {
    simulatedSeconds: storm.now / 1_000_000,
    copies: storm.clients.copies,
    copiesDone: storm.clients.done,
    server: drawServer({
      name: input.name,
      linkBytesPerSecond: input.linkBytesPerSecond,
      memoryLimitBytes: input.memoryBytes,
      ...recorder.series(levels.values()),
    }),
  };
}

function drawServer(
  server: Pick<
    StormServerResult,
    | "name"
    | "stepSeconds"
    | "levels"
    | "retries"
    | "bytesPerSecond"
    | "memoryBytes"
    | "linkBytesPerSecond"
    | "memoryLimitBytes"
  >,
): DrawnServer {
  const { name, stepSeconds, bytesPerSecond, memoryBytes, linkBytesPerSecond, memoryLimitBytes } = server;
  const level = busiestLevel(server.levels);
  const steps = bytesPerSecond.length;
  return {
    name,
    stepSeconds,
    priorityLevelName: level?.priorityLevelName ?? null,
    nominalSeats: level?.nominalSeats ?? 0,
    executingSeats: level?.executingSeats ?? [],
    limitSeats: level?.limitSeats ?? [],
    waitingRequests: level?.waitingRequests ?? [],
    rejectedPerSecond: Array.from({ length: steps }, (_, step) => rejectedAt(level, step) / stepSeconds),
    bytesPerSecond,
    memoryBytes,
    linkBytesPerSecond,
    memoryLimitBytes,
  };
}

/** That with limits whose seats were used most: the agent's, unless the others' load is larger than its storm. */
function busiestLevel(levels: readonly StormLevelSeries[]): StormLevelSeries | undefined {
  return levels
    .filter(({ isExempt }) => !isExempt)
    .toSorted((a, b) => sumOf(b.executingSeats) - sumOf(a.executingSeats))[0];
}

const rejectedAt = (level: StormLevelSeries | undefined, step: number): number =>
  sumOf(Object.values(level?.rejected ?? {}).map((series) => series?.[step] ?? 0));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
