import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ApiServerClient, ListEvent, ListSummary } from "./client-types.ts";
import { clientOf, failureOf, serve } from "./test-support/client.ts";

const PATH = "/api/v1/nodes";
const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ metadata: { name: `n${from + index}` } }));

interface Page {
  readonly items: readonly unknown[] | null;
  readonly next?: string;
  readonly remaining?: number;
}

/** Answers by the continue token; `first` without one. */
function pages(byToken: Readonly<Record<string, Page | ((response: ServerResponse) => void)>>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const token = new URL(request.url ?? "", "http://x").searchParams.get("continue") ?? "first";
    const page = byToken[token];
    if (typeof page === "function") {
      page(response);
      return;
    }
    response.setHeader("content-type", "application/json");
    const metadata = { resourceVersion: "7", continue: page?.next, remainingItemCount: page?.remaining };
    response.end(JSON.stringify({ kind: "NodeList", items: page?.items, metadata }));
  };
}

const expired = (response: ServerResponse) =>
  response
    .writeHead(410)
    .end(JSON.stringify({ kind: "Status", message: "the provided continue parameter is too old" }));

async function collect(
  client: ApiServerClient,
  path = PATH,
  options: Parameters<ApiServerClient["list"]>[1] = {},
) {
  const events: string[] = [];
  const list = client.list<{ metadata: { name: string } }>(path, options as object);
  for (;;) {
    const next: IteratorResult<ListEvent<{ metadata: { name: string } }>, ListSummary> = await list.next();
    if (next.done === true) return { events, summary: next.value };
    const event = next.value;
    if (event.type === "items") events.push(...event.items.map((item) => item.metadata.name));
    else
      events.push(
        event.type === "page"
          ? `page ${event.page.itemCount}+${event.page.remainingItemCount}`
          : `restart ${event.restarts}`,
      );
  }
}

