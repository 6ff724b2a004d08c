import type { OwnSeats } from "../../domain/clusters/part.ts";
import { estimateSeats, type SeatsInput } from "../../domain/cost/index.ts";
import { parseRequest, splitRequestUri } from "../../domain/kubernetes/index.ts";
import { parseVersion, ruleVersion } from "../../domain/kubernetes/version.ts";
import type { ScrapeMemory } from "../scrape-memory.ts";
import type { TimedRequest } from "./part-run.ts";

/** What is known of the API servers when a pass ends. */
export type PricingMemory = Pick<ScrapeMemory, "versions" | "collections">;

/** Headroom only reads. */
const METHOD = "GET";
/** Objects and bytes that no collection exceeds. */
const UNKNOWN_AT_MOST = { objects: 1_000_000_000, size: 1_500_000 };
/** Where a count or size makes no difference, this one costs the same. */
const UNKNOWN_AT_LEAST = { stats: "notfound" } as const;

/**
 * What our own requests cost in seats, by the version and gates of a server and the counts that this pass or an
 * earlier one read; `null` where no version is known or it does not read as one. A request whose price hangs on a count that is not known is not
 * priced, and counted.
 */
export function priceOwnRequests(
  sent: readonly TimedRequest[],
  { versions, collections }: PricingMemory,
): OwnSeats | null {
  const [version] = versions.values();
  if (version === undefined || parseVersion(version.gitVersion) === null) return null;
  const server = {
    v: version.gitVersion,
    gates: version.gates && Object.fromEntries(version.gates.map(({ name, enabled }) => [name, enabled])),
  };
  const { minor } = ruleVersion(server.v);
  let widestSeats = 0;
  let seatSeconds = 0;
  let notPriced = 0;
  for (const { path: uri, seconds } of sent) {
    const { path, query } = splitRequestUri(uri);
    const { apiGroup, resource } = parseRequest(METHOD, path, query, minor);
    const seats = priceOne(
      { ...server, method: METHOD, path, query },
      collections.get(`${apiGroup}/${resource}`),
    );
    if (seats === null) {
      notPriced += 1;
      continue;
    }
    widestSeats = Math.max(widestSeats, seats);
    seatSeconds += seats * seconds;
  }
  return { widestSeats, seatSeconds, notPriced };
}

type Collection = ScrapeMemory["collections"] extends ReadonlyMap<string, infer Value> ? Value : never;

function priceOne(request: SeatsInput, collection: Collection | undefined): number | null {
  const price = (facts: Partial<SeatsInput>) => estimateSeats({ ...request, ...facts }).initialSeats;
  if (collection === undefined) return sameOrNull(price(UNKNOWN_AT_LEAST), price(UNKNOWN_AT_MOST));
  const { objects, objectBytes } = collection;
  if (objectBytes !== null) return price({ objects, size: Math.round(objectBytes) });
  return sameOrNull(price({ objects, size: 1 }), price({ objects, size: UNKNOWN_AT_MOST.size }));
}

const sameOrNull = (a: number, b: number): number | null => (a === b ? a : null);
