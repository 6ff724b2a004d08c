import { expect, test } from "vitest";
import { runRule, short } from "../../testing/audit.ts";
import { daemonSet } from "../../testing/facts.ts";
import { parseGoDuration } from "./deploy-timeout.ts";
import { rolloutExceedsDeployTimeout } from "./exceeds-deploy-timeout.ts";

const agent = (rollingUpdate: object = {}, more: object = {}) =>
  daemonSet("agent", { updateStrategy: { type: "RollingUpdate", rollingUpdate }, ...more });
const find = (object: object, nodes: number, hand: object, more: object = {}) =>
  runRule(rolloutExceedsDeployTimeout, { objects: [object], cluster: { nodes }, hand, ...more });
const ERROR = ["error DaemonSet agents/agent"];
const WARNING = ["warning DaemonSet agents/agent"];

test("waves × seconds a pod against the timeout, with what would be done in time", () => {
  const found = find(agent(), 250, { secondsPerPod: 27, deployTimeoutSeconds: 1800 });
  expect(short(found)).toEqual(ERROR);
  expect(found.findings[0]?.figures).toMatchObject({
    waves: 250,
    minutes: 112.5,
    timeoutMinutes: 30,
    smallestNumberInTime: 4,
    smallestPercentInTime: "2%",
  });
  expect(
    short(find(agent({ maxUnavailable: 4 }), 250, { secondsPerPod: 27, deployTimeoutSeconds: 1800 })),
  ).toEqual([]);
});

test("without a timeout only what takes over half an hour is worth a warning", () => {
  expect(short(find(agent(), 250, { secondsPerPod: 27 }))).toEqual(WARNING);
  expect(short(find(agent(), 30, { secondsPerPod: 27 }))).toEqual([]);
  expect(short(find(agent({ maxUnavailable: "10%" }), 250, { secondsPerPod: 27 }))).toEqual([]);
});

test("minReadySeconds alone may be longer than a pod takes", () => {
  expect(short(find(agent({}, { minReadySeconds: 60 }), 60, {}))).toEqual(WARNING);
  expect(
    short(find(agent({}, { minReadySeconds: 60 }), 60, { secondsPerPod: 5, deployTimeoutSeconds: 600 })),
  ).toEqual(ERROR);
});

test("surge goes by maxSurge", () => {
  const surging = agent({ maxUnavailable: 0, maxSurge: "5%" });
  expect(short(find(surging, 400, { secondsPerPod: 40, deployTimeoutSeconds: 600 }))).toEqual(ERROR);
  expect(short(find(surging, 400, { secondsPerPod: 20, deployTimeoutSeconds: 600 }))).toEqual([]);
});

test("the timeout may be measured, or a Flux object's", () => {
  const measured = (value: unknown) => ({
    measurements: [{ name: "timeline.json", file: "timeline.json", value }],
  });
  const hand = { secondsPerPod: 30 };
  expect(short(find(agent(), 20, hand, measured({ deployTimeoutMinutes: 5 })))).toEqual(ERROR);
  expect(short(find(agent(), 20, hand, measured({ steps: [{ helm_timeout: "5m0s" }] })))).toEqual(ERROR);
  expect(short(find(agent(), 20, hand, measured({ requestTimeoutSeconds: 5 })))).toEqual([]);
  expect(short(find(agent(), 20, { ...hand, others: { deployTimeoutMinutes: 5 } }))).toEqual(ERROR);
  const release = {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name: "agent", namespace: "agents" },
    spec: { timeout: "5m" },
  };
  const facts = { objects: [agent(), release], cluster: { nodes: 20 }, hand };
  expect(short(runRule(rolloutExceedsDeployTimeout, facts))).toEqual(ERROR);
});

test.each([
  ["OnDelete", daemonSet("agent", { updateStrategy: { type: "OnDelete" } })],
  ["how long a pod takes is not known", agent()],
])("not reported: %s", (title, object) => {
  const hand = title === "OnDelete" ? { secondsPerPod: 60 } : { deployTimeoutSeconds: 600 };
  expect(short(find(object, 250, hand))).toEqual([]);
});

test("a Deployment that made no progress in time is reported by its status", () => {
  const deployment = (reason: string, status: string) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "apps" },
    spec: { replicas: 4 },
    status: {
      updatedReplicas: 1,
      unavailableReplicas: 1,
      conditions: [{ type: "Progressing", status, reason }],
    },
  });
  expect(short(find(deployment("ProgressDeadlineExceeded", "False"), 3, {}))).toEqual([
    "error Deployment apps/web",
  ]);
  expect(short(find(deployment("NewReplicaSetAvailable", "True"), 3, {}))).toEqual([]);
});

test("a log of the deployment shows that it was given up", () => {
  const waiting =
    'Waiting for daemon set "agent" rollout to finish: 12 out of 164 new pods have been updated...';
  const scan = (...lines: string[]) =>
    runRule(rolloutExceedsDeployTimeout, { objects: [agent()] }, { lines });
  const found = scan(waiting, "error: timed out waiting for the condition");
  expect(short(found)).toEqual(ERROR);
  expect(found.findings[0]?.figures).toEqual({ updated: 12, pods: 164 });
  expect(
    short(
      scan(
        waiting,
        'daemon set "agent" successfully rolled out',
        "error: timed out waiting for the condition",
      ),
    ),
  ).toEqual([]);
  expect(short(scan(waiting))).toEqual([]);
  expect(short(scan("error: timed out waiting for the condition"))).toEqual([]);
  const other = scan(
    'Waiting for deployment "web" rollout to finish: 1 of 3 updated replicas are available...',
    'error: deployment "web" exceeded its progress deadline',
  );
  expect(short(other)).toEqual(["error Deployment web"]);
});

test.each([
  ["5m0s", 300],
  ["1h30m", 5400],
  ["90s", 90],
  ["5", null],
  ["soon", null],
])("%s as a duration", (text, seconds) => {
  expect(parseGoDuration(text)).toBe(seconds);
});
