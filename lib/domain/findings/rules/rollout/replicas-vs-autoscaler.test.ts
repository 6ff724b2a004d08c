import { expect, test } from "vitest";
import { runRule, short } from "../../testing/audit.ts";
import { rolloutReplicasVsAutoscaler } from "./replicas-vs-autoscaler.ts";

const target = (replicas: number | undefined, { kind = "Deployment", metadata = {}, status = {} } = {}) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web", namespace: "apps", ...metadata },
  spec: replicas === undefined ? {} : { replicas },
  ...(Object.keys(status).length === 0 ? {} : { status }),
});
const autoscaler = (
  status?: object,
  ref: object = { kind: "Deployment", name: "web" },
  apiVersion = "autoscaling/v2",
) => ({
  apiVersion,
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "apps" },
  spec: { minReplicas: 2, maxReplicas: 20, scaleTargetRef: ref },
  ...(status === undefined ? {} : { status }),
});
const find = (...objects: object[]) => runRule(rolloutReplicasVsAutoscaler, { objects });

test.each([
  [
    "10 run, the manifest says 2",
    [target(2), autoscaler({ desiredReplicas: 10 })],
    "error Deployment apps/web",
    80,
  ],
  [
    "10 run, the manifest says 9",
    [target(9), autoscaler({ currentReplicas: 10 })],
    "warning Deployment apps/web",
    10,
  ],
  [
    "4 run, the manifest says 8",
    [target(8), autoscaler({ desiredReplicas: 4 })],
    "warning Deployment apps/web",
    0,
  ],
  ["it is not known how many run", [target(2), autoscaler()], "warning Deployment apps/web", null],
  [
    "scaled to none",
    [target(0), autoscaler({ desiredReplicas: 5 }, undefined, "autoscaling/v1")],
    "error Deployment apps/web",
    100,
  ],
  [
    "a StatefulSet",
    [
      target(1, { kind: "StatefulSet" }),
      autoscaler({ desiredReplicas: 3 }, { kind: "StatefulSet", name: "web" }),
    ],
    "error StatefulSet apps/web",
    66.67,
  ],
  [
    "KEDA",
    [
      target(1, { status: { replicas: 6 } }),
      {
        apiVersion: "keda.sh/v1alpha1",
        kind: "ScaledObject",
        metadata: { name: "web", namespace: "apps" },
        spec: { scaleTargetRef: { name: "web" }, minReplicaCount: 1 },
      },
    ],
    "error Deployment apps/web",
    83.33,
  ],
  [
    "the live object beside the manifest",
    [target(2), target(10, { metadata: { uid: "1" } }), autoscaler()],
    "error Deployment apps/web",
    80,
  ],
])("reported: %s", (_, objects, expected, lost) => {
  const found = find(...objects);
  expect(short(found)).toEqual([expected]);
  const percent = found.findings[0]?.figures.capacityLostPercent;
  if (lost === null) expect(percent).toBeNull();
  else expect(percent).toBeCloseTo(lost, 1);
});

test.each([
  ["the manifest leaves replicas out", [target(undefined), autoscaler({ desiredReplicas: 10 })]],
  ["nobody scales it", [target(2)]],
  [
    "another one is scaled",
    [target(2), autoscaler({ desiredReplicas: 10 }, { kind: "Deployment", name: "api" })],
  ],
  ["another kind", [target(2), autoscaler({ desiredReplicas: 10 }, { kind: "StatefulSet", name: "web" })]],
  [
    "another namespace",
    [target(2, { metadata: { namespace: "other" } }), autoscaler({ desiredReplicas: 10 })],
  ],
  [
    "a live object holds what the autoscaler set",
    [target(10, { metadata: { uid: "1", resourceVersion: "7" } }), autoscaler({ desiredReplicas: 10 })],
  ],
])("not reported: %s", (_, objects) => {
  expect(short(find(...objects))).toEqual([]);
});
