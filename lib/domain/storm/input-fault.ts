import type { StormAgent, StormCluster, StormInput, StormServer } from "./storm-input.ts";
import type { StormModel } from "./storm-model.ts";
import {
  type FirstRolloutScenario,
  type RollingUpdateScenario,
  STORM_SCENARIO_KINDS,
  type StormScenario,
} from "./storm-scenario.ts";

/** Most copies of all agents together: memory grows by about 1 kB for each informer. */
const COPIES_MAX = 500_000;
/** No time of an input is longer than a week. */
const LONGEST_SECONDS = 604_800;

/** Why a storm cannot be simulated, one sentence that names the field; `null` where it can. */
export function findInputFault(input: StormInput): string | null {
  const { cluster, agents, scenario, seed, model, patienceSeconds, stepSeconds } = input;
  if (!Number.isSafeInteger(seed)) return `seed must be a whole number, not ${seed}.`;
  if (agents.length === 0) return "A storm needs an agent: agents is empty.";
  if (patienceSeconds !== null && !(isPositive(patienceSeconds) && isDuration(patienceSeconds)))
    return `patienceSeconds must be above 0 and at most a week, not ${patienceSeconds}.`;
  if (stepSeconds !== null && !(stepSeconds >= 0.001 && Number.isFinite(stepSeconds)))
    return `stepSeconds must be at least 0.001, not ${stepSeconds}.`;
  const copies = agents.reduce((sum, { replicas }) => sum + replicas, 0);
  if (copies > COPIES_MAX) return `${copies} copies are more than the ${COPIES_MAX} that can be simulated.`;
  return (
    findClusterFault(cluster) ??
    findAgentFault(agents) ??
    findModelFault(model) ??
    findScenarioFault(scenario, cluster, copies)
  );
}

function findClusterFault({
  servers,
  collections,
  requestTimeoutSeconds,
  background,
}: StormCluster): string | null {
  if (servers.length === 0) return "A storm needs an API server: cluster.servers is empty.";
  for (const server of servers) {
    const fault = findServerFault(server);
    if (fault !== null) return `${server.name}: ${fault}`;
  }
  if (!servers.some(({ clientWeight }) => clientWeight > 0))
    return "Clients connect nowhere: every server has clientWeight 0.";
  if (!isPositive(requestTimeoutSeconds))
    return `requestTimeoutSeconds must be above 0, not ${requestTimeoutSeconds}.`;
  const names = new Set<string>();
  for (const one of collections) {
    const name = one.apiGroup === "" ? one.resource : `${one.resource}.${one.apiGroup}`;
    if (names.has(name)) return `${name} is there twice: which of the two counts is not known.`;
    names.add(name);
    const figures = [one.objects, one.storedBytes, one.jsonObjectBytes, one.protobufObjectBytes];
    figures.push(one.metadataJsonObjectBytes, one.metadataProtobufObjectBytes, one.objectsPerNode);
    if (!figures.every(isAmount)) return `${one.resource}: counts and sizes must be 0 or more.`;
    if (!Number.isSafeInteger(one.objects)) return `${one.resource}: objects must be a whole number.`;
  }
  for (const { flowSchemaName, requestsPerSecond, seats, serviceSeconds } of background) {
    if (
      !isAmount(requestsPerSecond) ||
      !isAmount(serviceSeconds) ||
      !Number.isSafeInteger(seats) ||
      seats < 1
    )
      return `The steady load of ${flowSchemaName} needs a rate and a service time of 0 or more and at least 1 seat.`;
  }
  return null;
}

function findServerFault(server: StormServer): string | null {
  const { cores, memoryBytes, linkBytesPerSecond, totalConcurrencySeats, clientWeight } = server;
  if (!isPositive(cores)) return `cores must be above 0, not ${cores}.`;
  if (memoryBytes !== null && !isPositive(memoryBytes))
    return `memoryBytes must be above 0, not ${memoryBytes}.`;
  if (linkBytesPerSecond !== null && !isPositive(linkBytesPerSecond))
    return `linkBytesPerSecond must be above 0, not ${linkBytesPerSecond}.`;
  if (!Number.isSafeInteger(totalConcurrencySeats) || totalConcurrencySeats < 1)
    return `totalConcurrencySeats must be a whole number above 0, not ${totalConcurrencySeats}.`;
  return isAmount(clientWeight) ? null : `clientWeight must be 0 or more, not ${clientWeight}.`;
}

function findAgentFault(agents: readonly StormAgent[]): string | null {
  for (const { name, replicas, startJitterSeconds, client, informers } of agents) {
    if (!Number.isSafeInteger(replicas) || replicas < 0)
      return `${name}: replicas must be a whole number of 0 or more, not ${replicas}.`;
    if (!isDuration(startJitterSeconds))
      return `${name}: startJitterSeconds must be 0 or more, and at most a week.`;
    const { qps, burst, maxRetries, backOff } = client;
    if (qps !== null && !(isPositive(qps) && burst >= 1))
      return `${name}: qps must be above 0 and burst at least 1; qps null means no limit.`;
    if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
      return `${name}: maxRetries must be a whole number of 0 or more.`;
    if (!isPositive(backOff.baseSeconds) || !isPositive(backOff.capSeconds) || !isAmount(backOff.jitterRatio))
      return `${name}: back-off needs a base and a cap above 0.`;
    for (const { resource, mode, periodSeconds, pageSize, matchingObjects } of informers) {
      if (mode === "poll" && !isPositive(periodSeconds))
        return `${name}, ${resource}: a poll needs periodSeconds above 0.`;
      if (!Number.isSafeInteger(pageSize) || pageSize < 0)
        return `${name}, ${resource}: pageSize must be a whole number of 0 or more.`;
      if (matchingObjects !== null && !isAmount(matchingObjects))
        return `${name}, ${resource}: matchingObjects must be 0 or more, or null for all.`;
    }
  }
  return null;
}

