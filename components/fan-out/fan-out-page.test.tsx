// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FORBIDDEN, partFixture } from "@/components/fixtures/cluster-fixture";
import { agentFixture, fanOutFixture, projectionFixture } from "@/components/fixtures/fan-out-fixture";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { fanOutMarkdown } from "./fan-out-markdown";
import { FanOutPage } from "./fan-out-page";

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const TITLE = "Agents, if all copies LIST at once";
const api = (response: unknown) => serveApi({ "GET /api/clusters/c-prod/fan-out": response });
const textOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map((cell) => (cell.textContent ?? "").replaceAll(/[\u00a0\u202f]/g, " "));
const open = async (response: unknown) => {
  api(response);
  const rendered = renderPage(<FanOutPage clusterId="c-prod" />);
  return { ...rendered, table: await screen.findByRole("table", { name: TITLE }) };
};

describe("agents", () => {
  test("replicas × per start = total as displayed; simulated, bounded and unknown look different", async () => {
    const { table } = await open(fanOutFixture());
    const [telemetry, injector, shipper] = within(table).getAllByRole("row").slice(1) as HTMLElement[];
    expect(textOf(telemetry as HTMLElement).slice(1)).toEqual([
      "2 000",
      "workload-lowone flow",
      "pods, namespaces, all declared",
      "≈ 240 MB",
      "14",
      "≈ 481 GB",
      "28 000",
      "2 min 45 s",
      "11 790",
      "unsafe",
    ]);
    expect(within(telemetry as HTMLElement).getByText(/2.min.45.s/).className).toContain("simulated");
    expect(textOf(injector as HTMLElement).slice(4)).toEqual([
      "≤ 131 MB",
      "≤ 24",
      "≤ 393 MB",
      "≤ 72",
      "not known",
      "not known",
      "inconclusive",
    ]);
    expect(textOf(shipper as HTMLElement).slice(8)).toEqual(["2 s", "0", "invisible"]);
    const sums = within(table).getByRole("row", { name: /^3 agents/ });
    expect(textOf(sums)).toContain("≤ 482 GB");
  });

  test("what never drains, what fits, what is not simulated and what is not known are four words", async () => {
    const { table } = await open(
      fanOutFixture({
        agents: [
          agentFixture({
            name: "a",
            over: { projection: projectionFixture({ undrained: 5, collapsed: 5, drainSeconds: null }) },
          }),
          agentFixture({
            name: "b",
            over: {
              projection: projectionFixture({
                verdict: "invisible",
                simulated: "invisible",
                reasons: [],
                skipped:
                  "Not simulated: all its 5 seats fit the 58 idle seats of workload-low on one API server.",
                seeds: 0,
                drainSeconds: null,
                rejected: null,
              }),
            },
          }),
          agentFixture({ name: "c", over: { projection: null } }),
          agentFixture({
            name: "d",
            agent: { isKnown: false, informers: [] },
            over: {
              grade: null,
              projection: projectionFixture({
                verdict: "inconclusive",
                simulated: null,
                drainSeconds: null,
                rejected: null,
              }),
            },
          }),
        ],
      }),
    );
    const rows = within(table).getAllByRole("row").slice(1, 5) as HTMLElement[];
    expect(rows.map((row) => textOf(row)[8])).toEqual(["never", "–", "not yet", "not known"]);
    expect(textOf(rows[3] as HTMLElement).slice(3, 8)).toEqual([
      "not known what it reads",
      "not known",
      "not known",
      "not known",
      "not known",
    ]);
    expect(
      screen.getByText(/1 agent fits the idle seats of one API server whole and is not simulated/),
    ).toBeDefined();
  });

  test("a chip says source, time and what would raise it", async () => {
    const user = userEvent.setup();
    const { table } = await open(fanOutFixture());
    await user.click(
      within(table).getAllByRole("button", { name: /^declared: evidence of/ })[0] as HTMLElement,
    );
    const popover = await screen.findByRole("dialog", { name: /^Evidence of node-telemetry, pods/ });
    expect(popover.textContent).toContain("annotation headroom.dev/informers");
    expect(popover.textContent).toContain("An audit log over the start of one copy.");
  });

  test("a row chosen stands in the URL, and what it rests on below; the order does too", async () => {
    const user = userEvent.setup();
    const { table, urls } = await open(fanOutFixture());
    expect(screen.getByRole("heading", { name: "What observability/node-telemetry rests on" })).toBeDefined();
    await user.click(within(table).getByText("observability/log-shipper"));
    await waitFor(() => expect(urls.at(-1)).toBe("?agent=daemonset/observability/log-shipper"));
    expect(
      await screen.findByRole("heading", { name: "What observability/log-shipper rests on" }),
    ).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Show what it rests on" }));
    await waitFor(() => expect(urls.at(-1)).toBe(""));
    await user.click(within(table).getByRole("button", { name: "Replicas" }));
    await waitFor(() => expect(urls.at(-1)).toBe("?sort=-replicas"));
  });
});

