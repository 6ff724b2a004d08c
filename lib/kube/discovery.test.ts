import { describe, expect, it } from "vitest";
import { readClusterUid, readIdentityLeases, readServerEndpoints, readVersion } from "./discovery.ts";
import type { MetricSample } from "./metrics-scanner.ts";
import { clientOf, failureOf, serve } from "./test-support/client.ts";

async function answering(value: unknown) {
  const server = await serve((_, response) =>
    response.end(typeof value === "string" ? value : JSON.stringify(value)),
  );
  const { client } = await clientOf(server.url);
  return { client, server };
}

describe("readIdentityLeases", () => {
  it("gives the Leases of the kube-apiservers by name, with host name and last renewal", async () => {
    const { client, server } = await answering({
      kind: "LeaseList",
      metadata: {},
      items: [
        {
          metadata: { name: "apiserver-b", creationTimestamp: "2026-01-01T00:00:00Z" },
          spec: {
            holderIdentity: "apiserver-b_1",
            renewTime: "2026-01-01T00:01:00.123456Z",
            leaseDurationSeconds: 3600,
          },
        },
        { metadata: { name: "apiserver-a", labels: { "kubernetes.io/hostname": "cp-1" } } },
      ],
    });
    expect((await readIdentityLeases(client)).leases).toEqual([
      {
        name: "apiserver-a",
        hostname: "cp-1",
        holderIdentity: null,
        renewedAt: null,
        createdAt: null,
        leaseDurationSeconds: null,
      },
      {
        name: "apiserver-b",
        hostname: null,
        holderIdentity: "apiserver-b_1",
        renewedAt: Date.parse("2026-01-01T00:01:00.123Z"),
        createdAt: Date.parse("2026-01-01T00:00:00Z"),
        leaseDurationSeconds: 3600,
      },
    ]);
    expect(server.paths()).toEqual([
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver&limit=500",
    ]);
  });
});

describe("readServerEndpoints", () => {
  it("gives the addresses behind default/kubernetes once each, IPv6 in brackets", async () => {
    const { client, server } = await answering({
      kind: "EndpointSliceList",
      metadata: {},
      items: [
        {
          ports: [
            { name: "x", port: 1 },
            { name: "https", port: 6443 },
          ],
          endpoints: [
            { addresses: ["10.0.0.2"], conditions: { ready: false } },
            { addresses: ["10.0.0.1"], conditions: { ready: true } },
            { addresses: ["10.0.0.1"] },
          ],
        },
        { ports: null, endpoints: [{ addresses: ["fd00::1"], conditions: {} }] },
        { ports: [], endpoints: null },
      ],
    });
    expect((await readServerEndpoints(client)).endpoints).toEqual([
      { address: "10.0.0.1:6443", isReady: null },
      { address: "10.0.0.2:6443", isReady: false },
      { address: "[fd00::1]:443", isReady: null },
    ]);
    expect(server.paths()[0]).toMatch(
      /namespaces\/default\/endpointslices\?labelSelector=kubernetes\.io%2Fservice-name%3Dkubernetes/,
    );
  });
});

describe("readVersion", () => {
  it.each([
    ["v1.34.2", 1, 34, 2],
    ["v1.33.0-eks-a1b2c3", 1, 33, 0],
    ["v1.35.0-alpha.1+abc", 1, 35, 0],
    ["v1.36", 1, 36, null],
  ])("%s", async (gitVersion, major, minor, patch) => {
    const { client } = await answering({ gitVersion, minor: "34+", platform: "linux/amd64" });
    expect(await readVersion(client)).toMatchObject({
      gitVersion,
      major,
      minor,
      patch,
      platform: "linux/amd64",
    });
  });

  it.each([{}, { gitVersion: 7 }, { gitVersion: "latest" }, []])("%j is no version", async (value) => {
    const { client } = await answering(value);
    expect(await failureOf(readVersion(client))).toMatchObject({ reason: "bad-body", path: "/version" });
  });
});

describe("readClusterUid", () => {
  it("is the UID of kube-system", async () => {
    const { client, server } = await answering({ metadata: { uid: "u-1" } });
    expect((await readClusterUid(client)).uid).toBe("u-1");
    expect(server.paths()).toEqual(["/api/v1/namespaces/kube-system"]);
    expect((await failureOf(readClusterUid((await answering({ metadata: {} })).client))).reason).toBe(
      "bad-body",
    );
  });
});

describe("scanMetrics", () => {
  it("hands over wanted samples as they come, and says what the page came to", async () => {
    const { client, server } = await answering('# TYPE a gauge\na 1\nb 2\na{x="y"} 3\n');
    const samples: MetricSample[] = [];
    const result = await client.scanMetrics({ names: ["a"], onSample: (sample) => samples.push(sample) });
    expect(samples.map((sample) => sample.value)).toEqual([1, 3]);
    expect(result).toMatchObject({ samples: 2, lines: 4, malformedLines: 0, cost: { requests: 1 } });
    expect(server.requests[0]?.headers.accept).toBe("text/plain;version=0.0.4");
    expect(server.paths()).toEqual(["/metrics"]);
  });

  it("a page that is cut short, or none, fails", async () => {
    const scan = async (body: unknown) => {
      const { client } = await answering(body);
      return failureOf(client.scanMetrics({ names: ["a"], onSample: () => undefined }));
    };
    expect((await scan("# TYPE a gauge\na 12")).reason).toBe("truncated");
    expect((await scan("<html></html>\n")).reason).toBe("bad-body");
    const server = await serve((_, response) => {
      response.setHeader("content-type", "text/html").end("# a\n");
    });
    const { client } = await clientOf(server.url);
    const error = await failureOf(client.scanMetrics({ names: ["a"], onSample: () => undefined }));
    expect(error.message).toMatch(/no metrics page but text\/html/);
  });
});
