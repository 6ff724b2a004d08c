import { expect, test } from "vitest";
import { describePermission, findPermission, PERMISSIONS } from "./permissions.ts";

test("ids and descriptions are unique", () => {
  expect(new Set(PERMISSIONS.map((each) => each.id)).size).toBe(PERMISSIONS.length);
  expect(new Set(PERMISSIONS.map(describePermission)).size).toBe(PERMISSIONS.length);
});

test.each([
  ["/metrics", "get-metrics", "get /metrics"],
  ["/version", "get-version", "get /version"],
  ["/version?timeout=5s", "get-version", "get /version"],
  [
    "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
    "get-debug-api-priority-and-fairness",
    "get /debug/api_priority_and_fairness/*",
  ],
  ["/api/v1/namespaces/kube-system", "get-namespace-kube-system", "get namespaces kube-system"],
  ["/api/v1/nodes?limit=500", "list-nodes", "list nodes"],
  ["/api/v1/pods?limit=50", "list-pods", "list pods"],
  ["/api/v1/namespaces/kube-system/pods?labelSelector=tier%3Dcontrol-plane", "list-pods", "list pods"],
  ["/apis/apps/v1/daemonsets?limit=500", "list-daemonsets", "list daemonsets.apps"],
  [
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
    "list-leases-kube-system",
    "list leases.coordination.k8s.io in kube-system",
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?limit=5",
    "list-endpointslices-default",
    "list endpointslices.discovery.k8s.io in default",
  ],
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas",
    "list-flowschemas",
    "list flowschemas.flowcontrol.apiserver.k8s.io",
  ],
])("%s rests on %s", (path, id, description) => {
  const permission = findPermission(path);
  expect(permission?.id).toBe(id);
  expect(permission === null ? null : describePermission(permission)).toBe(description);
});

test.each([
  "/metricsx",
  "/api/v1/namespaces/default",
  "/api/v1/namespaces/kube-system/configmaps",
  "/apis/coordination.k8s.io/v1/leases",
  "/apis/apps/v1/daemonsets/one",
  "/api",
  "",
])("no pass sends %s", (path) => {
  expect(findPermission(path)).toBeNull();
});
