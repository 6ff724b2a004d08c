import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readManifests } from "./read-manifests.ts";

const read = (text: string, namespace?: string) =>
  readManifests(
    parseAllDocuments(text).map((document) => document.toJS() as unknown),
    namespace,
  );

const TELEMETRY = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: node-telemetry
  namespace: observability
  labels: { app.kubernetes.io/version: 2.6.3, team: observability }
  annotations: { headroom.dev/informers: pods }
spec:
  template:
    metadata: { labels: { app: node-telemetry } }
    spec:
      serviceAccountName: node-telemetry
      nodeSelector: { kubernetes.io/os: linux }
      initContainers:
        - { name: setup, image: busybox }
        - { name: proxy, image: proxy:1, restartPolicy: Always }
      containers:
        - name: agent
          image: registry.example.com/node-telemetry:2.6.3
          command: [/agent]
          args: ["--node-name=$(NODE_NAME)", "--level=$(LEVEL)", "--x=$(UNKNOWN)"]
          env:
            - { name: NODE_NAME, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
            - { name: LEVEL, value: info }
            - { name: MODE, valueFrom: { configMapKeyRef: { name: settings, key: mode } } }
            - { name: TOKEN, valueFrom: { secretKeyRef: { name: s, key: t } } }
          volumeMounts: [{ name: config, mountPath: /etc/agent }]
      volumes:
        - { name: config, configMap: { name: settings } }
        - { name: other, secret: { secretName: s } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: observability }
data: { mode: kubelet, agent.conf: "Use_Kubelet On" }
---
`;

describe("agents in manifests", () => {
  test("a DaemonSet is read with what its containers are told, ConfigMaps and sidecars included", () => {
    const { workloads, problems } = read(TELEMETRY);
    expect(problems).toEqual([]);
    expect(workloads).toEqual([
      {
        kind: "DaemonSet",
        namespace: "observability",
        name: "node-telemetry",
        serviceAccountName: "node-telemetry",
        labels: { app: "node-telemetry", "app.kubernetes.io/version": "2.6.3", team: "observability" },
        containers: [
          {
            name: "agent",
            image: "registry.example.com/node-telemetry:2.6.3",
            words: ["/agent", "--node-name=$(NODE_NAME)", "--level=info", "--x=$(UNKNOWN)"],
            variables: [
              { name: "NODE_NAME", value: null, fieldPath: "spec.nodeName" },
              { name: "LEVEL", value: "info", fieldPath: null },
              { name: "MODE", value: "kubelet", fieldPath: null },
              { name: "TOKEN", value: null, fieldPath: null },
            ],
            configTexts: ["mode: kubelet", "agent.conf: Use_Kubelet On"],
            isConfigKnown: true,
          },
          {
            name: "proxy",
            image: "proxy:1",
            words: [],
            variables: [],
            configTexts: [],
            isConfigKnown: true,
          },
        ],
        replicas: { kind: "per-node", count: null },
        isKeptFromNodes: false,
        informersAnnotation: "pods",
      },
    ]);
  });

  test("configuration in a Secret, or in a ConfigMap that is not given, is not known", () => {
    const pod = (volume: string) => `
kind: Deployment
metadata: { name: a }
spec:
  replicas: 3
  template:
    spec:
      containers: [{ name: a, image: a, volumeMounts: [{ name: v }] }]
      volumes: [${volume}]`;
    const isKnown = (volume: string) => read(pod(volume)).workloads[0]?.containers[0]?.isConfigKnown;
    expect(isKnown("{ name: v, secret: {} }")).toBe(false);
    expect(isKnown("{ name: v, configMap: { name: absent } }")).toBe(false);
    expect(isKnown("{ name: v, projected: { sources: [{ configMap: { name: absent } }] } }")).toBe(false);
    expect(isKnown("{ name: v, hostPath: { path: /var/log } }")).toBe(true);
  });

  test("replicas: of a DaemonSet as its status says, of a Deployment as its spec says, 1 where it says nothing", () => {
    const { workloads } = read(`
{ kind: DaemonSet, metadata: { name: a }, status: { desiredNumberScheduled: 0 } }
---
{ kind: Deployment, metadata: { name: b }, spec: { replicas: 0 } }
---
{ kind: StatefulSet, metadata: { name: c }, spec: {} }`);
    expect(
      workloads.map(({ name, replicas }) => [name, replicas.kind, "count" in replicas && replicas.count]),
    ).toEqual([
      ["a", "per-node", 0],
      ["b", "fixed", 0],
      ["c", "fixed", 1],
    ]);
  });

  test("mirror pods of one static pod on several nodes are its copies, without a ServiceAccount", () => {
    const mirror = (node: string) =>
      `{ kind: Pod, metadata: { name: kube-proxy-${node}, namespace: kube-system, annotations: { kubernetes.io/config.mirror: x } }, spec: { nodeName: ${node}, containers: [{ name: p, image: p }] } }`;
    const { workloads } = read([mirror("n1"), mirror("n2"), mirror("n3")].join("\n---\n"));
    expect(workloads).toMatchObject([
      {
        kind: "StaticPod",
        name: "kube-proxy",
        serviceAccountName: null,
        replicas: { kind: "fixed", count: 3 },
      },
    ]);
  });

  test("lists are opened in their order, typed ones and lists of lists too", () => {
    const { workloads } = read(`
kind: List
items:
  - kind: DaemonSetList
    items: [{ metadata: { name: a, namespace: z } }]
  - { kind: Deployment, metadata: { name: b } }`);
    expect(workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)).toEqual([
      "DaemonSet z/a",
      "Deployment default/b",
    ]);
  });

  test("of two objects of one name the last counts, and it is said", () => {
    const { workloads, problems } = read(
      `{ kind: Deployment, metadata: { name: a }, spec: { replicas: 2 } }
---
{ kind: Deployment, metadata: { name: a }, spec: { replicas: 5 } }`,
      "apps",
    );
    expect(workloads.map(({ replicas }) => replicas)).toEqual([{ kind: "fixed", count: 5 }]);
    expect(problems).toEqual([
      { subject: "Deployment apps/a", path: "", expected: "one object of this name; the last one counts" },
    ]);
  });

  test.each([
    [
      "a number for an object",
      "7",
      { subject: "object 1", path: "", expected: "a Kubernetes object with kind and metadata" },
    ],
    [
      "no name",
      "{ kind: DaemonSet, metadata: {} }",
      { subject: "DaemonSet, object 1", path: "metadata.name" },
    ],
    [
      "containers that are no list",
      "{ kind: DaemonSet, metadata: { name: a }, spec: { template: { spec: { containers: x } } } }",
      { subject: "DaemonSet default/a", path: "spec.template.spec.containers", expected: "a list" },
    ],
    [
      "an image that is a number",
      "{ kind: DaemonSet, metadata: { name: a }, spec: { template: { spec: { containers: [{ image: 1.2 }] } } } }",
      { path: "spec.template.spec.containers[0].image", expected: "text" },
    ],
    [
      "replicas below 0",
      "{ kind: Deployment, metadata: { name: a }, spec: { replicas: -1 } }",
      { path: "spec.replicas", expected: "a whole number of 0 or more" },
    ],
    [
      "a label that is no text",
      "{ kind: Deployment, metadata: { name: a, labels: { x: 1 } } }",
      { path: "metadata.labels.x", expected: "text" },
    ],
  ])("%s is told with its place, once", (_title, text, problem) => {
    const { problems } = read(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject(problem);
  });

  test("other kinds, empty documents and fields named like those of every object are passed over", () => {
    const { workloads, problems } = read(`
---
null
---
{ kind: Service, metadata: 7 }
---
{ kind: constructor, metadata: { name: a } }
---
{ kind: Deployment, metadata: { name: a, labels: { __proto__: x } } }`);
    expect(problems).toEqual([]);
    expect(workloads).toHaveLength(1);
    expect(Object.getPrototypeOf(workloads[0]?.labels)).toBe(Object.prototype);
  });

  test("a nodeSelector, or a required affinity, keeps it from nodes", () => {
    const kept = (spec: string) =>
      read(`{ kind: DaemonSet, metadata: { name: a }, spec: { template: { spec: ${spec} } } }`).workloads[0]
        ?.isKeptFromNodes;
    expect(kept("{}")).toBe(false);
    expect(kept("{ nodeSelector: { kubernetes.io/os: linux } }")).toBe(false);
    expect(kept("{ nodeSelector: { kubernetes.io/os: windows } }")).toBe(true);
    expect(kept("{ nodeSelector: { gpu: yes-it-has } }")).toBe(true);
    expect(
      kept("{ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } }"),
    ).toBe(true);
  });
});
