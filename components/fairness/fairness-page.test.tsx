// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  FORBIDDEN,
  fairnessFixture,
  partFixture,
  partialPartFixture,
} from "@/components/fixtures/cluster-fixture";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { FairnessPage } from "./fairness-page";

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const api = (response: unknown) => serveApi({ "GET /api/clusters/c-ml/fairness": response });
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);

describe("levels of one server", () => {
  test("the busiest is shown first; zero, not applicable and no limit are three different things", async () => {
    api(fairnessFixture());
    renderPage(<FairnessPage clusterId="c-ml" />);
    const table = await screen.findByRole("table", { name: "Priority levels of api-1" });
    const [, low] = within(table).getAllByRole("row");
    expect(cells(low as HTMLElement).slice(1)).toEqual([
      "245",
      "24",
      "845",
      "368",
      "",
      "361",
      "182",
      "0",
      "8\u202f085",
      "–",
      "≥\u00a015\u00a0s",
    ]);
    const exempt = within(table).getByRole("row", { name: /exempt/ });
    expect(cells(exempt).slice(1)).toEqual([
      "–",
      "0",
      "600",
      "no limit",
      "not limited",
      "2",
      "0",
      "–",
      "–",
      "–",
      "–",
    ]);
    expect(within(low as HTMLElement).getByRole("img", { name: "361 of 368 seats" })).toBeDefined();
  });

  test("another server and another level are choices in the URL", async () => {
    api(fairnessFixture());
    const user = userEvent.setup();
    const { urls } = renderPage(<FairnessPage clusterId="c-ml" />);
    await user.click(await screen.findByRole("button", { name: "api-0" }));
    await waitFor(() => expect(urls.at(-1)).toBe("?server=api-0"));
    await screen.findByRole("table", { name: "Priority levels of api-0" });
    await user.click(screen.getAllByText("system")[0] as HTMLElement);
    await waitFor(() => expect(urls.at(-1)).toBe("?server=api-0&level=system"));
    expect(await screen.findByRole("heading", { name: "Flows of system, api-0" })).toBeDefined();
    expect(screen.getByText("No request was in this level when it was read")).toBeDefined();
  });

  test("flows of the level sum to its row", async () => {
    api(fairnessFixture());
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("Sums: 37 executing, 361 seats, 182 waiting.")).toBeDefined();
  });
});

