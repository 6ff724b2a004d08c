import type { ServerResources } from "./cluster-facts.ts";
import type { ServersPart } from "./servers-part.ts";

/** Labels by which an operator says what one API server of a cluster has to work with. */
export const SERVER_LABELS = {
  /** A number; counts more than what the servers publish. */
  cores: "headroom.dev/api-server-cores",
  /** Bytes, as a whole number. */
  memoryBytes: "headroom.dev/api-server-memory-bytes",
  /** Bytes per second that the network takes from one API server. */
  linkBytesPerSecond: "headroom.dev/api-server-link-bytes-per-second",
} as const;

/**
 * What one API server has: from the cluster's labels, else the fewest cores (GOMAXPROCS) that a server publishes. `null`
 * where neither says; a label that is no number above 0 says nothing.
 */
export function serverResourcesOf(
  servers: Pick<ServersPart, "servers"> | null,
  labels: Readonly<Record<string, string>>,
): ServerResources {
  const published = (servers?.servers ?? []).flatMap(({ cores }) => cores ?? []);
  return {
    cores: numberOf(labels[SERVER_LABELS.cores]) ?? (published.length === 0 ? null : Math.min(...published)),
    memoryBytes: numberOf(labels[SERVER_LABELS.memoryBytes]),
    linkBytesPerSecond: numberOf(labels[SERVER_LABELS.linkBytesPerSecond]),
  };
}

function numberOf(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}
