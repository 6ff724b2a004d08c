import type { ApiServer, ServersPart } from "../../domain/clusters/servers-part.ts";
import { isMovedStart, isSameStart } from "./start-time.ts";

/** An identity Lease of a kube-apiserver. Instants are on the cluster's clock, milliseconds since the epoch. */
export interface LeaseIdentity {
  readonly name: string;
  readonly hostname: string | null;
  readonly renewAt: number | null;
  readonly createdAt: number | null;
}

/** One `/metrics` page that was read, as far as it tells servers apart. */
export interface ServerObservation {
  readonly access: "direct" | "shared-address";
  /** `host:port`; `null` through the shared address. */
  readonly address: string | null;
  /** `process_start_time_seconds` in milliseconds, on the server's clock; `null` where the page lacks it. */
  readonly processStartAt: number | null;
  /** Server's clock minus ours, from its Date header; 0 where it sent none. */
  readonly clockSkewMs: number;
  readonly observedAt: number;
}

export interface MatchInput {
  readonly now: number;
  readonly previous: ServersPart | null;
  /** `null`: not read. */
  readonly leases: readonly LeaseIdentity[] | null;
  /** Addresses of the EndpointSlices of default/kubernetes; `null`: not read. */
  readonly addresses: readonly string[] | null;
  readonly observations: readonly ServerObservation[];
}

export interface MatchResult {
  readonly part: ServersPart;
  /** Server id of each observation, in their order. Several may be one server (asked twice through one address). */
  readonly serverIds: readonly string[];
}

/** A Lease is live while it is renewed; kube-apiserver renews every 10 s. Measured against the newest renewal. */
const LEASE_LIVE_MS = 90_000;
/** A Lease is made within this time after its server's first start. */
const LEASE_MADE_WITHIN_MS = 120_000;
/** A server that has gone is kept this long, so that one that restarts slowly stays itself. */
const KEEP_GONE_MS = 600_000;

interface Draft {
  server: ApiServer;
  isObserved: boolean;
  isNew: boolean;
}

/**
 * Which API server each page came from, and the servers of the cluster after this pass.
 *
 * A server stays itself through a restart. It is recognised, in this order: by its own address; by an equal start
 * time; by a start time moved by whole seconds while it was not met otherwise (its clock was set); as a restart of
 * the one server that was not met and was last read before the new process began. What fits none is a new server.
 * Through a shared address two servers with an equal start time cannot be told apart and count as one; the
 * difference to `expectedServers` says so.
 */
export function matchServers(input: MatchInput): MatchResult {
  const live = input.leases === null ? null : findLiveLeases(input.leases);
  const drafts: Draft[] = (input.previous?.servers ?? []).map((server) => ({
    server: { ...server, access: "not-read" },
    isObserved: false,
    isNew: false,
  }));
  const chosen = new Map<ServerObservation, Draft>();
  // Addresses are certain, so they are settled before anything is inferred from start times.
  const ordered = [...input.observations].sort((a, b) => rank(a) - rank(b));
  for (const observation of ordered) {
    const known = findKnown(observation, drafts, input.addresses, live);
    const draft = known ?? { server: newServer(observation, drafts), isObserved: false, isNew: true };
    if (known === null) drafts.push(draft);
    draft.server = observe(draft, observation);
    draft.isObserved = true;
    chosen.set(observation, draft);
  }
  listUnreachedAddresses(drafts, input);
  assignLeases(drafts, live);
  const { count: expectedServers, from: expectedFrom } = countExpected(live, input.addresses);
  // Before the gone ones are dropped: their names are not given again at once.
  nameNewcomers(drafts);
  const kept = drafts.filter((draft) => !isGone(draft, drafts, { live, ...input }));
  return {
    part: {
      servers: kept.map((draft) => draft.server).sort((a, b) => indexOfName(a.name) - indexOfName(b.name)),
      expectedServers,
      expectedFrom,
    },
    serverIds: input.observations.map((observation) => chosen.get(observation)?.server.id ?? ""),
  };
}

/** Leases renewed lately, by comparison with the newest renewal: no clock of ours is involved. */
export function findLiveLeases(leases: readonly LeaseIdentity[]): readonly LeaseIdentity[] {
  const newest = Math.max(...leases.map((lease) => lease.renewAt ?? Number.NEGATIVE_INFINITY));
  return leases.filter((lease) => lease.renewAt !== null && newest - lease.renewAt <= LEASE_LIVE_MS);
}

function rank(observation: ServerObservation): number {
  return observation.access === "direct" ? 0 : 1;
}

