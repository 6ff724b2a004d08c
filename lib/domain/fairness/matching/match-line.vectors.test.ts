import { describe, expect, it } from "vitest";
import type { FlowMatchVector } from "../../../vectors/flow-match-vector.ts";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { matchFlow } from "./match-line.ts";
import { userOf } from "./request-user.ts";

describe("matchFlow against upstream's", () => {
  it("finds FlowSchema, level and distinguisher in every version: 430 vectors", () => {
    const { vectors } = readVectors<FlowMatchVector>("flow-match.json.gz");
    const wrong = vectors.flatMap(
      ({ id, versions, requestInfo, flowSchema, priorityLevel, distinguisher, ...input }) =>
        versions.flatMap((v) => {
          const { trace: _, ...own } = matchFlow({ ...input, v });
          const expected = { requestInfo, flowSchema, priorityLevel, distinguisher, error: null };
          return isEqual(own, expected) ? [] : [{ id, v, own, expected }];
        }),
    );
    expect(wrong).toEqual([]);
    expect(vectors).toHaveLength(430);
  });

  it("explains every schema before the one that matches, and contradicts itself in none: 430 vectors", () => {
    const { vectors } = readVectors<FlowMatchVector>("flow-match.json.gz");
    for (const { versions, ...input } of vectors) {
      const { trace, flowSchema } = matchFlow({ ...input, v: versions[0] ?? "" });
      const last = trace.at(-1);
      expect(last?.flowSchemaName).toBe(flowSchema);
      expect(["matched", "fallback"]).toContain(last?.verdict);
      for (const { verdict, mismatches, skipReason, match } of trace.slice(0, -1)) {
        expect(match).toBeNull();
        if (verdict === "skipped") expect(skipReason).not.toBeNull();
        else expect([verdict, mismatches.length > 0]).toEqual(["not-matched", true]);
      }
    }
  });
});

function isEqual(own: object, expected: object): boolean {
  try {
    expect(own).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}

describe("classification of the reference, with the defaults", () => {
  const agent = userOf("system:serviceaccount:monitoring:agent");
  const kubeSystemAgent = userOf("system:serviceaccount:kube-system:agent");
  const kubelet = userOf("system:node:node-1");
  const manager = userOf("system:kube-controller-manager");
  const EXAMPLES: [
    string,
    { name: string; groups: readonly string[] },
    string,
    string,
    string,
    string,
    string,
  ][] = [
    [
      "SA monitoring:agent LIST pods, all namespaces",
      agent,
      "GET",
      "/api/v1/pods",
      "service-accounts",
      "workload-low",
      agent.name,
    ],
    [
      "SA kube-system:agent LIST pods, all namespaces",
      kubeSystemAgent,
      "GET",
      "/api/v1/pods",
      "kube-system-service-accounts",
      "workload-high",
      "",
    ],
    [
      "SA kube-system:agent LIST pods in namespace a",
      kubeSystemAgent,
      "GET",
      "/api/v1/namespaces/a/pods",
      "kube-system-service-accounts",
      "workload-high",
      "a",
    ],
    [
      "SA kube-system:x UPDATE leases",
      kubeSystemAgent,
      "PUT",
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
      "system-leader-election",
      "leader-election",
      kubeSystemAgent.name,
    ],
    [
      "SA kube-system:x LIST leases",
      kubeSystemAgent,
      "GET",
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
      "kube-system-service-accounts",
      "workload-high",
      "kube-system",
    ],
    [
      "kubelet PATCH nodes/status",
      kubelet,
      "PATCH",
      "/api/v1/nodes/node-1/status",
      "system-node-high",
      "node-high",
      kubelet.name,
    ],
    [
      "kubelet UPDATE lease",
      kubelet,
      "PUT",
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1",
      "system-node-high",
      "node-high",
      kubelet.name,
    ],
    ["kubelet LIST nodes", kubelet, "GET", "/api/v1/nodes", "system-node-high", "node-high", kubelet.name],
    ["kubelet LIST pods", kubelet, "GET", "/api/v1/pods", "system-nodes", "system", kubelet.name],
    [
      "kubelet GET secret",
      kubelet,
      "GET",
      "/api/v1/namespaces/a/secrets/s",
      "system-nodes",
      "system",
      kubelet.name,
    ],
    [
      "kube-controller-manager LIST pods all",
      manager,
      "GET",
      "/api/v1/pods",
      "kube-controller-manager",
      "workload-high",
      "",
    ],
    [
      "user system:kube-proxy LIST services",
      userOf("system:kube-proxy"),
      "GET",
      "/api/v1/services",
      "global-default",
      "global-default",
      "system:kube-proxy",
    ],
    ["anyone GET /readyz/ping", userOf("system:anonymous"), "GET", "/readyz/ping", "probes", "exempt", ""],
    [
      "SA monitoring:prom GET /metrics",
      userOf("system:serviceaccount:monitoring:prom"),
      "GET",
      "/metrics",
      "service-accounts",
      "workload-low",
      "system:serviceaccount:monitoring:prom",
    ],
    [
      "group system:masters, anything",
      { name: "root", groups: ["system:masters"] },
      "DELETE",
      "/api/v1/namespaces/a",
      "exempt",
      "exempt",
      "",
    ],
  ];
  it.each(EXAMPLES)("%s", (_, { name, groups }, method, path, flowSchema, priorityLevel, distinguisher) => {
    for (const v of ["1.26", "1.33", "1.34", "1.37"]) {
      const answer = matchFlow({ v, user: name, groups, method, path });
      expect([answer.flowSchema, answer.priorityLevel, answer.distinguisher]).toEqual([
        flowSchema,
        priorityLevel,
        distinguisher,
      ]);
    }
  });
});
