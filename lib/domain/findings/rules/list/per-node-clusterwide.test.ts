import { expect, test } from "vitest";
import type { AuditEvent } from "../../../agents/audit-event.ts";
import { RuleRun } from "../../evaluate-rules.ts";
import { daemonSet, factsWith } from "../../testing/facts.ts";
import { listPerNodeClusterwide } from "./per-node-clusterwide.ts";

const LISTS = [{ serviceAccount: "agents/agent", resources: ["pods"], through: ["agent"] }];

function podSpec(env: readonly object[] = []) {
  return { template: { spec: { serviceAccountName: "agent", containers: [{ name: "main", env }] } } };
}

const NODE_NAME = { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } };

const listEvent = (requestUri: string): AuditEvent => ({
  auditId: "1",
  stage: "ResponseComplete",
  verb: "list",
  requestUri,
  userName: "system:serviceaccount:agents:agent",
  userGroups: [],
  impersonatorName: null,
  podName: null,
  nodeName: null,
  responseReason: null,
  latency: null,
  userAgent: "agent",
  sourceIps: [],
  objectRef: { apiGroup: "", apiVersion: "v1", resource: "pods", namespace: "", name: "", subresource: "" },
  responseCode: 200,
  receivedAt: 0,
  stageAt: 1,
});

function find(
  spec: object,
  events: readonly AuditEvent[] = [],
  clusterWideLists: typeof LISTS | null = LISTS,
) {
  const facts = factsWith({ objects: [daemonSet("agent", spec)], clusterWideLists });
  const run = new RuleRun([listPerNodeClusterwide], facts);
  const listen = run.listener("auditEvent");
  for (const event of events) listen?.(event, { file: "audit.jsonl", line: 1 });
  return run.finish().findings.map(({ subject, evidence }) => `${evidence.grade} ${subject}`);
}

test("an agent that may list the cluster and does not know its node is reported, by what RBAC allows", () => {
  expect(find(podSpec())).toEqual(["bounded DaemonSet agents/agent"]);
});

test("an agent that knows its node, may not list, or of whose RBAC nothing is known is not reported", () => {
  expect(find(podSpec([NODE_NAME]))).toEqual([]);
  expect(find(podSpec(), [], [])).toEqual([]);
  expect(find(podSpec(), [], null)).toEqual([]);
});

test("what the audit log shows weighs more than what RBAC allows", () => {
  expect(
    find(podSpec(), [listEvent("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&resourceVersion=0")]),
  ).toEqual([]);
});
