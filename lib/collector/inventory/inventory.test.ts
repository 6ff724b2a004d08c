import { describe, expect, test } from "vitest";
import {
  decideClusterWideLists,
  parseListingRole,
  parseServiceAccountBinding,
} from "./decide-cluster-wide-lists.ts";
import { parseControlPlanePod, trimFlags } from "./parse-control-plane-pod.ts";
import { createNodeCounter, parseApiService, parseWebhook } from "./parse-objects.ts";
import { parseWorkload } from "./parse-workload.ts";

describe("parseWorkload", () => {
  const metadata = { name: "node-telemetry", namespace: "observability", uid: "u-1", generation: 7 };
  const template = {
    spec: {
      serviceAccountName: "telemetry",
      containers: [
        { name: "agent", image: "registry.example/agent:1.2", env: [{ name: "TOKEN", value: "hunter2" }] },
      ],
      initContainers: [
        { name: "setup", image: "setup:1" },
        { name: "proxy", image: "proxy:2", restartPolicy: "Always" },
      ],
    },
  };

  test("a DaemonSet: replicas from its status, no environment, native sidecars among the images", () => {
    const workload = parseWorkload("DaemonSet", {
      metadata,
      spec: {
        template,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%", maxSurge: 0 } },
      },
      status: { desiredNumberScheduled: 5000, numberReady: 4990, updatedNumberScheduled: 12 },
    });
    expect(workload).toEqual({
      kind: "DaemonSet",
      namespace: "observability",
      name: "node-telemetry",
      uid: "u-1",
      generation: 7,
      desiredReplicas: 5000,
      readyReplicas: 4990,
      updatedReplicas: 12,
      serviceAccountName: "telemetry",
      images: [
        { container: "agent", image: "registry.example/agent:1.2" },
        { container: "proxy", image: "proxy:2" },
      ],
      labels: {},
      maxUnavailable: "10%",
      maxSurge: "0",
      updateStrategy: "RollingUpdate",
      minReadySeconds: 0,
      informersAnnotation: null,
    });
    expect(JSON.stringify(workload)).not.toContain("hunter2");
  });

  test("of the annotations the one that declares informers is kept, the workload's before its pods'", () => {
    const declaring = (own: object, ofPods: object) =>
      parseWorkload("DaemonSet", {
        metadata: { ...metadata, annotations: { "other.example.com/token": "hunter2", ...own } },
        spec: { template: { ...template, metadata: { annotations: ofPods } } },
      });
    const annotation = (text: string) => ({ "headroom.dev/informers": text });
    expect(declaring({}, annotation("pods")).informersAnnotation).toBe("pods");
    expect(declaring(annotation("none"), annotation("pods")).informersAnnotation).toBe("none");
    expect(declaring(annotation("x".repeat(100_000)), {}).informersAnnotation).toHaveLength(8192);
    expect(JSON.stringify(declaring({}, {}))).not.toContain("hunter2");
  });

  test("a Deployment: replicas from its spec, 0 kept, 1 where absent; the default ServiceAccount", () => {
    const of = (replicas?: number) =>
      parseWorkload("Deployment", {
        metadata,
        spec: {
          ...(replicas === undefined ? {} : { replicas }),
          template: { spec: { containers: [] } },
          strategy: { type: "Recreate" },
        },
        status: {},
      });
    expect(of(0)).toMatchObject({ desiredReplicas: 0, readyReplicas: 0, updatedReplicas: null });
    expect(of()).toMatchObject({
      desiredReplicas: 1,
      serviceAccountName: "default",
      updateStrategy: "Recreate",
    });
  });

  test("at most 16 labels, the telling ones first, values cut at 63", () => {
    const labels = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`a${String(i).padStart(2, "0")}`, "x"]),
    );
    const workload = parseWorkload("StatefulSet", {
      metadata: { ...metadata, labels: { ...labels, "app.kubernetes.io/name": "y".repeat(100) } },
      spec: { template },
    });
    expect(Object.keys(workload.labels)).toHaveLength(16);
    expect(workload.labels["app.kubernetes.io/name"]).toHaveLength(63);
  });

  test("what is no workload is refused", () => {
    expect(() => parseWorkload("DaemonSet", { metadata })).toThrow();
  });
});

