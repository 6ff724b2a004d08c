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
export function countPods(daemonSet: ScannedObject, { objects }: ScanFacts): CountedPods | null {
  const pods = objects.ofKind("Pod").filter((pod) => isOwnedBy(pod, daemonSet));
  if (pods.length === 0) return null;
  const running = pods.filter(({ body }) => textAt(body, "metadata", "deletionTimestamp") === null);
  const hash = currentHash(daemonSet, objects.ofKind("ControllerRevision"));
  const unavailable = running.filter((pod) => !isReady(pod));
  const oldUnavailable = hash === null ? null : unavailable.filter((pod) => hashOf(pod) !== hash).length;
  return {
    terminating: pods.length - running.length,
    oldUnavailable,
    newUnavailable: oldUnavailable === null ? null : unavailable.length - oldUnavailable,
  };
}

function isOwnedBy({ body, namespace }: ScannedObject, daemonSet: ScannedObject): boolean {
  if ((namespace ?? "default") !== (daemonSet.namespace ?? "default")) return false;
  return listAt(body, "metadata", "ownerReferences").some(
    (owner) => textAt(owner, "kind") === "DaemonSet" && textAt(owner, "name") === daemonSet.name,
  );
}

const hashOf = ({ body }: ScannedObject) => textAt(body, "metadata", "labels", "controller-revision-hash");

/** Of the newest revision. */
function currentHash(daemonSet: ScannedObject, revisions: readonly ScannedObject[]): string | null {
  const [newest] = revisions
    .filter((revision) => isOwnedBy(revision, daemonSet))
    .sort((a, b) => (numberAt(b.body, "revision") ?? 0) - (numberAt(a.body, "revision") ?? 0));
  return newest === undefined ? null : hashOf(newest);
}

function isReady({ body }: ScannedObject): boolean {
  return listAt(body, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
  );
}
