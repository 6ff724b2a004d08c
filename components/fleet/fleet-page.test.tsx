// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  changeFixture,
  changesFixture,
  FIXTURE_NOW,
  fleetFixture,
  frameFixture,
} from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { FleetPage } from "./fleet-page";

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const changes = [
  changeFixture(),
  changeFixture({ id: "e-2", clusterName: "prod-us-east", lead: "1 940 → 2 000 nodes." }),
];
const api = (over: Record<string, unknown> = {}) =>
  serveApi({
    "GET /api/fleet": fleetFixture(),
    "GET /api/changes": changesFixture(changes),
    "POST /api/changes/acknowledge": { eventIds: ["e-1"] },
    "POST /api/changes/undo": { eventIds: ["e-1"] },
    ...over,
  });
const clusters = () => screen.findByRole("table", { name: /clusters$/ });
const clusterNames = (table: HTMLElement) =>
  within(table)
    .getAllByRole("row")
    .slice(1, -1)
    .map((row) => within(row).getAllByRole("link")[0]?.textContent);

describe("the clusters", () => {
  test("stand worst first, the unreachable one in its place with unknown risks, and the last row sums", async () => {
    api();
    renderPage(<FleetPage />);
    const table = await clusters();
    expect(clusterNames(table)).toEqual(["ml-us-east", "edge-ap-south", "prod-us-east", "stage-eu-west"]);
    const edge = within(table).getByRole("row", { name: /edge-ap-south/ });
    expect(within(edge).getByRole("link", { name: /Fairness of edge-ap-south: unknown/ })).toBeDefined();
    expect(within(edge).getByText("3 h 30 min")).toBeDefined();
    const sums = within(table).getAllByRole("row").at(-1);
    expect(sums?.textContent).toContain("2\u202f684");
    expect(sums?.textContent).toContain("not known and not in the sum");
  });

  test("are narrowed by the URL, and a choice is written to it", async () => {
    api();
    const user = userEvent.setup();
    const { urls } = renderPage(<FleetPage />, { search: "?version=1.34&sort=-nodes" });
    const table = await clusters();
    expect(clusterNames(table)).toEqual(["prod-us-east", "ml-us-east"]);
    await user.click(screen.getByRole("button", { name: "Error 1" }));
    await waitFor(() => expect(urls.at(-1)).toContain("state=error"));
    expect(clusterNames(await clusters())).toEqual(["ml-us-east"]);
  });

  test("nothing that fits the filter is said, with a way back", async () => {
    api();
    const user = userEvent.setup();
    renderPage(<FleetPage />, { search: "?q=nowhere" });
    await user.click(await screen.findByRole("button", { name: "Show all 4" }));
    expect(clusterNames(await clusters())).toHaveLength(4);
  });

  test("/ puts the focus into the filter", async () => {
    api();
    const user = userEvent.setup();
    renderPage(<FleetPage />);
    await clusters();
    await user.keyboard("/");
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  });
});

describe("acknowledging", () => {
  test("one change dims it in place and can be undone", async () => {
    const sent = api();
    const user = userEvent.setup();
    renderPage(<FleetPage />);
    await user.click(await screen.findByRole("button", { name: /Acknowledge.*ml-us-east/ }));
    expect(sent.get("POST /api/changes/acknowledge")).toEqual([{ eventIds: ["e-1"] }]);
    await user.click(await screen.findByRole("button", { name: /^Undo.*ml-us-east/ }));
    expect(sent.get("POST /api/changes/undo")).toEqual([{ eventIds: ["e-1"] }]);
    expect(await screen.findByRole("button", { name: /Acknowledge.*ml-us-east/ })).toBeDefined();
  });

  test("all of them goes by the instant they were seen at", async () => {
    const sent = api({ "POST /api/changes/acknowledge": { eventIds: ["e-1", "e-2"] } });
    const user = userEvent.setup();
    renderPage(<FleetPage />);
    await user.click(await screen.findByRole("button", { name: "Acknowledge all 2" }));
    expect(sent.get("POST /api/changes/acknowledge")).toEqual([{ allUpTo: FIXTURE_NOW }]);
    expect(await screen.findByRole("button", { name: "Undo 2 acknowledgements" })).toBeDefined();
  });

  test("more than 20 asks once", async () => {
    const many = Array.from({ length: 21 }, (_, index) => changeFixture({ id: `e-${index}` }));
    const sent = api({ "GET /api/changes": changesFixture(many) });
    const user = userEvent.setup();
    renderPage(<FleetPage />);
    await user.click(await screen.findByRole("button", { name: "Acknowledge all 21" }));
    expect(sent.has("POST /api/changes/acknowledge")).toBe(false);
    const dialog = await screen.findByRole("dialog", { name: "Acknowledge all 21 changes?" });
    await user.click(within(dialog).getByRole("button", { name: "Acknowledge all" }));
    await waitFor(() => expect(sent.get("POST /api/changes/acknowledge")).toHaveLength(1));
  });

  test("a refused one stays, with the reason where it happened", async () => {
    const problem = {
      type: "about:blank",
      title: "Store",
      status: 503,
      detail: "The store takes no writes.",
      code: "store-read-only",
      requestId: "r-1",
    };
    api({ "POST /api/changes/acknowledge": new Response(JSON.stringify(problem), { status: 503 }) });
    const user = userEvent.setup();
    renderPage(<FleetPage />);
    await user.click(await screen.findByRole("button", { name: /Acknowledge.*ml-us-east/ }));
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Not acknowledged. The store takes no writes.",
    );
    expect(screen.getByRole("button", { name: /Acknowledge.*ml-us-east/ })).toBeDefined();
  });

  test("nothing new says since when", async () => {
    api({ "GET /api/changes": changesFixture([]) });
    renderPage(<FleetPage />);
    expect(await screen.findByText("Nothing changed since Fri 27 Nov, 16:20")).toBeDefined();
  });
});

describe("states", () => {
  test("changes that cannot be read leave the clusters as they are", async () => {
    api({ "GET /api/changes": new Response("oops", { status: 500 }) });
    renderPage(<FleetPage />);
    expect(await clusters()).toBeDefined();
    expect(await screen.findByText("Changes could not be read.")).toBeDefined();
    expect(screen.queryByText(/oops/)).toBeNull();
  });

  test("no cluster and no demo is the first run", async () => {
    api({
      "GET /api/fleet": { ...fleetFixture(), frame: frameFixture({ isDemo: false, clusters: 0 }), rows: [] },
    });
    renderPage(<FleetPage />);
    expect(await screen.findByRole("heading", { name: "Headroom reads no cluster yet" })).toBeDefined();
  });

  test("the notice of the demo fleet stays closed once closed", async () => {
    api();
    renderPage(<FleetPage />);
    fireEvent.click(await screen.findByRole("button", { name: "Close this notice" }));
    expect(screen.queryByText(/generated/)).toBeNull();
    expect(localStorage.getItem("headroom.demo-notice-closed")).toBe("true");
  });
});
