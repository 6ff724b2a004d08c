import { defaultFlowSchemas, defaultPriorityLevels } from "../../fairness/configuration/expand-objects.ts";
import { serviceAccountUser } from "../../fairness/matching/request-user.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import { DEFAULT_STORM_MODEL } from "../default-model.ts";
import type {
  StormAgent,
  StormClient,
  StormCluster,
  StormCollection,
  StormInformer,
  StormInput,
  StormServer,
} from "../storm-input.ts";

/** Inputs for tests and benches: the cluster on which the model was measured, to be changed field by field. */

export function makeCollection(overrides: Partial<StormCollection> = {}): StormCollection {
  const objects = overrides.objects ?? 20_000;
  const storedBytes = overrides.storedBytes ?? objects * 5000;
  const protobuf = objects === 0 ? 0 : storedBytes / objects;
  return {
    apiGroup: "",
    resource: "pods",
    objects,
    storedBytes,
    jsonObjectBytes: Math.round(1.48 * protobuf),
    protobufObjectBytes: protobuf,
    metadataJsonObjectBytes: Math.round(0.8 * protobuf),
    metadataProtobufObjectBytes: Math.round(0.54 * protobuf),
    objectsPerNode: 10,
    statistics: "known",
    isSizeKnownAfterRestart: true,
    ...overrides,
  };
}

export function makeServer(overrides: Partial<StormServer> = {}): StormServer {
  return {
    name: "api-0",
    cores: 1,
    memoryBytes: null,
    linkBytesPerSecond: null,
    totalConcurrencySeats: 600,
    clientWeight: 1,
    demand: [],
    ...overrides,
  };
}

export function makeCluster(overrides: Partial<StormCluster> = {}): StormCluster {
  const kubernetesVersion = overrides.kubernetesVersion ?? "1.34.4";
  const { minor } = ruleVersion(kubernetesVersion);
  return {
    name: "test",
    kubernetesVersion,
    featureGates: {},
    etcdProgress: true,
    nodes: 2000,
    servers: [makeServer()],
    collections: [makeCollection()],
    flowSchemas: defaultFlowSchemas(minor),
    priorityLevels: defaultPriorityLevels(minor),
    requestTimeoutSeconds: 60,
    background: [],
    assumptions: [],
    ...overrides,
  };
}

export function makeInformer(overrides: Partial<StormInformer> = {}): StormInformer {
  return {
    apiGroup: "",
    resource: "pods",
    scope: "cluster",
    namespace: "",
    fieldSelector: "",
    labelSelector: "",
    representation: "protobuf",
    mode: "informer",
    periodSeconds: 0,
    resourceVersion: "0",
    pageSize: 500,
    watchList: false,
    matchingObjects: null,
    ...overrides,
  };
}

export function makeClient(overrides: Partial<StormClient> = {}): StormClient {
  return {
    clientGoVersion: "0.34",
    qps: 5,
    burst: 10,
    acceptsGzip: false,
    maxRetries: 10,
    backOff: { baseSeconds: 0.8, capSeconds: 30, jitterRatio: 1, resetSeconds: 120 },
    cacheSyncTimeoutSeconds: null,
    ...overrides,
  };
}

export function makeAgent(overrides: Partial<StormAgent> = {}): StormAgent {
  const { name, groups } = serviceAccountUser("observability", "node-telemetry");
  return {
    id: "daemonset/observability/node-telemetry",
    name: "node-telemetry",
    kind: "DaemonSet",
    replicas: 100,
    userName: name,
    userGroups: groups,
    namespace: "observability",
    client: makeClient(),
    informers: [makeInformer()],
    startJitterSeconds: 0,
    assumptions: [],
    ...overrides,
  };
}

export function makeStorm(overrides: Partial<StormInput> = {}): StormInput {
  return {
    cluster: makeCluster(),
    agents: [makeAgent()],
    scenario: { kind: "start-all", windowSeconds: 0.4 },
    seed: 1,
    model: DEFAULT_STORM_MODEL,
    patienceSeconds: null,
    stepSeconds: null,
    hasProbes: true,
    doubts: [],
    ...overrides,
  };
}
