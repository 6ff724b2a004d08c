import { describe, expect, it } from "vitest";
import { findGuardViolation } from "./guard.ts";

describe("findGuardViolation", () => {
  it.each([
    "/api/v1/secrets",
    "/api/v1/secrets?limit=1",
    "/api/v1/SECRETS",
    "/api/v1/Secrets/x",
    "/api/v1/namespaces/a/secrets",
    "/api/v1/%73ecrets",
    "/api/v1/%53%45%43%52%45%54%53",
    "/api/v1/%2573ecrets",
    "/api/v1/%252573ecrets",
    "/api/v1/watch/secrets",
    "/api/v1/watch/namespaces/a/secrets",
    "/apis/example.com/v1/secrets",
    "/api/v1/nodes?fieldSelector=secrets",
    "/api/v1/nodes?secrets=1",
    "/api/v1/nodes?x=%73ecrets",
    "/openapi/v3/secrets",
    "/api/v1/namespaces/../secrets",
  ])("%s is refused: it mentions secrets", (path) => {
    expect(findGuardViolation(path)).toMatch(/secrets/);
  });

  it.each([
    "/api/v1/nodes?watch=true",
    "/api/v1/nodes?watch=1",
    "/api/v1/nodes?watch",
    "/api/v1/nodes?watch=",
    "/api/v1/nodes?Watch=true",
    "/api/v1/nodes?w%61tch=true",
    "/api/v1/nodes?watch=false&watch=true",
    "/api/v1/nodes?sendInitialEvents=true",
    "/api/v1/watch/nodes",
    "/api/v1/WATCH/nodes",
    "/api/v1/w%61tch/nodes",
    "/apis/apps/v1/watch/daemonsets",
  ])("%s is refused: it is a watch", (path) => {
    expect(findGuardViolation(path)).toMatch(/watch/);
  });

  it.each([
    "/api/v1/pods",
    "/api/v1/pods/",
    "/api/v1/PODS",
    "/api/v1/p%6fds",
    "/api/v1/pods?limit=51",
    "/api/v1/pods?limit=500",
    "/api/v1/pods?limit=0",
    "/api/v1/pods?limit=",
    "/api/v1/pods?limit=-1",
    "/api/v1/pods?limit=5e1",
    "/api/v1/pods?limit=50&limit=5000",
    "/api/v1/pods?limit=50&continue=abc",
    "/api/v1/pods?limit=50&c%6fntinue=abc",
    "/api/v1/pods?limit=50&continue=",
    "/api/v1/pods?limit=50&resourceVersion=0",
    "/api/v1/pods?labelSelector=a%3Db",
    "/api/v1/pods?fieldSelector=metadata.namespace%3Da",
  ])("%s is refused: it lists the pods of a cluster", (path) => {
    expect(findGuardViolation(path)).toMatch(/all pods of a cluster/);
  });

  it.each([
    "/api/v1/namespaces/a/pods/b/exec?command=ls",
    "/api/v1/namespaces/a/pods/b/attach",
    "/api/v1/namespaces/a/pods/b/portforward",
    "/api/v1/namespaces/a/pods/b/log",
    "/api/v1/namespaces/a/pods/b/proxy/metrics",
    "/api/v1/namespaces/a/services/b/proxy/metrics",
    "/api/v1/nodes/n/proxy/pods",
    "/api/v1/nodes/n/PROXY/pods",
  ])("%s is refused: it opens a stream or another program", (path) => {
    expect(findGuardViolation(path)).toMatch(/opens no (exec|attach|portforward|log|proxy)/);
  });

  it.each([
    "api/v1/nodes",
    "//evil.example/api/v1/nodes",
    "https://evil.example/api",
    "/api/v1/../nodes",
    "/api/v1/%2e%2e/nodes",
    "/api/v1//pods",
    "/api//v1/pods",
    "/api/v1%2fpods",
    "/api/v1%5Cpods",
    "/api\\v1",
    "/api/v1/nodes#x",
    "/api/v1/no des",
    "/api/v1/nodes\r\nHost: x",
    "/api/v1/nöde",
    "/api/v1/%",
    "",
  ])("%j is refused: it could be read differently", (path) => {
    expect(findGuardViolation(path)).not.toBeNull();
  });

  it.each([
    "/",
    "/version",
    "/metrics",
    "/livez?verbose",
    "/api/v1/nodes?limit=500&continue=eyJ2Ijoi",
    "/api/v1/nodes?watch=false",
    "/api/v1/pods?limit=1",
    "/api/v1/pods?limit=50",
    "/api/v1/namespaces/kube-system/pods?limit=500&continue=x",
    "/api/v1/namespaces/kube-system/pods?labelSelector=tier%3Dcontrol-plane",
    "/api/v1/namespaces/watch",
    "/api/v1/namespaces/proxy",
    "/api/v1/namespaces/log/pods",
    "/apis/metrics.k8s.io/v1beta1/pods?limit=500",
    "/apis/apps/v1/daemonsets?limit=500",
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=a%2Fb%3Dc",
    "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
    "/openapi/v3/apis/apps/v1?hash=ABC",
    "/api/v1/nodes?labelSelector=a%2Bb",
  ])("%s is sent", (path) => {
    expect(findGuardViolation(path)).toBeNull();
  });

  it("only the capability admits a whole LIST of pods, and it lifts nothing else", () => {
    const capabilities = { allowPodList: true };
    expect(findGuardViolation("/api/v1/pods?limit=500&continue=x", capabilities)).toBeNull();
    expect(findGuardViolation("/api/v1/pods?watch=1", capabilities)).toMatch(/watch/);
    expect(findGuardViolation("/api/v1/secrets", capabilities)).toMatch(/secrets/);
  });
});
