import type { KubeObject, ObjectMeta } from "../collection.ts";
import { hashOf, uuidOf } from "../random.ts";
import { seconds } from "../server-collections.ts";

export interface MetaInput {
  /** Makes uids of different clusters differ. */
  readonly clusterUid: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly createdAt: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
}

/** Metadata as the API server fills it in; uid and resource version depend on the names alone. */
export function metaOf({
  clusterUid,
  kind,
  name,
  namespace,
  createdAt,
  labels,
  annotations,
  generation,
}: MetaInput): ObjectMeta {
  const identity = `${clusterUid}/${kind}/${namespace ?? ""}/${name}`;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: uuidOf(identity),
    resourceVersion: String(1000 + (hashOf(identity) % 900_000)),
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp: seconds(createdAt),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Writes the same JSON again and again with other values in its `%%name%%` places. */
export class JsonTemplate {
  readonly #parts: string[];
  readonly #names: string[];

  constructor(value: object) {
    const pieces = JSON.stringify(value).split("%%");
    this.#parts = pieces.filter((_, index) => index % 2 === 0);
    this.#names = pieces.filter((_, index) => index % 2 === 1);
  }

  /** Values go into strings of the JSON as they are: no quotes or backslashes in them. */
  fill(values: Readonly<Record<string, string>>): string {
    let text = this.#parts[0] ?? "";
    for (const [index, name] of this.#names.entries()) {
      text += (values[name] ?? "") + (this.#parts[index + 1] ?? "");
    }
    return text;
  }

  /** The filled text as an object. */
  object(values: Readonly<Record<string, string>>): KubeObject {
    const parsed: unknown = JSON.parse(this.fill(values));
    return parsed as KubeObject;
  }
}

const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** The five characters that end a generated name. */
export function nameSuffix(text: string): string {
  let rest = hashOf(text);
  let suffix = "";
  for (let i = 0; i < 5; i++) {
    suffix += SUFFIX_ALPHABET[rest % SUFFIX_ALPHABET.length];
    rest = Math.floor(rest / SUFFIX_ALPHABET.length);
  }
  return suffix;
}

/** Kubernetes versions of an object's fields as `managedFields` records them: most of the metadata of real objects. */
export function managedFields(manager: string, at: number, fields: readonly string[]): object[] {
  const owned: Record<string, object> = {};
  for (const field of fields) owned[`f:${field}`] = {};
  return [
    {
      manager,
      operation: "Update",
      apiVersion: "v1",
      time: seconds(at),
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:labels": owned },
        "f:spec": owned,
        "f:status": { "f:conditions": owned },
      },
    },
  ];
}
