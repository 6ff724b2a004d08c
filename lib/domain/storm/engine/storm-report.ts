import { Flow } from "../../fairness/queueset/request.ts";
import { toSeconds } from "../../rollout/ticks.ts";
import { judgeStorm } from "../judge-storm.ts";
import type { StormSimulation } from "../simulate-storm.ts";
import type {
  Rejections,
  StormAgentResult,
  StormDrain,
  StormNeighbour,
  StormPeaks,
  StormResult,
  StormServerResult,
  StormTotals,
} from "../storm-result.ts";
import type { ApiServer } from "./api-server.ts";
import type { BackgroundFlowState } from "./background-flows.ts";
import type { AgentState, StormCopy } from "./clients.ts";
import type { RequestShape } from "./request-shape.ts";
import { collapseEstimates, usedCoefficients } from "./storm-estimates.ts";
import { TickSamples } from "./tick-samples.ts";

/** The busiest time of a link is looked at over so long. */
export const LINK_WINDOW_SECONDS = 5;

/** What a simulation that is over says. */
export function reportStorm(storm: StormSimulation): StormResult {
  const { input, now } = storm;
  for (const server of storm.servers) server.finishSeries(now);
  const servers = storm.servers.map(serverResult);
  const busiestServer = findBusiest(storm.servers);
  const agents = storm.clients.agents.map(agentResult);
  const neighbours = listNeighbours(storm);
  const totals = sumUp(storm, neighbours);
  const drain = drainOf(storm);
  const peaks = highest(servers.map((server) => server.peaks));
  const waits = agents.flatMap(({ waitSeconds }) => (waitSeconds === null ? [] : [waitSeconds.p99]));
  const verdict = judgeStorm(
    {
      drain,
      totals,
      ownWaitSecondsP99: waits.length === 0 ? null : Math.max(...waits),
      neighbours,
      linkRatio: peaks.linkRatio,
      memory: worstMemory(servers),
    },
    input.doubts,
  );
  return {
    seed: input.seed,
    verdict,
    drain,
    servers,
    busiestServer,
    agents,
    totals,
    peaks,
    neighbours,
    exempt: exemptLatency(storm),
    collapse: collapseEstimates(storm),
    coefficients: usedCoefficients(storm),
    assumptions: [
      ...new Set([
        ...input.cluster.assumptions,
        ...input.agents.flatMap(({ assumptions }) => assumptions),
        ...storm.notes,
      ]),
    ],
  };
}

function serverResult(server: ApiServer<StormCopy>): StormServerResult {
  const series = server.recorder.series(server.levels.values());
  const { input } = server;
  const main = server.levels.get(mainLevel(server));
  // Answers are taken to be sent evenly while they last, which at its edges can come to more than the link.
  const bytesPerSecond = Math.min(
    busiestWindow(series.bytesPerSecond, series.stepSeconds),
    input.linkBytesPerSecond ?? Number.POSITIVE_INFINITY,
  );
  const peaks: StormPeaks = {
    executingSeats: main?.seatsPeak ?? 0,
    limitSeats: main?.limitPeak ?? 0,
    executingRequests: main?.requestsPeak ?? 0,
    waitingRequests: main?.waitingPeak ?? 0,
    bytesPerSecond,
    linkRatio: input.linkBytesPerSecond === null ? null : bytesPerSecond / input.linkBytesPerSecond,
    memoryBytes: Math.round(server.recorder.memoryPeak.likely),
    memoryLowBytes: Math.round(server.recorder.memoryPeak.low),
    memoryHighBytes: Math.round(server.recorder.memoryPeak.high),
    retryAfterSeconds: server.retryAfterPeak,
  };
  return {
    name: input.name,
    ...series,
    peaks,
    cores: input.cores,
    linkBytesPerSecond: input.linkBytesPerSecond,
    memoryLimitBytes: input.memoryBytes,
  };
}

/** The level that the agents held most seats of; empty where they held none. */
function mainLevel(server: ApiServer<StormCopy>): string {
  let main = "";
  let most = 0;
  for (const [name, seats] of server.seatsAsked) {
    if (seats <= most) continue;
    most = seats;
    main = name;
  }
  return main;
}

function findBusiest(servers: readonly ApiServer<StormCopy>[]): number {
  const asked = servers.map(({ seatsAsked }) =>
    [...seatsAsked.values()].reduce((sum, seats) => sum + seats, 0),
  );
  return Math.max(0, asked.indexOf(Math.max(...asked)));
}

function busiestWindow(bytesPerSecond: readonly number[], stepSeconds: number): number {
  const steps = Math.max(1, Math.min(bytesPerSecond.length, Math.round(LINK_WINDOW_SECONDS / stepSeconds)));
  let sum = 0;
  let most = 0;
  for (let index = 0; index < bytesPerSecond.length; index++) {
    sum += (bytesPerSecond[index] ?? 0) - (bytesPerSecond[index - steps] ?? 0);
    most = Math.max(most, sum);
  }
  return Math.round(most / steps);
}

