import { listAt, numberAt, textAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { ScannedObject } from "../../scanned-object.ts";

/** What the pods of a DaemonSet say that its status does not. */
export interface CountedPods {
  readonly terminating: number;
  /** `null`: which template is the current one cannot be told. Ending pods not counted. */
  readonly oldUnavailable: number | null;
  readonly newUnavailable: number | null;
}

/** Counts the pods that a DaemonSet owns; `null` where none were given. `minReadySeconds` is passed over. */
export function countPods(daemonSet: ScannedObject, facts: ScanFacts): CountedPods | null {
  const { pods: byOwner, revisions } = ownedOf(facts);
  const pods = byOwner.get(keyOf(daemonSet.namespace, daemonSet.name)) ?? [];
  if (pods.length === 0) return null;
  const running = pods.filter(({ body }) => textAt(body, "metadata", "deletionTimestamp") === null);
  const hash = currentHash(revisions.get(keyOf(daemonSet.namespace, daemonSet.name)) ?? []);
  const unavailable = running.filter((pod) => !isReady(pod));
  const oldUnavailable = hash === null ? null : unavailable.filter((pod) => hashOf(pod) !== hash).length;
  return {
    terminating: pods.length - running.length,
    oldUnavailable,
    newUnavailable: oldUnavailable === null ? null : unavailable.length - oldUnavailable,
  };
}

interface OwnedObjects {
  readonly pods: ReadonlyMap<string, readonly ScannedObject[]>;
  readonly revisions: ReadonlyMap<string, readonly ScannedObject[]>;
}

const known = new WeakMap<ScanFacts, OwnedObjects>();

/** Pods and revisions by the DaemonSet that owns them, gathered once a scan. */
function ownedOf(facts: ScanFacts): OwnedObjects {
  const found = known.get(facts) ?? {
    pods: Map.groupBy(facts.objects.ofKind("Pod"), ownerOf),
    revisions: Map.groupBy(facts.objects.ofKind("ControllerRevision"), ownerOf),
  };
  known.set(facts, found);
  return found;
}

const keyOf = (namespace: string | null, name: string) => `${namespace ?? "default"}/${name}`;

/** `namespace/name` of the DaemonSet; empty where something else or nobody owns it. */
function ownerOf({ body, namespace }: ScannedObject): string {
  const owner = listAt(body, "metadata", "ownerReferences").find(
    (each) => textAt(each, "kind") === "DaemonSet",
  );
  return owner === undefined ? "" : keyOf(namespace, textAt(owner, "name") ?? "");
}

const hashOf = ({ body }: ScannedObject) => textAt(body, "metadata", "labels", "controller-revision-hash");

/** Of the newest revision. */
function currentHash(revisions: readonly ScannedObject[]): string | null {
  const [newest] = revisions.toSorted(
    (a, b) => (numberAt(b.body, "revision") ?? 0) - (numberAt(a.body, "revision") ?? 0),
  );
  return newest === undefined ? null : hashOf(newest);
}

function isReady({ body }: ScannedObject): boolean {
  return listAt(body, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
  );
}