describe("cluster-wide lists", () => {
  const role = (name: string, ...rules: readonly object[]) => parseListingRole({ metadata: { name }, rules });
  const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames?: string[]) => ({
    verbs,
    apiGroups,
    resources,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  });

  test.each([
    ["list", rule(["get", "list"], [""], ["pods", "pods/log"]), ["pods"]],
    ["the verb *", rule(["*"], ["apps"], ["deployments"]), ["deployments.apps"]],
    ["everything", rule(["*"], ["*"], ["*"]), ["*"]],
    ["a whole group", rule(["list"], ["apps"], ["*"]), ["*.apps"]],
    ["the whole core group", rule(["list"], [""], ["*"]), ["*.core"]],
    ["only named objects", rule(["list"], [""], ["configmaps"], ["one"]), []],
    ["get and watch alone", rule(["get", "watch"], [""], ["pods"]), []],
    ["a non-resource rule", { verbs: ["*"], nonResourceURLs: ["*"] }, []],
  ])("a role with %s", (_title, given, resources) => {
    expect(role("r", given).resources).toEqual(resources);
  });

  test.each([
    ["a ServiceAccount", { kind: "ServiceAccount", name: "a", namespace: "n" }, ["n/a"]],
    ["its user name", { kind: "User", name: "system:serviceaccount:n:a" }, ["n/a"]],
    ["all of a namespace", { kind: "Group", name: "system:serviceaccounts:n" }, ["n/*"]],
    ["all", { kind: "Group", name: "system:serviceaccounts" }, ["*/*"]],
  ])("a binding to %s", (_title, subject, serviceAccounts) => {
    expect(
      parseServiceAccountBinding({
        metadata: { name: "b" },
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [subject, { kind: "User", name: "jane" }],
      }),
    ).toEqual({ clusterRoleName: "r", serviceAccounts });
  });

  test("bindings to people alone, or to nothing, are none", () => {
    const binding = (subjects: unknown) =>
      parseServiceAccountBinding({
        metadata: { name: "b" },
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects,
      });
    expect(binding([{ kind: "User", name: "jane" }])).toBeNull();
    expect(binding(undefined)).toBeNull();
  });

  test("what several roles grant one account is joined, and says through which", () => {
    const lists = decideClusterWideLists(
      [
        role("pods", rule(["list"], [""], ["pods"])),
        role("nodes", rule(["list"], [""], ["nodes"])),
        role("nothing", rule(["get"], [""], ["nodes"])),
      ],
      [
        { clusterRoleName: "pods", serviceAccounts: ["n/b", "n/a"] },
        { clusterRoleName: "nodes", serviceAccounts: ["n/a"] },
        { clusterRoleName: "nothing", serviceAccounts: ["n/c"] },
        { clusterRoleName: "gone", serviceAccounts: ["n/d"] },
      ],
    );
    expect(lists).toEqual([
      { serviceAccount: "n/a", resources: ["nodes", "pods"], through: ["nodes", "pods"] },
      { serviceAccount: "n/b", resources: ["pods"], through: ["pods"] },
    ]);
  });
});

describe("control-plane pods", () => {
  test("flags of the component's container, without credentials", () => {
    const pod = parseControlPlanePod({
      metadata: { name: "kube-apiserver-cp-1", labels: { component: "kube-apiserver" } },
      spec: {
        nodeName: "cp-1",
        containers: [
          { name: "sidecar", image: "x" },
          {
            name: "kube-apiserver",
            image: "kube-apiserver:v1.34.2",
            command: [
              "kube-apiserver",
              "--max-requests-inflight=400",
              "--etcd-servers=https://root:hunter2@etcd:2379",
            ],
            args: [
              "--token-auth-file=/etc/tokens.csv",
              "--service-account-signing-key-file=/etc/sa.key",
              "--oidc-client-secret=hunter2",
            ],
          },
        ],
      },
    });
    expect(pod).toEqual({
      name: "kube-apiserver-cp-1",
      component: "kube-apiserver",
      nodeName: "cp-1",
      image: "kube-apiserver:v1.34.2",
      flags: [
        "--etcd-servers=https://[redacted]@etcd:2379",
        "--max-requests-inflight=400",
        "--oidc-client-secret=[redacted]",
        "--service-account-signing-key-file=/etc/sa.key",
        "--token-auth-file=/etc/tokens.csv",
      ],
    });
  });

  test("a shell's text is taken apart; values that stand alone are dropped", () => {
    expect(
      trimFlags([
        "/bin/sh",
        "-c",
        "exec kube-apiserver --v=2 --password hunter2 --bearer=eyJhbGciOiJIUzI1NiJ9.e30.x",
      ]),
    ).toEqual(["--bearer=[redacted]", "--password", "--v=2", "-c"]);
  });
});

test("an APIService: its own, available, unavailable with the reason, not known", () => {
  const of = (service: object | null, status?: string) =>
    parseApiService({
      metadata: { name: "v1.x" },
      spec: { service },
      status:
        status === undefined
          ? {}
          : { conditions: [{ type: "Available", status, reason: "FailedDiscoveryCheck" }] },
    });
  expect(of(null, "True")).toEqual({
    name: "v1.x",
    service: null,
    isAvailable: true,
    unavailableReason: null,
  });
  expect(of({ namespace: "monitoring", name: "adapter" }, "False")).toEqual({
    name: "v1.x",
    service: "monitoring/adapter",
    isAvailable: false,
    unavailableReason: "FailedDiscoveryCheck",
  });
  expect(of(null).isAvailable).toBeNull();
  expect(of(null, "Unknown").isAvailable).toBeNull();
});

test("a webhook configuration counts its webhooks", () => {
  const webhook = parseWebhook("ValidatingWebhookConfiguration", {
    metadata: { name: "w" },
    webhooks: [{}, {}],
  });
  expect(webhook.webhooks).toBe(2);
});

test("nodes are counted by well-known labels, the rarest values together", () => {
  const counter = createNodeCounter();
  for (let i = 0; i < 100; i++) {
    counter.take({
      metadata: {
        name: `n${i}`,
        labels: {
          "kubernetes.io/arch": i < 90 ? "amd64" : "arm64",
          "node.kubernetes.io/instance-type": `type-${i % 50}`,
          "example.com/rack": `${i}`,
          ...(i < 3 ? { "node-role.kubernetes.io/control-plane": "" } : {}),
        },
      },
    });
  }
  const { total, byLabel } = counter.finish();
  expect(total).toBe(100);
  expect(byLabel["kubernetes.io/arch"]).toEqual({ amd64: 90, arm64: 10 });
  expect(byLabel["node-role.kubernetes.io"]).toEqual({ "control-plane": 3 });
  expect(byLabel["node.kubernetes.io/instance-type"]).toHaveProperty("(other)", 40);
  expect(byLabel).not.toHaveProperty("example.com/rack");
});
