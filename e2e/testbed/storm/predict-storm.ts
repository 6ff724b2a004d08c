import {
  defaultFlowSchemas,
  defaultPriorityLevels,
  serviceAccountUser,
} from "../../../lib/domain/fairness/index.ts";
import { ruleVersion } from "../../../lib/domain/kubernetes/version.ts";
import {
  CALIBRATION_REQUESTS,
  calibrateServiceTime,
  DEFAULT_STORM_MODEL,
  type StormInput,
  type StormModel,
  type StormResult,
  simulateStorm,
} from "../../../lib/domain/storm/index.ts";
import type { MeasuredCollection, SingleRequests, StormMeasurement } from "./measure-storm.ts";
import { STORM_FLEET } from "./storm-case.ts";

/** Seeds of a prediction: the phase of the borrowing tick alone moves a storm by up to tens of percent. */
const SEEDS = 21;
const DEFAULT_SEATS = 600;

/** What a simulation says of a storm before it happens, from single requests alone. */
export interface StormPrediction {
  readonly outcome: StormResult["drain"]["outcome"];
  readonly verdict: string;
  /** Over the seeds; infinite where a seed does not drain. */
  readonly drainSeconds: { readonly p5: number; readonly p50: number; readonly p95: number };
  readonly seatsMax: number;
  readonly waitingMax: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly timeouts: number;
}

export function predictStorm(measurement: StormMeasurement): StormPrediction {
  const results = Array.from({ length: SEEDS }, (_, index) =>
    simulateStorm(stormInput(measurement, index + 1)),
  );
  const drains = results.map(({ drain }) => drain.listedSeconds ?? Number.POSITIVE_INFINITY);
  const reasons = new Set(results.flatMap(({ totals }) => Object.keys(totals.rejected)));
  return {
    outcome: mostFrequent(results.map(({ drain }) => drain.outcome)),
    verdict: mostFrequent(results.map(({ verdict }) => verdict.simulated)),
    drainSeconds: { p5: at(drains, 0.05), p50: at(drains, 0.5), p95: at(drains, 0.95) },
    seatsMax: at(
      results.map(({ peaks }) => peaks.executingSeats),
      0.5,
    ),
    waitingMax: at(
      results.map(({ peaks }) => peaks.waitingRequests),
      0.5,
    ),
    rejected: Object.fromEntries(
      [...reasons].map((reason) => [
        reason,
        at(
          results.map(({ totals }) => new Map(Object.entries(totals.rejected)).get(reason) ?? 0),
          0.5,
        ),
      ]),
    ),
    timeouts: at(
      results.map(({ totals }) => totals.timeouts),
      0.5,
    ),
  };
}

/** The test bed as the simulation sees it: one core, one flow, no load but the storm. */
function stormInput({ stormCase, version, collections, single }: StormMeasurement, seed: number): StormInput {
  const { minor } = ruleVersion(version);
  const { name, groups } = serviceAccountUser("storm", "agent");
  const { inflight } = stormCase;
  return {
    cluster: {
      name: "test bed",
      kubernetesVersion: version,
      featureGates: {},
      etcdProgress: true,
      nodes: STORM_FLEET.nodes,
      servers: [
        {
          name: "api-0",
          cores: 1,
          memoryBytes: null,
          linkBytesPerSecond: null,
          totalConcurrencySeats: inflight === null ? DEFAULT_SEATS : inflight.requests + inflight.mutating,
          clientWeight: 1,
          demand: [],
        },
      ],
      collections: collections.map((collection) => describeCollection(collection, single)),
      flowSchemas: defaultFlowSchemas(minor),
      priorityLevels: defaultPriorityLevels(minor),
      requestTimeoutSeconds: 60,
      background: [],
      assumptions: [],
    },
    agents: [
      {
        id: "storm/agent",
        name: "agent",
        kind: "DaemonSet",
        replicas: stormCase.copies,
        userName: name,
        userGroups: groups,
        namespace: "storm",
        client: {
          clientGoVersion: "0.37.2",
          qps: 5,
          burst: 10,
          acceptsGzip: stormCase.gzip,
          maxRetries: 10,
          backOff: { baseSeconds: 0.8, capSeconds: 30, jitterRatio: 1, resetSeconds: 120 },
          cacheSyncTimeoutSeconds: null,
        },
        informers: stormCase.resources.map((resource) => ({
          apiGroup: resource.group,
          resource: resource.resource,
          scope: "cluster",
          namespace: "",
          fieldSelector: resource.fieldSelector ?? "",
          labelSelector: "",
          representation: resource.representation,
          mode: "informer",
          periodSeconds: 0,
          resourceVersion: "0",
          pageSize: 500,
          watchList: stormCase.watchList,
          matchingObjects: null,
        })),
        startJitterSeconds: 0,
        assumptions: [],
      },
    ],
    scenario: { kind: "start-all", windowSeconds: stormCase.startWindowSeconds },
    seed,
    model: modelOf(single, collections),
    patienceSeconds: stormCase.limitSeconds,
    stepSeconds: null,
    hasProbes: true,
    doubts: [],
  };
}

/** The product's own calibration, from single requests; what is in none of them keeps its default. */
function modelOf(single: readonly SingleRequests[], collections: readonly MeasuredCollection[]): StormModel {
  const samples = single.flatMap((measured) => {
    const objects = collections.find(({ resource }) => resource === measured.resource)?.objects ?? 0;
    const sample = {
      apiGroup: "",
      resource: measured.resource,
      representation: measured.representation,
      source: measured.watchList ? ("watch-list" as const) : ("cache" as const),
      objects,
      bytes: measured.responseBytes,
      seconds: measured.cpuSeconds,
      at: 0,
    };
    // The CPU time of a process is known of all of them together only.
    return Array.from({ length: Math.max(measured.requests, CALIBRATION_REQUESTS) }, () => sample);
  });
  const { model } = calibrateServiceTime(samples, DEFAULT_STORM_MODEL);
  // gzip is in what was measured.
  return { ...model, gzipSecondsPerByte: { protobuf: 0, json: 0, metadata: 0 } };
}

function describeCollection(
  { resource, objects, storedBytes }: MeasuredCollection,
  single: readonly SingleRequests[],
) {
  const measured = single.find((one) => one.resource === resource);
  const objectBytes = storedBytes === null ? (measured?.responseBytes ?? 0) / objects : storedBytes / objects;
  return {
    apiGroup: "",
    resource,
    objects,
    storedBytes: objectBytes * objects,
    jsonObjectBytes: objectBytes * 1.48,
    protobufObjectBytes: objectBytes,
    metadataJsonObjectBytes: objectBytes * 0.8,
    metadataProtobufObjectBytes: objectBytes * 0.54,
    objectsPerNode: objects / STORM_FLEET.nodes,
    // From 1.36 sizes of objects that nobody changes are unknown after the restart before the storm.
    statistics: storedBytes === null ? ("size-unknown" as const) : ("known" as const),
    isSizeKnownAfterRestart: storedBytes !== null,
  };
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}

function mostFrequent<Value extends string>(values: readonly Value[]): Value {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort((a, b) => b[1] - a[1]);
  if (first === undefined) throw new Error("no value");
  return first[0];
}
