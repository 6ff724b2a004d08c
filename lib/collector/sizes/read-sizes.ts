import type { SampledObjectSize, SizesPart } from "../../domain/clusters/version-part.ts";
import type { ApiServerClient } from "../../kube/index.ts";
import type { PartRun } from "../pass/part-run.ts";
import {
  chooseSamples,
  LISTABLE_COLLECTIONS,
  type ListableCollection,
  measureSample,
  SAMPLE_OBJECTS,
} from "./choose-samples.ts";
import { decideSizes, decideSizesFromCounts, type SizedServer } from "./decide-sizes.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PAGE_LIMITS = { headersSeconds: 15, totalSeconds: 30 };

export interface ReadSizesInput {
  readonly run: PartRun;
  readonly client: ApiServerClient;
  readonly servers: readonly SizedServer[];
  /** Stands for the server that answers where no page of any was read. */
  readonly fallbackServerId: string;
}

/** The sizes part, and how many pods the sample page said there are (so that nobody asks again). */
export interface ReadSizesResult {
  readonly value: SizesPart | null;
  readonly pods: number | null;
  readonly answer: string;
}

export async function readSizes(input: ReadSizesInput): Promise<ReadSizesResult> {
  const { run, client, servers, fallbackServerId } = input;
  const hasCounts = servers.some(({ metrics }) => metrics.resources.size > 0);
  const resources = hasCounts
    ? decideSizes(servers)
    : decideSizesFromCounts(fallbackServerId, await countCollections(run, client));
  const samples: SampledObjectSize[] = [];
  let pods: number | null = null;
  for (const collection of chooseSamples(resources)) {
    const sample = await readSample(run, client, collection);
    if (sample === null) continue;
    samples.push(sample.size);
    if (collection.resource === "pods") pods = sample.count;
  }
  const known = resources.filter((row) => row.objects.state === "known");
  const isEmpty = known.length === 0 && samples.length === 0;
  const distinct = new Set(resources.map((row) => `${row.group}/${row.resource}`)).size;
  return {
    value: isEmpty ? null : { resources, samples },
    pods,
    answer: `${distinct} resources${hasCounts ? ` on ${servers.length} ${servers.length === 1 ? "server" : "servers"}` : " by one-object LISTs"}, ${samples.length} sampled`,
  };
}

/** Counts by `limit=1`, one collection after the other; a refused one costs itself only. */
async function countCollections(run: PartRun, client: ApiServerClient) {
  const counts: { group: string; resource: string; count: number | null }[] = [];
  for (const { group, resource, path } of LISTABLE_COLLECTIONS) {
    // Pods are counted by their sample page: a second request would be one too many.
    const isPods = resource === "pods";
    const answer = await run.attempt({ what: `count of ${resource}`, path }, async () =>
      isPods
        ? countOf(await client.samplePage(path, { limit: SAMPLE_OBJECTS, limits: PAGE_LIMITS }))
        : (await client.count(path, { limits: PAGE_LIMITS })).count,
    );
    counts.push({ group, resource, count: answer });
  }
  return counts;
}

async function readSample(
  run: PartRun,
  client: ApiServerClient,
  collection: ListableCollection,
): Promise<{ readonly size: SampledObjectSize; readonly count: number | null } | null> {
  const { path, resource } = collection;
  const page = await run.attempt({ what: `sample of ${resource}`, path }, () =>
    client.samplePage(path, { limit: SAMPLE_OBJECTS, limits: PAGE_LIMITS }),
  );
  if (page === null) return null;
  // One sample page of the pods of a cluster is all that a guest takes.
  const protobufBytes = resource === "pods" ? null : await readProtobufBytes(run, client, path);
  return { size: measureSample(collection, page, protobufBytes), count: countOf(page) };
}

/** Bytes of the same page as protobuf; `null` where the server does not offer it, which is no failure. */
async function readProtobufBytes(
  run: PartRun,
  client: ApiServerClient,
  path: string,
): Promise<number | null> {
  const { value } = await run.tryRead(path, () =>
    client.getBytes(path, { accept: PROTOBUF, query: { limit: SAMPLE_OBJECTS }, limits: PAGE_LIMITS }),
  );
  return value?.body.length ?? null;
}

function countOf(page: {
  readonly itemCount: number;
  readonly remainingItemCount: number | null;
  readonly hasContinue: boolean;
}): number | null {
  if (page.remainingItemCount !== null) return page.itemCount + page.remainingItemCount;
  return page.hasContinue ? null : page.itemCount;
}