describe("capacity and prices", () => {
  test("seats asked stand against idle, nominal and ceiling of all servers", async () => {
    await open(fanOutFixture());
    const table = screen.getByRole("table", { name: "Start-all cost against capacity" });
    expect(textOf(within(table).getByRole("row", { name: /workload-low/ })).slice(1)).toEqual([
      "36 072",
      "174",
      "738",
      "1 110",
      "32.5 ×",
      "≈ 482 GB",
      "≈ 2 min 20 s",
    ]);
    const prices = screen.getByRole("table", { name: "What a LIST costs here" });
    expect(textOf(within(prices).getByRole("row", { name: /^pods/ })).slice(1)).toEqual([
      "48 000",
      "5 kB",
      "240 MB",
      "10",
      "10",
      "1",
      "measured",
    ]);
  });

  test("a link that is not known says how to make it known", async () => {
    const response = fanOutFixture();
    await open({
      ...response,
      facts: response.facts && {
        ...response.facts,
        server: { cores: null, memoryBytes: null, linkBytesPerSecond: null },
      },
      capacity: response.capacity.map((row) => ({ ...row, linkSeconds: null })),
      capacityTotal: { ...response.capacityTotal, linkSeconds: null },
    });
    expect(screen.getByText(/headroom.dev\/api-server-link-bytes-per-second/)).toBeDefined();
    const row = within(screen.getByRole("table", { name: "Start-all cost against capacity" })).getByRole(
      "row",
      {
        name: /workload-low/,
      },
    );
    expect(textOf(row).at(-1)).toBe("not known");
  });
});

describe("states", () => {
  const empty = {
    agents: [],
    capacity: [],
    lists: [],
    listsTotal: 0,
    facts: null,
    projection: null,
    notice: null,
  };

  test("before the first list of workloads", async () => {
    api(fanOutFixture({ ...empty, inventory: null, sizes: null }));
    renderPage(<FanOutPage clusterId="c-prod" />);
    expect(await screen.findByText("Not read yet")).toBeDefined();
  });

  test("workloads that may not be listed are not known to be none", async () => {
    api(
      fanOutFixture({
        ...empty,
        inventory: partFixture({ part: "inventory", status: "failed", valueAt: null, failure: FORBIDDEN }),
      }),
    );
    renderPage(<FanOutPage clusterId="c-prod" />);
    expect(await screen.findByText("Not read: workloads")).toBeDefined();
  });

  test("stale says since when, and dims what rests on it", async () => {
    await open(
      fanOutFixture({
        inventory: partFixture({ part: "inventory", isStale: true, valueAt: FIXTURE_NOW - 7_200_000 }),
      }),
    );
    const panel = screen.getByRole("region", { name: TITLE });
    expect(panel.className).toContain("stale-values");
    expect(within(panel).getByText(/last known good/)).toBeDefined();
    expect(screen.getByRole("region", { name: "Drain time against node count" }).className).toContain(
      "stale-values",
    );
  });

  test("partial names the list that is missing", async () => {
    const failure = { ...FORBIDDEN, path: "/apis/apps/v1/statefulsets" };
    await open(
      fanOutFixture({
        inventory: partFixture({
          part: "inventory",
          status: "partial",
          failure,
          notRead: [{ what: "statefulsets", serverId: null, failure }],
        }),
      }),
    );
    expect(
      within(screen.getByRole("region", { name: TITLE })).getByText(/Not read: statefulsets/),
    ).toBeDefined();
  });

  test("a simulation that is behind its figures says so", async () => {
    const response = fanOutFixture();
    await open({
      ...response,
      projection: response.projection && { ...response.projection, isCurrent: false },
    });
    expect(screen.getByText(/figures changed since; the next simulation is on its way/)).toBeDefined();
  });

  test("without workers the table stays, and the chart says why it is not there", async () => {
    await open(fanOutFixture());
    expect(await screen.findByText("This browser runs no workers")).toBeDefined();
  });

  test("a store that cannot be read shows code and request id", async () => {
    api(new Response("{}", { status: 500, headers: { "x-request-id": "r-7" } }));
    renderPage(<FanOutPage clusterId="c-prod" />);
    expect(await screen.findByText("http-500 · request r-7", undefined, { timeout: 5000 })).toBeDefined();
  });
});

test("the tab carries the number of unsafe agents", async () => {
  await open(fanOutFixture());
  const tab = screen.getByRole("link", { name: /^Fan-out/ });
  expect(tab.textContent).toContain("1");
  expect(tab.getAttribute("aria-current")).toBe("page");
});

test("Markdown holds the tables as sorted, kinds of number in words, model and seeds", () => {
  const response = fanOutFixture();
  const text = fanOutMarkdown({
    response,
    rows: response.agents,
    url: "http://h/clusters/c-prod/fan-out",
  }).replaceAll(/[\u00a0\u202f]/g, " ");
  expect(text).toContain("2 min 45 s (simulated)");
  expect(text).toContain("≈ 481 GB");
  expect(text).toContain("model 2026-11-30, seeds 1 to 5");
  expect(text).toContain("### Start-all cost against capacity");
  expect(text).toContain("pods, namespaces, all (declared)");
});
