import type {
  FlowSchema,
  PolicyRules,
  PriorityLevelConfiguration,
} from "../../fairness/configuration/api-objects.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../../fairness/fairness-part.ts";
import { LimitsController } from "../../fairness/limits/limits-controller.ts";
import { FlowClassifier } from "../../fairness/matching/flow-classifier.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import type { StormAgent, StormInput } from "../storm-input.ts";
import { applied, notApplicable, type RemedyAnswer } from "./remedy.ts";

/** Objects as `kubectl apply` takes them: one level, and a FlowSchema for each agent. */
export interface OwnLevelObjects {
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevel: PriorityLevelObject;
  /** The same as API objects, to be written as YAML. */
  readonly manifests: readonly [
    PriorityLevelConfiguration & { readonly kind: string },
    ...(FlowSchema & { readonly kind: string })[],
  ];
  /** Seats of the level on one API server. */
  readonly nominalSeats: number;
  /** Levels that the agents' requests went to before. */
  readonly leftLevels: readonly string[];
}

const QUEUES = 16;
const HAND_SIZE = 4;
const QUEUE_LENGTH_LIMIT = 200;

/**
 * A priority level of the agents' own, which neither lends nor borrows, and FlowSchemas that stand just before those that
 * take their requests now. `null` with the reason where none can stand before.
 */
export function ownLevelObjects(input: StormInput, shares: number): OwnLevelObjects | string {
  const { cluster, agents } = input;
  const readers = agents.filter(({ informers }) => informers.length > 0);
  if (readers.length === 0) return "Its copies read nothing.";
  const { minor } = ruleVersion(cluster.kubernetesVersion);
  const classifier = new FlowClassifier({ ...cluster, minor });
  const apiVersion = apiVersionOf(minor);
  const taken = new Set([
    ...cluster.priorityLevels.map(({ name }) => name),
    ...cluster.flowSchemas.map(({ name }) => name),
  ]);
  const levelName = freeName(slug(readers[0]?.name ?? "agent"), taken);
  const priorityLevel: PriorityLevelObject = {
    name: levelName,
    type: "Limited",
    nominalConcurrencyShares: shares,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: "Queue",
    queues: QUEUES,
    handSize: HAND_SIZE,
    queueLengthLimit: QUEUE_LENGTH_LIMIT,
    autoupdateSpec: null,
    generation: null,
  };
  const flowSchemas: FlowSchemaObject[] = [];
  const left = new Set<string>();
  const rules = readers.map(ruleOf);
  for (const [index, agent] of readers.entries()) {
    const before = precedenceBefore(classifier, agent);
    if (typeof before === "string") return before;
    left.add(before.priorityLevelName);
    const name = freeName(slug(agent.name), taken);
    taken.add(name);
    flowSchemas.push({
      name,
      matchingPrecedence: before.matchingPrecedence,
      priorityLevelName: levelName,
      distinguisherMethod: "ByUser",
      rules: rules.slice(index, index + 1),
      autoupdateSpec: null,
      isDangling: false,
      generation: null,
    });
  }
  return {
    flowSchemas,
    priorityLevel,
    manifests: [
      levelManifest(priorityLevel, apiVersion),
      ...flowSchemas.map((schema, index) => schemaManifest(schema, rules[index] ?? {}, apiVersion)),
    ],
    nominalSeats: nominalSeatsOf(input, priorityLevel),
    leftLevels: [...left].sort(),
  };
}

export function ownLevel(input: StormInput, { shares }: { readonly shares: number }): RemedyAnswer {
  const objects = ownLevelObjects(input, shares);
  if (typeof objects === "string") return notApplicable(objects);
  const { cluster, agents } = input;
  const priorityLevels = [...cluster.priorityLevels, objects.priorityLevel];
  const users = new Set(agents.map(({ userName }) => userName));
  // What runs of it moves too; watches and small reads of its own are all that is measured of it.
  const background = cluster.background.map((flow) =>
    users.has(flow.flowDistinguisher)
      ? {
          ...flow,
          priorityLevelName: objects.priorityLevel.name,
          flowSchemaName: objects.flowSchemas[0]?.name ?? flow.flowSchemaName,
        }
      : flow,
  );
  return applied(
    {
      ...input,
      cluster: {
        ...cluster,
        priorityLevels,
        flowSchemas: [...cluster.flowSchemas, ...objects.flowSchemas],
        background,
      },
      // Nobody else is in the new level: the neighbours are those that it leaves behind.
      probedLevels: objects.leftLevels,
    },
    [
      `The level of its own has ${objects.nominalSeats} seats on each API server; the shares of all others get smaller by that.`,
    ],
  );
}

