import { z } from "zod";
import type { BackgroundFlow, ClusterFacts, CollectionFacts } from "../domain/clusters/cluster-facts.ts";
import {
  defaultFlowSchemas,
  defaultPriorityLevels,
  readFlowSchema,
  readPriorityLevel,
} from "../domain/fairness/index.ts";
import { type HandGivenFacts, NO_CLUSTER_FACTS, NO_HAND_GIVEN_FACTS } from "../domain/findings/scan-facts.ts";
import { ruleVersion } from "../domain/kubernetes/version.ts";
import { versionText } from "./fields.ts";
import { flowSchema, priorityLevel } from "./flow-control-objects.ts";

const COUNT = "a whole number of at least 0, or null where it is not known";
const count = () => z.int({ error: COUNT }).min(0, { error: COUNT }).nullish();
const AMOUNT = "a number of at least 0, or null where it is not known";
const amount = () => z.number({ error: AMOUNT }).min(0, { error: AMOUNT }).nullish();
const words = (what: string) => z.string({ error: what }).nullish();

/** `pods`, `deployments.apps`, `widgets.example.com`: the plural, and the group unless it is the core group. */
const byResource = <Value extends z.ZodType>(value: Value, what: string) =>
  z
    .record(z.string(), value, { error: `${what} by resource, such as { pods: … , deployments.apps: … }` })
    .nullish();

const objectBytes = z.looseObject(
  { json: amount(), protobuf: amount(), metadata: amount() },
  { error: "mean bytes of one object: json, protobuf, metadata" },
);

const backgroundFlow = z.looseObject(
  {
    priorityLevelName: z.string({ error: "the name of a priority level" }),
    flowSchemaName: words("the name of a FlowSchema"),
    flowDistinguisher: words("a flow distinguisher"),
    requestsPerSecond: z.number({ error: AMOUNT }).min(0, { error: AMOUNT }),
    seats: amount(),
    serviceSeconds: amount(),
  },
  { error: "a flow with priorityLevelName and requestsPerSecond" },
);

const flowControl = z.union(
  [
    z.literal("defaults"),
    z.looseObject({
      flowSchemas: z.array(flowSchema, { error: "a list of FlowSchemas" }).nullish(),
      priorityLevels: z.array(priorityLevel, { error: "a list of PriorityLevelConfigurations" }).nullish(),
    }),
    z.array(z.looseObject({ kind: z.string() }), {
      error: "a list of FlowSchemas and PriorityLevelConfigurations",
    }),
  ],
  {
    error:
      '"defaults", a list of FlowSchemas and PriorityLevelConfigurations, or { flowSchemas, priorityLevels }',
  },
);

/**
 * Facts about a cluster given by hand, as `cluster.yaml` or `cluster.json`. Every field may be left out or `null`: not
 * known. Unknown fields are named and passed over.
 */
