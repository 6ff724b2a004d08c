import { z } from "zod";
import type { ApiServerClient } from "../../kube/index.ts";
import type { PartRun } from "../pass/part-run.ts";
import type { LeaseIdentity } from "./match-servers.ts";

/** Leases by which kube-apiservers announce themselves (1.26 and later). */
export const IDENTITY_LEASES_PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const IDENTITY_SELECTOR = "apiserver.kubernetes.io/identity=kube-apiserver";
/** The API server's own EndpointSlices: the addresses of its Service. */
export const ENDPOINT_SLICES_PATH = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const SLICES_SELECTOR = "kubernetes.io/service-name=kubernetes";
/** More API servers than any cluster has. */
const PAGE_LIMIT = 100;

const LeaseSchema = z.object({
  metadata: z.object({
    name: z.string(),
    creationTimestamp: z.string().nullish(),
    labels: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.object({ renewTime: z.string().nullish() }).nullish(),
});

const EndpointSliceSchema = z.object({
  addressType: z.string().nullish(),
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.object({ ready: z.boolean().nullish() }).nullish(),
      }),
    )
    .nullish(),
  ports: z.array(z.object({ name: z.string().nullish(), port: z.number().nullish() })).nullish(),
});

/** `null`: not read, and the part says why. */
export async function readLeases(
  run: PartRun,
  client: ApiServerClient,
): Promise<readonly LeaseIdentity[] | null> {
  return run.attempt({ what: "identity Leases", path: IDENTITY_LEASES_PATH }, async () => {
    const list = await client.listAll(IDENTITY_LEASES_PATH, {
      form: { limit: PAGE_LIMIT, resourceVersion: "", resourceVersionMatch: null },
      query: { labelSelector: IDENTITY_SELECTOR },
      parseItem: parseLease,
    });
    return list.items;
  });
}

/** Addresses as `host:port`, sorted; `null`: not read, and the part says why. */
export async function readAddresses(
  run: PartRun,
  client: ApiServerClient,
): Promise<readonly string[] | null> {
  return run.attempt(
    { what: "EndpointSlices of default/kubernetes", path: ENDPOINT_SLICES_PATH },
    async () => {
      const list = await client.listAll(ENDPOINT_SLICES_PATH, {
        form: { limit: PAGE_LIMIT, resourceVersion: "", resourceVersionMatch: null },
        query: { labelSelector: SLICES_SELECTOR },
        parseItem: parseAddresses,
      });
      return [...new Set(list.items.flat())].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    },
  );
}

/** @throws ZodError where the object is no Lease. */
export function parseLease(item: unknown): LeaseIdentity {
  const { metadata, spec } = LeaseSchema.parse(item);
  return {
    name: metadata.name,
    hostname: metadata.labels?.["kubernetes.io/hostname"] ?? null,
    renewAt: parseInstant(spec?.renewTime),
    createdAt: parseInstant(metadata.creationTimestamp),
  };
}

/** `host:port` of each ready endpoint. @throws ZodError where the object is no EndpointSlice. */
export function parseAddresses(item: unknown): readonly string[] {
  const slice = EndpointSliceSchema.parse(item);
  if (slice.addressType === "FQDN") return [];
  const ports = (slice.ports ?? []).filter(({ port }) => port !== null && port !== undefined);
  const port = (ports.find(({ name }) => name === "https") ?? ports[0])?.port ?? null;
  if (port === null) return [];
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses)
    .filter((address) => !isLinkLocal(address))
    .map((address) => (address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`));
}

/** No API server stands there, and a metadata service may. */
function isLinkLocal(address: string): boolean {
  return address.startsWith("169.254.") || /^fe[89ab]/i.test(address);
}

function parseInstant(text: string | null | undefined): number | null {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? null : at;
}
