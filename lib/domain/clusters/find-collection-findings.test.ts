import { describe, expect, test } from "vitest";
import { type CollectionToAssess, findCollectionFindings, listWords } from "./find-collection-findings.ts";
import type { NotRead, PartName, PartOutcome, PartState, ReadFailure } from "./part.ts";
import { known } from "./reading.ts";
import type { ApiServer } from "./servers-part.ts";

const failure = (over: Partial<ReadFailure> = {}): ReadFailure => ({
  reason: "timeout",
  verb: "GET",
  path: "/metrics",
  status: null,
  message: "nothing came within 30 s (GET /metrics at 10.0.0.1:6443)",
  retryAfterSeconds: null,
  ...over,
});

const forbidden = (path: string) =>
  failure({ reason: "forbidden", status: 403, path, message: `forbidden (HTTP 403, GET ${path})` });

const part = (
  name: PartName,
  outcome: Partial<PartOutcome> = {},
  valueAt: number | null = 1_000,
): PartState<null> => ({
  part: name,
  latest: {
    part: name,
    status: "ok",
    startedAt: 5_000,
    durationSeconds: 1,
    requests: 1,
    wireBytes: 1,
    answer: "",
    failure: null,
    notRead: [],
    ...outcome,
  },
  value: null,
  valueAt,
  nextAttemptAt: null,
  periodSeconds: 30,
});

const notRead = (what: string, reason: ReadFailure): NotRead => ({ what, serverId: null, failure: reason });

const find = (over: Partial<CollectionToAssess>) =>
  findCollectionFindings({
    unreachableSince: null,
    isInsecure: false,
    parts: [],
    servers: null,
    sizes: null,
    ...over,
  });

describe("a cluster that is read in full", () => {
  test("has no finding", () => {
    expect(find({ parts: [part("version"), part("fairness")] })).toEqual([]);
  });
});

describe("collector.unreachable", () => {
  const unreachable = failure({
    reason: "unreachable",
    message: "connection refused (GET /version at 10.0.0.1:6443)",
  });

  test("is one error since the outage began, with the latest cause, however many parts failed", () => {
    const findings = find({
      unreachableSince: 2_000,
      parts: [
        part("version", { status: "failed", failure: failure(), startedAt: 4_000 }),
        part("fairness", { status: "failed", failure: unreachable, startedAt: 5_000 }),
      ],
    });
    expect(findings).toEqual([
      {
        severity: "error",
        rule: "collector.unreachable",
        title: "The cluster does not answer",
        subject: "/metrics",
        happens:
          "Connection refused (GET /version at 10.0.0.1:6443). Figures are the last known good ones; nothing newer is known until it answers.",
        sinceAt: 2_000,
      },
    ]);
  });

  test("stands beside a certificate that is not checked, which is no symptom of it", () => {
    expect(find({ unreachableSince: 1, isInsecure: true }).map((each) => each.rule)).toEqual([
      "collector.unreachable",
      "collector.insecure-tls",
    ]);
  });
});

describe("collector.part-not-read", () => {
  test("is one warning per part, with the failure in its own words", () => {
    const findings = find({
      parts: [
        part("sizes", { status: "failed", failure: failure() }),
        part("inventory", {
          status: "skipped",
          failure: failure({ reason: "budget", message: "needs 400 Mi" }),
        }),
      ],
    });
    expect(findings.map(({ severity, title, subject }) => [severity, title, subject])).toEqual([
      ["warning", "Inventory: skipped", "inventory"],
      ["warning", "Counts and sizes: not read", "sizes"],
    ]);
    expect(findings[0]?.happens).toBe("Needs 400 Mi. The last known good values are shown.");
    expect(findings[1]?.happens).toBe(
      "Nothing came within 30 s (GET /metrics at 10.0.0.1:6443). The last known good values are shown.",
    );
    expect(findings[1]?.sinceAt).toBe(1_000);
  });

  test("says nothing of last known good values where there are none", () => {
    const [finding] = find({ parts: [part("sizes", { status: "failed", failure: failure() }, null)] });
    expect(finding?.happens).not.toContain("last known good");
    expect(finding?.sinceAt).toBeNull();
  });

  test("names the permission behind a 403 and what is lost without it", () => {
    const [finding] = find({
      parts: [
        part("inventory", {
          status: "partial",
          failure: forbidden("/apis/apps/v1/daemonsets?limit=500"),
          notRead: [notRead("daemonsets", forbidden("/apis/apps/v1/daemonsets?limit=500"))],
        }),
      ],
    });
    expect(finding?.title).toBe("Inventory: read in part");
    expect(finding?.happens).toBe(
      'Not read: daemonsets. 403 on /apis/apps/v1/daemonsets: the permission "list daemonsets.apps" is missing. Agents that run on every node are not shown.',
    );
  });

  test("names one cause once, with all that it took away", () => {
    const [finding] = find({
      parts: [
        part("fairness", {
          status: "partial",
          failure: forbidden("/metrics"),
          notRead: ["metrics of api-0", "metrics of api-1"].map((what) =>
            notRead(what, forbidden("/metrics")),
          ),
        }),
      ],
    });
    expect(finding?.happens.match(/permission "get \/metrics"/g)).toHaveLength(1);
    expect(finding?.happens).toContain("Not read: metrics of api-0 and metrics of api-1.");
  });

  test("a 403 on a path of no known permission keeps the words of the failure", () => {
    const [finding] = find({ parts: [part("version", { status: "failed", failure: forbidden("/other") })] });
    expect(finding?.happens).toContain("Forbidden (HTTP 403, GET /other).");
  });
});

