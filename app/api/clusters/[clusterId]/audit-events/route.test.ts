import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NOON } from "@/lib/db/testing/records";
import { temporaryStores } from "@/lib/db/testing/temporary-store";
import { auditEvent, auditObject } from "@/lib/domain/agents/audit/test-events";
import type { AuditEvent } from "@/lib/domain/agents/audit-event";
import { SPAN_MS, STORED_EVERY_MS } from "@/lib/services/audit/receive-audit-events";
import { provideServiceContext } from "@/lib/services/context";
import { seedCluster } from "@/lib/services/testing/seed-fleet";
import { makeTestContext, type TestContext } from "@/lib/services/testing/test-context";
import { POST } from "./route";

const stores = temporaryStores();
const TOKEN = "a-token-of-the-webhook";
let folder = "";
let clusterId = "";
let context: TestContext;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "headroom-webhook-"));
  const store = await stores.open();
  clusterId = await seedCluster(store, {
    name: "c",
    servers: { "api-0": [{ name: "workload-low", seats: 6, limit: 56 }] },
  });
  turn({ webhookEnabled: true, tokenFile: null }, store);
});
afterEach(() => {
  provideServiceContext(null);
  rmSync(folder, { recursive: true, force: true });
});

function turn(audit: TestContext["config"]["audit"], store = context.store): void {
  context = makeTestContext(store, { audit });
  provideServiceContext(context);
}

const events = (from: number, count: number): readonly AuditEvent[] =>
  Array.from({ length: count }, (_, i) =>
    auditEvent({
      auditId: `id-${from + i}`,
      podName: `shipper-${["bcdfg", "hjklm"][i % 2]}`,
      receivedAt: NOON + (from + i) * 1000,
      stageAt: NOON + (from + i) * 1000 + 5,
    }),
  );

/** As an API server sends it: items say neither kind nor version. */
const listOf = (items: readonly AuditEvent[], extra: Readonly<Record<string, unknown>> = {}) => ({
  kind: "EventList",
  apiVersion: "audit.k8s.io/v1",
  metadata: {},
  items: items.map((event) => ({ ...auditObject(event, extra), kind: undefined, apiVersion: undefined })),
});

