import { z } from "zod";
import type { ApiServerClient, ReadOptions, RequestCost } from "./client-types.ts";

type DiscoveryOptions = Pick<ReadOptions, "signal" | "limits">;

/** The label of the Leases by which kube-apiservers say that they are there (1.26 and later). */
const IDENTITY_SELECTOR = "apiserver.kubernetes.io/identity=kube-apiserver";
const LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const ENDPOINT_SLICES_PATH = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const KUBERNETES_SERVICE = "kubernetes.io/service-name=kubernetes";
const NAMESPACE_PATH = "/api/v1/namespaces/kube-system";

/** One API server, as its identity Lease has it. Instants are milliseconds since the epoch. */
export interface IdentityLease {
  /** `apiserver-<hash>`. */
  readonly name: string;
  /** Value of the label `kubernetes.io/hostname`, or null. */
  readonly hostname: string | null;
  readonly holderIdentity: string | null;
  readonly renewedAt: number | null;
  readonly createdAt: number | null;
  readonly leaseDurationSeconds: number | null;
}

/** One address of one API server. */
export interface ServerEndpoint {
  /** `host:port`, IPv6 in brackets: what `withAddress` takes. */
  readonly address: string;
  /** Null where the slice does not say. */
  readonly isReady: boolean | null;
}

/** What `/version` says. */
export interface VersionAnswer {
  /** As published: `v1.34.2`. */
  readonly gitVersion: string;
  readonly major: number;
  readonly minor: number;
  /** Null where the version has none that is a number. */
  readonly patch: number | null;
  readonly platform: string | null;
  readonly cost: RequestCost;
}

const LeaseSchema = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).nullish(),
    creationTimestamp: z.string().nullish(),
  }),
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
    })
    .nullish(),
});

const EndpointSliceSchema = z.object({
  ports: z.array(z.object({ name: z.string().nullish(), port: z.number().int().nullish() })).nullish(),
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.object({ ready: z.boolean().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

const VersionSchema = z.object({ gitVersion: z.string(), platform: z.string().nullish() });
const NamespaceSchema = z.object({ metadata: z.object({ uid: z.string().min(1) }) });

/**
 * Identity Leases of the kube-apiservers, sorted by name. A server that ended without a word keeps its Lease until it
 * is collected, an hour later: look at `renewedAt`.
 */
export async function readIdentityLeases(
  client: ApiServerClient,
  options: DiscoveryOptions = {},
): Promise<{ readonly leases: readonly IdentityLease[]; readonly cost: RequestCost }> {
  const { items, cost } = await client.listAll(LEASES_PATH, {
    ...options,
    query: { labelSelector: IDENTITY_SELECTOR },
    parseItem: (item) => toLease(LeaseSchema.parse(item)),
  });
  return { leases: items.toSorted((a, b) => compare(a.name, b.name)), cost };
}

function toLease({ metadata, spec }: z.output<typeof LeaseSchema>): IdentityLease {
  return {
    name: metadata.name,
    hostname: metadata.labels?.["kubernetes.io/hostname"] ?? null,
    holderIdentity: spec?.holderIdentity ?? null,
    renewedAt: toInstant(spec?.renewTime),
    createdAt: toInstant(metadata.creationTimestamp),
    leaseDurationSeconds: spec?.leaseDurationSeconds ?? null,
  };
}

/** Addresses behind the Service `default/kubernetes`, each once, sorted: those of the API servers themselves. */
export async function readServerEndpoints(
  client: ApiServerClient,
  options: DiscoveryOptions = {},
): Promise<{ readonly endpoints: readonly ServerEndpoint[]; readonly cost: RequestCost }> {
  const { items, cost } = await client.listAll(ENDPOINT_SLICES_PATH, {
    ...options,
    query: { labelSelector: KUBERNETES_SERVICE },
    parseItem: (item) => EndpointSliceSchema.parse(item),
  });
  const byAddress = new Map<string, ServerEndpoint>();
  for (const slice of items) {
    const ports = slice.ports ?? [];
    const port = (ports.find((each) => each.name === "https") ?? ports[0])?.port ?? 443;
    for (const { addresses, conditions } of slice.endpoints ?? []) {
      for (const host of addresses) {
        const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
        byAddress.set(address, { address, isReady: conditions?.ready ?? null });
      }
    }
  }
  return { endpoints: [...byAddress.values()].toSorted((a, b) => compare(a.address, b.address)), cost };
}

/** `/version`. Major and minor are taken from the git version: some providers answer a minor of `34+`. */
export async function readVersion(
  client: ApiServerClient,
  options: DiscoveryOptions = {},
): Promise<VersionAnswer> {
  const { value, cost } = await client.getJson("/version", {
    ...options,
    parse: (answer) => {
      const { gitVersion, platform } = VersionSchema.parse(answer);
      const numbers = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(gitVersion);
      if (numbers === null) throw new RangeError("gitVersion is no version");
      return {
        gitVersion,
        major: Number(numbers[1]),
        minor: Number(numbers[2]),
        patch: numbers[3] === undefined ? null : Number(numbers[3]),
        platform: platform ?? null,
      };
    },
  });
  return { ...value, cost };
}

/** UID of the kube-system namespace: the identity of the cluster, whatever its context is called. */
export async function readClusterUid(
  client: ApiServerClient,
  options: DiscoveryOptions = {},
): Promise<{ readonly uid: string; readonly cost: RequestCost }> {
  const { value, cost } = await client.getJson(NAMESPACE_PATH, {
    ...options,
    parse: (answer) => NamespaceSchema.parse(answer).metadata.uid,
  });
  return { uid: value, cost };
}

function toInstant(text: string | null | undefined): number | null {
  const instant = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
