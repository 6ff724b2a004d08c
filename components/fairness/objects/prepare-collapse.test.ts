import { describe, expect, test } from "vitest";
import { FORBIDDEN } from "@/components/fixtures/cluster-fixture";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import { collapseMarkdown } from "./collapse-panel";
import { accountsText, flowName, prepareCollapse } from "./prepare-collapse";

const rowsOf = (...args: Parameters<typeof prepareCollapse>) =>
  prepareCollapse(...args)?.rows.map((row) => [
    flowName(row),
    row.priorityLevelName,
    accountsText(row.accounts),
    row.pods,
    row.waitingCapacity,
    row.isOverfull,
  ]);

describe("a LIST of all pods, by every account of the stored workloads", () => {
  const response = flowControlFixture();

  test("by user each is its own flow; by namespace a cluster-wide one has none, so all of kube-system share", () => {
    expect(rowsOf(response, null)).toEqual([
      [
        "one flow for all of kube-system-service-accounts",
        "workload-high",
        "kube-system/kube-proxy, kube-system/coredns",
        644,
        300,
        true,
      ],
      [
        "system:serviceaccount:scheduling:gpu-feature-agent",
        "workload-low",
        "scheduling/gpu-feature-agent",
        640,
        300,
        true,
      ],
    ]);
  });

  test("the pods whose account is not stored are counted", () => {
    expect(prepareCollapse(response, null)).toMatchObject({ accounts: 3, pods: 1284, podsNotKnown: 17_916 });
    const unknown = flowControlFixture({ podsTotal: null });
    expect(prepareCollapse(unknown, null)?.podsNotKnown).toBeNull();
    // Wanted replicas may be more than there are pods at this moment.
    expect(prepareCollapse(flowControlFixture({ podsTotal: 1000 }), null)?.podsNotKnown).toBe(0);
  });
});

test("another request may part what a LIST joins", () => {
  const leases = { method: "PUT", path: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x" };
  expect(rowsOf(flowControlFixture(), leases)?.map(([flow, level]) => [flow, level])).toEqual([
    ["system:serviceaccount:scheduling:gpu-feature-agent", "workload-low"],
    ["system:serviceaccount:kube-system:kube-proxy", "leader-election"],
    ["system:serviceaccount:kube-system:coredns", "leader-election"],
  ]);
});

test("a level without queues has no flows and no places to wait", () => {
  const rows = rowsOf(flowControlFixture({ flowSchemas: [] }), null);
  expect(rows).toEqual([
    [
      "no flows at this level",
      "catch-all",
      "kube-system/kube-proxy, scheduling/gpu-feature-agent, kube-system/coredns",
      1284,
      null,
      false,
    ],
  ]);
});

test("names three accounts and counts the rest", () => {
  const account = (name: string) => ({ namespace: "a", name, pods: 1, workloads: [], workloadsTotal: 0 });
  expect(accountsText(["w", "x", "y", "z"].map(account))).toBe("a/w, a/x, a/y and 1 more");
});

test("accounts that were not read are not an empty table", () => {
  expect(prepareCollapse(flowControlFixture({ accounts: null }), null)).toBeNull();
  expect(collapseMarkdown(flowControlFixture({ accounts: null }), null)).toEqual([]);
  expect(prepareCollapse(flowControlFixture({ accounts: [] }), null)?.rows).toEqual([]);
});

test("as Markdown, with what is not covered and what was not read", () => {
  const response = flowControlFixture({ accountsNotRead: [{ what: "statefulsets", failure: FORBIDDEN }] });
  const text = collapseMarkdown(response, null)
    .join("\n")
    .replace(/[\u00a0\u202f]/g, " ");
  expect(text).toContain("If each sends `GET /api/v1/pods`.");
  expect(text).toContain("| 2: kube-system/kube-proxy, kube-system/coredns | 644 | 300, fewer than pods |");
  expect(text).toContain("The accounts of 17 916 other pods are not stored");
  expect(text).toContain("Not read: statefulsets (forbidden");
});
