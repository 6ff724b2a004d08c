import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, startControlPlane } from "../testbed/index.ts";
import { type CountedResource, readCounters } from "./server-counters.ts";

export const PODS: CountedResource = { group: "", resource: "pods" };
/** The one resource that is not cached. */
export const EVENTS: CountedResource = { group: "", resource: "events" };

const PODS_SEEDED = 500;
const EVENTS_OF_NAMESPACE = { default: 8, "team-0000": 4 } as const;
/** Pods that are changed after the state that the tests ask for by its resource version. */
const CHANGED_PODS = 3;
const SECOND_POD = "agents/log-agent-00001\u0000";

export interface PodShape {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName: string };
}

interface ListShape<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** A control plane of which objects, changes and resource versions are all known, and a user who pays in seats. */
export interface ServedCluster {
  readonly bed: ControlPlane;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly token: string;
  readonly pods: readonly PodShape[];
  /** Changes of pods since the resource version `past`. */
  readonly podChanges: number;
  /** What stands for a name in braces in a query of `requests.ts`. */
  readonly names: Readonly<Record<"past" | "lost" | "future" | "held" | "latest" | "lostToken", string>>;
  /** A resource version after all changes. */
  readonly current: string;
}

/** Starts it, with these feature gates set on the API server. */
export async function startServedCluster(
  version: string,
  gates: Readonly<Record<string, boolean>>,
): Promise<ServedCluster> {
  const settings = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`);
  const bed = await startControlPlane({
    version,
    accessLog: true,
    // Something written before the start, so that no cache goes back to the first resource version.
    seed: { nodes: 20, namespaces: 4 },
    apiServerFlags: [
      "--etcd-count-metric-poll-period=1s",
      ...(settings.length === 0 ? [] : [`--feature-gates=${settings.join(",")}`]),
    ],
  });
  try {
    return { bed, gates, ...(await fill(bed)) };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

async function fill(bed: ControlPlane): Promise<Omit<ServedCluster, "bed" | "gates">> {
  // While the server runs, so that it knows the sizes: of what it found at its start it does not.
  await bed.seed({
    seed: 4,
    nodes: 20,
    namespaces: 4,
    deployments: 8,
    pods: PODS_SEEDED,
    daemonSets: [{ name: "log-agent" }],
  });
  for (const [namespace, count] of Object.entries(EVENTS_OF_NAMESPACE)) {
    for (let i = 0; i < count; i++) await postEvent(bed, namespace, i);
  }
  const seeded = await list<PodShape>(bed, "/api/v1/pods");
  const past = seeded.metadata.resourceVersion;
  for (const { metadata } of seeded.items.slice(0, CHANGED_PODS)) await labelPod(bed, metadata);
  await compactEtcd(bed, past);
  const firstPage = await list(bed, "/api/v1/pods?limit=100");
  const { token } = await bed.serviceAccount({
    name: "reader",
    rules: [{ apiGroups: [""], resources: ["pods", "events"], verbs: ["list", "watch"] }],
  });
  await waitForCount(bed, PODS, PODS_SEEDED);
  await waitForCount(
    bed,
    EVENTS,
    Object.values(EVENTS_OF_NAMESPACE).reduce((a, b) => a + b, 0),
  );
  return {
    token,
    pods: seeded.items,
    podChanges: CHANGED_PODS,
    current: firstPage.metadata.resourceVersion,
    names: {
      past,
      lost: "1",
      future: "999999999",
      held: firstPage.metadata.continue ?? "",
      latest: continueToken(-1),
      lostToken: continueToken(1),
    },
  };
}

async function list<T>(bed: ControlPlane, path: string): Promise<ListShape<T>> {
  const { status, text } = await bed.request({ path });
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as ListShape<T>; // the caller names what it asked for
}

async function postEvent(bed: ControlPlane, namespace: string, index: number): Promise<void> {
  const { status, text } = await bed.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/events`,
    body: {
      metadata: { name: `event-${index}` },
      involvedObject: { kind: "Pod", namespace, name: `pod-${index % 2}` },
      reason: "Started",
      type: "Normal",
    },
  });
  if (status !== 201) throw new Error(`event ${namespace}/${index}: ${status} ${text.slice(0, 300)}`);
}

async function labelPod(bed: ControlPlane, { namespace, name }: PodShape["metadata"]): Promise<void> {
  const { status, text } = await bed.request({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/pods/${name}`,
    contentType: "application/merge-patch+json",
    body: { metadata: { labels: { changed: "yes" } } },
  });
  if (status !== 200) throw new Error(`label of ${name}: ${status} ${text.slice(0, 300)}`);
}

/** Makes etcd forget what was before a revision, by its JSON gateway. */
async function compactEtcd(bed: ControlPlane, revision: string): Promise<void> {
  const response = await fetch(`${bed.etcdUrl}/v3/kv/compaction`, {
    method: "POST",
    body: JSON.stringify({ revision }),
  });
  if (!response.ok) throw new Error(`compaction: ${response.status} ${await response.text()}`);
}

/** A token as API servers make them, for what comes after the second pod; -1 asks for the latest state. */
function continueToken(resourceVersion: number): string {
  const token = { v: "meta.k8s.io/v1", rv: resourceVersion, start: SECOND_POD };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

/** The server prices by counts that it renews every few seconds. */
async function waitForCount(bed: ControlPlane, of: CountedResource, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { objects } = (await readCounters(bed))(of);
    if (objects === count) return;
    if (performance.now() > deadline) throw new Error(`${of.resource}: ${objects} counted, not ${count}`);
    await sleep(200);
  }
}
