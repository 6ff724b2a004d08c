import { expect, test } from "vitest";
import { parseUserAgent } from "./parse-user-agent.ts";

test.each([
  ["kubelet/v1.34.2 (linux/amd64) kubernetes/1a2b3c4", "kubelet", "1.34.2", "kubelet", "1.34.2", "kubelet"],
  [
    "kube-controller-manager/v1.30.4 (linux/amd64) kubernetes/ab/leader-election",
    "kube-controller-manager",
    "1.30.4",
    "kube-controller-manager",
    "1.30.4",
    "kube-controller-manager",
  ],
  [
    "kubectl/v1.32.4 (darwin/arm64) kubernetes/59526cd",
    "kubectl",
    "1.32.4",
    "client-go",
    "1.32.4",
    "client-go",
  ],
  ["manager/v0.0.0 (linux/amd64) kubernetes/$Format", "manager", null, "client-go", null, "client-go"],
  ["k3s/v1.28.5+k3s1 (linux/amd64) kubernetes/355fff3", "k3s", "1.28.5+k3s1", "client-go", null, "client-go"],
  [
    "pulumi-kubernetes/4.0.0 (linux/amd64) client-go/v0.31.0",
    "pulumi-kubernetes",
    "4.0.0",
    "client-go",
    "v0.31.0",
    "client-go",
  ],
  ["fabric8-kubernetes-client/7.3.1", "fabric8-kubernetes-client", null, "other", null, "fabric8 (Java)"],
  [
    "Kubernetes Java Client/23.0.0-SNAPSHOT",
    "Kubernetes Java Client",
    null,
    "other",
    null,
    "Kubernetes Java client",
  ],
  [
    "OpenAPI-Generator/32.0.1/python",
    "OpenAPI-Generator/python",
    null,
    "other",
    null,
    "Kubernetes Python client",
  ],
  [
    "kubernetes-javascript-client/2.0.0",
    "kubernetes-javascript-client",
    null,
    "other",
    null,
    "Kubernetes JavaScript client",
  ],
  [
    "Go-http-client/2.0",
    "Go-http-client",
    null,
    "other",
    null,
    "a Go program without client-go's user agent",
  ],
  ["Fluent-Bit", "Fluent-Bit", null, "other", null, "not known"],
  ["node-agent/1.0", "node-agent", "1.0", "other", null, "not known"],
  ["", "", null, "other", null, "not known"],
  ["/", "/", null, "other", null, "not known"],
])("%s", (userAgent, family, version, library, libraryVersion, make) => {
  expect(parseUserAgent(userAgent)).toEqual({ family, version, library, libraryVersion, make });
});

test("a hostile user agent of 100,000 characters is read at once, and its family is short", () => {
  for (const piece of ["a/v1 (", "x/", "((((", "kubernetes/", " "]) {
    const { family } = parseUserAgent(piece.repeat(100_000 / piece.length));
    expect(family.length).toBeLessThanOrEqual(80);
  }
});
