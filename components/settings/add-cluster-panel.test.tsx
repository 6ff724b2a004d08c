// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import type { ConnectionTestResponse } from "@/lib/contracts/settings";
import { AddClusterPanel } from "./add-cluster-panel";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const connectionTest = (over: Partial<ConnectionTestResponse> = {}): ConnectionTestResponse => ({
  id: "t-1",
  kubeconfigPath: "/etc/k",
  context: null,
  state: "waiting",
  requestedAt: FIXTURE_NOW,
  answeredAt: null,
  result: null,
  ...over,
});
const path = () => screen.getByRole("textbox", { name: "Kubeconfig, a path on this server" });
const context = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Context" });

describe("testing a connection", () => {
  test("waits for the collector, then shows contexts to choose from and each permission", async () => {
    const user = userEvent.setup();
    const answered = connectionTest({
      state: "succeeded",
      result: {
        error: null,
        gitVersion: "v1.34.2",
        clusterUid: "u",
        knownClusterId: null,
        contexts: ["prod", "stage"],
        permissions: [
          {
            id: "m",
            permission: "get /metrics",
            state: "refused",
            at: FIXTURE_NOW,
            withoutIt: "no seats are shown",
          },
        ],
        isInsecure: false,
      },
    });
    const sent = serveApi({
      "POST /api/settings/connection-tests": connectionTest(),
      "GET /api/settings/connection-tests/t-1": answered,
    });
    renderPage(<AddClusterPanel />);
    await user.type(path(), "/etc/k");
    await user.click(screen.getByRole("button", { name: "Test connection" }));
    expect(sent.get("POST /api/settings/connection-tests")).toEqual([
      { kubeconfigPath: "/etc/k", context: null },
    ]);
    expect(await screen.findByText("The cluster answers; it refuses 1 of 1 permissions.")).toBeDefined();
    const table = screen.getByRole("table", { name: "Permissions found by the test" });
    expect(within(table).getByRole("row", { name: /get \/metrics refused/ }).textContent).toContain(
      "no seats are shown",
    );
    await user.click(screen.getByRole("button", { name: "stage" }));
    expect(context().value).toBe("stage");
  });

  test("a relative path is refused before anything is sent, and says what is expected", async () => {
    const user = userEvent.setup();
    const sent = serveApi({});
    renderPage(<AddClusterPanel />);
    await user.type(path(), "kubeconfig");
    await user.click(screen.getByRole("button", { name: "Test connection" }));
    expect(sent.size).toBe(0);
    expect(path().getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("a path that begins with /, ./ or ~/")).toBeDefined();
  });
});

describe("adding", () => {
  test("sends the path and context, leaves out what is empty, and links to the cluster", async () => {
    const user = userEvent.setup();
    const sent = serveApi({ "POST /api/settings/clusters": { targetId: "t", clusterId: "prod" } });
    renderPage(<AddClusterPanel />);
    await user.type(path(), "/etc/k");
    await user.type(context(), "prod");
    await user.click(screen.getByRole("button", { name: "Add cluster" }));
    expect(sent.get("POST /api/settings/clusters")).toEqual([{ kubeconfigPath: "/etc/k", context: "prod" }]);
    const link = await screen.findByRole("link", { name: "Open it" });
    expect(link.getAttribute("href")).toBe("/clusters/prod");
    expect(context().value).toBe("");
  });

  test("a conflict says why, with code and request id, and keeps what was typed", async () => {
    const user = userEvent.setup();
    const problem = {
      type: "about:blank",
      title: "Conflict",
      status: 409,
      detail: "This context is named by the configuration file already.",
      code: "conflict",
      requestId: "r-9",
      issues: [{ where: "context", expected: "one that is not read yet" }],
    };
    serveApi({ "POST /api/settings/clusters": new Response(JSON.stringify(problem), { status: 409 }) });
    renderPage(<AddClusterPanel />);
    await user.type(path(), "/etc/k");
    await user.type(context(), "prod");
    await user.click(screen.getByRole("button", { name: "Add cluster" }));
    const alert = await screen.findByRole("alert");
    await waitFor(() => expect(alert.textContent).toContain("conflict · request r-9"));
    expect(alert.textContent).toContain("context: one that is not read yet");
    expect(context().value).toBe("prod");
  });

  test("a missing context is asked for", async () => {
    const user = userEvent.setup();
    const sent = serveApi({});
    renderPage(<AddClusterPanel />);
    await user.type(path(), "/etc/k");
    await user.click(screen.getByRole("button", { name: "Add cluster" }));
    expect(sent.size).toBe(0);
    expect(context().getAttribute("aria-invalid")).toBe("true");
  });
});
