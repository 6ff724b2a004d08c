import { z } from "zod";
import type { FlowSchemaObject, PriorityLevelObject } from "../../domain/fairness/fairness-part.ts";

const AUTOUPDATE_ANNOTATION = "apf.kubernetes.io/autoupdate-spec";

const MetadataSchema = z.object({
  name: z.string(),
  generation: z.number().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  managedFields: z.array(z.object({ manager: z.string().optional() })).nullish(),
});

/** Writers kept of one object. */
const MANAGERS = 8;

/** Distinct names of those who wrote an object, sorted; no field where none is given. */
function managersOf({ managedFields }: z.infer<typeof MetadataSchema>): { managers?: readonly string[] } {
  const names = new Set((managedFields ?? []).flatMap(({ manager }) => manager ?? []));
  return names.size === 0 ? {} : { managers: [...names].sort().slice(0, MANAGERS) };
}

const PriorityLevelSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({
    type: z.enum(["Exempt", "Limited"]),
    exempt: z
      .object({
        nominalConcurrencyShares: z.number().nullish(),
        lendablePercent: z.number().nullish(),
      })
      .nullish(),
    limited: z
      .object({
        nominalConcurrencyShares: z.number().nullish(),
        /** The name of the shares up to v1beta2. */
        assuredConcurrencyShares: z.number().nullish(),
        lendablePercent: z.number().nullish(),
        borrowingLimitPercent: z.number().nullish(),
        limitResponse: z
          .object({
            type: z.enum(["Queue", "Reject"]),
            queuing: z
              .object({
                queues: z.number().nullish(),
                handSize: z.number().nullish(),
                queueLengthLimit: z.number().nullish(),
              })
              .nullish(),
          })
          .nullish(),
      })
      .nullish(),
  }),
});

const FlowSchemaSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({
    priorityLevelConfiguration: z.object({ name: z.string() }),
    matchingPrecedence: z.number().default(1000),
    distinguisherMethod: z.object({ type: z.enum(["ByUser", "ByNamespace"]) }).nullish(),
    rules: z.array(z.unknown()).nullish(),
  }),
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish() })
    .nullish(),
});

/** Served versions, newest first, with the first and last minor that serves them. */
const VERSIONS = [
  { version: "v1", since: 29, until: 99 },
  { version: "v1beta3", since: 26, until: 31 },
  { version: "v1beta2", since: 23, until: 28 },
] as const;

/** Base paths of the flow control API, the one to try first for this minor in front. */
export function flowControlApiVersions(minor: number | null): readonly string[] {
  return VERSIONS.filter(({ since, until }) => minor === null || (since <= minor && minor <= until)).map(
    ({ version }) => `flowcontrol.apiserver.k8s.io/${version}`,
  );
}

/** @throws ZodError where the object is no PriorityLevelConfiguration of v1, v1beta3 or v1beta2. */
export function parsePriorityLevel(item: unknown): PriorityLevelObject {
  const { metadata, spec } = PriorityLevelSchema.parse(item);
  const { limited, exempt } = spec;
  const queuing = limited?.limitResponse?.queuing;
  return {
    name: metadata.name,
    type: spec.type,
    nominalConcurrencyShares:
      limited?.nominalConcurrencyShares ??
      limited?.assuredConcurrencyShares ??
      exempt?.nominalConcurrencyShares ??
      null,
    lendablePercent: limited?.lendablePercent ?? exempt?.lendablePercent ?? null,
    borrowingLimitPercent: limited?.borrowingLimitPercent ?? null,
    limitResponse: limited?.limitResponse?.type ?? null,
    queues: queuing?.queues ?? null,
    handSize: queuing?.handSize ?? null,
    queueLengthLimit: queuing?.queueLengthLimit ?? null,
    autoupdateSpec: metadata.annotations?.[AUTOUPDATE_ANNOTATION] ?? null,
    generation: metadata.generation ?? null,
    ...managersOf(metadata),
  };
}

/** @throws ZodError where the object is no FlowSchema of v1, v1beta3 or v1beta2. */
export function parseFlowSchema(item: unknown): FlowSchemaObject {
  const { metadata, spec, status } = FlowSchemaSchema.parse(item);
  return {
    name: metadata.name,
    matchingPrecedence: spec.matchingPrecedence,
    priorityLevelName: spec.priorityLevelConfiguration.name,
    distinguisherMethod: spec.distinguisherMethod?.type ?? null,
    rules: spec.rules ?? [],
    autoupdateSpec: metadata.annotations?.[AUTOUPDATE_ANNOTATION] ?? null,
    isDangling:
      status?.conditions?.some((condition) => condition.type === "Dangling" && condition.status === "True") ??
      false,
    generation: metadata.generation ?? null,
    ...managersOf(metadata),
  };
}

/** In the order in which the API server tries them. */
export function sortFlowSchemas(schemas: readonly FlowSchemaObject[]): readonly FlowSchemaObject[] {
  return [...schemas].sort(
    (a, b) => a.matchingPrecedence - b.matchingPrecedence || (a.name < b.name ? -1 : 1),
  );
}