async function post(body: unknown, headers: Readonly<Record<string, string>> = {}, id = clusterId) {
  const request = new Request(`http://127.0.0.1:3000/api/clusters/${id}/audit-events`, {
    method: "POST",
    headers: { host: "127.0.0.1:3000", "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const response = await POST(request, { params: Promise.resolve({ clusterId: id }) });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

describe("the audit webhook", () => {
  test("learns from what an API server posts, and stores what it learned but no event", async () => {
    const secret = { requestObject: { kind: "Secret", data: { password: "aHVudGVyMg==" } } };
    const { status, body } = await post(listOf(events(0, 10), secret));
    expect([status, body]).toEqual([200, { accepted: 10, duplicates: 0, refused: 0 }]);
    const [stored] = await context.store.learnedAgents.list(clusterId);
    expect(stored).toMatchObject({
      source: "webhook",
      startedAt: NOON,
      storedAt: NOON,
      learned: {
        requests: 10,
        agents: [
          {
            id: "daemonset/logging/shipper",
            informers: [{ resource: "pods", evidence: { source: "audit webhook" } }],
          },
        ],
      },
    });
    expect(JSON.stringify(stored)).not.toContain("aHVudGVyMg");
    expect(context.logLines.join("")).not.toContain("aHVudGVyMg");
  });

  test("counts a batch that is sent again once, and items that are no events", async () => {
    await post(listOf(events(0, 4)));
    const again = listOf(events(2, 4));
    const { body } = await post({ ...again, items: [...again.items, null, 7, { auditID: "x" }] });
    expect(body).toEqual({ accepted: 2, duplicates: 2, refused: 3 });
  });

  test("stores once a minute, and begins anew after a day; the last three spans are kept", async () => {
    const startedAt: number[] = [];
    for (let day = 0; day < 4; day++) {
      const at = NOON + day * SPAN_MS;
      context.setNow(at);
      startedAt.unshift(at);
      await post(listOf(events(day * 100, 1)));
      context.setNow(at + STORED_EVERY_MS - 1);
      await post(listOf(events(day * 100 + 1, 1)));
      expect((await context.store.learnedAgents.list(clusterId))[0]?.learned.requests).toBe(1);
      context.setNow(at + STORED_EVERY_MS);
      await post(listOf(events(day * 100 + 2, 1)));
      expect((await context.store.learnedAgents.list(clusterId))[0]?.learned.requests).toBe(3);
    }
    const spans = await context.store.learnedAgents.list(clusterId);
    expect(spans.map((span) => span.startedAt)).toEqual(startedAt.slice(0, 3));
  });

  test("goes on learning where the store takes nothing, and stores later", async () => {
    const { learnedAgents } = context.store;
    const refusing = {
      ...learnedAgents,
      record: () => Promise.reject(new Error("full")),
      list: () => learnedAgents.list(clusterId),
    };
    const store = { ...context.store, learnedAgents: refusing };
    turn({ webhookEnabled: true, tokenFile: null }, store);
    expect((await post(listOf(events(0, 2)))).status).toBe(200);
    expect(context.logLines.join("")).toContain("could not be stored");
    refusing.record = (...args: unknown[]) =>
      Reflect.apply(learnedAgents.record, learnedAgents, args) as Promise<never>;
    context.setNow(NOON + STORED_EVERY_MS);
    await post(listOf(events(2, 2)));
    expect((await learnedAgents.list(clusterId))[0]?.learned.requests).toBe(4);
  });
});

describe("who may post", () => {
  test("nobody where it is turned off, as it is by default", async () => {
    context = makeTestContext(context.store);
    provideServiceContext(context);
    expect((await post(listOf(events(0, 1)))).status).toBe(404);
    expect(await context.store.learnedAgents.list(clusterId)).toEqual([]);
  });

  test.each([
    ["a page of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    ["a page of this site", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-origin" }, 403],
    ["an old browser's form", { "content-type": "text/plain" }, 403],
    ["a name that is not this server's", { host: "evil.example" }, 421],
  ])("not %s", async (_, headers, status) => {
    expect((await post(listOf(events(0, 1)), headers)).status).toBe(status);
    expect(await context.store.learnedAgents.list(clusterId)).toEqual([]);
  });

  test("only with the token where one is set, which may change while this runs and stands nowhere", async () => {
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, `${TOKEN}\n`);
    turn({ webhookEnabled: true, tokenFile });
    const wrong = await post(listOf(events(0, 1)), { authorization: "Bearer other" });
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await post(listOf(events(0, 1)))).status).toBe(401);
    expect((await post(listOf(events(0, 1)), { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    writeFileSync(tokenFile, "new-token");
    expect((await post(listOf(events(1, 1)), { authorization: `Bearer ${TOKEN}` })).status).toBe(401);
    expect((await post(listOf(events(1, 1)), { authorization: "Bearer new-token" })).status).toBe(200);
    expect(context.logLines.join("")).not.toContain(TOKEN);
  });

  test("nobody where the token cannot be read or is empty", async () => {
    turn({ webhookEnabled: true, tokenFile: join(folder, "absent") });
    expect((await post(listOf(events(0, 1)), { authorization: "Bearer x" })).status).toBe(500);
    writeFileSync(join(folder, "empty"), "\n");
    turn({ webhookEnabled: true, tokenFile: join(folder, "empty") });
    expect((await post(listOf(events(0, 1)), { authorization: "Bearer " })).status).toBe(500);
  });
});

describe("what may be posted", () => {
  test.each([
    ["an unknown cluster", listOf(events(0, 1)), "nowhere", 404],
    ["something else", { kind: "PodList", items: [] }, null, 400],
    ["another version", { ...listOf([]), apiVersion: "v1" }, null, 400],
    ["no list", { kind: "EventList", apiVersion: "audit.k8s.io/v1" }, null, 400],
    ["no JSON", "{", null, 400],
    ["more than 8 MiB", JSON.stringify({ ...listOf([]), fill: "x".repeat(8 * 1024 * 1024) }), null, 413],
  ])("not %s", async (_, body, id, status) => {
    const answer = await post(body, {}, id ?? clusterId);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });
});
