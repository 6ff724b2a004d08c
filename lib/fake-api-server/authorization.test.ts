import { describe, expect, it } from "vitest";
import { type Identity, READ_ALL_BUT_SECRETS } from "./authorization.ts";
import { buildScenario } from "./scenarios.ts";
import { ask, startForTest } from "./test-support.ts";

const narrow: Identity = {
  token: "narrow-token",
  user: "system:serviceaccount:tools:reader",
  groups: [],
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"], namespaces: ["kube-system"] },
    { nonResourceURLs: ["/healthz/*", "/version"], verbs: ["get"] },
  ],
};

const start = () => startForTest({ scenario: buildScenario({ nodes: 5, identities: [narrow] }) });

describe("who may read what", () => {
  it.each([
    ["/api/v1/nodes", 200],
    ["/api/v1/namespaces/kube-system/pods", 200],
    ["/version", 200],
    ["/healthz/ping", 200],
    ["/api/v1/pods", 403],
    ["/api/v1/nodes/test-cluster-00000", 403],
    ["/api/v1/nodes?watch=1", 403],
    ["/apis/apps/v1/daemonsets", 403],
    ["/metrics", 403],
    ["/debug/api_priority_and_fairness/dump_requests", 403],
  ])("%s answers %d for an account with three rules", async (path, status) => {
    const server = await start();
    expect((await ask(server, path)).status).toBe(status);
  });

  it("says in the API server's words what is missing", async () => {
    const server = await start();
    const messageOf = async (path: string) => (await (await ask(server, path)).json()).message;
    expect(await messageOf("/apis/apps/v1/daemonsets")).toBe(
      'daemonsets.apps is forbidden: User "system:serviceaccount:tools:reader" cannot list resource "daemonsets" in API group "apps" at the cluster scope',
    );
    expect(await messageOf("/metrics")).toBe(
      'forbidden: User "system:serviceaccount:tools:reader" cannot get path "/metrics"',
    );
  });

  it("answers 401 to an unknown token and lets nobody read more than version and health without one", async () => {
    const server = await start();
    expect((await ask(server, "/version", { authorization: "Bearer wrong" })).status).toBe(401);
    const statusOf = async (path: string) => (await fetch(server.url + path)).status;
    expect(await statusOf("/livez")).toBe(200);
    expect(await statusOf("/version")).toBe(200);
    expect(await statusOf("/metrics")).toBe(403);
    expect(await statusOf("/api/v1/nodes")).toBe(403);
  });

  it("reads no Secret for anybody, whatever the rules say", async () => {
    const all: Identity = { ...narrow, rules: READ_ALL_BUT_SECRETS };
    const server = await startForTest({ scenario: buildScenario({ identities: [all] }) });
    expect((await ask(server, "/api/v1/secrets?limit=1")).status).toBe(403);
    expect((await ask(server, "/api/v1/namespaces/default/secrets/a")).status).toBe(403);
  });

  it("refuses every write", async () => {
    const writer: Identity = { ...narrow, rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] };
    const server = await startForTest({ scenario: buildScenario({ identities: [writer] }) });
    for (const [method, path] of [
      ["POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"],
      ["DELETE", "/api/v1/nodes/test-cluster-00000"],
      ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b"],
    ] as const) {
      const response = await fetch(server.url + path, {
        method,
        headers: { authorization: `Bearer ${server.token}` },
      });
      expect(response.status).toBe(405);
    }
  });
});
