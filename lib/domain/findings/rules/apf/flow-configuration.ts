import { defaultFlowSchemas, defaultPriorityLevels } from "../../../fairness/configuration/expand-objects.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../../../fairness/fairness-part.ts";
import { staticLimits } from "../../../fairness/limits/static-limits.ts";
import { NEWEST_KNOWN_MINOR, parseVersion, ruleVersion } from "../../../kubernetes/version.ts";
import { listAt, numberAt, objectAt, textAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { ScannedObject } from "../../scanned-object.ts";

/** How requests are classified on the cluster, as far as the input tells. */
export interface ScannedFlowConfiguration {
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevels: readonly PriorityLevelObject[];
  readonly minor: number;
  /** True where nothing but the version's defaults is known. */
  readonly isDefault: boolean;
  /** True where the input tells which objects there are, the defaults among them. */
  readonly isKnown: boolean;
}

/** Seats of one API server where nobody says. */
const DEFAULT_SEATS = 600;

/**
 * The configuration of a cluster that is read or described, else the defaults of its version (of the newest known, where
 * that is not known either), with the FlowSchemas and priority levels of the manifests put over them by name.
 */
export function flowConfigurationOf(facts: ScanFacts): ScannedFlowConfiguration {
  const { cluster, hand, objects } = facts;
  const v = cluster.kubernetesVersion;
  const minor = v === null || parseVersion(v) === null ? NEWEST_KNOWN_MINOR : ruleVersion(v).minor;
  const flowSchemas = objects.ofKind("FlowSchema").flatMap(asFlowSchema);
  const priorityLevels = objects.ofKind("PriorityLevelConfiguration").flatMap(asPriorityLevel);
  return {
    flowSchemas: byName(cluster.flowSchemas ?? defaultFlowSchemas(minor), flowSchemas),
    priorityLevels: byName(cluster.priorityLevels ?? defaultPriorityLevels(minor), priorityLevels),
    minor,
    isDefault: cluster.flowSchemas === null && flowSchemas.length === 0,
    isKnown: cluster.flowSchemas !== null || hand.hasDefaultFlowControl,
  };
}

const API_GROUP = "flowcontrol.apiserver.k8s.io";

/** A FlowSchema of a manifest with what the API server fills in; none where the object is not of that shape. */
export function asFlowSchema({ body, apiGroup, name }: ScannedObject): readonly FlowSchemaObject[] {
  const priorityLevelName = textAt(body, "spec", "priorityLevelConfiguration", "name");
  if (apiGroup !== API_GROUP || priorityLevelName === null) return [];
  const method = textAt(body, "spec", "distinguisherMethod", "type");
  return [
    {
      name,
      matchingPrecedence: numberAt(body, "spec", "matchingPrecedence") ?? 1000,
      priorityLevelName,
      distinguisherMethod: method === "ByUser" || method === "ByNamespace" ? method : null,
      rules: listAt(body, "spec", "rules"),
      autoupdateSpec: null,
      isDangling: false,
      generation: numberAt(body, "metadata", "generation"),
    },
  ];
}

/** A priority level of a manifest with what the API server fills in. Source: pkg/apis/flowcontrol/v1/defaults.go, v1.34. */
function asPriorityLevel({ body, apiGroup, name }: ScannedObject): readonly PriorityLevelObject[] {
  if (apiGroup !== API_GROUP) return [];
  const isExempt = textAt(body, "spec", "type") === "Exempt";
  const limited = objectAt(body, "spec", "limited");
  const part = isExempt ? objectAt(body, "spec", "exempt") : limited;
  const response = textAt(limited, "limitResponse", "type");
  const queuing = objectAt(limited, "limitResponse", "queuing");
  return [
    {
      name,
      type: isExempt ? "Exempt" : "Limited",
      nominalConcurrencyShares:
        numberAt(part, "nominalConcurrencyShares") ??
        numberAt(part, "assuredConcurrencyShares") ??
        (isExempt ? 0 : 30),
      lendablePercent: numberAt(part, "lendablePercent") ?? 0,
      borrowingLimitPercent: numberAt(part, "borrowingLimitPercent"),
      limitResponse: response === "Queue" || response === "Reject" ? response : null,
      queues: queuing === null ? null : (numberAt(queuing, "queues") ?? 64),
      handSize: queuing === null ? null : (numberAt(queuing, "handSize") ?? 8),
      queueLengthLimit: queuing === null ? null : (numberAt(queuing, "queueLengthLimit") ?? 50),
      autoupdateSpec: null,
      generation: numberAt(body, "metadata", "generation"),
    },
  ];
}

function byName<T extends { readonly name: string }>(under: readonly T[], over: readonly T[]): T[] {
  return [...new Map([...under, ...over].map((each) => [each.name, each])).values()];
}

/** Nominal seats of every limited level on one API server, by name; what is given by hand counts first. */
export function nominalSeatsOf(
  facts: ScanFacts,
  { priorityLevels }: Pick<ScannedFlowConfiguration, "priorityLevels">,
): Readonly<Record<string, number>> {
  const total = facts.cluster.totalConcurrencySeats ?? DEFAULT_SEATS;
  const shares = priorityLevels.reduce((sum, each) => sum + (each.nominalConcurrencyShares ?? 0), 0);
  const computed = priorityLevels
    .filter(({ type }) => type === "Limited")
    .map((level) => [level.name, staticLimits(level, shares, total).nominalCL] as const);
  return { ...Object.fromEntries(computed), ...facts.hand.nominalSeats };
}