describe("list", () => {
  it("follows the continue token to the end, and says what it came to", async () => {
    const server = await serve(
      pages({
        first: { items: names(0, 3), next: "a/b+c=", remaining: 3 },
        "a/b+c=": { items: names(3, 5), next: "z" },
        z: { items: names(5, 6) },
      }),
    );
    const { client } = await clientOf(server.url);
    const { events, summary } = await collect(client, PATH, { query: { labelSelector: "a=b" } });
    expect(events).toEqual(["n0", "n1", "n2", "page 3+3", "n3", "n4", "page 2+null", "n5", "page 1+0"]);
    expect(summary).toMatchObject({
      itemCount: 6,
      pages: 3,
      restarts: 0,
      resourceVersion: "7",
      kind: "NodeList",
    });
    expect(summary.itemBytes).toBe(6 * '{"metadata":{"name":"n0"}}'.length);
    expect(summary.cost).toEqual(client.cost());
    expect(server.paths()).toEqual([
      `${PATH}?labelSelector=a%3Db&limit=500`,
      `${PATH}?labelSelector=a%3Db&limit=500&continue=a%2Fb%2Bc%3D`,
      `${PATH}?labelSelector=a%3Db&limit=500&continue=z`,
    ]);
  });

  it("asks in the form it was given, and never repeats the resourceVersion beside a token", async () => {
    const server = await serve(pages({ first: { items: names(0, 1), next: "t" }, t: { items: null } }));
    const { client } = await clientOf(server.url);
    await client.listAll(PATH, {
      form: { limit: 100, resourceVersion: "0", resourceVersionMatch: "NotOlderThan" },
      metadataOnly: true,
    });
    expect(server.paths()).toEqual([
      `${PATH}?limit=100&resourceVersion=0&resourceVersionMatch=NotOlderThan`,
      `${PATH}?limit=100&continue=t`,
    ]);
    expect(server.requests[0]?.headers.accept).toBe(
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
    );
    await client.listAll(PATH, { form: { limit: null, resourceVersion: "", resourceVersionMatch: null } });
    expect(server.paths()[2]).toBe(PATH);
  });

  it("an expired token starts it again, and the consumer is told to drop what it has", async () => {
    let turn = 0;
    const server = await serve(
      pages({
        first: { items: names(0, 1), next: "t" },
        t: (response) =>
          turn++ === 0
            ? expired(response)
            : pages({ first: { items: names(1, 2) } })({ url: "" } as IncomingMessage, response),
      }),
    );
    const { client } = await clientOf(server.url);
    const { events, summary } = await collect(client);
    expect(events).toEqual(["n0", "page 1+null", "restart 1", "n0", "page 1+null", "n1", "page 1+0"]);
    expect(summary).toMatchObject({ itemCount: 2, pages: 2, restarts: 1, cost: { requests: 3 } });
    turn = 0;
    const whole = await client.listAll(PATH);
    expect(whole.items).toHaveLength(2);
  });

  it("restarts are bounded, and 410 without a token is no reason for one", async () => {
    const server = await serve(pages({ first: { items: names(0, 1), next: "t" }, t: expired }));
    const { client } = await clientOf(server.url);
    const error = await failureOf(client.listAll(PATH, { maxRestarts: 1 }));
    expect(error).toMatchObject({
      reason: "gone",
      status: 410,
      verb: "list",
      path: `${PATH}?limit=500&continue=…`,
    });
    expect(server.requests).toHaveLength(4);
    const gone = await serve((_, response) => expired(response));
    const { client: other } = await clientOf(gone.url);
    expect((await failureOf(other.listAll(PATH))).reason).toBe("gone");
    expect(gone.requests).toHaveLength(1);
  });

  it.each<[string, string, string, RegExp]>([
    [
      "a body that ends inside items",
      '{"kind":"NodeList","items":[{"a":1},{"b"',
      "truncated",
      /inside items/,
    ],
    [
      "a Status in place of a list",
      '{"kind":"Status","message":"x"}',
      "bad-body",
      /expected a list, got kind "Status"/,
    ],
    [
      "a list without items",
      '{"kind":"NodeList","metadata":{}}',
      "bad-body",
      /expected a list, got kind "NodeList"/,
    ],
    ["items that are none", '{"kind":"NodeList","items":{}}', "bad-body", /expected a list/],
    ["an item that is no JSON", '{"items":[{"a":}]}', "bad-body", /item 0 of the page is not JSON/],
    ["a sign-in page", "<html>", "bad-body", /not JSON: it begins with "<html>"/],
    ["nothing", "", "bad-body", /empty/],
    ["a token that is no text", '{"items":[],"metadata":{"continue":7}}', "bad-body", /metadata\.continue/],
  ])("%s fails, and gives no result", async (_, body, reason, message) => {
    const server = await serve((_request, response) => response.end(body));
    const { client } = await clientOf(server.url);
    const error = await failureOf(client.listAll(PATH));
    expect(error).toMatchObject({ reason, status: 200, verb: "list" });
    expect(error.message).toMatch(message);
  });

  it("an item that the caller cannot use says which and why, without its content", async () => {
    const server = await serve(pages({ first: { items: [{ spec: 1 }, { spec: "planted" }] } }));
    const { client } = await clientOf(server.url);
    const schema = z.object({ spec: z.number() });
    const error = await failureOf(client.listAll(PATH, { parseItem: (item) => schema.parse(item) }));
    expect(error.reason).toBe("bad-body");
    expect(error.message).toMatch(/item 1 of the page is not what was expected: spec: .*expected number/);
    expect(error.message).not.toContain("planted");
  });

  it("a list that goes on without giving anything is stopped", async () => {
    const server = await serve(pages({ first: { items: [], next: "t" }, t: { items: [], next: "t" } }));
    const { client } = await clientOf(server.url);
    expect((await failureOf(client.listAll(PATH))).message).toMatch(/goes on without giving anything/);
    expect(server.requests).toHaveLength(2);
  });

  it("held as a whole, it is bounded by a number of items", async () => {
    const server = await serve(pages({ first: { items: names(0, 10) } }));
    const { client } = await clientOf(server.url);
    expect(await failureOf(client.listAll(PATH, { maxItems: 9 }))).toMatchObject({ reason: "too-large" });
    expect((await client.listAll(PATH, { maxItems: 10 })).items).toHaveLength(10);
  });

  it("a consumer that stops early frees the server for the next read", async () => {
    const server = await serve((_, response) => {
      response.write(`{"items":[${JSON.stringify(names(0, 1)[0])},`);
    });
    const { client, budget } = await clientOf(server.url);
    for await (const event of client.list(PATH)) {
      expect(event.type).toBe("items");
      break;
    }
    expect(budget.state().servers.every((each) => !each.isBusy)).toBe(true);
    expect(client.cost().requests).toBe(1);
  });

  it("300,000 items pass through without being held", async () => {
    const item = Buffer.from(`${JSON.stringify({ metadata: { name: "x".repeat(80) } })},`);
    const block = Buffer.concat(Array.from({ length: 10_000 }, () => item));
    const server = await serve((_, response) => {
      response.write('{"kind":"NodeList","items":[');
      let blocks = 0;
      const more = () => {
        while (blocks < 30) {
          blocks++;
          if (!response.write(block)) return;
        }
        response.removeListener("drain", more);
        response.end(`${item.toString().slice(0, -1)}],"metadata":{}}`);
      };
      response.on("drain", more);
      more();
    });
    const { client } = await clientOf(server.url);
    let count = 0;
    let largestBatch = 0;
    const list = client.list(PATH, { limits: { wireBytes: 1 << 30 }, parseItem: () => null });
    for await (const event of list) {
      if (event.type !== "items") continue;
      count += event.items.length;
      largestBatch = Math.max(largestBatch, event.items.length);
    }
    expect(count).toBe(300_001);
    // As many as fit one chunk of the network, never a whole page.
    expect(largestBatch).toBeLessThan(5000);
  });
});

describe("count and samplePage", () => {
  it("count is one object and how many remain, or unknown where the server does not say", async () => {
    for (const [page, count] of [
      [{ items: names(0, 1), next: "t", remaining: 4999 }, 5000],
      [{ items: names(0, 1) }, 1],
      [{ items: [] }, 0],
      [{ items: names(0, 1), next: "t" }, null],
    ] as const) {
      const server = await serve(pages({ first: page }));
      const { client } = await clientOf(server.url);
      expect(await client.count(PATH)).toMatchObject({ count, resourceVersion: "7", cost: { requests: 1 } });
      expect(server.paths()).toEqual([`${PATH}?limit=1`]);
      expect(server.requests[0]?.headers.accept).toMatch(/PartialObjectMetadataList/);
    }
  });

  it("a sample is one page of at most 50 full objects with the bytes of each, never continued", async () => {
    const server = await serve(pages({ first: { items: [{ a: 1 }, { b: "ü" }], next: "t", remaining: 8 } }));
    const { client } = await clientOf(server.url);
    expect(await client.samplePage(PATH, { limit: 1000 })).toMatchObject({
      items: [{ a: 1 }, { b: "ü" }],
      bytesPerItem: [7, 10],
      itemCount: 2,
      itemBytes: 17,
      remainingItemCount: 8,
      hasContinue: true,
      resourceVersion: "7",
    });
    expect(server.paths()).toEqual([`${PATH}?limit=50`]);
    expect(server.requests[0]?.headers.accept).toBe("application/json");
  });
});
