import type { SampledObjectSize, SizesPart } from "../../domain/clusters/version-part.ts";
import type { SamplePage } from "../../kube/client-types.ts";
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
  const pages = new SamplePages(run, client);
  const hasCounts = servers.some(({ metrics }) => metrics.resources.size > 0);
  const resources = hasCounts
    ? decideSizes(servers)
    : decideSizesFromCounts(fallbackServerId, await countCollections(run, client, pages));
  const samples: SampledObjectSize[] = [];
  for (const collection of chooseSamples(resources)) {
    const page = await pages.read(collection);
    if (page === null) continue;
    // One page of the pods of a cluster is all that a guest takes.
    const isPods = collection.resource === "pods";
    const protobufBytes = isPods ? null : await readProtobufBytes(run, client, collection.path);
    samples.push(measureSample(collection, page, protobufBytes));
  }
  const known = resources.filter((row) => row.objects.state === "known");
  // That a server knows no count yet (minutes after its start it says −1 for all) is a figure; no page at all is none.
  const isEmpty = !hasCounts && known.length === 0 && samples.length === 0;
  const distinct = new Set(resources.map((row) => `${row.group}/${row.resource}`)).size;
  const source = hasCounts
    ? `on ${servers.length} ${servers.length === 1 ? "server" : "servers"}`
    : "by one-object LISTs";
  return {
    value: isEmpty ? null : { resources, samples },
    pods: pages.pods(),
    answer: `${distinct} resources ${source}, ${samples.length} sampled`,
  };
}

/** Sample pages, each read once: a collection that is counted by its page is not asked again to be measured. */
class SamplePages {
  readonly #run: PartRun;
  readonly #client: ApiServerClient;
  readonly #pages = new Map<string, SamplePage | null>();

  constructor(run: PartRun, client: ApiServerClient) {
    this.#run = run;
    this.#client = client;
  }

  async read({ path, resource }: ListableCollection): Promise<SamplePage | null> {
    const known = this.#pages.get(path);
    if (known !== undefined) return known;
    const page = await this.#run.attempt({ what: `sample of ${resource}`, path }, () =>
      this.#client.samplePage(path, { limit: SAMPLE_OBJECTS, limits: PAGE_LIMITS }),
    );
    this.#pages.set(path, page);
    return page;
  }

  pods(): number | null {
    const page = this.#pages.get("/api/v1/pods");
    return page === undefined || page === null ? null : countOf(page);
  }
}

/** Counts by `limit=1`, one collection after the other; a refused one costs itself only. */
async function countCollections(run: PartRun, client: ApiServerClient, pages: SamplePages) {
  const counts: { group: string; resource: string; count: number | null }[] = [];
  for (const collection of LISTABLE_COLLECTIONS) {
    const { group, resource, path } = collection;
    if (resource === "pods") {
      const page = await pages.read(collection);
      counts.push({ group, resource, count: page === null ? null : countOf(page) });
      continue;
    }
    const count = await run.attempt(
      { what: `count of ${resource}`, path },
      async () => (await client.count(path, { limits: PAGE_LIMITS })).count,
    );
    counts.push({ group, resource, count });
  }
  return counts;
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
