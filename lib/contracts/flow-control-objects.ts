import { z } from "zod";
import { count, flag, list, oneOf, optional, text, wholeNumber } from "./fields.ts";

/**
 * FlowSchemas and PriorityLevelConfigurations as the API gives them. Only what decides something is looked at; other
 * fields are passed over.
 */

const texts = (what: string) => optional(list(text(), what));
const metadata = z.object(
  {
    name: text(),
    generation: optional(count()),
    annotations: optional(z.record(z.string(), text(), { error: "annotations as texts" })),
  },
  { error: 'an object with a "name"' },
);

const percent = (most: number) => {
  const error = `a whole number from 0 to ${most}`;
  return z.int({ error }).min(0, { error }).max(most, { error });
};

const queuing = z.object({
  queues: optional(wholeNumber(1)),
  handSize: optional(wholeNumber(1)),
  queueLengthLimit: optional(wholeNumber(1)),
});

const PRIORITY_LEVEL = "a PriorityLevelConfiguration";
export const priorityLevel = z.object(
  {
    apiVersion: optional(text()),
    metadata,
    spec: z.object(
      {
        type: oneOf(["Exempt", "Limited"]),
        limited: optional(
          z.object({
            nominalConcurrencyShares: optional(count()),
            assuredConcurrencyShares: optional(count()),
            lendablePercent: optional(percent(100)),
            borrowingLimitPercent: optional(count()),
            limitResponse: optional(
              z.object({ type: oneOf(["Queue", "Reject"]), queuing: optional(queuing) }),
            ),
          }),
        ),
        exempt: optional(
          z.object({ nominalConcurrencyShares: optional(count()), lendablePercent: optional(percent(100)) }),
        ),
      },
      { error: "the spec of a priority level" },
    ),
  },
  { error: PRIORITY_LEVEL },
);

const named = optional(z.object({ name: text() }));
const subject = z.object({
  kind: text(),
  user: named,
  group: named,
  serviceAccount: optional(z.object({ namespace: text(), name: text() })),
});
const policyRules = z.object({
  subjects: optional(list(subject, "a list of subjects")),
  resourceRules: optional(
    list(
      z.object({
        verbs: texts("a list of verbs"),
        apiGroups: texts("a list of API groups"),
        resources: texts("a list of resources"),
        clusterScope: optional(flag()),
        namespaces: texts("a list of namespaces"),
      }),
      "a list of resourceRules",
    ),
  ),
  nonResourceRules: optional(
    list(
      z.object({ verbs: texts("a list of verbs"), nonResourceURLs: texts("a list of URLs") }),
      "a list of nonResourceRules",
    ),
  ),
});

const FLOW_SCHEMA = "a FlowSchema";
export const flowSchema = z.object(
  {
    apiVersion: optional(text()),
    metadata,
    spec: z.object(
      {
        priorityLevelConfiguration: z.object({ name: text() }, { error: 'a reference with a "name"' }),
        matchingPrecedence: optional(wholeNumber(1)),
        distinguisherMethod: optional(z.object({ type: oneOf(["ByUser", "ByNamespace"]) })),
        rules: optional(list(policyRules, "a list of rules")),
      },
      { error: "the spec of a FlowSchema" },
    ),
    status: optional(z.object({ conditions: optional(list(z.object({ type: text(), status: text() }))) })),
  },
  { error: FLOW_SCHEMA },
);

const orDefaults = <Schema extends z.ZodType>(schema: Schema, what: string) =>
  optional(
    list(
      z.union([z.literal("defaults"), schema], { error: `"defaults" or ${what}` }),
      `a list of "defaults" and objects, each ${what}`,
    ),
  );

/** A list in which "defaults" stands for all default objects of the version; absent: these alone. */
export const priorityLevels = () => orDefaults(priorityLevel, PRIORITY_LEVEL);
export const flowSchemas = () => orDefaults(flowSchema, FLOW_SCHEMA);

/** Server concurrency limit of an API server whose flags nobody set: 400 + 200. */
export const DEFAULT_SERVER_CONCURRENCY_LIMIT = 600;
export const serverConcurrencyLimit = () => optional(wholeNumber(1));
