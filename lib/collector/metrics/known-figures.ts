import type { KnownVersion, ScrapeMemory } from "../scrape-memory.ts";
import type { ServerMetrics } from "./server-metrics.ts";

/** Version and gates as a page states them; `null` where it does not. */
export function knownVersionOf(metrics: ServerMetrics): KnownVersion | null {
  if (metrics.gitVersion === null) return null;
  return {
    gitVersion: metrics.gitVersion,
    platform: metrics.platform,
    gates: metrics.gates.length === 0 ? null : metrics.gates,
  };
}

/** Every server counts the same objects; the first that knows is as good as any. */
export function countOf(met: readonly { readonly metrics: ServerMetrics }[], key: string): number | null {
  for (const { metrics } of met) {
    const counters = metrics.resources.get(key);
    const count = counters?.resourceObjects ?? counters?.storageObjects ?? null;
    if (count !== null && count >= 0) return count;
  }
  return null;
}

/** Objects and average stored bytes of each resource that the page counts. */
export function collectionsOf(metrics: ServerMetrics): ScrapeMemory["collections"] {
  return new Map(
    [...metrics.resources].flatMap(([key, { resourceObjects, storageObjects, sizeEstimateBytes }]) => {
      const objects = resourceObjects ?? storageObjects ?? -1;
      if (objects < 0) return [];
      const isSized = sizeEstimateBytes !== null && sizeEstimateBytes >= 0 && objects > 0;
      return [[key, { objects, objectBytes: isSized ? sizeEstimateBytes / objects : null }] as const];
    }),
  );
}
