import { z } from "zod";
import { countsFromStatus, type IntOrPercent, parseIntOrPercent } from "../../domain/rollout/index.ts";
import {
  formatPath,
  INT_OR_PERCENT,
  MOST_NODES,
  oneOf,
  optional,
  wholeNumber,
} from "../lines/read-fields.ts";
import { readObjects } from "./read-yaml.ts";

/** What a DaemonSet says of itself, for the moment at which a new template arrives: all its pods are old then. */
export interface DaemonSetFacts {
  readonly desired: number;
  readonly empty: number;
  readonly oldUnavailable: number;
  readonly maxUnavailable?: IntOrPercent;
  readonly maxSurge?: IntOrPercent;
  readonly minReadySeconds: number;
  readonly strategy: "RollingUpdate" | "OnDelete";
  readonly notes: readonly string[];
}

const limit = () =>
  z
    .unknown()
    .optional()
    .transform((value, context): IntOrPercent | undefined => {
      if (value === undefined || value === null) return undefined;
      const parsed = parseIntOrPercent(value);
      if (parsed === null) context.addIssue({ code: "custom", message: INT_OR_PERCENT });
      return parsed ?? undefined;
    });

/** Nodes are held one by one. */
const nodes = () => wholeNumber(0, MOST_NODES);
const DaemonSet = z.object(
  {
    kind: z.literal("DaemonSet", { error: "DaemonSet" }),
    spec: z.object(
      {
        minReadySeconds: optional(wholeNumber(0, 2 ** 31 - 1)),
        updateStrategy: optional(
          z.object(
            {
              type: optional(oneOf(["RollingUpdate", "OnDelete"])),
              rollingUpdate: optional(
                z.object(
                  { maxUnavailable: limit(), maxSurge: limit() },
                  { error: "maxUnavailable and maxSurge" },
                ),
              ),
            },
            { error: "a type and rollingUpdate" },
          ),
        ),
      },
      { error: "the spec of a DaemonSet" },
    ),
    status: z.object(
      {
        desiredNumberScheduled: nodes(),
        currentNumberScheduled: nodes(),
        numberUnavailable: optional(nodes()),
        updatedNumberScheduled: optional(nodes()),
      },
      { error: "the status of a DaemonSet" },
    ),
  },
  { error: "an object" },
);

/**
 * Reads a DaemonSet as kubectl prints it, JSON or YAML, from a file or standard input (`-`). A sentence where that is
 * none.
 */
export async function readDaemonSet(path: string): Promise<DaemonSetFacts | string> {
  const objects = await readObjects(path);
  if (typeof objects === "string") return objects;
  const [document] = objects;
  if (objects.length !== 1) return `${path}: expected one DaemonSet, found ${objects.length} objects.`;
  const result = DaemonSet.safeParse(document);
  if (result.success) return factsOf(result.data);
  const [issue] = result.error.issues;
  const at = formatPath(issue?.path ?? []);
  return `${path}: expected a DaemonSet with its status: ${at === null ? "" : `${at}: `}expected ${issue?.message}.`;
}

function factsOf({ spec, status }: z.output<typeof DaemonSet>): DaemonSetFacts {
  const { desired, empty, unavailable, isMidUpdate } = countsFromStatus(status);
  const { maxUnavailable, maxSurge } = spec.updateStrategy?.rollingUpdate ?? {};
  return {
    desired,
    empty,
    oldUnavailable: unavailable,
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    ...(maxSurge === undefined ? {} : { maxSurge }),
    minReadySeconds: spec.minReadySeconds ?? 0,
    strategy: spec.updateStrategy?.type ?? "RollingUpdate",
    notes: isMidUpdate
      ? [
          `The status is that of an update under way (${status.updatedNumberScheduled} of ${desired} updated): which pods are of which template it does not say. Planned as if yet another template arrived now.`,
        ]
      : [],
  };
}
