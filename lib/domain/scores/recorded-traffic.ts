import type { LearnedAgent } from "../agents/learn/learned-agents.ts";
import type { SampledRequest } from "../agents/sampled-reads.ts";
import type { RecordedRequests } from "../storm/index.ts";

/** LISTs and watches of an audit log, for `checkFlowSchema`. Seats are not in a log. */
export function trafficOfLearned(agents: readonly LearnedAgent[]): readonly RecordedRequests[] {
  return agents.flatMap((agent) => {
    const { userName, userGroups } = agent;
    if (userName === null) return [];
    return agent.informers.flatMap(({ apiGroup, resource, namespace, observed }) => {
      const of = (verb: string, requests: number): readonly RecordedRequests[] =>
        requests === 0
          ? []
          : [
              {
                userName,
                // None recorded is not none: those that follow from the name are taken.
                ...(userGroups.length > 0 ? { userGroups } : {}),
                verb,
                apiGroup,
                resource,
                namespace: namespace ?? "",
                requests,
                peakSeats: null,
              },
            ];
      return [
        ...of("list", observed.lists + observed.pages),
        ...of("watch", observed.watches),
        ...of("get", observed.gets),
      ];
    });
  });
}

/** Rows of `dump_requests`, counted by who asks for what. They show an instant, and no seats. */
export function trafficOfSamples(samples: readonly SampledRequest[]): readonly RecordedRequests[] {
  const rows = new Map<string, { row: SampledRequest; requests: number }>();
  for (const row of samples) {
    const key = JSON.stringify([row.userName, row.verb, row.apiGroup, row.resource, row.namespace]);
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { row, requests: 1 });
    else known.requests++;
  }
  return [...rows.values()].map(({ row, requests }) => {
    const { userName, verb, apiGroup, resource, namespace } = row;
    return { userName, verb, apiGroup, resource, namespace, requests, peakSeats: null };
  });
}
