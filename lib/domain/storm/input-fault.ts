import type { StormAgent, StormCluster, StormInput, StormServer } from "./storm-input.ts";
import { STORM_SCENARIO_KINDS, type StormScenario } from "./storm-scenario.ts";

/** Most copies of all agents together. */
const COPIES_MAX = 1_000_000;

/** Why a storm cannot be simulated, one sentence that names the field; `null` where it can. */
export function findInputFault(input: StormInput): string | null {
  const { cluster, agents, scenario, seed, patienceSeconds, stepSeconds } = input;
  if (!Number.isSafeInteger(seed)) return `seed must be a whole number, not ${seed}.`;
  if (agents.length === 0) return "A storm needs an agent: agents is empty.";
  if (patienceSeconds !== null && !isPositive(patienceSeconds))
    return `patienceSeconds must be above 0, not ${patienceSeconds}.`;
  if (stepSeconds !== null && !(stepSeconds >= 0.001 && Number.isFinite(stepSeconds)))
    return `stepSeconds must be at least 0.001, not ${stepSeconds}.`;
  const copies = agents.reduce((sum, { replicas }) => sum + replicas, 0);
  if (copies > COPIES_MAX) return `${copies} copies are more than the ${COPIES_MAX} that can be simulated.`;
  return findClusterFault(cluster) ?? findAgentFault(agents) ?? findScenarioFault(scenario, cluster);
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
  for (const one of collections) {
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
    if (!isAmount(startJitterSeconds)) return `${name}: startJitterSeconds must be 0 or more.`;
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

function findScenarioFault(scenario: StormScenario, { servers }: StormCluster): string | null {
  switch (scenario.kind) {
    case "start-all":
      return isAmount(scenario.windowSeconds) ? null : "windowSeconds must be 0 or more.";
    case "first-rollout":
    case "rolling-update":
      return isPositive(scenario.controller.qps) && scenario.controller.burst >= 1
        ? null
        : "The controller needs a rate above 0 and a burst of at least 1.";
    case "batches":
      return Number.isSafeInteger(scenario.batchSize) &&
        scenario.batchSize > 0 &&
        isAmount(scenario.intervalSeconds)
        ? null
        : "batches need a batchSize above 0 and an intervalSeconds of 0 or more.";
    case "crash-recovery":
      return [scenario.initialSeconds, scenario.capSeconds].every(isPositive) &&
        [scenario.runSeconds, scenario.crashedSeconds, scenario.spreadSeconds].every(isAmount) &&
        scenario.crashedSeconds <= 86_400
        ? null
        : "crash-recovery needs a back-off above 0 and durations of 0 or more, at most a day.";
    case "node-scale-out":
      return Number.isSafeInteger(scenario.addedNodes) &&
        scenario.addedNodes >= 0 &&
        scenario.addedNodes <= COPIES_MAX &&
        isPositive(scenario.nodesPerMinute)
        ? null
        : "node-scale-out needs a whole number of nodes and a pace above 0.";
    case "api-server-restart":
      return scenario.servers.every((server) => server in servers) &&
        isAmount(scenario.downSeconds) &&
        isRatio(scenario.resumedRatio)
        ? null
        : "api-server-restart needs indexes of servers, downSeconds of 0 or more, and a resumedRatio from 0 to 1.";
    case "api-server-loss":
      return scenario.server in servers &&
        isAmount(scenario.noticedWithinSeconds) &&
        isRatio(scenario.resumedRatio)
        ? null
        : "api-server-loss needs the index of a server, and a resumedRatio from 0 to 1.";
    default:
      return `scenario.kind must be one of ${STORM_SCENARIO_KINDS.join(", ")}.`;
  }
}

const isAmount = (value: number) => Number.isFinite(value) && value >= 0;
const isPositive = (value: number) => Number.isFinite(value) && value > 0;
const isRatio = (value: number) => isAmount(value) && value <= 1;
