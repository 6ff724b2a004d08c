import { createInterface } from "node:readline";
import type { FakeApiServer, RunningServer } from "./fake-api-server.ts";

/** One line of JSON on standard output when the clusters listen. Tokens open these servers only. */
export interface ListeningLine {
  readonly listening: readonly {
    readonly name: string;
    readonly uid: string;
    readonly url: string;
    readonly token: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly servers: readonly RunningServer[];
  }[];
}

/** One line of JSON for each line `stats` on standard input, so that a bench can report this process apart. */
export interface StatsLine {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly requests: number;
}

export interface ServedCluster {
  readonly server: FakeApiServer;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Runs until standard input ends, so that the process never outlives the one that started it, or until SIGTERM or
 * SIGINT; then closes every server.
 */
export async function serveUntilInputEnds(clusters: readonly ServedCluster[]): Promise<void> {
  const line: ListeningLine = {
    listening: clusters.map(({ server, labels }) => ({
      name: server.scenario.name,
      uid: server.scenario.uid,
      url: server.url,
      token: server.token,
      labels,
      servers: server.servers,
    })),
  };
  write(line);
  const input = createInterface({ input: process.stdin });
  process.once("SIGTERM", () => input.close());
  process.once("SIGINT", () => input.close());
  for await (const command of input) {
    if (command.trim() === "stats") write(statsOf(clusters));
  }
  await Promise.all(clusters.map(({ server }) => server.close()));
}

function statsOf(clusters: readonly ServedCluster[]): StatsLine {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    requests: clusters.reduce((sum, { server }) => sum + server.requestLog.total, 0),
  };
}

function write(line: ListeningLine | StatsLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
