import type { Clock } from "../../clock.ts";
import type { ReadFailure } from "../../domain/clusters/part.ts";
import type { ApiServerClient, ConnectionId, ConnectionOptions } from "../../kube/index.ts";
import { METRICS_PATH, type ReadPage, readMetricsPage } from "../metrics/read-metrics.ts";
import type { PartRun } from "../pass/part-run.ts";
import { isAddressFailure } from "../pass/read-failure.ts";
import type { ServerObservation } from "./match-servers.ts";
import { isReversePass, isSticky, noteAnswer, type Stickiness } from "./stickiness.ts";

/** Seconds a page may take, by address. A server that has answered directly before gets more time. */
const DIRECT_LIMITS = { headersSeconds: 10, totalSeconds: 20 };
const FIRST_DIRECT_LIMITS = { headersSeconds: 3, totalSeconds: 20 };
/** An address that cannot be reached from here is tried again after this. */
const ADDRESS_RETRY_MS = 600_000;
/** Within these limits a pass that no other follows reads pages again, to learn how the shared address leads. */
const AGAIN = { reads: 8, pageBytes: 4 * 1024 * 1024, milliseconds: 10_000 };

/**
 * The shared address by several connections. A load balancer leads each of them to one server for as long as it is
 * open, so that servers once found are found again without guessing.
 */
export interface SharedConnections {
  get(slot: number, options?: ConnectionOptions): ApiServerClient;
  /** Closes the connection; the next read by this slot opens another one, which may lead elsewhere. */
  renew(slot: number): Promise<void>;
}

export interface ReadServersInput {
  readonly run: PartRun;
  /** The shared address. */
  readonly client: ApiServerClient;
  readonly connections: SharedConnections;
  readonly clock: Clock;
  readonly addresses: readonly string[] | null;
  /** Addresses that answered in an earlier pass. */
  readonly knownAddresses: ReadonlySet<string>;
  readonly addressRetryAt: ReadonlyMap<string, number>;
  /** Servers there should be; `null`: not known. */
  readonly expectedServers: number | null;
  /** Servers told apart in earlier passes. */
  readonly knownServers: number;
  /** Reads through the shared address at most. */
  readonly sharedTries: number;
  /** The connection to begin with: where there are more servers than tries, passes take turns. */
  readonly firstSlot: number;
  readonly stickiness: Stickiness;
  /** No pass follows from which to learn how the shared address leads. */
  readonly isOnlyPass: boolean;
}

export interface ReadServer {
  readonly observation: ServerObservation;
  readonly page: ReadPage;
  /** What a page was read by; `null` for one by the server's own address, or where it cannot be told. */
  readonly connection: KeptConnection | null;
}

/** A connection through the shared address. */
export interface KeptConnection {
  readonly slot: number;
  readonly id: ConnectionId;
}

export interface ReadServersResult {
  readonly read: readonly ReadServer[];
  /** Why each address was not read. */
  readonly failedAddresses: ReadonlyMap<string, ReadFailure>;
  /** Why the shared address gave nothing; `null` where it was not asked or answered. */
  readonly sharedFailure: ReadFailure | null;
  readonly sharedTries: number;
  readonly addressRetryAt: ReadonlyMap<string, number>;
  readonly stickiness: Stickiness;
}

/**
 * One `/metrics` page of every API server that can be reached: directly by the addresses of the EndpointSlices, the
 * rest through the shared address, by as many connections as servers are expected. A connection that leads to a server
 * already met is opened anew, until all were met or the tries are used up.
 */
export async function readServers(input: ReadServersInput): Promise<ReadServersResult> {
  const direct = await readDirectly(input);
  const read = [...direct.read];
  // A server that answered with an error was reached: the shared address would not help.
  const reached = read.length + [...direct.failed.values()].filter((each) => !isAddressFailure(each)).length;
  const expected = input.expectedServers ?? Math.max(1, input.addresses?.length ?? 1);
  let sharedFailure: ReadFailure | null = null;
  let tries = 0;
  const starts = new Set(read.map(({ observation }) => observation.processStartAt));
  let missing = expected - reached;
  let { stickiness } = input;
  const isReversed = isReversePass(stickiness);
  const isOneServer = isSticky(stickiness, expected);
  /** Connections that led to a server of their own; there is always one left while a server is missing. */
  const settled = new Set<number>();
  for (let turn = 0; missing > 0 && tries < input.sharedTries; turn++) {
    const connection = modulo(input.firstSlot + (isReversed ? -turn : turn), expected);
    if (settled.has(connection)) continue;
    const { page, failure } = await readThroughSharedAddress(input, connection, { isOneServer });
    tries += 1;
    if (failure !== null) {
      sharedFailure = failure;
      break;
    }
    const one = observe(page, { access: "shared-address", address: null, slot: connection });
    stickiness = note(stickiness, connection, one, isReversed);
    if (starts.has(one.observation.processStartAt)) {
      await input.connections.renew(connection);
      continue;
    }
    starts.add(one.observation.processStartAt);
    read.push(one);
    settled.add(connection);
    missing -= 1;
  }
  if (tries > 0) stickiness = { ...stickiness, passes: stickiness.passes + 1 };
  // Servers that look alike seem to be one that answers again and again.
  if (missing > 0 && input.knownServers < expected) {
    const { repeats, hasVaried } = input.stickiness;
    stickiness = { ...stickiness, repeats, hasVaried };
  } else if (input.isOnlyPass && expected > 1)
    stickiness = await readAgain(input, { read, stickiness, expected });
  const anySharedRead = read.some(({ observation }) => observation.access === "shared-address");
  return {
    read,
    failedAddresses: direct.failed,
    sharedFailure: anySharedRead ? null : sharedFailure,
    sharedTries: tries,
    addressRetryAt: direct.addressRetryAt,
    stickiness,
  };
}

