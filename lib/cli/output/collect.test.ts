import { describe, expect, test } from "vitest";
import { EMPTY_MEMORY } from "../../collector/scrape-memory.ts";
import type { OncePass } from "../../collector/scrape-once.ts";
import type { PartName, PartOutcome } from "../../domain/clusters/part.ts";
import { collectExitCode, formatCollectJson, formatCollectText } from "./collect.ts";
import { COLOURED, chooseStyle, PLAIN } from "./style.ts";

const FAILURE = {
  reason: "forbidden" as const,
  verb: "GET",
  path: "/apis/apps/v1/deployments",
  status: 403,
  message: "this is not permitted (HTTP 403, GET /apis/apps/v1/deployments at 10.0.0.1:6443)",
  retryAfterSeconds: null,
};

const outcome = (part: PartName, fields: Partial<PartOutcome> = {}): PartOutcome => ({
  part,
  status: "ok",
  startedAt: Date.parse("2026-11-30T12:00:00Z"),
  durationSeconds: 0.123,
  requests: 2,
  wireBytes: 1300,
  answer: "v1.34.2",
  failure: null,
  notRead: [],
  ...fields,
});

function pass(outcomes: readonly PartOutcome[], fields: Partial<OncePass> = {}): OncePass {
  const startedAt = Date.parse("2026-11-30T12:00:00Z");
  const cost = { requests: 3, wireBytes: 5000, decodedBytes: 50_000, durationSeconds: 1.5 };
  return {
    cluster: "prod",
    server: "https://10.0.0.1:6443",
    isInsecure: false,
    clusterUid: "uid-1",
    startedAt,
    ...cost,
    outcomes,
    values: {},
    result: {
      ...cost,
      startedAt,
      clusterUid: "uid-1",
      parts: [],
      permissions: { "get-version": { state: "granted", at: startedAt } },
      samplesAtSeconds: 0,
      samples: [],
      memory: EMPTY_MEMORY,
    },
    ...fields,
  };
}

const partial = outcome("inventory", {
  status: "partial",
  answer: "40 workloads",
  requests: 12,
  failure: FAILURE,
  notRead: [{ what: "deployments", serverId: null, failure: FAILURE }],
});
const failed = outcome("fairness", { status: "failed", answer: FAILURE.message, failure: FAILURE });

describe("text", () => {
  test("what a cluster says is shown by the terminal, never obeyed", () => {
    const evil = "v1.34.2\u001b[2J\u001b]0;title\u0007\n  version    ok\u202e";
    const notRead = [{ what: evil, serverId: null, failure: { ...FAILURE, message: evil } }];
    const lines = formatCollectText(
      [pass([outcome("version", { status: "partial", answer: evil, notRead })], { cluster: evil })],
      { style: PLAIN, isQuiet: false },
    );
    expect(lines).toHaveLength(4);
    expect(lines.join("")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines[0]).toContain("v1.34.2 [2J");
  });

  test("each part with status, cost and answer; what was not read, and why; the sum", () => {
    expect(
      formatCollectText([pass([outcome("version"), partial])], { style: PLAIN, isQuiet: false }),
    ).toEqual([
      "prod  https://10.0.0.1:6443",
      "  version    ok        2 requests  1.3 kB   0.12 s  v1.34.2",
      "  inventory  partial  12 requests  1.3 kB   0.12 s  40 workloads",
      `             not read: deployments: ${FAILURE.message}`,
      "  3 requests, 5 kB on the wire (50 kB unpacked), 1.50 s, seats not known",
    ]);
  });

  test("what its requests cost in seats: the widest of all parts, and how many could not be priced", () => {
    const seats = { widestSeats: 1, seatSeconds: 0.1, notPriced: 2 };
    const wide = outcome("sizes", { seats: { widestSeats: 10, seatSeconds: 2, notPriced: 0 } });
    const lines = formatCollectText([pass([outcome("version", { seats }), wide])], {
      style: PLAIN,
      isQuiet: true,
    });
    expect(lines.at(-1)).toMatch(/, widest request ≈ 10 seats, 2 requests not priced$/);
  });

  test("a part that failed says why once", () => {
    const lines = formatCollectText([pass([failed])], { style: PLAIN, isQuiet: false });
    expect(lines.filter((line) => line.includes("HTTP 403"))).toHaveLength(1);
  });

  test("--quiet leaves out what was read whole", () => {
    const lines = formatCollectText([pass([outcome("version"), partial])], { style: PLAIN, isQuiet: true });
    expect(lines.some((line) => line.includes("version"))).toBe(false);
    expect(lines.some((line) => line.includes("inventory"))).toBe(true);
  });

  test("a certificate that is not checked is said", () => {
    const lines = formatCollectText([pass([outcome("version")], { isInsecure: true })], {
      style: PLAIN,
      isQuiet: false,
    });
    expect(lines[1]).toContain("insecure-skip-tls-verify");
  });

  test("colour marks the status, and is absent without a style", () => {
    const [, line] = formatCollectText([pass([failed])], { style: COLOURED, isQuiet: false });
    expect(line).toContain("\u001b[31mfailed \u001b[39m");
  });
});

test.each([
  { title: "all read", outcomes: [outcome("version")], code: 0 },
  { title: "one in part", outcomes: [outcome("version"), partial], code: 3 },
  { title: "one failed", outcomes: [failed], code: 3 },
  { title: "one skipped", outcomes: [outcome("sizes", { status: "skipped", failure: FAILURE })], code: 3 },
])("exit code with $title: $code", ({ outcomes, code }) => {
  expect(collectExitCode([pass([outcome("version")]), pass(outcomes)])).toBe(code);
});

test("JSON is complete: every part with its outcome and value, instants as ISO text", () => {
  const value = { gitVersion: "v1.34.2", major: 1, minor: 34, servers: [] };
  const parsed = JSON.parse(
    formatCollectJson([pass([outcome("version"), failed], { values: { version: value } })], "0.1.0"),
  );
  expect(parsed).toMatchObject({
    schemaVersion: 1,
    tool: { name: "headroom", version: "0.1.0" },
    clusters: [
      {
        cluster: "prod",
        clusterUid: "uid-1",
        startedAt: "2026-11-30T12:00:00.000Z",
        requests: 3,
        wireBytes: 5000,
        permissions: { "get-version": "granted" },
        parts: [
          { part: "version", status: "ok", value },
          { part: "fairness", status: "failed", failure: { reason: "forbidden", status: 403 }, value: null },
        ],
      },
    ],
  });
  expect(parsed.clusters[0]).not.toHaveProperty("result");
});

test.each([
  { title: "a terminal", stream: { isTTY: true }, env: {}, style: COLOURED },
  { title: "a pipe", stream: {}, env: {}, style: PLAIN },
  { title: "NO_COLOR", stream: { isTTY: true }, env: { NO_COLOR: "1" }, style: PLAIN },
  { title: "an empty NO_COLOR", stream: { isTTY: true }, env: { NO_COLOR: "" }, style: COLOURED },
  { title: "a dumb terminal", stream: { isTTY: true }, env: { TERM: "dumb" }, style: PLAIN },
])("colour with $title", ({ stream, env, style }) => {
  expect(chooseStyle(stream, env)).toBe(style);
});
