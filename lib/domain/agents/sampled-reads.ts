import type { AgentInformer } from "./agent.ts";
import type { Evidence } from "./evidence.ts";

/** One request as `dump_requests?includeRequestDetails=1` shows it: path without query, so no selector, form or paging. */
export interface SampledRequest {
  readonly userName: string;
  readonly verb: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Empty: in the whole cluster. */
  readonly namespace: string;
  /** Empty: a collection. */
  readonly name: string;
  readonly serverName: string;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
}

/**
 * What a user was seen to read as a collection. A sample shows what runs at an instant and no more: what it does not show
 * may be read all the same, and whether a selector narrowed it is not to be seen. One informer per resource and namespace,
 * of the latest sample.
 */
export function informersOfSamples(samples: readonly SampledRequest[], userName: string): AgentInformer[] {
  const byScope = new Map<string, SampledRequest[]>();
  for (const sample of samples) {
    if (sample.userName !== userName || sample.name !== "") continue;
    if (sample.verb !== "list" && sample.verb !== "watch") continue;
    const key = `${sample.apiGroup}\0${sample.resource}\0${sample.namespace}`;
    const known = byScope.get(key);
    if (known === undefined) byScope.set(key, [sample]);
    else known.push(sample);
  }
  return [...byScope.values()].flatMap((alike) => {
    const latest = alike.reduce((a, b) => (b.observedAt > a.observedAt ? b : a));
    return [
      {
        apiGroup: latest.apiGroup,
        resource: latest.resource,
        scope: latest.namespace === "" ? "cluster" : "namespace",
        namespace: latest.namespace === "" ? null : latest.namespace,
        fieldSelector: null,
        labelSelector: null,
        representation: null,
        mode: "informer",
        periodSeconds: null,
        resourceVersion: null,
        pageSize: null,
        watchList: null,
        evidence: evidenceOf(latest),
      } satisfies AgentInformer,
    ];
  });
}

const evidenceOf = ({ serverName, observedAt }: SampledRequest): Evidence => ({
  grade: "measured",
  source: `dump_requests of ${serverName}`,
  observedAt,
  citation: null,
  raisedBy: "An audit log: dump_requests shows neither selectors nor the form asked for.",
});
