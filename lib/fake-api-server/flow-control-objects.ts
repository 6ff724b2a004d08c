import type {
  DefaultFlowControlObject,
  DefaultFlowSchemaSpec,
  DefaultPriorityLevelSpec,
} from "../domain/fairness/defaults/defaults.ts";
import { type Collection, fixedCollection, type KubeObject } from "./collection.ts";
import { uuidOf } from "./random.ts";
import { BUILT_IN_TYPES, FLOW_CONTROL_GROUP, type ResourceType } from "./resource-types.ts";
import type { LevelConfiguration } from "./seat-limits.ts";

/** A flow control object of a cluster; `autoUpdate` is `null` where it has no annotation, as objects people add. */
export type FlowControlObject<Spec> = Omit<DefaultFlowControlObject<Spec>, "autoUpdate"> & {
  readonly autoUpdate: boolean | null;
};

export interface FlowControl {
  readonly flowSchemas: readonly FlowControlObject<DefaultFlowSchemaSpec>[];
  readonly priorityLevelConfigurations: readonly FlowControlObject<DefaultPriorityLevelSpec>[];
}

/** Levels as far as limits go, of objects in the fields of v1. A missing exempt stanza (up to 1.27) is 0 shares. */
export function levelConfigurations(
  flowControl: Pick<FlowControl, "priorityLevelConfigurations">,
): LevelConfiguration[] {
  return flowControl.priorityLevelConfigurations.map(({ name, spec }) => {
    const { limited, exempt } = spec;
    const queuing = limited?.limitResponse.queuing;
    return {
      name,
      type: limited ? "Limited" : "Exempt",
      nominalConcurrencyShares: limited?.nominalConcurrencyShares ?? exempt?.nominalConcurrencyShares ?? 0,
      lendablePercent: limited?.lendablePercent ?? exempt?.lendablePercent ?? 0,
      borrowingLimitPercent: null,
      queues: queuing?.queues ?? 0,
      handSize: queuing?.handSize ?? 0,
    };
  });
}

/** Both flow control collections of a cluster. Objects are in the fields of v1; the server converts for v1beta2. */
export function flowControlCollections(
  flowControl: FlowControl,
  { clusterUid, createdAt }: { clusterUid: string; createdAt: number },
): Collection[] {
  const metadata = (kind: string, object: FlowControlObject<unknown>) => ({
    name: object.name,
    uid: uuidOf(`${clusterUid}/${kind}/${object.name}`),
    resourceVersion: "42",
    generation: 1,
    creationTimestamp: new Date(createdAt).toISOString().replace(".000Z", "Z"),
    ...(object.autoUpdate === null
      ? {}
      : { annotations: { "apf.kubernetes.io/autoupdate-spec": String(object.autoUpdate) } }),
  });
  const schemas: KubeObject[] = flowControl.flowSchemas.map((object) => ({
    metadata: metadata("FlowSchema", object),
    spec: object.spec,
    status: { conditions: [{ type: "Dangling", status: "False", reason: "Found" }] },
  }));
  const levels: KubeObject[] = flowControl.priorityLevelConfigurations.map((object) => ({
    metadata: metadata("PriorityLevelConfiguration", object),
    spec: object.spec,
    status: {},
  }));
  return [
    fixedCollection(flowControlType("flowschemas"), schemas),
    fixedCollection(flowControlType("prioritylevelconfigurations"), levels),
  ];
}

/** A v1 object in the fields of an older version: up to v1beta2 the shares had another name. */
export function convertFlowControl(object: KubeObject, version: string): KubeObject {
  const spec = object.spec as { limited?: Record<string, unknown> } | undefined;
  if (version !== "v1beta2" || spec?.limited === undefined) return object;
  const { nominalConcurrencyShares, ...limited } = spec.limited;
  return {
    ...object,
    spec: { ...spec, limited: { assuredConcurrencyShares: nominalConcurrencyShares, ...limited } },
  };
}

export function flowSchemaUid(clusterUid: string, name: string): string {
  return uuidOf(`${clusterUid}/FlowSchema/${name}`);
}

export function priorityLevelUid(clusterUid: string, name: string): string {
  return uuidOf(`${clusterUid}/PriorityLevelConfiguration/${name}`);
}

function flowControlType(resource: string): ResourceType {
  const found = BUILT_IN_TYPES.find(
    (type) => type.group === FLOW_CONTROL_GROUP && type.resource === resource,
  );
  if (!found) throw new RangeError(`Not a flow control resource: ${resource}.`);
  return found;
}
