import { PART_NAMES, type PartOutcome } from "../domain/clusters/part.ts";
import type { PartValues } from "../domain/clusters/part-values.ts";
import type { BudgetLimits, ClusterTarget, KubeClock } from "../kube/index.ts";
import { readPartsOf } from "./record-scrape.ts";
import { type ScrapeResult, scrapeCluster } from "./scrape-cluster.ts";
import { EMPTY_MEMORY } from "./scrape-memory.ts";
import { openClusterTarget } from "./session/open-cluster.ts";

export interface ScrapeOnceOptions {
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly limits: BudgetLimits;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onDefect: (part: string, error: unknown) => void;
}

/** One pass over one cluster, as the command line shows it. */
export interface OncePass {
  readonly cluster: string;
  readonly server: string;
  readonly isInsecure: boolean;
  readonly clusterUid: string | null;
  readonly startedAt: number;
  readonly durationSeconds: number;
  readonly requests: number;
  readonly wireBytes: number;
  readonly decodedBytes: number;
  readonly outcomes: readonly PartOutcome[];
  readonly values: Partial<PartValues>;
  readonly result: ScrapeResult;
}

/** Everything of one cluster, once, with nothing remembered from before. Never throws for what the cluster does. */
export async function scrapeOnce(target: ClusterTarget, options: ScrapeOnceOptions): Promise<OncePass> {
  const opened = openClusterTarget(target, target.name, options);
  try {
    const result = await scrapeCluster({
      client: opened.client,
      connections: opened.connections,
      clock: options.clock,
      signal: options.signal,
      due: PART_NAMES,
      memory: EMPTY_MEMORY,
      mustProbe: true,
      isOnlyPass: true,
      onDefect: options.onDefect,
    });
    return {
      cluster: target.name,
      server: target.server,
      isInsecure: target.insecureSkipTlsVerify,
      clusterUid: result.clusterUid,
      startedAt: result.startedAt,
      durationSeconds: result.durationSeconds,
      requests: result.requests,
      wireBytes: result.wireBytes,
      decodedBytes: result.decodedBytes,
      outcomes: result.parts.map(({ outcome }) => outcome),
      values: readPartsOf(result),
      result,
    };
  } finally {
    await opened.close();
  }
}