/**
 * Reads small pages again, on the same connections, until it is known whether the shared address leads each of them to
 * one server. In reverse, so that the first of them follows its own first reading at once.
 */
async function readAgain(
  input: ReadServersInput,
  met: { readonly read: readonly ReadServer[]; readonly stickiness: Stickiness; readonly expected: number },
): Promise<Stickiness> {
  const endsAt = input.clock.now() + AGAIN.milliseconds;
  const shared = met.read.filter(({ connection }) => connection !== null).reverse();
  let { stickiness } = met;
  for (let turn = 0; turn < AGAIN.reads; turn++) {
    const one = shared[turn % shared.length];
    const slot = one?.connection?.slot;
    if (one === undefined || slot === undefined || one.page.decodedBytes > AGAIN.pageBytes) break;
    if (isSticky(stickiness, met.expected) || stickiness.hasSpread || input.clock.now() >= endsAt) break;
    const { page, failure } = await readThroughSharedAddress(input, slot, {});
    if (failure !== null) break;
    const again = observe(page, { access: "shared-address", address: null, slot });
    stickiness = note(stickiness, slot, again, true);
  }
  return stickiness;
}

function note(
  known: Stickiness,
  slot: number,
  { connection, observation: { processStartAt } }: ReadServer,
  isOutOfTurn: boolean,
): Stickiness {
  return noteAnswer(known, { slot, connectionId: connection?.id ?? null, processStartAt, isOutOfTurn });
}

/** All addresses at once: they are different servers, and each is asked one thing at a time. */
async function readDirectly(input: ReadServersInput): Promise<{
  readonly read: readonly ReadServer[];
  readonly failed: ReadonlyMap<string, ReadFailure>;
  readonly addressRetryAt: ReadonlyMap<string, number>;
}> {
  const { run, client, clock, addresses, knownAddresses } = input;
  const now = clock.now();
  const retryAt = new Map([...input.addressRetryAt].filter(([address]) => addresses?.includes(address)));
  const failed = new Map<string, ReadFailure>();
  const due = (addresses ?? []).filter((address) => (retryAt.get(address) ?? 0) <= now);
  const results = await Promise.all(
    due.map(async (address) => {
      const limits = knownAddresses.has(address) ? DIRECT_LIMITS : FIRST_DIRECT_LIMITS;
      const attempt = await run.tryRead(METRICS_PATH, () =>
        readMetricsPage(run.clientFrom(client.withAddress(address)), clock, limits),
      );
      return { address, ...attempt };
    }),
  );
  const read: ReadServer[] = [];
  for (const { address, value, failure } of results) {
    if (failure === null) {
      retryAt.delete(address);
      read.push(observe(value, { access: "direct", address, slot: null }));
      continue;
    }
    failed.set(address, failure);
    // One that answered before may be restarting: it is asked again at the next pass.
    if (isAddressFailure(failure) && !knownAddresses.has(address)) {
      retryAt.set(address, now + ADDRESS_RETRY_MS);
    }
  }
  return { read, failed, addressRetryAt: retryAt };
}

async function readThroughSharedAddress(
  { run, clock, connections }: ReadServersInput,
  slot: number,
  options: ConnectionOptions,
): Promise<
  { readonly page: ReadPage; readonly failure: null } | { readonly page: null; readonly failure: ReadFailure }
> {
  const attempt = await run.tryRead(METRICS_PATH, () =>
    readMetricsPage(run.clientFrom(connections.get(slot, options)), clock, DIRECT_LIMITS),
  );
  return attempt.failure === null
    ? { page: attempt.value, failure: null }
    : { page: null, failure: attempt.failure };
}

function observe(
  page: ReadPage,
  from: Pick<ServerObservation, "access" | "address"> & { readonly slot: number | null },
): ReadServer {
  const { processStartSeconds, readAt } = page.metrics;
  const { access, address, slot } = from;
  return {
    page,
    connection: slot === null || page.connectionId === null ? null : { slot, id: page.connectionId },
    observation: {
      access,
      address,
      processStartAt: processStartSeconds === null ? null : Math.round(processStartSeconds * 1000),
      clockSkewMs: page.clockSkewMs,
      observedAt: readAt,
    },
  };
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