function highest(all: readonly StormPeaks[]): StormPeaks {
  const max = (of: (peaks: StormPeaks) => number) => Math.max(0, ...all.map(of));
  const ratios = all.flatMap(({ linkRatio }) => (linkRatio === null ? [] : [linkRatio]));
  return {
    executingSeats: max((peaks) => peaks.executingSeats),
    limitSeats: max((peaks) => peaks.limitSeats),
    executingRequests: max((peaks) => peaks.executingRequests),
    waitingRequests: max((peaks) => peaks.waitingRequests),
    bytesPerSecond: max((peaks) => peaks.bytesPerSecond),
    linkRatio: ratios.length === 0 ? null : Math.max(...ratios),
    memoryBytes: max((peaks) => peaks.memoryBytes),
    memoryLowBytes: max((peaks) => peaks.memoryLowBytes),
    memoryHighBytes: max((peaks) => peaks.memoryHighBytes),
    retryAfterSeconds: max((peaks) => peaks.retryAfterSeconds),
  };
}

/** Of the server with the least memory left, those without a known size last. */
function worstMemory(servers: readonly StormServerResult[]) {
  const known = servers
    .flatMap(({ peaks, memoryLimitBytes }) =>
      memoryLimitBytes === null ? [] : [{ peaks, memoryLimitBytes }],
    )
    .sort((a, b) => a.memoryLimitBytes - a.peaks.memoryBytes - (b.memoryLimitBytes - b.peaks.memoryBytes))[0];
  const { memoryBytes, memoryLowBytes } = known?.peaks ?? { memoryBytes: 0, memoryLowBytes: 0 };
  return { memoryBytes, memoryLowBytes, limitBytes: known?.memoryLimitBytes ?? null };
}

function agentResult(agent: AgentState): StormAgentResult {
  return {
    id: agent.input.id,
    copies: agent.copies,
    copiesDone: agent.copiesDone,
    calls: agent.calls,
    requests: agent.requests,
    attemptsPerList: agent.listsEnded === 0 ? null : agent.listsSent / agent.listsEnded,
    rejected: toRejections(agent.rejected),
    timeouts: agent.timeouts,
    failures: agent.failures,
    restarts: agent.restarts,
    syncSeconds: agent.syncs.spread(),
    waitSeconds: agent.waits.spread(),
    bytes: agent.bytes,
  };
}

const toRejections = (counts: ReadonlyMap<string, number>): Rejections =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function sumUp(storm: StormSimulation, neighbours: readonly StormNeighbour[]): StormTotals {
  const { agents } = storm.clients;
  const sum = (of: (agent: AgentState) => number) => agents.reduce((total, agent) => total + of(agent), 0);
  const rejected = new Map<string, number>();
  for (const agent of agents) {
    for (const [reason, count] of agent.rejected) rejected.set(reason, (rejected.get(reason) ?? 0) + count);
  }
  return {
    copies: storm.clients.copies,
    requests: sum((agent) => agent.requests),
    lists: sum((agent) => agent.listsSent - agent.watchLists),
    watches: sum((agent) => agent.watches),
    watchLists: sum((agent) => agent.watchLists),
    handshakes: storm.clients.handshakes,
    retries: sum((agent) => agent.retries),
    rejected: toRejections(rejected),
    rejectedAll: sumOf(rejected),
    watchesRejected: sum((agent) => agent.watchesRejected),
    timeouts: storm.timeouts,
    receivedBytes: storm.receivedBytes,
    wastedBytes: storm.wastedBytes,
    usefulCpuSeconds: storm.usefulCpuSeconds,
    wastedCpuSeconds: storm.wastedCpuSeconds,
    neighboursRejected: neighbours.reduce(
      (total, { isOwnFlow, rejectedAll }) => total + (isOwnFlow ? 0 : rejectedAll),
      0,
    ),
    events: storm.events,
  };
}

/** Of the work of LISTs: what is lost to those that are aborted, in a collapse. A few that come too late are none. */
const COLLAPSE_WASTE_RATIO = 0.5;

function drainOf(storm: StormSimulation): StormDrain {
  const { clients, lastStart, isDrained } = storm;
  const at = (tick: number) => (tick < 0 ? null : toSeconds(tick));
  const seconds = isDrained ? toSeconds(Math.max(0, clients.doneAt)) : null;
  const outcome = isDrained ? "drained" : isCollapse(storm) ? "collapse" : "never-drains";
  return {
    outcome,
    seconds,
    afterLastStartSeconds: seconds === null ? null : Math.max(0, seconds - toSeconds(lastStart)),
    listedSeconds: at(clients.listedAt),
    halfSeconds: at(clients.halfAt),
    lastStartSeconds: toSeconds(lastStart),
    copies: clients.copies,
    copiesDone: clients.done,
    why: whyNot(storm, outcome),
    simulatedSeconds: toSeconds(storm.now),
  };
}

