import type { FairnessPart, FlowSample, LevelSample, ServerFairness } from "../fairness/fairness-part.ts";
import type { BackgroundFlow } from "./cluster-facts.ts";

/** Flows told apart in one level; the rest of its load goes with the largest. */
const FLOWS_MAX = 8;
/** Taken where no request was executing at the moment of the scrape. */
const SHORT_REQUEST_SECONDS = 0.01;
/** No request may take longer. */
const LONGEST_SECONDS = 60;

/**
 * The steady load of one API server, from the server where each level dispatches most: rates from counters, how long a
 * request takes by Little's law from those that executed at the moment of the scrape, and who sends them by the dump of
 * that moment. Levels that dispatch nothing, or whose rate is not known, are absent. Sorted by level, then rate.
 */
export function backgroundOfFairness(fairness: FairnessPart): BackgroundFlow[] {
  const names = new Set(
    fairness.servers.flatMap(({ levels }) => levels.map(({ priorityLevelName }) => priorityLevelName)),
  );
  return [...names].sort().flatMap((name) => backgroundOfLevel(name, fairness));
}

function backgroundOfLevel(name: string, { servers, flowSchemas }: FairnessPart): BackgroundFlow[] {
  const busiest = busiestServer(name, servers);
  if (busiest === null) return [];
  const { level, flows, rate } = busiest;
  const executing = level.executingRequests ?? 0;
  const common = {
    priorityLevelName: name,
    seats: Math.max(1, Math.round(executing > 0 ? (level.executingSeats ?? executing) / executing : 1)),
    serviceSeconds: executing > 0 ? Math.min(LONGEST_SECONDS, executing / rate) : SHORT_REQUEST_SECONDS,
  };
  const known = flows.slice(0, FLOWS_MAX);
  const requests = known.reduce((sum, flow) => sum + requestsOf(flow), 0);
  if (requests === 0) {
    const schema = flowSchemas?.find(({ priorityLevelName }) => priorityLevelName === name);
    return [
      { ...common, flowSchemaName: schema?.name ?? "", flowDistinguisher: "", requestsPerSecond: rate },
    ];
  }
  return known
    .filter((flow) => requestsOf(flow) > 0)
    .map((flow) => ({
      ...common,
      flowSchemaName: flow.flowSchemaName,
      flowDistinguisher: flow.flowDistinguisher,
      requestsPerSecond: (rate * requestsOf(flow)) / requests,
    }))
    .sort((a, b) => b.requestsPerSecond - a.requestsPerSecond);
}

interface Busiest {
  readonly level: LevelSample;
  readonly flows: readonly FlowSample[];
  readonly rate: number;
}

function busiestServer(name: string, servers: readonly ServerFairness[]): Busiest | null {
  let busiest: Busiest | null = null;
  for (const { levels, flows } of servers) {
    const level = levels.find(({ priorityLevelName }) => priorityLevelName === name);
    const rate = level?.dispatchedPerSecond ?? 0;
    if (level === undefined || rate <= (busiest?.rate ?? 0)) continue;
    busiest = {
      level,
      flows: (flows ?? []).filter(({ priorityLevelName }) => priorityLevelName === name),
      rate,
    };
  }
  return busiest;
}

const requestsOf = ({ executingRequests, waitingRequests }: FlowSample) =>
  executingRequests + waitingRequests;