/** Just before the FlowSchema that takes its LISTs now. */
function precedenceBefore(
  classifier: FlowClassifier,
  agent: StormAgent,
): { readonly matchingPrecedence: number; readonly priorityLevelName: string } | string {
  const { apiGroup = "", resource = "pods", namespace = "" } = agent.informers[0] ?? {};
  const { flowSchema, priorityLevel } = classifier.classify({
    user: { name: agent.userName.replace("*", "copy-0"), groups: agent.userGroups },
    requestInfo: {
      isResourceRequest: true,
      path: "",
      verb: "list",
      apiGroup,
      resource,
      subresource: "",
      namespace,
    },
  });
  if (priorityLevel.type === "Exempt")
    return `The requests of ${agent.name} are exempt: no FlowSchema stands before ${flowSchema.name}.`;
  const { matchingPrecedence } = flowSchema;
  return matchingPrecedence > 2
    ? { matchingPrecedence: matchingPrecedence - 1, priorityLevelName: priorityLevel.name }
    : `${flowSchema.name} takes the requests of ${agent.name} with precedence ${matchingPrecedence}: nothing stands before it.`;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

function ruleOf({ userName, userGroups, informers }: StormAgent): PolicyRules {
  const groups = new Map<string, Set<string>>();
  for (const { apiGroup, resource } of informers)
    groups.set(apiGroup, (groups.get(apiGroup) ?? new Set()).add(resource));
  return {
    subjects: [subjectOf(userName, userGroups)],
    resourceRules: [...groups].map(([apiGroup, resources]) => ({
      verbs: ["list", "watch"],
      apiGroups: [apiGroup],
      resources: [...resources],
      clusterScope: true,
      namespaces: ["*"],
    })),
  };
}

function subjectOf(userName: string, userGroups: readonly string[]) {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(userName) ?? [];
  if (namespace !== undefined && name !== undefined)
    return { kind: "ServiceAccount", serviceAccount: { namespace, name } };
  // One user for each copy: their group is all that they have in common.
  const group = userGroups.find((each) => each !== "system:authenticated");
  if (userName.includes("*") && group !== undefined) return { kind: "Group", group: { name: group } };
  return { kind: "User", user: { name: userName } };
}

function nominalSeatsOf({ cluster }: StormInput, level: PriorityLevelObject): number {
  const controller = new LimitsController(ruleVersion(cluster.kubernetesVersion));
  controller.configure(0, [...cluster.priorityLevels, level], cluster.servers[0]?.totalConcurrencySeats ?? 0);
  return controller.levels.find(({ name }) => name === level.name)?.nominalCL ?? 0;
}

/** v1 is there from 1.29 on, v1beta3 from 1.26 to 1.31. */
const apiVersionOf = (minor: number) => `flowcontrol.apiserver.k8s.io/${minor >= 29 ? "v1" : "v1beta3"}`;

const levelManifest = (level: PriorityLevelObject, apiVersion: string) => ({
  apiVersion,
  kind: "PriorityLevelConfiguration",
  metadata: { name: level.name },
  spec: {
    type: level.type,
    limited: {
      nominalConcurrencyShares: level.nominalConcurrencyShares,
      lendablePercent: level.lendablePercent,
      borrowingLimitPercent: level.borrowingLimitPercent,
      limitResponse: {
        type: level.limitResponse ?? "Queue",
        queuing: {
          queues: level.queues,
          handSize: level.handSize,
          queueLengthLimit: level.queueLengthLimit,
        },
      },
    },
  },
});

const schemaManifest = (schema: FlowSchemaObject, rule: PolicyRules, apiVersion: string) => ({
  apiVersion,
  kind: "FlowSchema",
  metadata: { name: schema.name },
  spec: {
    matchingPrecedence: schema.matchingPrecedence,
    priorityLevelConfiguration: { name: schema.priorityLevelName },
    distinguisherMethod: { type: "ByUser" as const },
    rules: [rule],
  },
});

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50) || "agent";

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}
