import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { parse } from "yaml";
import { z } from "zod";
import { countsFromStatus, type IntOrPercent, parseIntOrPercent } from "../../domain/rollout/index.ts";

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

const count = z.int().min(0).nullish();
const limit = z.union([z.string(), z.number()]).nullish();
const DaemonSet = z.object({
  kind: z.literal("DaemonSet", { error: "kind: expected DaemonSet" }),
  spec: z.object({
    minReadySeconds: count,
    updateStrategy: z
      .object({
        type: z.enum(["RollingUpdate", "OnDelete"]).nullish(),
        rollingUpdate: z.object({ maxUnavailable: limit, maxSurge: limit }).nullish(),
      })
      .nullish(),
  }),
  status: z.object({
    desiredNumberScheduled: z.int().min(0),
    currentNumberScheduled: z.int().min(0),
    numberUnavailable: count,
    updatedNumberScheduled: count,
  }),
});

/**
 * Reads a DaemonSet as kubectl prints it, JSON or YAML, from a file or standard input (`-`). A sentence where that is
 * none.
 */
export async function readDaemonSet(path: string): Promise<DaemonSetFacts | string> {
  let source: string;
  try {
    source = path === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${path}: this file ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}.`;
  }
  let document: unknown;
  try {
    document = parse(source, { maxAliasCount: 100 });
  } catch (error) {
    return `${path}: expected a DaemonSet as kubectl prints it, JSON or YAML: ${error instanceof Error ? error.message.split("\n")[0] : "it cannot be parsed"}`;
  }
  const result = DaemonSet.safeParse(document);
  if (!result.success) {
    const [issue] = result.error.issues;
    return `${path}: expected a DaemonSet with its status: ${issue?.path.join(".")}: ${issue?.message}.`;
  }
  return factsOf(result.data);
}

function factsOf({ spec, status }: z.output<typeof DaemonSet>): DaemonSetFacts {
  const { desired, empty, unavailable, isMidUpdate } = countsFromStatus({
    ...status,
    numberUnavailable: status.numberUnavailable ?? undefined,
    updatedNumberScheduled: status.updatedNumberScheduled ?? undefined,
  });
  const rolling = spec.updateStrategy?.rollingUpdate;
  const maxUnavailable = parseIntOrPercent(rolling?.maxUnavailable);
  const maxSurge = parseIntOrPercent(rolling?.maxSurge);
  return {
    desired,
    empty,
    oldUnavailable: unavailable,
    ...(maxUnavailable === null ? {} : { maxUnavailable }),
    ...(maxSurge === null ? {} : { maxSurge }),
    minReadySeconds: spec.minReadySeconds ?? 0,
    strategy: spec.updateStrategy?.type ?? "RollingUpdate",
    notes: isMidUpdate
      ? [
          `The status is that of an update under way (${status.updatedNumberScheduled} of ${desired} updated): which pods are of which template it does not say. Planned as if yet another template arrived now.`,
        ]
      : [],
  };
}
