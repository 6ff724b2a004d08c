import { describe, expect, test } from "vitest";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import { findLiveLeases, type LeaseIdentity, matchServers, type ServerObservation } from "./match-servers.ts";

const HOUR = 3_600_000;
const NOW = 1_764_500_000_000;
const START = NOW - 24 * HOUR;

const direct = (address: string, processStartAt: number | null, observedAt = NOW): ServerObservation => ({
  access: "direct",
  address,
  processStartAt,
  clockSkewMs: 0,
  observedAt,
});
const shared = (processStartAt: number | null, observedAt = NOW, clockSkewMs = 0): ServerObservation => ({
  access: "shared-address",
  address: null,
  processStartAt,
  clockSkewMs,
  observedAt,
});
const lease = (hostname: string, fields: Partial<LeaseIdentity> = {}): LeaseIdentity => ({
  name: `apiserver-${hostname}`,
  hostname,
  renewAt: NOW - 4_000,
  createdAt: START - 300 * HOUR,
  ...fields,
});

interface Pass {
  readonly now?: number;
  readonly leases?: readonly LeaseIdentity[] | null;
  readonly addresses?: readonly string[] | null;
  readonly observations: readonly ServerObservation[];
}

/** Runs passes one after the other, as the collector does. */
function run(...passes: readonly Pass[]) {
  let previous: ServersPart | null = null;
  const ids: (readonly string[])[] = [];
  for (const pass of passes) {
    const result = matchServers({ now: NOW, leases: null, addresses: null, ...pass, previous });
    previous = result.part;
    ids.push(result.serverIds);
  }
  if (previous === null) throw new Error("no pass was run");
  return { part: previous, servers: previous.servers, ids };
}

const A = "10.0.0.1:6443";
const B = "10.0.0.2:6443";
const C = "10.0.0.3:6443";

describe("by their own addresses", () => {
  const first: Pass = {
    addresses: [A, B, C],
    observations: [direct(B, START + 10), direct(A, START), direct(C, START + 20)],
  };

  test("each address is one server, named in the order of addresses", () => {
    const { servers, part, ids } = run(first);
    expect(servers.map(({ name, address, access }) => [name, address, access])).toEqual([
      ["api-0", A, "direct"],
      ["api-1", B, "direct"],
      ["api-2", C, "direct"],
    ]);
    expect(part).toMatchObject({ expectedServers: 3, expectedFrom: "endpoint-slices" });
    expect(ids[0]).toEqual([servers[1]?.id, servers[0]?.id, servers[2]?.id]);
  });

  test("two that started in the same instant are two", () => {
    const { servers } = run({ addresses: [A, B], observations: [direct(A, START), direct(B, START)] });
    expect(new Set(servers.map((server) => server.id)).size).toBe(2);
  });

  test("a restart keeps id and name, and shows the later start", () => {
    const restartedAt = NOW + 60_000;
    const { servers, ids } = run(first, {
      now: NOW + 90_000,
      addresses: [A, B, C],
      observations: [direct(A, START), direct(B, restartedAt), direct(C, START + 20)],
    });
    expect(servers).toHaveLength(3);
    expect(servers[1]).toMatchObject({ name: "api-1", address: B, processStartAt: restartedAt });
    expect(ids[1]?.[1]).toBe(ids[0]?.[0]);
  });

  test("one that does not answer stays, as not read", () => {
    const { servers } = run(first, {
      addresses: [A, B, C],
      observations: [direct(A, START), direct(C, START + 20)],
    });
    expect(servers.map((server) => server.access)).toEqual(["direct", "not-read", "direct"]);
    expect(servers[1]).toMatchObject({ processStartAt: START + 10, lastReadAt: NOW });
  });

  test("one that never answered is listed as not read, and is itself when it answers", () => {
    const { servers, ids } = run(
      { addresses: [A, B], observations: [direct(A, START)] },
      { addresses: [A, B], observations: [direct(A, START), direct(B, START + 77)] },
    );
    expect(servers).toHaveLength(2);
    expect(servers[1]).toMatchObject({ name: "api-1", access: "direct", id: `at-${B}` });
    expect(ids[1]?.[1]).toBe(`at-${B}`);
  });

  test("a replaced server is another one with another name, and the old one goes when the new one came", () => {
    const later = NOW + 30_000;
    const { servers } = run(
      first,
      {
        now: later,
        addresses: [A, B],
        observations: [direct(A, START, later), direct(B, START + 10, later)],
      },
      {
        now: later,
        addresses: [A, B, "10.0.0.9:6443"],
        observations: [
          direct(A, START, later),
          direct(B, START + 10, later),
          direct("10.0.0.9:6443", later - 9_000, later),
        ],
      },
    );
    expect(servers.map(({ name, address }) => [name, address])).toEqual([
      ["api-0", A],
      ["api-1", B],
      ["api-3", "10.0.0.9:6443"],
    ]);
  });

  test("a server whose address changed while it ran is the same one", () => {
    const { servers } = run(first, {
      addresses: [A, B, "10.0.0.9:6443"],
      observations: [direct(A, START), direct(B, START + 10), direct("10.0.0.9:6443", START + 20)],
    });
    expect(servers.map(({ name, address }) => [name, address])).toEqual([
      ["api-0", A],
      ["api-1", B],
      ["api-2", "10.0.0.9:6443"],
    ]);
  });

  test("one that vanishes for less than 10 minutes comes back as itself; after that it is dropped", () => {
    const gone = (now: number): Pass => ({ now, addresses: [A], observations: [direct(A, START, now)] });
    const soon = run(
      { addresses: [A, B], observations: [direct(A, START), direct(B, START)] },
      gone(NOW + 60_000),
    );
    expect(soon.servers.map((server) => server.access)).toEqual(["direct", "not-read"]);
    const late = run(
      { addresses: [A, B], observations: [direct(A, START), direct(B, START)] },
      gone(NOW + HOUR),
    );
    expect(late.servers.map((server) => server.name)).toEqual(["api-0"]);
  });
});

