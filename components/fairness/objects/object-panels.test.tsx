// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fairnessFixture, headerFixture } from "@/components/fixtures/cluster-fixture";
import { FIXTURE_NOW, frameFixture } from "@/components/fixtures/fleet-fixture";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import type { HistoryResponse } from "@/lib/contracts/history";
import { FairnessPage } from "../fairness-page";

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const historyFixture = (over: Partial<HistoryResponse> = {}): HistoryResponse => ({
  frame: frameFixture(),
  header: headerFixture(),
  fromAt: FIXTURE_NOW - 86_400_000,
  toAt: FIXTURE_NOW,
  range: "24h",
  serverId: "server-1",
  priorityLevelName: "workload-low",
  servers: [{ id: "server-1", name: "api-1" }],
  priorityLevelNames: ["workload-low"],
  charts: [
    {
      id: "seats",
      title: "Seats in use and current limit",
      seriesTotal: 1,
      series: [
        {
          metric: "current-limit-seats",
          serverId: "server-1",
          serverName: "api-1",
          priorityLevelName: "workload-low",
          rejectReason: null,
          unit: "seats",
          resolution: "five-minutes",
          stepSeconds: 300,
          isGenerated: false,
          points: [
            [FIXTURE_NOW / 1000 - 600, 245, 245, 245],
            [FIXTURE_NOW / 1000 - 300, 368, 368, 368],
          ],
        },
      ],
    },
  ],
  events: [],
  nextCursor: null,
  ...over,
});

const HISTORY = "GET /api/clusters/c-ml/history?server=server-1&level=workload-low&chart=seats";

function open(answers: { objects?: unknown; history?: unknown } = {}, search = "") {
  const sent = serveApi({
    "GET /api/clusters/c-ml/fairness": fairnessFixture(),
    "GET /api/clusters/c-ml/flow-control": answers.objects ?? flowControlFixture(),
    [HISTORY]: answers.history ?? historyFixture(),
  });
  return { ...renderPage(<FairnessPage clusterId="c-ml" />, { search }), sent };
}
const refused = (list: string) => ({
  reason: "forbidden" as const,
  verb: "GET",
  path: `/apis/x/${list}`,
  status: 403,
  message: `HTTP 403, GET /apis/x/${list}`,
  retryAfterSeconds: null,
});
const panel = async (name: string) => within(await screen.findByRole("region", { name }));

describe("drift", () => {
  test("a changed field stands with both values, what is as it comes in one row", async () => {
    const objects = flowControlFixture();
    open({
      objects: {
        ...objects,
        priorityLevels: objects.priorityLevels?.map((each) =>
          each.name === "workload-low"
            ? { ...each, nominalConcurrencyShares: 300, autoupdateSpec: "false" }
            : each,
        ),
      },
    });
    const drift = await panel("Drift from the defaults of 1.34");
    expect(drift.getByText("1 of 19 differ")).toBeDefined();
    const row = drift.getByRole("row", { name: /Priority level workload-low/ });
    expect(row.textContent).toContain("spec.limited.nominalConcurrencyShares: 100 → 300");
    expect(row.textContent).toContain("changed, auto-update off");
    expect(within(row).getByText("warning")).toBeDefined();
    expect(drift.getByRole("row", { name: /11 FlowSchemas, 7 other/ })).toBeDefined();
  });

  test("objects not read are not an absence of drift", async () => {
    open({ objects: flowControlFixture({ priorityLevels: null }) });
    const drift = await panel("Drift from the defaults");
    expect(drift.getByText("Not read: priority levels")).toBeDefined();
    expect(drift.queryByRole("table")).toBeNull();
  });

  test("what was refused is named with the answer, and what would grant it stands once, in each panel", async () => {
    const objects = flowControlFixture({
      flowSchemas: null,
      priorityLevels: null,
      missing: [
        { what: "FlowSchemas", failure: refused("flowschemas") },
        { what: "priority levels", failure: refused("prioritylevelconfigurations") },
      ],
    });
    open({ objects });
    for (const name of [
      "Which FlowSchema catches this request?",
      "Drift from the defaults",
      "Service accounts that share a flow",
    ]) {
      const region = await panel(name);
      expect(region.getByText("Not read: FlowSchemas, priority levels"), name).toBeDefined();
      expect(region.getByText("FlowSchemas: HTTP 403, GET /apis/x/flowschemas."), name).toBeDefined();
      expect(
        region.getByText("priority levels: HTTP 403, GET /apis/x/prioritylevelconfigurations."),
        name,
      ).toBeDefined();
      expect(region.getAllByText(/ClusterRole of Headroom lacks this rule/), name).toHaveLength(1);
    }
  });
});