export const ClusterFactsFileSchema = z
  .looseObject(
    {
      name: words("a name").describe("Name of the cluster, for people."),
      kubernetesVersion: versionText().nullish().describe("Of the lowest API server: 1.34.2."),
      etcdVersion: words("an etcd version").describe("3.5.15."),
      featureGates: z
        .record(z.string(), z.boolean({ error: "true or false" }), {
          error: "gates by name, each true or false",
        })
        .nullish()
        .describe("Gates of the API server that differ from the default of the version."),
      apiServers: count().describe("Number of API servers."),
      nodes: count().describe("Number of nodes."),
      nodesNotReady: count().describe("Nodes whose condition Ready is not True."),
      objects: byResource(count(), "counts").describe("Objects of each resource."),
      bytes: byResource(amount(), "bytes").describe(
        "Bytes of each resource as stored in etcd, all objects together.",
      ),
      objectBytes: byResource(objectBytes, "bytes").describe("Mean bytes of one object in each form."),
      objectsPerNode: byResource(count(), "counts").describe(
        "Most objects that belong to one node, pods above all.",
      ),
      maxRequestsInflight: count().describe("--max-requests-inflight of one API server."),
      maxMutatingRequestsInflight: count().describe("--max-mutating-requests-inflight of one API server."),
      seats: z
        .union([amount(), z.record(z.string(), amount())], {
          error: "seats of one API server: a number, or numbers by priority level",
        })
        .nullish()
        .describe("Seats of one API server, all together or the current limit by priority level."),
      nominalSeats: z
        .record(z.string(), amount(), { error: "seats by priority level" })
        .nullish()
        .describe("Nominal seats of each priority level on one API server."),
      flowcontrol: flowControl
        .nullish()
        .describe('FlowSchemas and PriorityLevelConfigurations, or "defaults".'),
      server: z
        .looseObject(
          { cores: amount(), memoryBytes: amount(), linkBytesPerSecond: amount() },
          { error: "what one API server has: cores, memoryBytes, linkBytesPerSecond" },
        )
        .nullish()
        .describe("What one API server has to work with."),
      background: z
        .array(backgroundFlow, { error: "a list of flows" })
        .nullish()
        .describe("Steady load of each flow on one API server."),
      flags: z
        .union([z.array(z.string()), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
          error: "start-up flags, as a list of texts or by name",
        })
        .nullish()
        .describe("Start-up flags of the API server."),
      deployTimeoutSeconds: amount().describe("How long whoever deploys waits for a rollout."),
      secondsPerPod: amount().describe("From one pod of a rollout to the next, as measured."),
      secondsBetweenDumps: amount().describe(
        "Between two dumps of fairness state, in the order of their names.",
      ),
      note: z
        .union([z.string(), z.array(z.string())], { error: "a text, or a list of them" })
        .nullish()
        .describe("For people."),
      observedAt: z.iso
        .datetime({ offset: true, error: "an instant such as 2026-11-30T09:42:00Z" })
        .nullish()
        .describe("When the oldest figure was observed."),
    },
    { error: "the facts of a cluster as keys and values" },
  )
  .meta({ title: "Facts about a cluster, given by hand" });

export type ClusterFactsFile = z.output<typeof ClusterFactsFileSchema>;

/** Fields that mean something, in the order of the documentation. */
export const CLUSTER_FACTS_FIELDS: readonly string[] = Object.keys(ClusterFactsFileSchema.shape);

export interface ReadClusterFacts {
  readonly cluster: ClusterFacts;
  readonly hand: HandGivenFacts;
}

/** What a file says, in the shapes of the domain. What it leaves out stays `null` or empty. */
export function asClusterFacts(file: ClusterFactsFile): ReadClusterFacts {
  const flowControlObjects = readFlowControl(file);
  const maxRequestsInflight = file.maxRequestsInflight ?? null;
  const maxMutatingRequestsInflight = file.maxMutatingRequestsInflight ?? null;
  return {
    cluster: {
      ...NO_CLUSTER_FACTS,
      name: file.name ?? null,
      kubernetesVersion: file.kubernetesVersion ?? null,
      featureGates: file.featureGates ?? {},
      etcdVersion: file.etcdVersion ?? null,
      apiServers: file.apiServers ?? null,
      nodes: file.nodes ?? null,
      nodesNotReady: file.nodesNotReady ?? null,
      collections: readCollections(file),
      ...flowControlObjects,
      totalConcurrencySeats:
        typeof file.seats === "number"
          ? file.seats
          : addInflight(maxRequestsInflight, maxMutatingRequestsInflight),
      server: {
        cores: file.server?.cores ?? null,
        memoryBytes: file.server?.memoryBytes ?? null,
        linkBytesPerSecond: file.server?.linkBytesPerSecond ?? null,
      },
      background: (file.background ?? []).map(asBackgroundFlow),
      observedAt: file.observedAt ? Date.parse(file.observedAt) : null,
    },
    hand: {
      ...NO_HAND_GIVEN_FACTS,
      note: Array.isArray(file.note) ? file.note.join("\n") : (file.note ?? null),
      secondsPerPod: file.secondsPerPod ?? null,
      deployTimeoutSeconds: file.deployTimeoutSeconds ?? null,
      secondsBetweenDumps: file.secondsBetweenDumps ?? null,
      nominalSeats: knownNumbers(file.nominalSeats),
      seats: typeof file.seats === "number" ? { "*": file.seats } : knownNumbers(file.seats),
      hasDefaultFlowControl: file.flowcontrol === "defaults",
      maxRequestsInflight,
      maxMutatingRequestsInflight,
      flags: Array.isArray(file.flags)
        ? file.flags
        : Object.entries(file.flags ?? {}).map(([name, value]) => `${name}=${value}`),
      others: Object.fromEntries(
        Object.entries(file).filter(([name]) => !CLUSTER_FACTS_FIELDS.includes(name)),
      ),
    },
  };
}

