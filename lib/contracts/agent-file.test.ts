import { describe, expect, test } from "vitest";
import { type AgentFile, AgentFileSchema, asAgentWorkload } from "./agent-file.ts";

const file = (spec: object = {}, over: object = {}): unknown => ({
  apiVersion: "headroom.dev/v1",
  kind: "Agent",
  metadata: { name: "node-telemetry", namespace: "observability" },
  spec: { kind: "DaemonSet", ...spec },
  ...over,
});

const issuesOf = (value: unknown) =>
  (AgentFileSchema.safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );

describe("an agent described by hand", () => {
  test("is a workload with what it declares", () => {
    const parsed = AgentFileSchema.parse(
      file({
        serviceAccountName: "telemetry",
        image: "registry.example.com/observability/node-telemetry:3.2.0",
        informers: ["pods", "nodes@node protobuf"],
        client: "client-go/0.34.1 qps=50 burst=100",
      }),
    );
    expect(asAgentWorkload(parsed)).toMatchObject({
      kind: "DaemonSet",
      namespace: "observability",
      name: "node-telemetry",
      serviceAccountName: "telemetry",
      replicas: { kind: "per-node", count: null },
      informersAnnotation: "pods\nnodes@node protobuf\nclient client-go/0.34.1 qps=50 burst=100",
      declaredIn: "agent.yaml",
    });
  });

  test.each<[string, object, Partial<ReturnType<typeof asAgentWorkload>>]>([
    ["a Deployment has one copy", { kind: "Deployment" }, { replicas: { kind: "fixed", count: 1 } }],
    ["an empty list reads nothing", { informers: [] }, { informersAnnotation: "none" }],
    [
      "an empty list beside a client too",
      { informers: [], client: "other" },
      { informersAnnotation: "none\nclient other" },
    ],
    ["no list declares nothing", {}, { informersAnnotation: null, serviceAccountName: "default" }],
    ["a static pod has no ServiceAccount", { kind: "StaticPod" }, { serviceAccountName: null }],
    ["a user of its own", { userName: "system:kube-proxy" }, { userName: "system:kube-proxy" }],
  ])("%s", (_title, spec, expected) => {
    expect(asAgentWorkload(AgentFileSchema.parse(file(spec)) as AgentFile)).toMatchObject(expected);
  });

  test.each<[string, unknown, string]>([
    ["an informer that does not parse", file({ informers: ["pods", "nodes@host"] }), "spec.informers.1: "],
    ["an informer twice", file({ informers: ["pods", "pods"] }), "spec.informers.1: every entry once"],
    ["a client that is none", file({ client: "fabric8" }), "spec.client: client LIBRARY/VERSION"],
    [
      "a client that is none beside informers",
      file({ informers: ["pods"], client: "fabric8" }),
      "spec.client: client LIBRARY/VERSION",
    ],
    ["copies that are none", file({ replicas: -1 }), "spec.replicas: per-node, or a whole number"],
    ["a key that is not known", file({ replica: 3 }), "spec: "],
    ["another version", file({}, { apiVersion: "headroom.dev/v2" }), "apiVersion: headroom.dev/v1"],
    ["no name", file({}, { metadata: {} }), "metadata.name: a name"],
  ])("refuses %s, and says where", (_title, wrong, expected) => {
    expect(issuesOf(wrong).join("\n")).toContain(expected);
  });
});
