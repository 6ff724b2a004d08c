import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import { collectionsOf, knownVersionOf } from "../metrics/known-figures.ts";
import { advanceRates, type ServerRates } from "../metrics/rates.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { ScrapeMemory } from "../scrape-memory.ts";
import { matchServers } from "./match-servers.ts";
import type { KeptConnection, readServers } from "./read-servers.ts";

/** What was met of one server in a pass. */
export interface MetServer {
  readonly serverId: string;
  readonly metrics: ServerMetrics;
  readonly rates: ServerRates;
  /** Through the shared address; `null` for its own. */
  readonly connection: KeptConnection | null;
}

/**
 * Says of each page that was read which server it is of, turns its counters into rates against the page before, and
 * returns what is to be remembered of it. A second page of one server counts for nothing.
 */
export function takePages(
  memory: ScrapeMemory,
  result: Awaited<ReturnType<typeof readServers>>,
  now: number,
): { readonly met: readonly MetServer[]; readonly servers: ServersPart; readonly memory: ScrapeMemory } {
  const matched = matchServers({
    now,
    previous: memory.servers,
    leases: memory.leases,
    addresses: memory.addresses,
    observations: result.read.map(({ observation }) => observation),
  });
  const rates = new Map(memory.rates);
  const versions = new Map(memory.versions);
  const met: MetServer[] = [];
  for (const [index, { page, connection }] of result.read.entries()) {
    const serverId = matched.serverIds[index];
    if (serverId === undefined || met.some((each) => each.serverId === serverId)) continue;
    const advanced = advanceRates(rates.get(serverId) ?? null, page.metrics);
    rates.set(serverId, advanced.memory);
    met.push({ serverId, metrics: page.metrics, rates: advanced.rates, connection });
    const version = knownVersionOf(page.metrics);
    if (version !== null) versions.set(serverId, version);
  }
  const ids = new Set(matched.part.servers.map(({ id }) => id));
  const servers = withCores(matched.part, met);
  return {
    met,
    servers,
    memory: {
      ...memory,
      servers,
      addressRetryAt: result.addressRetryAt,
      nextSlot: memory.nextSlot + result.sharedTries,
      stickiness: result.stickiness,
      rates: keepKeys(rates, ids),
      versions: keepKeys(versions, ids),
      collections: met[0] === undefined ? memory.collections : collectionsOf(met[0].metrics),
    },
  };
}

/** What a server published of its cores stays known when it is not read. */
function withCores(part: ServersPart, met: readonly MetServer[]): ServersPart {
  const cores = new Map(met.map(({ serverId, metrics }) => [serverId, metrics.cores]));
  return {
    ...part,
    servers: part.servers.map((server) => {
      const published = cores.get(server.id) ?? null;
      return published === null ? server : { ...server, cores: published };
    }),
  };
}

function keepKeys<V>(map: ReadonlyMap<string, V>, keys: ReadonlySet<string>): ReadonlyMap<string, V> {
  return new Map([...map].filter(([key]) => keys.has(key)));
}