describe("accounts that share a flow", () => {
  test("the request of the tool decides what they share", async () => {
    open({}, "?account=a/b&resource=leases.coordination.k8s.io&verb=update&namespace=kube-system&name=x");
    const shared = await panel("Service accounts that share a flow");
    expect(
      shared.getByText("PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x"),
    ).toBeDefined();
    expect(shared.getByRole("row", { name: /system:serviceaccount:kube-system:coredns/ })).toBeDefined();
  });

  test("without one, each lists all pods; pods that are not covered are counted", async () => {
    open();
    const shared = await panel("Service accounts that share a flow");
    expect(shared.getByText("GET /api/v1/pods")).toBeDefined();
    const row = shared.getByRole("row", { name: /one flow for all of kube-system-service-accounts/ });
    expect(row.textContent).toContain("644");
    expect(row.textContent).toContain("300, fewer than pods");
    expect(shared.getByText(/The accounts of 17.916 other pods are not stored/)).toBeDefined();
  });
});

describe("workloads that were refused", () => {
  const accountsNotRead = ["daemonsets", "deployments", "statefulsets"].map((what) => ({
    what,
    failure: refused(what),
  }));

  test("are not an absence of workloads, and no pod is put down to Jobs", async () => {
    open({ objects: flowControlFixture({ accounts: [], accountsNotRead }) });
    const shared = await panel("Service accounts that share a flow");
    expect(shared.getByText("Not read: daemonsets, deployments, statefulsets")).toBeDefined();
    expect(shared.getByText("deployments: HTTP 403, GET /apis/x/deployments.")).toBeDefined();
    expect(shared.queryByText(/none was found|0 service accounts|those of Jobs/)).toBeNull();
  });

  test("leave what was read, and the pods without an account are not put down to Jobs alone", async () => {
    open({ objects: flowControlFixture({ accountsNotRead: accountsNotRead.slice(1, 2) }) });
    const shared = await panel("Service accounts that share a flow");
    expect(shared.getByRole("table")).toBeDefined();
    expect(
      shared.getByText(/those of what was not read, of Jobs, and pods without a workload/),
    ).toBeDefined();
  });
});

describe("borrowing", () => {
  test("who lends what now, and the chosen level over time, never the upper limit", async () => {
    open();
    const borrowing = await panel("Borrowing, api-1");
    expect(borrowing.getByRole("row", { name: /workload-low 368 245 borrows 123/ })).toBeDefined();
    expect(await borrowing.findByRole("group", { name: /^Current limit against nominal/ })).toBeDefined();
    expect(borrowing.getByText(/borrowed at most 123 seats: its limit was 245 to 368/)).toBeDefined();
    expect(borrowing.queryByText(/845/)).toBeNull();
  });

  test("the range is in the URL and only the one chart is asked for", async () => {
    const user = userEvent.setup();
    const { urls, sent } = open();
    const borrowing = await panel("Borrowing, api-1");
    await user.click(borrowing.getByRole("button", { name: "2h" }));
    await waitFor(() => expect(urls.at(-1)).toBe("?range=2h"));
    await waitFor(() => expect([...sent.keys()]).toContain(HISTORY.replace("?", "?range=2h&")));
    expect([...sent.keys()].filter((key) => key.includes("/history"))).toHaveLength(2);
  });

  test("the history of another level is not shown as that of this one", async () => {
    open({ history: historyFixture({ priorityLevelName: "system" }) });
    const borrowing = await panel("Borrowing, api-1");
    expect(await borrowing.findByText("Nothing is stored of this level yet.")).toBeDefined();
    expect(borrowing.queryByRole("group", { name: /Arrow keys/ })).toBeNull();
  });

  test("exempt has no limit, so nothing over time", async () => {
    const { sent } = open({}, "?level=exempt");
    const borrowing = await panel("Borrowing, api-1");
    expect(borrowing.queryByRole("heading", { name: /over time/ })).toBeNull();
    expect([...sent.keys()].some((key) => key.includes("/history"))).toBe(false);
  });
});