function findModelFault({ service, memory, ...rest }: StormModel): string | null {
  if (service.length === 0) return "The model has no coefficients of service time.";
  const numbers = [
    ...service.flatMap((one) => [
      one.baseSeconds,
      one.secondsPerObject,
      one.secondsPerByte,
      one.allocatedBytesPerObject,
      one.allocatedBytesPerByte,
    ]),
    ...[
      memory.idlePerStoredByte,
      memory.streamedPerAllocatedByte,
      memory.bufferedPerBodyByte,
      memory.etcdPerStoredByte,
    ].flatMap(({ low, likely, high }) => [low, likely, high]),
    memory.watchListBytes,
    rest.gzipSecondsPerByte.protobuf,
    rest.gzipSecondsPerByte.json,
    rest.gzipSecondsPerByte.metadata,
    rest.gzipRatio,
    rest.scanSecondsPerObject,
    rest.handshakeSeconds,
    rest.watchSeconds,
    rest.requestSeconds,
    rest.concurrencyExponent,
    rest.schedulerTurns,
    rest.schedulerQuantumSeconds,
  ];
  return numbers.every(isAmount) ? null : "A coefficient of the model is negative or no number.";
}

function findScenarioFault(
  scenario: StormScenario,
  { servers }: StormCluster,
  copies: number,
): string | null {
  switch (scenario.kind) {
    case "start-all":
      return isDuration(scenario.windowSeconds)
        ? null
        : "windowSeconds must be 0 or more, and at most a week.";
    case "first-rollout":
    case "rolling-update":
      return findPaceFault(scenario);
    case "batches":
      return isCount(scenario.batchSize) &&
        scenario.batchSize > 0 &&
        isDuration(scenario.intervalSeconds) &&
        isDuration(Math.ceil(copies / scenario.batchSize) * scenario.intervalSeconds)
        ? null
        : "batches need a batchSize above 0 and an intervalSeconds of 0 or more, a week in all at most.";
    case "crash-recovery":
      // The kubelet knows no back-off below a second.
      return [scenario.initialSeconds, scenario.capSeconds].every(
        (seconds) => seconds >= 1 && isDuration(seconds),
      ) && [scenario.runSeconds, scenario.crashedSeconds, scenario.spreadSeconds].every(isDuration)
        ? null
        : "crash-recovery needs a back-off of 1 s and more, and durations of 0 or more, at most a week.";
    case "node-scale-out":
      return isCount(scenario.addedNodes) &&
        scenario.addedNodes <= COPIES_MAX &&
        isPositive(scenario.nodesPerMinute) &&
        isDuration((60 * scenario.addedNodes) / scenario.nodesPerMinute)
        ? null
        : "node-scale-out needs a whole number of nodes and a pace above 0, a week in all at most.";
    case "api-server-restart":
      return scenario.servers.every((server) => server in servers) &&
        isDuration(scenario.downSeconds) &&
        isRatio(scenario.resumedRatio)
        ? null
        : "api-server-restart needs indexes of servers, downSeconds of 0 or more, and a resumedRatio from 0 to 1.";
    case "api-server-loss":
      return scenario.server in servers &&
        isDuration(scenario.noticedWithinSeconds) &&
        isRatio(scenario.resumedRatio)
        ? null
        : "api-server-loss needs the index of a server, and a resumedRatio from 0 to 1.";
    default:
      return `scenario.kind must be one of ${STORM_SCENARIO_KINDS.join(", ")}.`;
  }
}

function findPaceFault(scenario: FirstRolloutScenario | RollingUpdateScenario): string | null {
  const { controller, durations, jitterRatio } = scenario;
  if (!isPositive(controller.qps) || !(controller.burst >= 1))
    return "The controller needs a rate above 0 and a burst of at least 1.";
  const { terminationSeconds, removalSeconds, scheduleSeconds, pullSeconds, startSeconds, readySeconds } =
    durations;
  const all = [terminationSeconds, removalSeconds, scheduleSeconds, pullSeconds, startSeconds, readySeconds];
  if (!all.every(isDuration) || !isAmount(jitterRatio)) return "Durations and jitterRatio must be 0 or more.";
  if (scenario.kind === "first-rollout") return null;
  return isCount(scenario.unavailable) && isDuration(scenario.minReadySeconds)
    ? null
    : "unavailable and minReadySeconds must be 0 or more, and unavailable whole.";
}

const isAmount = (value: number) => Number.isFinite(value) && value >= 0;
const isPositive = (value: number) => Number.isFinite(value) && value > 0;
const isRatio = (value: number) => isAmount(value) && value <= 1;
const isDuration = (value: number) => isAmount(value) && value <= LONGEST_SECONDS;
const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