describe("states of the panel", () => {
  test("partial names the server, the path and what was answered", async () => {
    const servers = fairnessFixture().servers.map((server, index) =>
      index === 2
        ? { ...server, observedAt: null, levels: [], flows: null, rejectedPerSecond: null }
        : server,
    );
    api(fairnessFixture({ part: partialPartFixture(), servers }));
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("2 of 3 API servers")).toBeDefined();
    expect(
      screen.getByText(
        /Not read: \/metrics of api-2 \(forbidden \(HTTP 403, GET \/metrics at 10.0.0.3:6443\)\)/,
      ),
    ).toBeDefined();
    const table = screen.getByRole("table", { name: "workload-low per API server" });
    const row = within(table).getByRole("row", { name: /api-2/ });
    expect(within(row).getAllByText("not read").length).toBeGreaterThan(1);
  });

  test("objects that were refused leave all servers read, and each is named", async () => {
    const notRead = ["prioritylevelconfigurations", "flowschemas"].map((what) => ({
      what,
      serverId: null,
      failure: FORBIDDEN,
    }));
    api(
      fairnessFixture({
        part: partFixture({ status: "partial", failure: FORBIDDEN, notRead }),
        flowSchemas: null,
      }),
    );
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("read in part")).toBeDefined();
    expect(screen.queryByText("3 of 3 API servers")).toBeNull();
    const levels = within(screen.getByRole("region", { name: "Priority levels" }));
    expect(levels.getByText(/Not read: prioritylevelconfigurations \(.*\), flowschemas\./)).toBeDefined();
    const schemas = within(screen.getByRole("region", { name: "FlowSchemas, by matchingPrecedence" }));
    expect(schemas.getByText(/^flowschemas: forbidden \(HTTP 403/)).toBeDefined();
    expect(schemas.getByText(/ClusterRole of Headroom lacks this rule/)).toBeDefined();
  });

  test("levels that were tried and refused are not awaited, and have no age", async () => {
    api(
      fairnessFixture({
        part: partFixture({ status: "failed", failure: { ...FORBIDDEN, message: "not permitted" } }),
        servers: [],
        busiestServerId: null,
      }),
    );
    renderPage(<FairnessPage clusterId="c-ml" />);
    await screen.findByText("Not read: priority levels");
    const levels = within(screen.getByRole("region", { name: "Priority levels" }));
    expect(levels.getByText(/ClusterRole of Headroom lacks this rule/)).toBeDefined();
    expect(levels.getByText(/^GET \/metrics answered 403: not permitted\. Next try/)).toBeDefined();
    expect(levels.queryByText(/yet|measured/)).toBeNull();
  });

  test("stale says since when, why, and when the next try is", async () => {
    const failure = {
      reason: "timeout" as const,
      verb: "GET",
      path: "/metrics",
      status: null,
      message: "no answer within 5 s",
      retryAfterSeconds: null,
    };
    const valueAt = Date.UTC(2026, 10, 30, 6, 12);
    api(
      fairnessFixture({
        part: partFixture({
          status: "failed",
          isStale: true,
          failure,
          valueAt,
          nextAttemptAt: FIXTURE_NOW + 24_000,
        }),
      }),
    );
    renderPage(<FairnessPage clusterId="c-ml" />);
    await screen.findByRole("table", { name: "Priority levels of api-1" });
    expect(document.body.textContent).toContain("GET /metrics: no answer within 5 s. Next try 09:42:34.");
    expect(document.body.textContent).toContain("last known good");
  });

  test("what rests on old levels and objects is marked as old too", async () => {
    serveApi({
      "GET /api/clusters/c-ml/fairness": fairnessFixture({
        part: partFixture({ status: "failed", isStale: true, valueAt: FIXTURE_NOW - 7_200_000 }),
      }),
      "GET /api/clusters/c-ml/flow-control": flowControlFixture(),
    });
    renderPage(<FairnessPage clusterId="c-ml" />);
    for (const name of [
      "Priority levels",
      "Flows of workload-low, api-1",
      "Per API server, workload-low",
      "FlowSchemas, by matchingPrecedence",
      "Which FlowSchema catches this request?",
      "Drift from the defaults of 1.34",
      "Borrowing, api-1",
      "Service accounts that share a flow",
    ]) {
      await waitFor(() =>
        expect(screen.getByRole("region", { name }).className, name).toContain("stale-values"),
      );
      expect(within(screen.getByRole("region", { name })).getByText(/last known good/), name).toBeDefined();
    }
  });

  test("flows that may not be read leave the levels", async () => {
    const servers = fairnessFixture().servers.map((server) => ({ ...server, flows: null }));
    api(fairnessFixture({ servers }));
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("Flows were not read")).toBeDefined();
    expect(screen.getByRole("table", { name: "Priority levels of api-1" })).toBeDefined();
  });

  test("a server without API Priority and Fairness is not a fault", async () => {
    const servers = fairnessFixture().servers.map((server) => ({ ...server, levels: [], isEnabled: false }));
    api(fairnessFixture({ servers }));
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("API Priority and Fairness is off on api-1")).toBeDefined();
  });

  test("a store that cannot be read shows code and request id and never another message", async () => {
    api(
      new Response(JSON.stringify({ oops: "stack trace" }), {
        status: 500,
        headers: { "x-request-id": "r-7" },
      }),
    );
    renderPage(<FairnessPage clusterId="c-ml" />);
    expect(await screen.findByText("http-500 · request r-7", undefined, { timeout: 5000 })).toBeDefined();
    expect(document.body.textContent).not.toContain("stack trace");
  });
});

test("[ and ] go to the neighbours and keep the tab", async () => {
  api(fairnessFixture());
  const user = userEvent.setup();
  const { pushed } = renderPage(<FairnessPage clusterId="c-ml" />);
  await screen.findByRole("heading", { name: "ml-us-east" });
  await user.keyboard("[[");
  await user.keyboard("]");
  expect(pushed).toEqual(["/clusters/c-prod/fairness"]);
});
