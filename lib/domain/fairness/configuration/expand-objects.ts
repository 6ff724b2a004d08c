import {
  type DefaultFlowControlObject,
  type DefaultFlowSchemaSpec,
  type DefaultPriorityLevelSpec,
  defaultFlowControl,
} from "../defaults/defaults.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../fairness-part.ts";
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type FlowSchemaSpec,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
} from "./api-objects.ts";
import { readFlowSchema, readPriorityLevel } from "./read-objects.ts";

/** Stands for all default objects of a minor in a list of objects. */
export const DEFAULTS = "defaults";

export type PriorityLevelList = readonly (typeof DEFAULTS | PriorityLevelConfiguration)[];
export type FlowSchemaList = readonly (typeof DEFAULTS | FlowSchema)[];

/**
 * The priority levels that a list stands for: "defaults" is all default levels of the minor, and of two objects of one
 * name the later one counts. In the order of their first mention.
 */
export function expandPriorityLevels(listed: PriorityLevelList, minor: number): PriorityLevelObject[] {
  return byName(
    listed.flatMap((entry) =>
      entry === DEFAULTS ? defaultPriorityLevels(minor) : [readPriorityLevel(entry)],
    ),
  );
}

/** As `expandPriorityLevels`, for FlowSchemas. */
export function expandFlowSchemas(listed: FlowSchemaList, minor: number): FlowSchemaObject[] {
  return byName(
    listed.flatMap((entry) => (entry === DEFAULTS ? defaultFlowSchemas(minor) : [readFlowSchema(entry)])),
  );
}

/** @throws {RangeError} below 1.26. */
export function defaultPriorityLevels(minor: number): readonly PriorityLevelObject[] {
  return read(minor).priorityLevels;
}

/** @throws {RangeError} below 1.26. */
export function defaultFlowSchemas(minor: number): readonly FlowSchemaObject[] {
  return read(minor).flowSchemas;
}

interface ReadDefaults {
  readonly priorityLevels: readonly PriorityLevelObject[];
  readonly flowSchemas: readonly FlowSchemaObject[];
}

/** Read once a minor: they never change, and whoever answers many questions asks for them each time. */
const known = new Map<number, ReadDefaults>();

function read(minor: number): ReadDefaults {
  const found = known.get(minor);
  if (found !== undefined) return found;
  const { priorityLevelConfigurations, flowSchemas } = defaultFlowControl(minor);
  const made = {
    priorityLevels: priorityLevelConfigurations.map((object) => readPriorityLevel(asPriorityLevel(object))),
    flowSchemas: flowSchemas.map((object) => readFlowSchema(asFlowSchema(object))),
  };
  known.set(minor, made);
  return made;
}

/**
 * A default in the shape of the API. The cast: the compiler reads the words of a JSON file as any strings; a test
 * compares them with what upstream's code holds.
 */
export function asPriorityLevel({
  name,
  autoUpdate,
  spec,
}: DefaultFlowControlObject<DefaultPriorityLevelSpec>): PriorityLevelConfiguration {
  return { metadata: metadataOf(name, autoUpdate), spec: spec as PriorityLevelSpec };
}

/** A default in the shape of the API; the cast as above. */
export function asFlowSchema({
  name,
  autoUpdate,
  spec,
}: DefaultFlowControlObject<DefaultFlowSchemaSpec>): FlowSchema {
  return { metadata: metadataOf(name, autoUpdate), spec: spec as FlowSchemaSpec };
}

const metadataOf = (name: string, autoUpdate: boolean) => ({
  name,
  annotations: { [AUTOUPDATE_ANNOTATION]: String(autoUpdate) },
});

function byName<T extends { readonly name: string }>(objects: readonly T[]): T[] {
  return [...new Map(objects.map((object) => [object.name, object])).values()];
}
