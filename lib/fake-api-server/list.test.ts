import { describe, expect, it } from "vitest";
import { fixedCollection } from "./collection.ts";
import { resourceVersionAt } from "./scenario.ts";
import { buildScenario } from "./scenarios.ts";
import { typeOf } from "./server-collections.ts";
import { ask, NOW, startForTest } from "./test-support.ts";

interface Listed {
  readonly kind: string;
  readonly message: string;
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly resourceVersion: string;
  };
  readonly items: readonly {
    readonly kind?: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  }[];
}

type Server = Awaited<ReturnType<typeof startForTest>>;

async function list(server: Server, path: string, headers: Record<string, string> = {}) {
  const response = await ask(server, path, headers);
  const body = (await response.json()) as Listed;
  return { status: response.status, body };
}

const names = (body: Listed) => body.items.map((item) => item.metadata.name);

describe("paging", () => {
  it("gives every object once over all pages, and says how many remain", async () => {
    const server = await startForTest();
    const whole = await list(server, "/api/v1/nodes");
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const query = token === undefined ? "" : `&continue=${encodeURIComponent(token)}`;
      const { body } = await list(server, `/api/v1/nodes?limit=8${query}`);
      seen.push(...names(body));
      token = body.metadata.continue;
      expect(body.metadata.remainingItemCount ?? 0).toBe(20 - seen.length);
    } while (token !== undefined);
    expect(seen).toEqual(names(whole.body));
    expect(new Set(seen).size).toBe(20);
  });

  it("shows one snapshot on all pages though objects come and go in between", async () => {
    const scenario = buildScenario();
    const grown = fixedCollection(typeOf("batch", "cronjobs"), (at) =>
      Array.from({ length: at > NOW ? 9 : 3 }, (_, index) => ({
        metadata: { name: `job-${index}`, namespace: "default" },
      })),
    );
    const server = await startForTest({
      scenario: { ...scenario, collections: [...scenario.collections, grown] },
    });
    const first = await list(server, "/apis/batch/v1/cronjobs?limit=2");
    server.clock.at = NOW + 60_000;
    const rest = await list(
      server,
      `/apis/batch/v1/cronjobs?limit=2&continue=${first.body.metadata.continue}`,
    );
    expect(names(rest.body)).toEqual(["job-2"]);
    expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect(names((await list(server, "/apis/batch/v1/cronjobs")).body)).toHaveLength(9);
    const exact = `resourceVersion=${first.body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(names((await list(server, `/apis/batch/v1/cronjobs?${exact}`)).body)).toHaveLength(3);
  });

  it("answers 410 for a token older than the history, with one that goes on inconsistently", async () => {
    const server = await startForTest({ historySeconds: 300 });
    const first = await list(server, "/api/v1/nodes?limit=15");
    server.clock.at = NOW + 301_000;
    const late = await list(server, `/api/v1/nodes?limit=15&continue=${first.body.metadata.continue}`);
    expect(late.status).toBe(410);
    expect(late.body).toMatchObject({ kind: "Status", reason: "Expired", code: 410 });
    const onward = await list(server, `/api/v1/nodes?limit=15&continue=${late.body.metadata.continue}`);
    expect(onward.status).toBe(200);
    expect(onward.body.items).toHaveLength(5);
  });

  it.each(["1.26.3", "1.30.14", "1.31.0", "1.34.2", "1.37.2"])(
    "ignores the limit for resourceVersion=0 in %s, except for events, which have no cache",
    async (kubernetesVersion) => {
      const server = await startForTest({ scenario: buildScenario({ kubernetesVersion, nodes: 20 }) });
      const cached = await list(server, "/api/v1/nodes?resourceVersion=0&limit=5");
      expect(cached.body.items).toHaveLength(20);
      expect(cached.body.metadata.continue).toBeUndefined();
      const events = await list(server, "/api/v1/events?resourceVersion=0&limit=5");
      expect(events.body.items).toHaveLength(5);
      expect(events.body.metadata.continue).toBeDefined();
    },
  );
});

describe("refused parameters", () => {
  const future = resourceVersionAt(buildScenario(), NOW + 60_000);
  it.each([
    ["limit=abc", 400],
    ["limit=", 400],
    ["continue=nonsense", 400],
    ["resourceVersion=x", 400],
    [`resourceVersion=${future}`, 504],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["resourceVersion=5&resourceVersionMatch=Newest", 422],
    ["sendInitialEvents=true", 422],
    ["resourceVersion=5&resourceVersionMatch=Exact", 410],
    ["fieldSelector=spec.color%3Dred", 400],
  ])("?%s answers %d", async (query, status) => {
    const server = await startForTest();
    const answered = await list(server, `/api/v1/nodes?${query}`);
    expect(answered.status).toBe(status);
    expect(answered.body).toMatchObject({ kind: "Status", code: status });
  });

  it("tells with 504 when to come back", async () => {
    const server = await startForTest();
    const response = await ask(server, `/api/v1/nodes?resourceVersion=${future}`);
    expect(response.headers.get("retry-after")).toBe("1");
  });

  it("refuses a resource version beside a token", async () => {
    const server = await startForTest();
    const first = await list(server, "/api/v1/nodes?limit=5");
    const { status } = await list(
      server,
      `/api/v1/nodes?resourceVersion=7&continue=${first.body.metadata.continue}`,
    );
    expect(status).toBe(400);
  });
});

describe("representations", () => {
  const METADATA = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };

  it("serves metadata only where asked, far smaller and with the same names", async () => {
    const server = await startForTest();
    const full = await ask(server, "/api/v1/nodes");
    const fullText = await full.text();
    const metadata = await ask(server, "/api/v1/nodes", METADATA);
    const metadataText = await metadata.text();
    const parsed = JSON.parse(metadataText) as Listed;
    expect(parsed.kind).toBe("PartialObjectMetadataList");
    expect(parsed.items.every((item) => Object.keys(item).sort().join() === "apiVersion,kind,metadata")).toBe(
      true,
    );
    expect(names(parsed)).toEqual(names(JSON.parse(fullText) as Listed));
    expect(metadataText.length * 4).toBeLessThan(fullText.length);
  });

  it("writes metadata, and the token in it, after the items of custom resources", async () => {
    const server = await startForTest();
    const text = await (await ask(server, "/apis/cert-manager.io/v1/certificates?limit=2")).text();
    expect(text.indexOf('"items"')).toBeLessThan(text.indexOf('"continue"'));
    expect((JSON.parse(text) as Listed).items[0]?.kind).toBe("Certificate");
  });

  it("refuses protobuf, and takes JSON where both are offered", async () => {
    const server = await startForTest();
    const protobuf = "application/vnd.kubernetes.protobuf";
    expect((await ask(server, "/api/v1/nodes", { accept: protobuf })).status).toBe(406);
    expect((await ask(server, "/api/v1/nodes", { accept: `${protobuf},application/json` })).status).toBe(200);
  });

  it("compresses what is longer than 128 KiB, and only for clients that take gzip", async () => {
    const server = await startForTest({ scenario: buildScenario({ nodes: 100 }) });
    const encoding = async (path: string, accepted: string) => {
      const response = await ask(server, path, { "accept-encoding": accepted });
      await response.arrayBuffer();
      return response.headers.get("content-encoding");
    };
    expect(await encoding("/api/v1/nodes", "gzip")).toBe("gzip");
    expect(await encoding("/api/v1/nodes", "identity")).toBeNull();
    expect(await encoding("/api/v1/nodes?limit=5", "gzip")).toBeNull();
    const [entry] = server.requestLog.of("/api/v1/nodes");
    expect(entry?.bytes).toBeLessThan(200_000);
  });

  it("streams a list longer than it holds, whole and parseable", async () => {
    const server = await startForTest({ scenario: buildScenario({ nodes: 400, pods: 3000 }) });
    const { body } = await list(server, "/api/v1/pods");
    expect(body.items).toHaveLength(3012);
    expect(new Set(names(body)).size).toBeGreaterThan(2900);
  });
});

describe("selection", () => {
  it("narrows by namespace, by labels and by fields", async () => {
    const server = await startForTest({ scenario: buildScenario({ nodes: 20 }) });
    const { body: proxies } = await list(
      server,
      "/api/v1/namespaces/kube-system/pods?labelSelector=app.kubernetes.io/name%3Dkube-proxy",
    );
    expect(proxies.items).toHaveLength(20);
    const { body: mirrors } = await list(
      server,
      "/api/v1/namespaces/kube-system/pods?labelSelector=tier%3Dcontrol-plane&limit=50",
    );
    expect(mirrors.items).toHaveLength(12);
    const node = names((await list(server, "/api/v1/nodes?limit=1")).body)[0] ?? "";
    const { body: own } = await list(server, `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
    expect(own.items.length).toBeGreaterThan(10);
    expect(own.items.length).toBeLessThan(50);
    const { body: one } = await list(server, `/api/v1/nodes?fieldSelector=metadata.name%3D${node}`);
    expect(names(one)).toEqual([node]);
  });

  it("does not count what remains of a selection", async () => {
    const server = await startForTest();
    const { body } = await list(server, "/api/v1/nodes?limit=5&labelSelector=kubernetes.io/os%3Dlinux");
    expect(body.metadata.continue).toBeDefined();
    expect(body.metadata.remainingItemCount).toBeUndefined();
  });
});
