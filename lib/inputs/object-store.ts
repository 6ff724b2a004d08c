import {
  asScannedObject,
  isJsonObject,
  type JsonObject,
  ObjectIndex,
  type ScannedObject,
  type SourcePosition,
  textAt,
} from "../domain/findings/index.ts";
import type { InputLimits } from "./limits.ts";
import { ObjectBlock } from "./object-block.ts";

/** An annotation that repeats the whole object. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Keeps the objects of a scan. What no rule looks at is left out: who managed which field, the object as it was applied
 * last, the values of Secrets. Up to a bound objects are kept as they are, beyond it packed in blocks; a rule that asks
 * for one gets it unpacked, so that a folder of a gigabyte takes a fraction of that.
 */
export class ObjectStore {
  readonly index: ObjectIndex;
  readonly #plainBytes: number;
  /** Kinds, versions, namespaces and files: the same few texts again and again. */
  readonly #texts = new Map<string, string>();
  #bytes = 0;
  #block = new ObjectBlock();

  constructor(
    { plainObjectBytes }: Pick<InputLimits, "plainObjectBytes">,
    known: readonly ScannedObject[] = [],
  ) {
    this.index = new ObjectIndex(known);
    this.#plainBytes = plainObjectBytes;
  }

  /** Takes an object of about `bytes` of text in; false where the value is none. */
  add(value: unknown, position: SourcePosition, bytes: number): boolean {
    const object = asScannedObject(isJsonObject(value) ? withoutBallast(value) : value, position);
    if (object === null) return false;
    this.#bytes += bytes;
    this.index.add(this.#bytes > this.#plainBytes ? this.#pack(object) : object);
    return true;
  }

  #pack(object: ScannedObject): ScannedObject {
    if (this.#block.isFull) this.#block = new ObjectBlock();
    const { apiVersion, apiGroup, kind, namespace } = object;
    return new PackedObject(this.#block, this.#block.add(object.body), {
      ...object,
      apiVersion: this.#once(apiVersion),
      apiGroup: this.#once(apiGroup),
      kind: this.#once(kind),
      namespace: namespace === null ? null : this.#once(namespace),
    });
  }

  #once(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

class PackedObject implements ScannedObject {
  readonly apiVersion: string;
  readonly apiGroup: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly position: SourcePosition;
  readonly isWhole: boolean;
  readonly #block: ObjectBlock;
  readonly #place: number;

  constructor(block: ObjectBlock, place: number, object: Omit<ScannedObject, "body">) {
    this.apiVersion = object.apiVersion;
    this.apiGroup = object.apiGroup;
    this.kind = object.kind;
    this.namespace = object.namespace;
    this.name = object.name;
    this.position = object.position;
    this.isWhole = object.isWhole;
    this.#block = block;
    this.#place = place;
  }

  get body(): JsonObject {
    return this.#block.get(this.#place);
  }
}

function withoutBallast(object: JsonObject): JsonObject {
  const { metadata } = object;
  const isSecret = object.kind === "Secret" && textAt(object, "apiVersion") === "v1";
  const hasBallast =
    isJsonObject(metadata) &&
    (metadata.managedFields !== undefined ||
      (isJsonObject(metadata.annotations) && metadata.annotations[LAST_APPLIED] !== undefined));
  if (!hasBallast && !isSecret) return object;
  const { data: _data, stringData: _stringData, ...rest } = object;
  return { ...(isSecret ? rest : object), ...(hasBallast ? { metadata: trimMetadata(metadata) } : {}) };
}

function trimMetadata(metadata: JsonObject): JsonObject {
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!isJsonObject(annotations)) return annotations === undefined ? rest : { ...rest, annotations };
  const { [LAST_APPLIED]: _applied, ...others } = annotations;
  return { ...rest, annotations: others };
}
