import type { SourcePosition } from "./finding.ts";
import { isJsonObject, type JsonObject, textAt } from "./json-value.ts";

/** A Kubernetes object as it stood in the input, with or without a status. */
export interface ScannedObject {
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly kind: string;
  /** `null` where the object names none: of a namespaced kind that is the namespace of whoever applies it. */
  readonly namespace: string | null;
  readonly name: string;
  /** The object itself; read it with the functions of `json-value.ts`. */
  readonly body: JsonObject;
  readonly position: SourcePosition;
  /**
   * True where the input holds the whole object. False where it was read from a cluster in part: what is absent then
   * says nothing (no environment, no arguments, no annotations).
   */
  readonly isWhole: boolean;
}

/** An object with kind and name; `null` for anything else. A List is none: hand in its items. */
export function asScannedObject(
  value: unknown,
  position: SourcePosition,
  isWhole = true,
): ScannedObject | null {
  const kind = textAt(value, "kind");
  const name = textAt(value, "metadata", "name") ?? textAt(value, "metadata", "generateName");
  if (!isJsonObject(value) || kind === null || kind === "" || name === null) return null;
  const apiVersion = textAt(value, "apiVersion") ?? "";
  const slash = apiVersion.indexOf("/");
  return {
    apiVersion,
    apiGroup: slash < 0 ? "" : apiVersion.slice(0, slash),
    kind,
    namespace: textAt(value, "metadata", "namespace"),
    name,
    body: value,
    position,
    isWhole,
  };
}

/** `DaemonSet telemetry/telemetry`, `FlowSchema jail`: what findings about it call it. */
export const subjectOf = ({ kind, namespace, name }: Pick<ScannedObject, "kind" | "namespace" | "name">) =>
  `${kind} ${namespace === null ? name : `${namespace}/${name}`}`;

/** Objects of a scan, by kind and by name, in the order in which they were read. */
export class ObjectIndex {
  readonly #byKind = new Map<string, ScannedObject[]>();
  /** By kind, made when a kind is first asked for by name: most never are. */
  readonly #byName = new Map<string, Map<string, ScannedObject>>();
  #size = 0;

  constructor(objects: Iterable<ScannedObject> = []) {
    for (const object of objects) this.add(object);
  }

  get size(): number {
    return this.#size;
  }

  add(object: ScannedObject): void {
    this.#size++;
    const ofKind = this.#byKind.get(object.kind);
    if (ofKind === undefined) this.#byKind.set(object.kind, [object]);
    else ofKind.push(object);
    this.#byName.get(object.kind)?.set(keyOf(object.namespace, object.name), object);
  }

  /** All of a kind, those of one name too where the input holds it twice. */
  ofKind(kind: string): readonly ScannedObject[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** The last one read of this kind and name, as it counts when they are applied in turn; `null` where there is none. */
  find(kind: string, namespace: string | null, name: string): ScannedObject | null {
    let ofKind = this.#byName.get(kind);
    if (ofKind === undefined) {
      ofKind = new Map(this.ofKind(kind).map((each) => [keyOf(each.namespace, each.name), each]));
      this.#byName.set(kind, ofKind);
    }
    return ofKind.get(keyOf(namespace, name)) ?? null;
  }

  kinds(): readonly string[] {
    return [...this.#byKind.keys()].sort();
  }
}

const keyOf = (namespace: string | null, name: string) => `${namespace ?? ""}/${name}`;
