import type { ResourceType } from "./resource-types.ts";

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly [field: string]: unknown;
}

/** An object as the API serves it inside a list: without apiVersion and kind, which the server adds. */
export interface KubeObject {
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * All objects of one resource as a function of an instant (milliseconds since the epoch), made one at a time by
 * index, so that 150,000 pods cost nothing until somebody lists them. For one instant it answers the same for
 * ever: that is what makes a page and its continuation one snapshot.
 */
export interface Collection {
  readonly type: ResourceType;
  size(at: number): number;
  keyAt(index: number, at: number): ObjectKey;
  objectAt(index: number, at: number): KubeObject;
  /** The object as JSON text where that can be had without building the object. */
  jsonAt?(index: number, at: number): string;
  /** Its metadata alone as JSON text, likewise. */
  metadataJsonAt?(index: number, at: number): string;
  /** Labels where they can be had without building the object. */
  labelsAt?(index: number, at: number): Readonly<Record<string, string>>;
  /** A value for field selectors other than metadata.name and metadata.namespace; `undefined`: not supported. */
  fieldAt?(index: number, field: string, at: number): string | undefined;
  /** Bytes of one object as stored in etcd, averaged; `null` where the API server does not know it. */
  readonly storedBytesEach: number | null;
}

/** A collection of objects held in memory; `objects` may depend on the instant. */
export function fixedCollection(
  type: ResourceType,
  objects: readonly KubeObject[] | ((at: number) => readonly KubeObject[]),
  storedBytesEach: number | null = 900,
): Collection {
  let memo: { at: number; list: readonly KubeObject[] } | null = null;
  const listAt = (at: number): readonly KubeObject[] => {
    if (typeof objects !== "function") return objects;
    if (memo?.at !== at) memo = { at, list: objects(at) };
    return memo.list;
  };
  return {
    type,
    storedBytesEach,
    size: (at) => listAt(at).length,
    keyAt: (index, at) => keyOf(listAt(at)[index]),
    objectAt: (index, at) => {
      const object = listAt(at)[index];
      if (object === undefined) throw new RangeError(`No ${type.resource} at index ${index}.`);
      return object;
    },
  };
}

/** Several collections of one resource as one; sizes add, and the stored size is that of the largest. */
export function joinCollections(parts: readonly [Collection, ...Collection[]]): Collection {
  const locate = (index: number, at: number): [Collection, number] => {
    let rest = index;
    for (const part of parts) {
      const size = part.size(at);
      if (rest < size) return [part, rest];
      rest -= size;
    }
    throw new RangeError(`No ${parts[0].type.resource} at index ${index}.`);
  };
  const sizes = parts.map((part) => part.storedBytesEach).filter((size) => size !== null);
  return {
    type: parts[0].type,
    storedBytesEach: sizes.length === 0 ? null : Math.max(...sizes),
    size: (at) => parts.reduce((sum, part) => sum + part.size(at), 0),
    keyAt: (index, at) => {
      const [part, rest] = locate(index, at);
      return part.keyAt(rest, at);
    },
    objectAt: (index, at) => {
      const [part, rest] = locate(index, at);
      return part.objectAt(rest, at);
    },
    jsonAt: (index, at) => {
      const [part, rest] = locate(index, at);
      return jsonOf(part, rest, at);
    },
    metadataJsonAt: (index, at) => {
      const [part, rest] = locate(index, at);
      return metadataJsonOf(part, rest, at);
    },
    labelsAt: (index, at) => {
      const [part, rest] = locate(index, at);
      return labelsOf(part, rest, at);
    },
    fieldAt: (index, field, at) => {
      const [part, rest] = locate(index, at);
      return part.fieldAt?.(rest, field, at);
    },
  };
}

export function jsonOf(collection: Collection, index: number, at: number): string {
  return collection.jsonAt?.(index, at) ?? JSON.stringify(collection.objectAt(index, at));
}

export function metadataJsonOf(collection: Collection, index: number, at: number): string {
  return collection.metadataJsonAt?.(index, at) ?? JSON.stringify(collection.objectAt(index, at).metadata);
}

export function labelsOf(
  collection: Collection,
  index: number,
  at: number,
): Readonly<Record<string, string>> {
  if (collection.labelsAt) return collection.labelsAt(index, at);
  const labels: unknown = collection.objectAt(index, at).metadata.labels;
  return (labels ?? {}) as Readonly<Record<string, string>>;
}

function keyOf(object: KubeObject | undefined): ObjectKey {
  return { namespace: object?.metadata.namespace ?? "", name: object?.metadata.name ?? "" };
}