function findKnown(
  observation: ServerObservation,
  drafts: readonly Draft[],
  addresses: readonly string[] | null,
  live: readonly LeaseIdentity[] | null,
): Draft | null {
  const { address, processStartAt: startAt } = observation;
  const atAddress = address === null ? undefined : drafts.find((draft) => draft.server.address === address);
  // One that never answered at this address may have been met through the shared one meanwhile.
  if (atAddress !== undefined && (startAt === null || !isNeverRead(atAddress))) return atAddress;
  if (startAt === null) {
    // Nothing to tell it by: only a lone server can be meant.
    const [only, second] = drafts;
    return address === null && only !== undefined && second === undefined ? only : null;
  }
  // By its own address a second server with the same start time is certain to be another one, unless the address it
  // had is gone: then it has moved.
  const candidates = drafts.filter(
    ({ server }) =>
      address === null || server.address === null || addresses?.includes(server.address) === false,
  );
  const unmet = candidates.filter((draft) => !draft.isObserved);
  return (
    (address === null ? candidates : unmet).find((draft) => hasStart(draft, startAt, isSameStart)) ??
    atAddress ??
    unmet.find((draft) => hasStart(draft, startAt, isMovedStart)) ??
    // Whoever comes up at a new address in place of another one is a new server, not a restart.
    findRestarted(
      address === null ? unmet : unmet.filter((draft) => draft.server.address === null),
      observation,
      startAt,
      live,
    ) ??
    findNeverRead(unmet)
  );
}

function hasStart(
  draft: Draft,
  startAt: number,
  isEqual: (before: number, after: number) => boolean,
): boolean {
  const before = draft.server.processStartAt;
  return before !== null && isEqual(before, startAt);
}

function findRestarted(
  unmet: readonly Draft[],
  observation: ServerObservation,
  startAt: number,
  live: readonly LeaseIdentity[] | null,
): Draft | undefined {
  // A Lease made just now belongs to a host that was never here before.
  const isNewHost = live?.some(
    (lease) =>
      lease.createdAt !== null &&
      startAt - 1000 <= lease.createdAt &&
      lease.createdAt <= startAt + LEASE_MADE_WITHIN_MS &&
      !unmet.some((draft) => draft.server.hostname === lease.hostname && lease.hostname !== null),
  );
  if (isNewHost === true) return undefined;
  return unmet
    .filter(({ server }) => {
      if (server.processStartAt === null || server.processStartAt >= startAt) return false;
      const lastReadOnItsClock = (server.lastReadAt ?? 0) + observation.clockSkewMs;
      return lastReadOnItsClock <= startAt + 1000;
    })
    .sort((a, b) => (a.server.lastReadAt ?? 0) - (b.server.lastReadAt ?? 0))[0];
}

/** A server known by an address that never answered, when it is the only one. */
function findNeverRead(unmet: readonly Draft[]): Draft | null {
  const never = unmet.filter(isNeverRead);
  return never.length === 1 ? (never[0] ?? null) : null;
}

function isNeverRead({ server, isObserved }: Draft): boolean {
  return !isObserved && server.processStartAt === null;
}

function newServer(observation: ServerObservation, drafts: readonly Draft[]): ApiServer {
  const base =
    observation.processStartAt === null
      ? `at-${observation.address ?? "shared-address"}`
      : `start-${observation.processStartAt}`;
  return {
    id: makeUnique(
      base,
      drafts.map((draft) => draft.server.id),
    ),
    name: "",
    hostname: null,
    address: observation.address,
    access: "not-read",
    processStartAt: null,
    leaseRenewAt: null,
    lastReadAt: null,
  };
}

function observe(draft: Draft, observation: ServerObservation): ApiServer {
  const wasDirect = draft.isObserved && draft.server.access === "direct";
  return {
    ...draft.server,
    access: wasDirect ? "direct" : observation.access,
    address: observation.address ?? draft.server.address,
    processStartAt: observation.processStartAt ?? draft.server.processStartAt,
    lastReadAt: Math.max(draft.server.lastReadAt ?? 0, observation.observedAt),
  };
}

/**
 * Where servers can be reached by their own addresses, one that cannot is listed as not read. Where none can, the
 * addresses may be those of load balancers and say nothing about servers. Those known through the shared address only
 * are some of the addresses left, though which is not known: as many fewer are listed by their address.
 */
function listUnreachedAddresses(drafts: Draft[], input: MatchInput): void {
  if (input.addresses === null) return;
  const placed = new Set(drafts.filter((draft) => !isNeverRead(draft)).map((draft) => draft.server.address));
  const unplaced = drafts.filter((draft) => draft.server.address === null).length;
  const left = input.addresses.filter((address) => !placed.has(address));
  const wanted = Math.max(0, left.length - unplaced);
  const isListed = (draft: Draft) => isNeverRead(draft) && draft.server.address !== null;
  const listed = drafts.filter(isListed);
  const kept = listed.filter((draft) => left.includes(draft.server.address ?? "")).slice(0, wanted);
  for (const draft of listed) if (!kept.includes(draft)) drafts.splice(drafts.indexOf(draft), 1);
  if (!input.observations.some((observation) => observation.access === "direct")) return;
  const missing = left.filter((address) => !kept.some((draft) => draft.server.address === address));
  for (const address of missing.slice(0, wanted - kept.length)) {
    drafts.push({
      server: {
        id: `at-${address}`,
        name: "",
        hostname: null,
        address,
        access: "not-read",
        processStartAt: null,
        leaseRenewAt: null,
        lastReadAt: null,
      },
      isObserved: false,
      isNew: true,
    });
  }
}

