import { type Collection, fixedCollection, joinCollections, type KubeObject } from "./collection.ts";
import { identityHashOf, uuidOf } from "./random.ts";
import { BUILT_IN_TYPES, type ResourceType } from "./resource-types.ts";
import type { ClusterScenario } from "./scenario.ts";

/** Where one API server of the cluster is reached. */
export interface ServerAddress {
  readonly hostname: string;
  readonly address: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Name of the identity Lease: from the host name alone, so that it survives a restart. */
export const identityLeaseName = (hostname: string) => `apiserver-${identityHashOf(hostname)}`;

/** `2026-11-30T09:42:10Z`. */
export const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const micros = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/**
 * The scenario's collections and those that only a running cluster has: identity Leases and the EndpointSlices of
 * `default/kubernetes`. A slice has one list of ports for all its endpoints, so servers that share an address and
 * differ by port have one slice each.
 */
export function collectionsWithServers(
  scenario: ClusterScenario,
  addresses: readonly ServerAddress[],
): Map<string, Collection> {
  const own = [leases(scenario), endpointSlices(scenario, addresses)];
  const byKey = new Map<string, Collection>();
  for (const collection of [...own, ...scenario.collections]) {
    const key = collectionKey(collection.type);
    const before = byKey.get(key);
    byKey.set(key, before ? joinCollections([before, collection]) : collection);
  }
  return byKey;
}

export const collectionKey = (type: Pick<ResourceType, "group" | "resource">) =>
  `${type.group}/${type.resource}`;

export function typeOf(group: string, resource: string): ResourceType {
  const found = BUILT_IN_TYPES.find((type) => type.group === group && type.resource === resource);
  if (!found) throw new RangeError(`Not a built-in resource: ${resource} of group "${group}".`);
  return found;
}

const RENEW_SECONDS = 10;

function leases(scenario: ClusterScenario): Collection {
  return fixedCollection(typeOf("coordination.k8s.io", "leases"), (at) =>
    scenario.servers.map((hostname, index): KubeObject => {
      const name = identityLeaseName(hostname);
      const { startedAt } = scenario.figuresAt(index, at);
      return {
        metadata: {
          name,
          namespace: "kube-system",
          uid: uuidOf(`${scenario.uid}/lease/${hostname}`),
          resourceVersion: String(900 + index),
          creationTimestamp: seconds(scenario.leaseCreatedAt(index)),
          labels: {
            "apiserver.kubernetes.io/identity": "kube-apiserver",
            "kubernetes.io/hostname": hostname,
          },
        },
        spec: {
          // The holder changes with every start of the process; the Lease does not.
          holderIdentity: `${name}_${uuidOf(`${hostname}/${startedAt}`)}`,
          leaseDurationSeconds: 3600,
          renewTime: micros(Math.floor(at / (RENEW_SECONDS * 1000)) * RENEW_SECONDS * 1000),
        },
      };
    }),
  );
}

function endpointSlices(scenario: ClusterScenario, addresses: readonly ServerAddress[]): Collection {
  const slices = addresses.map(
    (server, index): KubeObject => ({
      metadata: {
        name: index === 0 ? "kubernetes" : `kubernetes-${index}`,
        namespace: "default",
        uid: uuidOf(`${scenario.uid}/endpointslice/${index}`),
        resourceVersion: String(210 + index),
        creationTimestamp: seconds(scenario.createdAt),
        labels: { "kubernetes.io/service-name": "kubernetes" },
      },
      addressType: "IPv4",
      endpoints: [{ addresses: [server.address], conditions: { ready: true } }],
      ports: [{ name: server.isTls ? "https" : "http", port: server.port, protocol: "TCP" }],
    }),
  );
  return fixedCollection(typeOf("discovery.k8s.io", "endpointslices"), slices);
}
