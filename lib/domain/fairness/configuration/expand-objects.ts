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

/**
 * The priority levels that a list stands for: "defaults" is all default levels of the minor, and of two objects of one
 * name the later one counts. In the order of their first mention.
 */
export function expandPriorityLevels(
  listed: readonly (typeof DEFAULTS | PriorityLevelConfiguration)[],
  minor: number,
): PriorityLevelObject[] {
  return byName(
    listed.flatMap((entry) =>
      entry === DEFAULTS ? defaultPriorityLevels(minor) : [readPriorityLevel(entry)],
    ),
  );
}

/** As `expandPriorityLevels`, for FlowSchemas. */
export function expandFlowSchemas(
  listed: readonly (typeof DEFAULTS | FlowSchema)[],
  minor: number,
): FlowSchemaObject[] {
  return byName(
    listed.flatMap((entry) => (entry === DEFAULTS ? defaultFlowSchemas(minor) : [readFlowSchema(entry)])),
  );
}

/** @throws {RangeError} below 1.26. */
export function defaultPriorityLevels(minor: number): PriorityLevelObject[] {
  return defaultFlowControl(minor).priorityLevelConfigurations.map((object) =>
    readPriorityLevel(asPriorityLevel(object)),
  );
}

/** @throws {RangeError} below 1.26. */
export function defaultFlowSchemas(minor: number): FlowSchemaObject[] {
  return defaultFlowControl(minor).flowSchemas.map((object) => readFlowSchema(asFlowSchema(object)));
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
