import { deflateRawSync, inflateRawSync } from "node:zlib";
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

/** An annotation that repeats the whole object. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Keeps the objects of a scan. What no rule looks at is left out: who managed which field, the object as it was applied
 * last, the values of Secrets. Up to a bound objects are kept as they are, beyond it packed; a rule that asks for one
 * gets it unpacked, so that a folder of a gigabyte takes a fraction of that.
 */
export class ObjectStore {
  readonly index: ObjectIndex;
  readonly #plainBytes: number;
  #bytes = 0;

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
    this.index.add(this.#bytes > this.#plainBytes ? new PackedObject(object) : object);
    return true;
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
  readonly #packed: Buffer;

  constructor(object: ScannedObject) {
    this.apiVersion = object.apiVersion;
    this.apiGroup = object.apiGroup;
    this.kind = object.kind;
    this.namespace = object.namespace;
    this.name = object.name;
    this.position = object.position;
    this.isWhole = object.isWhole;
    const packed = deflateRawSync(JSON.stringify(object.body), { level: 1 });
    // A copy of its own size: what zlib returns may be a view of more.
    this.#packed = Buffer.from(packed);
  }

  get body(): JsonObject {
    const body: unknown = JSON.parse(inflateRawSync(this.#packed).toString("utf8"));
    if (!isJsonObject(body)) throw new Error("a packed object is an object");
    return body;
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
