import type { Clock } from "../clock.ts";
import type { PartRecord } from "../db/store.ts";
import type { PartName, ReadFailure } from "../domain/clusters/part.ts";
import type { SeriesSample } from "../domain/clusters/series.ts";
import type { ServersPart } from "../domain/clusters/servers-part.ts";
import type { ApiServerClient, ConnectionOptions } from "../kube/index.ts";
import { findDumpWay } from "./fairness/find-dump-way.ts";
import { readFairness } from "./fairness/read-fairness.ts";
import { readInventory } from "./inventory/read-inventory.ts";
import { countOf, knownVersionOf } from "./metrics/known-figures.ts";
import { PartRun, PassHalt } from "./pass/part-run.ts";
import { createPermissionRecorder, type MetPermissions } from "./pass/permission-recorder.ts";
import { priceOwnRequests } from "./pass/price-own-requests.ts";
import { findReadFailure, isWholeCluster } from "./pass/read-failure.ts";
import { decideSamples } from "./samples/decide-samples.ts";
import { forgetCluster, type KnownVersion, type ScrapeMemory } from "./scrape-memory.ts";
import { describeServersNotRead } from "./servers/describe-not-read.ts";
import { findLiveLeases } from "./servers/match-servers.ts";
import { readAddresses, readLeases } from "./servers/read-identities.ts";
import { readServers, type SharedConnections } from "./servers/read-servers.ts";
import { type MetServer, takePages } from "./servers/take-pages.ts";
import { readSizes } from "./sizes/read-sizes.ts";
import {
  decideVersion,
  IDENTITY_PATH,
  parseVersion,
  readClusterUid,
  readVersion,
} from "./version/read-version.ts";

export interface ScrapeInput {
  /** By the address of the kubeconfig. */
  readonly client: ApiServerClient;
  readonly connections: SharedConnections;
  readonly clock: Clock;
  /** Ends every read of the pass; the pass then rejects with its reason and leaves nothing behind. */
  readonly signal: AbortSignal;
  readonly due: readonly PartName[];
  readonly memory: ScrapeMemory;
  /** Ask one cheap thing first and stop when it fails: for a cluster that did not answer the last time. */
  readonly mustProbe: boolean;
  /** No other pass follows: what takes several to learn is learnt at once, where that is cheap. Default false. */
  readonly isOnlyPass?: boolean;
  /**
   * Told the UID as soon as it is read. What it resolves to is remembered from here on in place of `memory`; `null`
   * keeps that, unless it belongs to another UID.
   */
  readonly onIdentity?: (uid: string) => Promise<ScrapeMemory | null>;
  /** Told of errors that are defects of ours; the part concerned fails, the others go on. */
  readonly onDefect: (part: PartName, error: unknown) => void;
}

/** What one pass over one cluster came to. Nothing is stored yet. */
export interface ScrapeResult {
  readonly startedAt: number;
  readonly durationSeconds: number;
  readonly requests: number;
  readonly wireBytes: number;
  readonly decodedBytes: number;
  /** As read in this pass; `null` where it was not. */
  readonly clusterUid: string | null;
  /** One per part that was due, in the order of `PART_NAMES`. */
  readonly parts: readonly PartRecord[];
  readonly permissions: MetPermissions;
  readonly samplesAtSeconds: number;
  readonly samples: readonly SeriesSample[];
  readonly memory: ScrapeMemory;
}

/** EndpointSlices change when a server comes or goes; a server that was not met makes them be read at once. */
const ADDRESSES_PERIOD_MS = 300_000;
/** Identity Leases are read this often while every server is met. */
const LEASES_PERIOD_MS = 110_000;
/** Reads of `/metrics` through the shared address: each may meet any server, so all servers are charged for it. */
const SHARED_TRIES = 3;
/** The first pass looks for all servers; what it may spend is the burst of the budget. */
const FIRST_SHARED_TRIES = 8;
const COST_WINDOW_MS = 60_000;

/** Parts whose figures come from the `/metrics` pages; the first that is due pays for them. */
const METRICS_PARTS = ["fairness", "version", "servers", "sizes"] as const;

/**
 * One pass over one cluster: reads what is due, decides, and returns it. It owns no timer and writes nothing. A part
 * that fails, is refused or finds no budget costs itself only.
 * @throws the reason of `signal` when that is aborted; nothing else.
 */
export function scrapeCluster(input: ScrapeInput): Promise<ScrapeResult> {
  return new Pass(input).run();
}

