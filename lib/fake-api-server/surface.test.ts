import { describe, expect, it } from "vitest";
import { MINIMAL_OPEN_API } from "./scenario-builder.ts";
import { buildScenario } from "./scenarios.ts";
import { ask, startForTest } from "./test-support.ts";

const at = (kubernetesVersion: string) =>
  startForTest({ scenario: buildScenario({ kubernetesVersion, nodes: 5 }) });

describe("discovery", () => {
  it.each([
    ["1.26.1", "v1beta3", ["v1beta3", "v1beta2"]],
    ["1.29.6", "v1", ["v1", "v1beta3"]],
    ["1.32.2", "v1", ["v1"]],
    ["1.37.2", "v1", ["v1"]],
  ])("%s prefers flowcontrol %s and serves %j", async (version, preferred, served) => {
    const server = await at(version);
    const { groups } = await (await ask(server, "/apis")).json();
    const group = groups.find((one: { name: string }) => one.name === "flowcontrol.apiserver.k8s.io");
    expect(group.preferredVersion.version).toBe(preferred);
    expect(group.versions.map((one: { version: string }) => one.version)).toEqual(served);
    for (const one of ["v1", "v1beta3", "v1beta2"]) {
      const { status } = await ask(server, `/apis/flowcontrol.apiserver.k8s.io/${one}/flowschemas`);
      expect(status).toBe(served.includes(one) ? 200 : 404);
    }
  });

  it("names the shares as the version asked for does", async () => {
    const server = await at("1.27.3");
    const limited = async (version: string) => {
      const path = `/apis/flowcontrol.apiserver.k8s.io/${version}/prioritylevelconfigurations/workload-low`;
      return (await (await ask(server, path)).json()).spec.limited;
    };
    expect(await limited("v1beta3")).toMatchObject({ nominalConcurrencyShares: 100 });
    expect(await limited("v1beta2")).toMatchObject({ assuredConcurrencyShares: 100 });
    expect(await limited("v1beta2")).not.toHaveProperty("nominalConcurrencyShares");
  });

  it("gives one document for all groups from 1.30 where asked", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const kindIn = async (version: string) =>
      (await (await ask(await at(version), "/apis", { accept })).json()).kind;
    expect(await kindIn("1.29.6")).toBe("APIGroupList");
    expect(await kindIn("1.30.1")).toBe("APIGroupDiscoveryList");
  });

  it("lists the resources of a group version, and answers 404 elsewhere", async () => {
    const server = await at("1.34.2");
    const { resources } = await (await ask(server, "/apis/apps/v1")).json();
    expect(resources.map((one: { name: string }) => one.name)).toContain("daemonsets");
    for (const path of [
      "/apis/nothing.example.com/v1",
      "/apis/apps/v2/daemonsets",
      "/api/v1/pods/a/log",
      "/other",
    ]) {
      expect((await ask(server, path)).status).toBe(404);
    }
    expect((await ask(server, "/api/v1/nodes/no-such-node")).status).toBe(404);
  });
});

describe("health endpoints", () => {
  const withKms = (version: string, failing: readonly string[]) =>
    startForTest({
      scenario: {
        ...buildScenario({ kubernetesVersion: version }),
        extraChecks: ["kms-providers"],
        failingChecksAt: () => failing,
      },
    });

  it("pass with ok, and print their checks when verbose", async () => {
    const server = await at("1.36.1");
    expect(await (await ask(server, "/livez")).text()).toBe("ok");
    const verbose = await (await ask(server, "/livez?verbose")).text();
    expect(verbose).toContain("[+]etcd ok\n");
    expect(verbose).toContain("[+]loopback-serving-certificate ok\n");
    expect(verbose.endsWith("livez check passed\n")).toBe(true);
    expect(await (await ask(server, "/readyz/etcd-readiness")).text()).toBe("ok");
    expect((await ask(server, "/livez/etcd-readiness")).status).toBe(404);
  });

  it.each([
    ["1.28.3", 500, 500, 500],
    ["1.29.6", 500, 200, 500],
  ])("a KMS failure in %s makes healthz %d, livez %d, readyz %d", async (version, healthz, livez, readyz) => {
    const server = await withKms(version, ["kms-providers"]);
    const statuses = await Promise.all(
      ["/healthz", "/livez", "/readyz"].map(async (path) => (await ask(server, path)).status),
    );
    expect(statuses).toEqual([healthz, livez, readyz]);
    const text = await (await ask(server, "/healthz")).text();
    expect(text).toContain("[-]kms-providers failed: reason withheld");
    expect(text.endsWith("healthz check failed\n")).toBe(true);
  });

  it("leave out what is excluded, and warn of names they do not know", async () => {
    const server = await withKms("1.34.2", ["kms-providers"]);
    const response = await ask(server, "/readyz?verbose&exclude=kms-providers&exclude=nothing");
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("[+]kms-providers excluded: ok");
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "nothing"');
  });
});

describe("OpenAPI", () => {
  it("answers 304 to the ETag it gave, and leads from the index to documents by hash", async () => {
    const server = await at("1.34.2");
    const first = await ask(server, "/openapi/v2", { accept: "application/json" });
    const etag = first.headers.get("etag") ?? "";
    expect(await first.json()).toMatchObject({ swagger: "2.0" });
    const again = await ask(server, "/openapi/v2", { accept: "application/json", "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    const { paths } = await (await ask(server, "/openapi/v3")).json();
    const url: string = paths["apis/apps/v1"].serverRelativeURL;
    expect((await ask(server, url)).headers.get("cache-control")).toBe("public, immutable");
    const wrong = await ask(server, "/openapi/v3/apis/apps/v1?hash=ABC");
    expect([wrong.status, wrong.headers.get("location")]).toEqual([301, url]);
    expect((await ask(server, "/openapi/v3/apis/none/v1")).status).toBe(404);
  });

  it.each([
    [null, 406],
    [503, 503],
    [Uint8Array.of(1, 2, 3), 200],
  ] as const)("protobuf of kind %s answers %d", async (v2Protobuf, status) => {
    const openApi = { ...MINIMAL_OPEN_API, v2Protobuf };
    const server = await startForTest({ scenario: { ...buildScenario(), openApi } });
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    expect((await ask(server, "/openapi/v2", { accept })).status).toBe(status);
  });
});
