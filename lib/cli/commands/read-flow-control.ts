import type { z } from "zod";
import { flowSchema, priorityLevel } from "../../contracts/flow-control-objects.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "../../domain/fairness/index.ts";
import { formatPath } from "../lines/read-fields.ts";
import { readObjects } from "./read-yaml.ts";

export interface FlowControlObjects {
  readonly flowSchemas: readonly FlowSchema[];
  readonly priorityLevels: readonly PriorityLevelConfiguration[];
}

/**
 * Reads FlowSchemas and PriorityLevelConfigurations as kubectl prints them: JSON or YAML, one object, a List, or several
 * documents; other kinds are passed over. `-` is standard input. A sentence where that cannot be.
 */
export async function readFlowControl(path: string): Promise<FlowControlObjects | string> {
  const objects = await readObjects(path);
  if (typeof objects === "string") return objects;
  return sortByKind(path, objects);
}

function sortByKind(path: string, objects: readonly unknown[]): FlowControlObjects | string {
  const flowSchemas: FlowSchema[] = [];
  const priorityLevels: PriorityLevelConfiguration[] = [];
  for (const object of objects) {
    const kind = kindOf(object);
    if (kind === "FlowSchema") {
      const read = check(flowSchema, object);
      if (typeof read === "string") return `${path}: ${read}`;
      flowSchemas.push(read);
    } else if (kind === "PriorityLevelConfiguration") {
      const read = check(priorityLevel, object);
      if (typeof read === "string") return `${path}: ${read}`;
      priorityLevels.push(read);
    }
  }
  if (flowSchemas.length + priorityLevels.length === 0) {
    return `${path}: expected FlowSchemas or PriorityLevelConfigurations, found none.`;
  }
  return { flowSchemas, priorityLevels };
}

function check<Schema extends z.ZodType>(schema: Schema, object: unknown): z.output<Schema> | string {
  const result = schema.safeParse(object);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return `${kindOf(object)} ${nameOf(object)}: ${formatPath(issue?.path ?? []) ?? "it"}: expected ${issue?.message}.`;
}

function kindOf(value: unknown): string {
  const kind =
    typeof value === "object" && value !== null ? (value as { readonly kind?: unknown }).kind : null;
  return typeof kind === "string" ? kind : "";
}

function nameOf(value: unknown): string {
  const name = (value as { readonly metadata?: { readonly name?: unknown } | null }).metadata?.name;
  return typeof name === "string" ? name : "without a name";
}