class Pass {
  readonly #input: ScrapeInput;
  readonly #client: ApiServerClient;
  readonly #startedAt: number;
  readonly #permissions;
  readonly #runs = new Map<PartName, PartRun>();
  readonly #records = new Map<PartName, PartRecord>();
  #memory: ScrapeMemory;
  #uid: string | null = null;
  #pods: number | null = null;

  constructor(input: ScrapeInput) {
    this.#input = input;
    this.#client = input.client.scoped({ signal: input.signal });
    this.#startedAt = input.clock.now();
    this.#permissions = createPermissionRecorder(() => input.clock.now());
    this.#memory = input.memory;
    const halt = new PassHalt();
    for (const part of input.due) {
      this.#runs.set(
        part,
        new PartRun({
          part,
          clock: input.clock,
          permissions: this.#permissions,
          halt,
          passStartedAt: this.#startedAt,
        }),
      );
    }
  }

  async run(): Promise<ScrapeResult> {
    const dead = await this.#identify();
    if (dead !== null) this.#failAll(dead);
    else await this.#readParts();
    return this.#finish();
  }

  /** The UID of the cluster, first of all; the failure when nothing else can be read either. */
  async #identify(): Promise<ReadFailure | null> {
    const { due, mustProbe, signal } = this.#input;
    if (!due.includes("version") && !mustProbe && this.#memory.uid !== null) return null;
    const run = this.#runs.get("version") ?? [...this.#runs.values()][0];
    if (run === undefined) return null;
    const { value, failure } = await run.tryRead(IDENTITY_PATH, () =>
      readClusterUid(run.clientFrom(this.#client)),
    );
    signal.throwIfAborted();
    if (failure !== null) {
      if (isWholeCluster(failure)) return failure;
      run.notRead.push({ what: "UID of kube-system", serverId: null, failure });
      return null;
    }
    this.#uid = value;
    const replaced = (await this.#input.onIdentity?.(value)) ?? null;
    if (replaced !== null) this.#memory = replaced;
    else if (this.#memory.uid !== null && this.#memory.uid !== value) {
      // The context leads to another cluster now: nothing that was remembered is true of it.
      this.#memory = forgetCluster(this.#memory);
    }
    this.#memory = { ...this.#memory, uid: value };
    return null;
  }

  async #readParts(): Promise<void> {
    const answered = await this.#guarded("version", (run) => readVersion(run, run.clientFrom(this.#client)));
    await this.#guarded("servers", (run) => this.#readIdentities(run));
    const { met, servers } = await this.#readServers();
    await this.#guarded("version", async (run) => this.#decideVersion(run, answered ?? null, met, servers));
    await this.#guarded("servers", async (run) => this.#decideServers(run, met, servers));
    await this.#guarded("sizes", (run) => this.#readSizes(run, met, servers));
    await this.#guarded("fairness", (run) => this.#readFairness(run, met, servers));
    await this.#guarded("inventory", (run) => this.#readInventory(run, met));
    this.#met = met;
  }

  #met: readonly MetServer[] = [];

  /** Runs the work of one part when it is due. An error that is no failure of reading ends this part only. */
  async #guarded<T>(part: PartName, work: (run: PartRun) => Promise<T>): Promise<T | null> {
    const run = this.#runs.get(part);
    if (run === undefined || run.failure !== null) return null;
    try {
      return await run.track(() => work(run));
    } catch (error) {
      this.#input.signal.throwIfAborted();
      const failure = findReadFailure(error, null);
      if (failure === null) this.#input.onDefect(part, error);
      run.failure = failure ?? {
        reason: "bad-body",
        verb: null,
        path: null,
        status: null,
        message: "what was read could not be understood; the collector's log has the error",
        retryAfterSeconds: null,
      };
      this.#record(run, null, run.failure.message);
      return null;
    }
  }

  async #readIdentities(run: PartRun): Promise<void> {
    const client = run.clientFrom(this.#client);
    const { leases, leasesReadAt, addresses, addressesReadAt, servers } = this.#memory;
    const now = this.#input.clock.now();
    const isAnyMissing =
      servers === null ||
      servers.servers.length < (servers.expectedServers ?? 1) ||
      servers.servers.some(({ access }) => access === "not-read");
    const areLeasesDue = leases === null || isAnyMissing || now - (leasesReadAt ?? 0) >= LEASES_PERIOD_MS;
    const areAddressesDue =
      addresses === null || isAnyMissing || now - (addressesReadAt ?? 0) >= ADDRESSES_PERIOD_MS;
    const readNow = areLeasesDue ? await readLeases(run, client) : leases;
    const read = areAddressesDue ? await readAddresses(run, client) : null;
    this.#memory = {
      ...this.#memory,
      leases: readNow,
      leasesReadAt: areLeasesDue ? now : leasesReadAt,
      addresses: read ?? addresses,
      addressesReadAt: read === null ? addressesReadAt : now,
    };
  }

  /** One page per server, for all parts that take their figures from it; and which server each page is of. */
  async #readServers(): Promise<{ readonly met: readonly MetServer[]; readonly servers: ServersPart }> {
    const before = this.#memory.servers;
    const part = METRICS_PARTS.find((each) => this.#runs.has(each) && this.#runs.get(each)?.failure === null);
    const nothing = { met: [], servers: before ?? NO_SERVERS };
    if (part === undefined) return nothing;
    const { leases, addresses, addressRetryAt } = this.#memory;
    const live = leases === null ? [] : findLiveLeases(leases);
    const result = await this.#guarded(part, (run) =>
      readServers({
        run,
        client: this.#client,
        connections: {
          get: (slot, options) => this.#onConnection(slot, options),
          renew: (slot) => this.#input.connections.renew(slot),
        },
        clock: this.#input.clock,
        addresses,
        knownAddresses: new Set(
          before?.servers
            .filter(({ lastReadAt }) => lastReadAt !== null)
            .map(({ address }) => address)
            .filter((address) => address !== null),
        ),
        addressRetryAt,
        expectedServers: live.length > 0 ? live.length : null,
        knownServers: before?.servers.length ?? 0,
        sharedTries: before === null ? FIRST_SHARED_TRIES : SHARED_TRIES,
        firstSlot: this.#memory.nextSlot,
        stickiness: this.#memory.stickiness,
        isOnlyPass: this.#input.isOnlyPass ?? false,
      }),
    );
    if (result === null) return nothing;
    const taken = takePages(this.#memory, result, this.#input.clock.now());
    this.#memory = taken.memory;
    const notRead = describeServersNotRead(result, taken.servers);
    for (const each of METRICS_PARTS) this.#runs.get(each)?.notRead.push(...notRead);
    return taken;
  }

  #onConnection(slot: number, options?: ConnectionOptions): ApiServerClient {
    return this.#input.connections.get(slot, options).scoped({ signal: this.#input.signal });
  }

  #decideVersion(
    run: PartRun,
    answered: KnownVersion | null,
    met: readonly MetServer[],
    servers: ServersPart,
  ): void {
    const versions = new Map<string, KnownVersion>();
    for (const { serverId, metrics } of met) {
      const known = knownVersionOf(metrics);
      if (known !== null) versions.set(serverId, known);
    }
    const value = decideVersion(versions, answered, fallbackServerId(servers));
    const gates = value?.servers.reduce((most, each) => Math.max(most, each.gates?.length ?? 0), 0) ?? 0;
    const read = value?.servers.length ?? 0;
    this.#record(
      run,
      value,
      `${value?.gitVersion ?? ""}, ${gates} feature gates on ${read} ${read === 1 ? "server" : "servers"}`,
    );
    if (answered !== null && met.length === 0) {
      this.#memory = {
        ...this.#memory,
        versions: new Map([...this.#memory.versions, [fallbackServerId(servers), answered]]),
      };
    }
  }

  #decideServers(run: PartRun, met: readonly MetServer[], servers: ServersPart): void {
    const hasAny = met.length > 0 || this.#memory.leases !== null || servers.expectedServers !== null;
    const isAnythingRead =
      hasAny && (met.length > 0 || run.notRead.length === 0 || this.#memory.leases !== null);
    const total = servers.expectedServers ?? servers.servers.length;
    this.#record(
      run,
      isAnythingRead ? servers : null,
      `${met.length} of ${Math.max(total, met.length)} ${total === 1 ? "server" : "servers"}`,
    );
  }

  async #readSizes(run: PartRun, met: readonly MetServer[], servers: ServersPart): Promise<void> {
    const result = await readSizes({
      run,
      client: run.clientFrom(this.#client),
      servers: met,
      fallbackServerId: fallbackServerId(servers),
    });
    this.#pods = result.pods;
    this.#record(run, result.value, result.answer);
  }

  async #readFairness(run: PartRun, met: readonly MetServer[], servers: ServersPart): Promise<void> {
    const result = await readFairness({
      run,
      client: this.#client,
      clock: this.#input.clock,
      minor: this.#version()?.minor ?? null,
      configuration: this.#memory.configuration,
      totalServers: Math.max(servers.servers.length, servers.expectedServers ?? 0),
      servers: servers.servers.map((server) => {
        const page = met.find(({ serverId }) => serverId === server.id) ?? null;
        const way = findDumpWay({
          server,
          servers,
          connection: page?.connection ?? null,
          stickiness: this.#memory.stickiness,
          client: this.#client,
          onConnection: (slot) => this.#onConnection(slot, { isOneServer: true }),
        });
        return { serverId: server.id, name: server.name, page, way };
      }),
    });
    this.#memory = { ...this.#memory, configuration: result.configuration };
    this.#record(run, result.value, result.answer);
  }

  async #readInventory(run: PartRun, met: readonly MetServer[]): Promise<void> {
    const version = this.#version();
    const gate = [...this.#memory.versions.values()]
      .flatMap(({ gates }) => gates ?? [])
      .find(({ name }) => name === "ConsistentListFromCache");
    const result = await readInventory({
      run,
      client: this.#client,
      clock: this.#input.clock,
      // Unknown is read as the oldest: bounded whatever the truth is.
      version: version ?? { minor: 26, patch: null },
      consistentListFromCache: gate?.enabled ?? null,
      memory: this.#memory,
      pods: this.#pods ?? countOf(met, "/pods"),
      nodes: countOf(met, "/nodes"),
    });
    this.#memory = { ...this.#memory, nodes: result.nodes };
    this.#record(run, result.value, result.answer);
  }

  #version(): { readonly minor: number; readonly patch: number } | null {
    const parsed = [...this.#memory.versions.values()]
      .map(({ gitVersion }) => parseVersion(gitVersion))
      .filter((each) => each !== null)
      .sort((a, b) => a.minor - b.minor || a.patch - b.patch);
    return parsed[0] ?? null;
  }

  #record<P extends PartName>(
    run: PartRun,
    value: Extract<PartRecord, { part: P }>["value"],
    answer: string,
  ): void {
    this.#records.set(run.part, makeRecord(run.part, run.finish(value !== null, answer), value));
  }

  #failAll(failure: ReadFailure): void {
    for (const run of this.#runs.values()) {
      run.failure = failure;
      this.#record(run, null, failure.message);
    }
  }

  /** Prices what a part sent, at the end: by then the counts of this pass are known. */
  #withSeats(record: PartRecord): PartRecord {
    const sent = this.#runs.get(record.part)?.sent() ?? [];
    const seats = priceOwnRequests(sent, this.#memory);
    return seats === null ? record : makeRecord(record.part, { ...record.outcome, seats }, record.value);
  }

  #finish(): ScrapeResult {
    const { clock, due } = this.#input;
    const now = clock.now();
    const costs = [...this.#runs.values()].map((run) => run.cost());
    const requests = sum(costs.map((cost) => cost.requests));
    const wireBytes = sum(costs.map((cost) => cost.wireBytes));
    const window = [
      ...this.#memory.costs.filter(({ at }) => now - at < COST_WINDOW_MS),
      { at: now, requests, wireBytes },
    ];
    this.#memory = { ...this.#memory, costs: window };
    const parts = due.flatMap((part) => this.#records.get(part) ?? []).map((each) => this.#withSeats(each));
    const inventory = parts.find((each) => each.part === "inventory");
    return {
      startedAt: this.#startedAt,
      durationSeconds: (now - this.#startedAt) / 1000,
      requests,
      wireBytes,
      decodedBytes: sum(costs.map((cost) => cost.decodedBytes)),
      clusterUid: this.#uid,
      parts,
      permissions: this.#permissions.read(),
      samplesAtSeconds: Math.floor(this.#startedAt / 1000),
      samples: decideSamples(this.#met, {
        nodes: countOf(this.#met, "/nodes") ?? inventory?.value?.nodes?.total ?? null,
        pods: countOf(this.#met, "/pods") ?? inventory?.value?.pods ?? null,
        ownRequestsPerMinute: sum(window.map((each) => each.requests)),
        ownWireBytesPerMinute: sum(window.map((each) => each.wireBytes)),
      }),
      memory: this.#memory,
    };
  }
}

const NO_SERVERS: ServersPart = { servers: [], expectedServers: null, expectedFrom: null };

/** Who answered where no page was read: the only server there is, or one that cannot be named. */
function fallbackServerId(servers: ServersPart): string {
  return servers.servers.length === 1 ? (servers.servers[0]?.id ?? "unknown") : "unknown";
}

/** The union cannot be built generically; the part and its value come from the same call. */
function makeRecord(part: PartName, outcome: PartRecord["outcome"], value: PartRecord["value"]): PartRecord {
  return { part, outcome, value } as PartRecord;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
