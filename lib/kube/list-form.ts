import { POD_SAMPLE_LIMIT } from "./guard.ts";

/** How to ask for a LIST, and why so. */
export interface ListForm {
  /** Page size, or null for no limit. */
  readonly limit: number | null;
  /** `""` for the most recent, `"0"` for any age. */
  readonly resourceVersion: "" | "0";
  readonly resourceVersionMatch: "NotOlderThan" | null;
  /** Where the first page is served. */
  readonly firstPageFrom: "cache" | "etcd";
  /** Where pages after it are served; null where there are none. */
  readonly nextPagesFrom: "snapshot" | "etcd" | null;
  /** One sentence with the rule of the version. */
  readonly why: string;
}

/** What the choice rests on. Unknown is null, and leads to a form that is bounded whatever the truth is. */
export interface ListFormInput {
  /** Of the API server that is asked. 1.26 to 1.37 are known; older counts as 1.26, newer as 1.37. */
  readonly version: { readonly minor: number; readonly patch: number | null };
  /** `all`: every object; `sample`: one page, never continued; `count`: one object and how many remain. */
  readonly intent: "all" | "sample" | "count";
  /** False for what has no watch cache: `events` by default. Default true. */
  readonly isCached?: boolean;
  /** The gate ConsistentListFromCache as read from the server; null for the default of the version. */
  readonly consistentListFromCache?: boolean | null;
  /** Number of objects, where it is known. */
  readonly objects?: number | null;
  /** Average bytes of one object as stored (`apiserver_resource_size_estimate_bytes` ÷ objects), where known. */
  readonly storedObjectBytes?: number | null;
}

/** Page size of client-go, and ours. */
export const PAGE_OBJECTS = 500;
const MIN_PAGE_OBJECTS = 100;
/** Ten seats of 100,000 bytes: what a LIST from the cache costs at most (1.34 and later). */
const TEN_SEATS_BYTES = 1_000_000;

/**
 * The cheapest form of a LIST that the version allows, for the API server and etcd first and for us second.
 *
 * Metadata only saves bytes on the wire and our parsing, never seats or cache work, so it does not change the form.
 * A limit is left out only where the collection is known to fit one page and a limit would send the request to etcd
 * or be ignored. Source: cacher.go, delegator.go, list_work_estimator.go of k8s.io/apiserver, v0.26 to v0.37.
 */
export function chooseListForm(input: ListFormInput): ListForm {
  if (input.intent === "count") return bounded(input, 1, null);
  if (input.intent === "sample") return bounded(input, POD_SAMPLE_LIMIT, null);
  const objects = input.objects ?? null;
  const fitsOnePage = objects !== null && objects <= PAGE_OBJECTS;
  const { version } = input;

  if (fitsOnePage && input.isCached !== false) {
    if (!readsRecentFromCache(input)) {
      return {
        limit: null,
        resourceVersion: "0",
        resourceVersionMatch: null,
        firstPageFrom: "cache",
        nextPagesFrom: null,
        why: "the most recent state would be read from etcd; at any age the cache answers, whole and whatever the limit, and this collection fits one page",
      };
    }
    if (sendsLimitToEtcd(version)) {
      return {
        limit: null,
        resourceVersion: "",
        resourceVersionMatch: null,
        firstPageFrom: "cache",
        nextPagesFrom: null,
        why: "1.33.0 to 1.33.2 read from etcd when a limit is given; without one the cache answers, and this collection fits one page",
      };
    }
  }
  if (version.minor >= 34 && input.isCached !== false && readsRecentFromCache(input)) {
    const limit = pageByBytes(input.storedObjectBytes ?? null);
    return bounded(input, limit, fitsOnePage ? null : "snapshot");
  }
  return bounded(input, PAGE_OBJECTS, fitsOnePage ? null : "etcd");
}

/** The most recent state with a limit: bounded in every version. */
function bounded(input: ListFormInput, limit: number, nextPagesFrom: ListForm["nextPagesFrom"]): ListForm {
  const form = { limit, resourceVersion: "", resourceVersionMatch: null, nextPagesFrom } as const;
  if (input.isCached === false) {
    return {
      ...form,
      firstPageFrom: "etcd",
      why: "this resource has no watch cache: etcd answers, and honours the limit",
    };
  }
  if (!readsRecentFromCache(input)) {
    const why =
      "the limit is honoured by etcd only: from the cache (resourceVersion=0) all objects would come at once";
    return { ...form, firstPageFrom: "etcd", why };
  }
  if (sendsLimitToEtcd(input.version)) {
    return { ...form, firstPageFrom: "etcd", why: "1.33.0 to 1.33.2 read from etcd when a limit is given" };
  }
  const first = "the cache answers consistently and honours the limit";
  if (nextPagesFrom === "snapshot") {
    const why = `${first}; later pages come from a snapshot of it but are priced as read from etcd, so a page stays within ten seats`;
    return { ...form, firstPageFrom: "cache", why };
  }
  const why = nextPagesFrom === "etcd" ? `${first}; later pages are read from etcd` : first;
  return { ...form, firstPageFrom: "cache", why };
}

/** ConsistentListFromCache: beta and on from 1.31, always on in 1.37. It also needs etcd 3.4.31 or 3.5.13. */
function readsRecentFromCache({ version, consistentListFromCache }: ListFormInput): boolean {
  if (version.minor >= 37) return true;
  // Present but off and alpha from 1.28 to 1.30: its list path does not honour a limit from the cache there.
  if (version.minor <= 30) return false;
  return consistentListFromCache ?? true;
}

function sendsLimitToEtcd(version: ListFormInput["version"]): boolean {
  return version.minor === 33 && version.patch !== null && version.patch <= 2;
}

function pageByBytes(storedObjectBytes: number | null): number {
  if (storedObjectBytes === null || !(storedObjectBytes > 0)) return PAGE_OBJECTS;
  return Math.min(PAGE_OBJECTS, Math.max(MIN_PAGE_OBJECTS, Math.floor(TEN_SEATS_BYTES / storedObjectBytes)));
}