test("a stored value that does not parse is a warning of its own, even where the latest attempt failed too", () => {
  const findings = find({
    parts: [
      {
        ...part("fairness", { status: "failed", failure: failure() }, null),
        unreadable: "The stored scrape of 09:41:40 does not parse",
      },
    ],
  });
  expect(findings).toMatchObject([
    {
      severity: "warning",
      rule: "collector.stored-value-unreadable",
      happens:
        "The stored scrape of 09:41:40 does not parse. Other parts are not affected; the next pass over this part replaces it.",
    },
  ]);
});

describe("API servers", () => {
  const server = (name: string, access: ApiServer["access"]): ApiServer => ({
    id: name,
    name,
    hostname: null,
    address: null,
    access,
    processStartAt: null,
    leaseRenewAt: null,
    lastReadAt: null,
  });
  const servers = [server("api-0", "direct"), server("api-1", "not-read"), server("api-2", "direct")];

  test("fewer read than there are is a warning that names the missing ones", () => {
    const findings = find({ servers: { servers, expectedServers: 3, expectedFrom: "leases" } });
    expect(findings).toMatchObject([
      {
        severity: "warning",
        rule: "collector.servers-not-read",
        title: "2 of 3 API servers are read",
        subject: "api-1",
      },
    ]);
  });

  test("is not said again where the part itself is in trouble", () => {
    const findings = find({
      servers: { servers, expectedServers: 3, expectedFrom: "leases" },
      parts: [part("servers", { status: "partial", failure: failure() })],
    });
    expect(findings.map((each) => each.rule)).toEqual(["collector.part-not-read"]);
  });

  test("a number that is not known is told as information", () => {
    const findings = find({
      servers: { servers: [server("api-0", "shared-address")], expectedServers: null, expectedFrom: null },
    });
    expect(findings).toMatchObject([{ severity: "info", rule: "collector.servers-not-told-apart" }]);
    expect(findings[0]?.happens).toContain("1 API server answered");
  });
});

describe("collector.sizes-unknown", () => {
  const unknown = (reason: "minus-one" | "not-published") =>
    ({ state: "unknown", reason, assumed: null, assumedBecause: null }) as const;
  const row = (
    resource: string,
    group: string,
    objects: boolean,
    bytes: "known" | "minus-one" | "not-published",
  ) => ({
    group,
    resource,
    serverId: "api-0",
    objects: objects ? known(1) : unknown("minus-one"),
    storedBytes: bytes === "known" ? known(1) : unknown(bytes),
    objectsSource: null,
  });

  test("counts resources, not servers, and names a few", () => {
    const resources = [
      row("pods", "", true, "minus-one"),
      { ...row("pods", "", true, "minus-one"), serverId: "api-1" },
      row("leases", "coordination.k8s.io", false, "known"),
      row("nodes", "", true, "known"),
    ];
    expect(find({ sizes: { resources, samples: [] } })).toMatchObject([
      {
        severity: "info",
        title: "2 of 3 resources have no known count or size",
        subject: "leases.coordination.k8s.io and pods",
      },
    ]);
  });

  test("a version that publishes no sizes has no gap", () => {
    expect(find({ sizes: { resources: [row("pods", "", true, "not-published")], samples: [] } })).toEqual([]);
  });
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
  [["a", "b", "c", "d"], "a, b and 2 more"],
])("%j is listed as %j", (words, text) => {
  expect(listWords(words, 3)).toBe(text);
});