/** LISTs that were aborted took most of the work with them. */
function isCollapse({ timeouts, wastedCpuSeconds, usefulCpuSeconds }: StormSimulation): boolean {
  return timeouts > 0 && wastedCpuSeconds >= COLLAPSE_WASTE_RATIO * (wastedCpuSeconds + usefulCpuSeconds);
}

function whyNot(storm: StormSimulation, outcome: StormDrain["outcome"]): string | null {
  const { clients, timeouts, input } = storm;
  const left = `${clients.copies - clients.done} of ${clients.copies} copies are not done after ${Math.round(toSeconds(storm.now))} s`;
  if (outcome === "drained") return null;
  if (outcome === "collapse") {
    return `${left}: ${timeouts} LISTs were aborted at the deadline of ${input.cluster.requestTimeoutSeconds} s and began again.`;
  }
  if (storm.servers.every(({ isDown }) => isDown)) return `${left}: no API server is up.`;
  const restarts = clients.agents.reduce((sum, agent) => sum + agent.restarts, 0);
  if (restarts > 0)
    return `${left}: ${restarts} times a process ended because its caches were not filled in time, and began anew.`;
  if (storm.isGivenUp) return `${left}: more events than one simulation handles.`;
  return `${left}.`;
}

function listNeighbours(storm: StormSimulation): StormNeighbour[] {
  const own = ownFlows(storm);
  const all = storm.background.map((flow): StormNeighbour => {
    const { priorityLevelName, flowSchemaName, flowDistinguisher } = flow.input;
    const waits = flow.waits.spread();
    return {
      priorityLevelName,
      flowSchemaName,
      flowDistinguisher,
      sharesLevel: own.some((shape) => shape.priorityLevelName === priorityLevelName),
      isProbe: flow.isProbe,
      ...sharedQueues(storm, flow, own),
      isOwnFlow: own.some(
        (shape) => shape.flowSchemaName === flowSchemaName && shape.flowDistinguisher === flowDistinguisher,
      ),
      requests: flow.requests,
      waitSecondsP50: waits?.p50 ?? null,
      waitSecondsP99: waits?.p99 ?? null,
      rejected: toRejections(flow.rejected),
      rejectedAll: sumOf(flow.rejected),
    };
  });
  return all.sort(
    (a, b) =>
      Number(a.isProbe) - Number(b.isProbe) ||
      Number(b.sharesLevel) - Number(a.sharesLevel) ||
      (b.waitSecondsP99 ?? -1) - (a.waitSecondsP99 ?? -1) ||
      (a.flowDistinguisher < b.flowDistinguisher ? -1 : 1),
  );
}

/** One shape for each flow that the agents sent requests in. */
function ownFlows({ clients }: StormSimulation): readonly RequestShape[] {
  const flows = new Map<string, RequestShape>();
  for (const shape of clients.agents.flatMap(usedShapes)) {
    flows.set(`${shape.flowSchemaName}\n${shape.flowDistinguisher}`, shape);
  }
  return [...flows.values()];
}

const usedShapes = (agent: AgentState): readonly RequestShape[] =>
  agent.informers.flatMap(({ shapes }) =>
    shapes.flatMap((ofServer) => (ofServer ?? []).filter((shape) => shape !== undefined)),
  );

function sharedQueues(
  storm: StormSimulation,
  { flow, input }: BackgroundFlowState,
  own: readonly RequestShape[],
): Pick<StormNeighbour, "queuesShared" | "handSize"> {
  const level = storm.input.cluster.priorityLevels.find(({ name }) => name === input.priorityLevelName);
  const mine = own.filter(({ priorityLevelName }) => priorityLevelName === input.priorityLevelName);
  const queues = level?.queues ?? 0;
  const handSize = level?.handSize ?? 0;
  if (queues < 1 || handSize < 1 || mine.some(({ flowDistinguisher }) => flowDistinguisher === null)) {
    return { queuesShared: null, handSize: null };
  }
  const taken = new Set(
    mine.flatMap((shape) =>
      new Flow(shape.flowSchemaName, shape.flowDistinguisher ?? "").hand(queues, handSize),
    ),
  );
  return { queuesShared: flow.hand(queues, handSize).filter((queue) => taken.has(queue)).length, handSize };
}

function exemptLatency({ background, input }: StormSimulation): StormResult["exempt"] {
  const exempt = new Set(
    input.cluster.priorityLevels.filter(({ type }) => type === "Exempt").map(({ name }) => name),
  );
  const all = new TickSamples();
  for (const flow of background) {
    if (exempt.has(flow.input.priorityLevelName)) all.addAll(flow.latencies);
  }
  const spread = all.spread();
  return spread && { p50Seconds: spread.p50, p99Seconds: spread.p99, maxSeconds: spread.max };
}