/** Gives each server its Lease: by host name known before, by the time the Lease was made, at last by elimination. */
function assignLeases(drafts: readonly Draft[], live: readonly LeaseIdentity[] | null): void {
  if (live === null) return;
  const free = new Set(live);
  for (const draft of drafts) {
    const lease = live.find((each) => each.hostname !== null && each.hostname === draft.server.hostname);
    if (lease !== undefined) bind(draft, lease, free);
  }
  const open = () => drafts.filter((draft) => draft.server.hostname === null);
  for (const draft of open()) {
    const made = [...free].filter((lease) => isMadeBy(lease, draft));
    const [lease] = made;
    if (lease === undefined || made.length > 1) continue;
    if (open().filter((other) => isMadeBy(lease, other)).length === 1) bind(draft, lease, free);
  }
  const [lastDraft, secondDraft] = open();
  const [lastLease, secondLease] = free;
  if (lastDraft === undefined || secondDraft !== undefined) return;
  if (lastLease === undefined || secondLease !== undefined) return;
  if (drafts.length === live.length) bind(lastDraft, lastLease, free);
}

function isMadeBy(lease: LeaseIdentity, draft: Draft): boolean {
  const startAt = draft.server.processStartAt;
  if (startAt === null || lease.createdAt === null) return false;
  return startAt - 1000 <= lease.createdAt && lease.createdAt <= startAt + LEASE_MADE_WITHIN_MS;
}

function bind(draft: Draft, lease: LeaseIdentity, free: Set<LeaseIdentity>): void {
  free.delete(lease);
  draft.server = {
    ...draft.server,
    // An id once given stays: series and rows hang on it.
    id: draft.isNew ? lease.name : draft.server.id,
    hostname: lease.hostname,
    leaseRenewAt: lease.renewAt,
  };
}

function countExpected(
  live: readonly LeaseIdentity[] | null,
  addresses: readonly string[] | null,
): { readonly count: number | null; readonly from: ServersPart["expectedFrom"] } {
  if (live !== null && live.length > 0) return { count: live.length, from: "leases" };
  if (addresses !== null && addresses.length > 0) {
    return { count: addresses.length, from: "endpoint-slices" };
  }
  return { count: null, from: null };
}

/** Gone: neither met nor named by Lease or address, and either another one came in its place or it is long ago. */
function isGone(
  draft: Draft,
  drafts: readonly Draft[],
  input: Pick<MatchInput, "now" | "addresses"> & { readonly live: readonly LeaseIdentity[] | null },
): boolean {
  if (draft.isObserved || draft.isNew) return false;
  const { hostname, address, lastReadAt } = draft.server;
  const hasLease =
    hostname === null || input.live === null ? null : input.live.some((lease) => lease.hostname === hostname);
  const hasAddress = address === null || input.addresses === null ? null : input.addresses.includes(address);
  if (hasLease === true || hasAddress === true) return false;
  const isLongAgo = input.now - (lastReadAt ?? 0) > KEEP_GONE_MS;
  if (hasLease === null && hasAddress === null) {
    const expected = countExpected(input.live, input.addresses).count;
    return isLongAgo && (expected === null || drafts.length > expected);
  }
  return isLongAgo || drafts.some((other) => other.isNew && other.isObserved);
}

/** Names by order of first sight; several at once by host name, then address, then start time. */
function nameNewcomers(drafts: readonly Draft[]): void {
  let next = Math.max(-1, ...drafts.map((draft) => indexOfName(draft.server.name))) + 1;
  const newcomers = drafts.filter((draft) => draft.server.name === "");
  newcomers.sort((a, b) => compareNewcomers(a.server, b.server));
  for (const draft of newcomers) draft.server = { ...draft.server, name: `api-${next++}` };
}

function compareNewcomers(a: ApiServer, b: ApiServer): number {
  const byText = (x: string | null, y: string | null) =>
    x === y ? 0 : x === null ? 1 : y === null ? -1 : x.localeCompare(y, "en", { numeric: true });
  return (
    byText(a.hostname, b.hostname) ||
    byText(a.address, b.address) ||
    (a.processStartAt ?? 0) - (b.processStartAt ?? 0)
  );
}

function indexOfName(name: string): number {
  const digits = /^api-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}

function makeUnique(base: string, taken: readonly string[]): string {
  for (let suffix = 1; ; suffix++) {
    const candidate = suffix === 1 ? base : `${base}-${suffix}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
