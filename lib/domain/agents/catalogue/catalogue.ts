/**
 * Published agents and what they read, one file per category. Each citation was read where it points to; what was not
 * read has none and counts as bounded. See README.md beside this file for how an entry is made.
 */
import type { CatalogueEntry } from "./catalogue-entry.ts";
import autoscaling from "./entries/autoscaling.json" with { type: "json" };
import certificates from "./entries/certificates.json" with { type: "json" };
import controlPlane from "./entries/control-plane.json" with { type: "json" };
import dns from "./entries/dns.json" with { type: "json" };
import gitops from "./entries/gitops.json" with { type: "json" };
import gpu from "./entries/gpu.json" with { type: "json" };
import ingress from "./entries/ingress.json" with { type: "json" };
import logs from "./entries/logs.json" with { type: "json" };
import mesh from "./entries/mesh.json" with { type: "json" };
import metrics from "./entries/metrics.json" with { type: "json" };
import network from "./entries/network.json" with { type: "json" };
import nodes from "./entries/nodes.json" with { type: "json" };
import platform from "./entries/platform.json" with { type: "json" };
import policy from "./entries/policy.json" with { type: "json" };
import security from "./entries/security.json" with { type: "json" };
import storage from "./entries/storage.json" with { type: "json" };
import traces from "./entries/traces.json" with { type: "json" };

/** In the order of files and ids; ids are unique. */
export const AGENT_CATALOGUE: readonly CatalogueEntry[] = asEntries([
  ...autoscaling,
  ...certificates,
  ...controlPlane,
  ...dns,
  ...gitops,
  ...gpu,
  ...ingress,
  ...logs,
  ...mesh,
  ...metrics,
  ...network,
  ...nodes,
  ...platform,
  ...policy,
  ...security,
  ...storage,
  ...traces,
]);

/** The compiler takes the words of a JSON file for any text; a test holds the files to the schema of the catalogue. */
function asEntries(entries: readonly object[]): readonly CatalogueEntry[] {
  return entries as readonly CatalogueEntry[];
}

/** The catalogue with entries of one's own: one with the id of a published entry takes its place, others come first. */
export function extendCatalogue(
  own: readonly CatalogueEntry[],
  published: readonly CatalogueEntry[] = AGENT_CATALOGUE,
): readonly CatalogueEntry[] {
  const ids = new Set(own.map(({ id }) => id));
  return [...own, ...published.filter(({ id }) => !ids.has(id))];
}