describe("through one shared address", () => {
  test("different start times are different servers, equal ones the same server", () => {
    const { servers, ids } = run({
      observations: [shared(START), shared(START + 5_310), shared(START), shared(START + 3)],
    });
    expect(servers.map((server) => server.name)).toEqual(["api-0", "api-1"]);
    expect(ids[0]).toEqual([servers[0]?.id, servers[1]?.id, servers[0]?.id, servers[0]?.id]);
  });

  test("two that started in the same second are told apart by the hundredths", () => {
    expect(run({ observations: [shared(START + 120), shared(START + 870)] }).servers).toHaveLength(2);
  });

  test("two with an equal start time count as one, and the expectation says that one is missing", () => {
    const { part } = run({
      leases: [lease("cp-1"), lease("cp-2")],
      observations: [shared(START), shared(START)],
    });
    expect(part.servers).toHaveLength(1);
    expect(part).toMatchObject({ expectedServers: 2, expectedFrom: "leases" });
  });

  test("not met in a pass: kept as not read; met again: itself", () => {
    const { servers } = run(
      { observations: [shared(START), shared(START + 5_310)] },
      { observations: [shared(START + 5_310)] },
    );
    expect(servers.map(({ name, access }) => [name, access])).toEqual([
      ["api-0", "not-read"],
      ["api-1", "shared-address"],
    ]);
  });

  test("a restart is the one that was not met and was last read before the new process began", () => {
    const restartedAt = NOW + 20_000;
    const { servers, ids } = run(
      { observations: [shared(START), shared(START + 5_310)] },
      { now: NOW + 30_000, observations: [shared(START + 5_310), shared(restartedAt)] },
    );
    expect(servers).toHaveLength(2);
    expect(servers[0]).toMatchObject({ name: "api-0", processStartAt: restartedAt });
    expect(ids[1]?.[1]).toBe(ids[0]?.[0]);
  });

  test("a process older than the last read of every known one is a server not met before, not a restart", () => {
    const { servers } = run(
      { observations: [shared(START)] },
      { now: NOW + 30_000, observations: [shared(START + HOUR + 10)] },
    );
    expect(servers.map((server) => server.name)).toEqual(["api-0", "api-1"]);
  });

  test.each([
    { title: "behind by an hour", skew: -HOUR },
    { title: "ahead by an hour", skew: HOUR },
  ])("a restart is seen with the server's clock $title", ({ skew }) => {
    const { servers } = run(
      { observations: [shared(START + skew, NOW, skew)] },
      { now: NOW + 30_000, observations: [shared(NOW + 20_000 + skew, NOW + 30_000, skew)] },
    );
    expect(servers).toHaveLength(1);
    expect(servers[0]?.processStartAt).toBe(NOW + 20_000 + skew);
  });

  test("a start time moved by whole seconds is the same process whose clock was set", () => {
    const { servers } = run(
      { observations: [shared(START + 310)] },
      { observations: [shared(START + 2_310)] },
    );
    expect(servers).toHaveLength(1);
  });

  test("a page without a start time is the only server, or nobody known", () => {
    expect(run({ observations: [shared(START)] }, { observations: [shared(null)] }).servers).toHaveLength(1);
  });

  test("a new host's Lease says that it is a new server, not a restart", () => {
    const bornAt = NOW + 20_000;
    const { servers } = run(
      { leases: [lease("cp-1")], observations: [shared(START)] },
      {
        now: NOW + 30_000,
        leases: [
          lease("cp-1", { renewAt: NOW + 26_000 }),
          lease("cp-2", { renewAt: NOW + 26_000, createdAt: bornAt + 6_000 }),
        ],
        observations: [shared(bornAt)],
      },
    );
    expect(servers.map(({ name, hostname }) => [name, hostname])).toEqual([
      ["api-0", "cp-1"],
      ["api-1", "cp-2"],
    ]);
  });
});

