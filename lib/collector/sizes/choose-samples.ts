import { PERMISSIONS, type ResourcePermission } from "../../domain/clusters/permissions.ts";
import type { Reading } from "../../domain/clusters/reading.ts";
import type { ResourceSize, SampledObjectSize } from "../../domain/clusters/version-part.ts";

/** Objects of one sample page. */
export const SAMPLE_OBJECTS = 50;
/** Collections sampled per pass, pods among them. */
export const SAMPLED_COLLECTIONS = 8;
/** Smaller collections cost nobody anything. */
const LARGE_OBJECTS = 100;

/** A collection whose objects a pass may list in the whole cluster. */
export interface ListableCollection {
  readonly group: string;
  readonly resource: string;
  /** Path of the LIST. */
  readonly path: string;
}

/**
 * What a pass may list in the whole cluster under the minimal role: the candidates for sample pages and for counting
 * without metrics. FlowSchemas and priority levels are read whole elsewhere.
 */
export const LISTABLE_COLLECTIONS: readonly ListableCollection[] = PERMISSIONS.filter(
  (permission): permission is Extract<(typeof PERMISSIONS)[number], { kind: "resource" }> =>
    permission.kind === "resource" && permission.verb === "list" && permission.scope === "cluster",
)
  .filter((permission) => permission.apiGroup !== "flowcontrol.apiserver.k8s.io")
  .map((permission: ResourcePermission) => ({
    group: permission.apiGroup,
    resource: permission.resource,
    // All of these groups serve v1 in every release since 1.26.
    path:
      permission.apiGroup === ""
        ? `/api/v1/${permission.resource}`
        : `/apis/${permission.apiGroup}/v1/${permission.resource}`,
  }));

/**
 * The largest listable collections by stored bytes, then objects, as any server knows them; pods first wherever there
 * are any. At most {@link SAMPLED_COLLECTIONS}.
 */
export function chooseSamples(sizes: readonly ResourceSize[]): readonly ListableCollection[] {
  const scored = LISTABLE_COLLECTIONS.map((collection) => {
    const rows = sizes.filter(
      ({ group, resource }) => group === collection.group && resource === collection.resource,
    );
    return {
      collection,
      objects: Math.max(0, ...rows.map((row) => knownOrZero(row.objects))),
      bytes: Math.max(0, ...rows.map((row) => knownOrZero(row.storedBytes))),
      isPods: collection.resource === "pods",
    };
  });
  return scored
    .filter(({ objects, isPods }) => objects >= LARGE_OBJECTS || (isPods && objects > 0))
    .sort((a, b) => Number(b.isPods) - Number(a.isPods) || b.bytes - a.bytes || b.objects - a.objects)
    .slice(0, SAMPLED_COLLECTIONS)
    .map(({ collection }) => collection);
}

/** Bytes per object of one page: as JSON, and of its metadata alone as PartialObjectMetadata would be sent. */
export function measureSample(
  collection: Pick<ListableCollection, "group" | "resource">,
  page: { readonly items: readonly unknown[]; readonly bytesPerItem: readonly number[] },
  protobufBytes: number | null,
): SampledObjectSize {
  const count = page.items.length;
  const average = (bytes: readonly number[]) =>
    count === 0 ? null : Math.round(bytes.reduce((total, each) => total + each, 0) / count);
  return {
    group: collection.group,
    resource: collection.resource,
    sampledObjects: count,
    jsonBytes: average(page.bytesPerItem),
    metadataBytes: average(page.items.map(metadataBytesOf)),
    protobufBytes: count === 0 || protobufBytes === null ? null : Math.round(protobufBytes / count),
  };
}

const METADATA_ENVELOPE_BYTES = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":}'
  .length;

function metadataBytesOf(item: unknown): number {
  const metadata = typeof item === "object" && item !== null && "metadata" in item ? item.metadata : null;
  return METADATA_ENVELOPE_BYTES + new TextEncoder().encode(JSON.stringify(metadata)).length;
}

function knownOrZero(reading: Reading): number {
  return reading.state === "known" ? reading.value : 0;
}