function readCollections({
  objects,
  bytes,
  objectBytes,
  objectsPerNode,
}: ClusterFactsFile): CollectionFacts[] {
  const names = new Set(
    [objects, bytes, objectBytes, objectsPerNode].flatMap((each) => Object.keys(each ?? {})),
  );
  return [...names]
    .map((name) => {
      const sizes = objectBytes?.[name];
      return {
        ...splitResource(name),
        objects: objects?.[name] ?? null,
        storedBytes: bytes?.[name] ?? null,
        jsonObjectBytes: sizes?.json ?? null,
        protobufObjectBytes: sizes?.protobuf ?? null,
        metadataObjectBytes: sizes?.metadata ?? null,
        objectsPerNode: objectsPerNode?.[name] ?? null,
      };
    })
    .sort((a, b) => compare(a.apiGroup, b.apiGroup) || compare(a.resource, b.resource));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** `endpoints.cni.example.io` is `endpoints` of the group `cni.example.io`. */
export function splitResource(name: string): { readonly apiGroup: string; readonly resource: string } {
  const dot = name.indexOf(".");
  return dot < 0
    ? { apiGroup: "", resource: name }
    : { apiGroup: name.slice(dot + 1), resource: name.slice(0, dot) };
}

function readFlowControl(file: ClusterFactsFile): Pick<ClusterFacts, "flowSchemas" | "priorityLevels"> {
  const given = file.flowcontrol;
  if (given === null || given === undefined) return { flowSchemas: null, priorityLevels: null };
  if (given === "defaults") {
    if (file.kubernetesVersion === null || file.kubernetesVersion === undefined) {
      return { flowSchemas: null, priorityLevels: null };
    }
    const { minor } = ruleVersion(file.kubernetesVersion);
    return { flowSchemas: defaultFlowSchemas(minor), priorityLevels: defaultPriorityLevels(minor) };
  }
  if (Array.isArray(given)) {
    return {
      flowSchemas: given.flatMap((each) => readAs(flowSchema, each, "FlowSchema")).map(readFlowSchema),
      priorityLevels: given
        .flatMap((each) => readAs(priorityLevel, each, "PriorityLevelConfiguration"))
        .map(readPriorityLevel),
    };
  }
  return {
    flowSchemas: given.flowSchemas?.map(readFlowSchema) ?? null,
    priorityLevels: given.priorityLevels?.map(readPriorityLevel) ?? null,
  };
}

function readAs<Schema extends z.ZodType>(
  schema: Schema,
  value: { kind: string },
  kind: string,
): z.output<Schema>[] {
  if (value.kind !== kind) return [];
  const result = schema.safeParse(value);
  return result.success ? [result.data] : [];
}

function asBackgroundFlow(flow: z.output<typeof backgroundFlow>): BackgroundFlow {
  return {
    priorityLevelName: flow.priorityLevelName,
    flowSchemaName: flow.flowSchemaName ?? "",
    flowDistinguisher: flow.flowDistinguisher ?? "",
    requestsPerSecond: flow.requestsPerSecond,
    seats: flow.seats ?? 1,
    serviceSeconds: flow.serviceSeconds ?? 0,
  };
}

/** One that is not given is the API server's default. Source: k8s.io/apiserver pkg/server/config.go, v1.26 to v1.37. */
const addInflight = (reading: number | null, mutating: number | null) =>
  reading === null && mutating === null ? null : (reading ?? 400) + (mutating ?? 200);

function knownNumbers(values: unknown): Readonly<Record<string, number>> {
  if (typeof values !== "object" || values === null) return {};
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