describe("identity Leases", () => {
  test("a lone server takes the lone Lease, and its id", () => {
    const { servers } = run({ leases: [lease("cp-1")], observations: [shared(START)] });
    expect(servers[0]).toMatchObject({ id: "apiserver-cp-1", hostname: "cp-1", leaseRenewAt: NOW - 4_000 });
  });

  test("Leases made just after the first start are matched by that time", () => {
    const { servers } = run({
      leases: [
        lease("cp-1", { createdAt: START + 5_000 }),
        lease("cp-2", { createdAt: START + HOUR + 7_000 }),
        lease("cp-3"),
      ],
      observations: [shared(START + HOUR), shared(START), shared(START + 2 * HOUR)],
    });
    expect(servers.map(({ hostname, processStartAt }) => [hostname, processStartAt])).toEqual([
      ["cp-1", START],
      ["cp-2", START + HOUR],
      // The one left over, by elimination.
      ["cp-3", START + 2 * HOUR],
    ]);
  });

  test("where it cannot be told whose Lease it is, nothing is claimed", () => {
    const { servers } = run({
      leases: [lease("cp-1"), lease("cp-2")],
      observations: [shared(START), shared(START + 5_310)],
    });
    expect(servers.map((server) => server.hostname)).toEqual([null, null]);
  });

  test("an id once given stays when the Lease is matched later", () => {
    const { servers } = run(
      { observations: [shared(START)] },
      { leases: [lease("cp-1")], observations: [shared(START)] },
    );
    expect(servers[0]).toMatchObject({ id: `start-${START}`, hostname: "cp-1" });
  });

  test("a Lease that is no longer renewed does not count", () => {
    const old = lease("cp-9", { renewAt: NOW - 20 * 60_000 });
    expect(findLiveLeases([lease("cp-1"), old, lease("cp-2", { renewAt: null })])).toEqual([lease("cp-1")]);
    expect(findLiveLeases([])).toEqual([]);
  });
});

test("some by their own address and one through the shared one: all three are there once", () => {
  const pass: Pass = {
    addresses: [A, B, C],
    observations: [
      direct(A, START),
      direct(B, START + 10),
      shared(START),
      shared(START + 999_990),
      shared(START + 10),
    ],
  };
  const { servers, ids } = run(pass, pass);
  expect(servers.map(({ access }) => access)).toEqual(["direct", "direct", "shared-address"]);
  expect(ids[1]?.[2]).toBe(ids[1]?.[0]);
  expect(ids[1]?.[3]).toBe(servers[2]?.id);
});

describe("some by their own address, the rest through the shared one", () => {
  const at = (minutes: number) => NOW + minutes * 60_000;
  const addresses = [A, B, C];
  const onlyA = (minutes: number) => ({
    now: at(minutes),
    addresses,
    observations: [direct(A, START, at(minutes))],
  });

  test("one met through the shared address and not met again is not listed a second time by its address", () => {
    const { servers } = run(
      { addresses, observations: [direct(A, START), direct(B, START + 10), shared(START + 20)] },
      {
        now: at(1),
        addresses,
        observations: [direct(A, START, at(1)), direct(B, START + 10, at(1))],
      },
    );
    expect(servers.map(({ name, access }) => [name, access])).toEqual([
      ["api-0", "direct"],
      ["api-1", "direct"],
      ["api-2", "not-read"],
    ]);
  });

  test("several that never answered, then met through the shared address, are as many as there are", () => {
    const { servers } = run(
      onlyA(0),
      {
        now: at(1),
        addresses,
        observations: [direct(A, START, at(1)), shared(START + 10, at(1)), shared(START + 20, at(1))],
      },
      onlyA(2),
    );
    expect(servers.map(({ id, access }) => [id, access])).toEqual([
      [`start-${START}`, "direct"],
      [`start-${START + 10}`, "not-read"],
      [`start-${START + 20}`, "not-read"],
    ]);
  });

  test("one met through the shared address is itself when its own address answers", () => {
    const { servers, ids } = run(
      onlyA(0),
      { now: at(1), addresses, observations: [direct(A, START, at(1)), shared(START + 20, at(1))] },
      {
        now: at(2),
        addresses,
        observations: [direct(A, START, at(2)), direct(C, START + 20, at(2)), direct(B, START + 10, at(2))],
      },
    );
    expect(servers.map(({ address, access }) => [address, access])).toEqual([
      [A, "direct"],
      [B, "direct"],
      [C, "direct"],
    ]);
    expect(ids[2]?.[1]).toBe(ids[1]?.[1]);
  });
});

test("a pass that reads nothing leaves every server as it was, not read", () => {
  const { servers, part } = run({ addresses: [A], observations: [direct(A, START)] }, { observations: [] });
  expect(servers).toHaveLength(1);
  expect(servers[0]).toMatchObject({ access: "not-read", lastReadAt: NOW, processStartAt: START });
  expect(part.expectedServers).toBeNull();
});
