// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AGENT_ID, agentFixture, agentSubject, agentsFixture } from "@/components/fixtures/agent-fixture";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { simulateStorm } from "@/lib/domain/storm/index";
import { prepareWhatIf } from "@/lib/domain/what-if/index";
import { type WhatIfAsk, WhatIfRunner } from "@/lib/domain/what-if/what-if-runner";
import { formatDuration } from "@/lib/format/duration";
import { AgentPage } from "./agent-page";
import { AgentsPage } from "./agents-page";
import type { ForecastMessage } from "./forecast.worker";

/** The search itself is the solvers'; here it is said to have come so far. */
const LARGEST: ForecastMessage = {
  kind: "largest",
  largest: {
    by: "share",
    largest: 25,
    share: 0.6,
    next: 26,
    nextVerdict: "visible",
    isExact: true,
    simulations: 5,
  },
};

/** What the worker does, in the thread of the test. */
class WorkerHere {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly #runner = new WhatIfRunner({
    reply: (data) => this.onmessage?.({ data }),
    pause: () => new Promise((resolve) => setTimeout(resolve)),
    now: () => performance.now(),
  });
  readonly #isForecast: boolean;
  constructor(url: URL) {
    this.#isForecast = url.href.includes("forecast");
  }
  postMessage(ask: WhatIfAsk) {
    if (this.#isForecast) this.onmessage?.({ data: LARGEST });
    else void this.#runner.ask(ask);
  }
  terminate() {
    this.onmessage = null;
  }
}

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal("Worker", WorkerHere);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PATH = `GET /api/agents/${encodeURIComponent(AGENT_ID)}`;
const storm = () => screen.getByRole("region", { name: /^Storm/ });
const figure = (name: string) => within(storm()).getByText(name).parentElement?.textContent ?? "";

describe("the storm of an agent", () => {
  test("is that of simulateStorm for the choice in the address", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />, { search: "?replicas=60&jitter=10&seed=7" });
    const { input } = prepareWhatIf(
      { ...agentSubject(), now: FIXTURE_NOW },
      { scenario: "start-all", replicas: 60, jitterSeconds: 10, seed: 7 },
    );
    const { drain } = simulateStorm(input);
    await waitFor(() => expect(figure("Drains in")).toContain(formatDuration(drain.seconds ?? 0)));
    expect(figure("Drains in")).toContain("60 copies");
    expect(screen.getByText(/Simulated in this browser, seed 7/)).toBeDefined();
  });

  test("gets bands of further seeds, and says that it is incomplete until they are in", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    await waitFor(() => expect(figure("Drains in")).toMatch(/\d of 20 seeds/));
    await waitFor(() => expect(figure("Drains in")).toMatch(/, 20 seeds/));
    expect(within(storm()).queryByText(/incomplete/)).toBeNull();
  });

  test("says in one line where nothing would be noticed, with the thresholds", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText("stage-eu-west: roll normally.")).toBeDefined();
    expect(
      screen.getByText(/neighbours wait at most 1 s at p99, its own requests .* and links/),
    ).toBeDefined();
  });

  test("arrow keys read its values, and a table holds them", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    await waitFor(() => expect(figure("Drains in")).toMatch(/\d m?s/));
    const chart = screen.getByRole("group", { name: /Storm over time/ });
    fireEvent.keyDown(chart, { key: "ArrowRight" });
    expect(within(storm()).getByText(/^at 0/)).toBeDefined();
    fireEvent.keyDown(chart, { key: "Escape" });
    expect(within(storm()).queryByText(/^at 0/)).toBeNull();
  });

  test("cannot be simulated where the figures allow none: it says why, the rest stays", async () => {
    const subject = agentSubject();
    const facts = { ...subject.facts, totalConcurrencySeats: 0 };
    serveApi({ [PATH]: agentFixture({ subject: { ...subject, facts } }) });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText("This cannot be simulated")).toBeDefined();
    expect(screen.getByText(/totalConcurrencySeats must be a whole number above 0/)).toBeDefined();
    expect(screen.getByRole("table", { name: /Verdict on all clusters/ })).toBeDefined();
  });
});

describe("choices", () => {
  test("a scenario is a choice in the address, and each has its own verdict", async () => {
    serveApi({ [PATH]: agentFixture() });
    const user = userEvent.setup();
    const { urls } = renderPage(<AgentPage agentId={AGENT_ID} />);
    const scenarios = await screen.findByRole("group", { name: "Scenario" });
    await user.click(within(scenarios).getByRole("radio", { name: /^First rollout/ }));
    expect(urls.at(-1)).toBe("?scenario=first-rollout");
    await waitFor(() => expect(within(scenarios).queryAllByText("not simulated yet")).toEqual([]));
    expect(within(scenarios).getAllByText("invisible").length).toBeGreaterThan(3);
  });

  test("a slider is simulated while it moves and in the address when it rests", async () => {
    serveApi({ [PATH]: agentFixture() });
    const { urls } = renderPage(<AgentPage agentId={AGENT_ID} />);
    const slider = await screen.findByRole<HTMLInputElement>("slider", { name: /Replicas/ });
    expect(slider.value).toBe("40");
    fireEvent.input(slider, { target: { value: "55" } });
    await waitFor(() => expect(figure("Drains in")).toContain("55 copies"));
    expect(urls).toEqual([]);
    slider.dispatchEvent(new Event("change"));
    await waitFor(() => expect(urls.at(-1)).toBe("?replicas=55"));
  });

  test("what somebody wrote into the address is kept within what can be simulated", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />, { search: "?replicas=-5&jitter=9999&scenario=nonsense" });
    const slider = await screen.findByRole<HTMLInputElement>("slider", { name: /Replicas/ });
    expect(slider.value).toBe("1");
    expect(screen.getByRole<HTMLInputElement>("slider", { name: /jitter/ }).value).toBe("300");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Start-all/ }).checked).toBe(true);
  });

  test("remedies are choices in the address, may be combined, and those that change nothing say why", async () => {
    serveApi({ [PATH]: agentFixture() });
    const user = userEvent.setup();
    const { urls } = renderPage(<AgentPage agentId={AGENT_ID} />);
    const remedies = await screen.findByRole("group", { name: "Remedies" });
    await user.click(within(remedies).getByRole("checkbox", { name: /^spec.nodeName field selector/ }));
    expect(urls.at(-1)).toBe("?remedies=node-selector");
    await user.click(within(remedies).getByRole("checkbox", { name: /^metadata only/ }));
    expect(urls.at(-1)).toBe("?remedies=node-selector,metadata-only");
    const paced = within(remedies).getByRole<HTMLInputElement>("checkbox", { name: /^maxUnavailable 1%/ });
    expect(paced.disabled).toBe(true);
    await user.click(screen.getByRole("button", { name: "Reset" }));
    expect(urls.at(-1)).toBe("");
  });

  test("a chosen remedy that changes nothing in this scenario, or is none, is said and can be taken back", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />, { search: "?remedies=max-unavailable%3D1%25,nonsense" });
    expect(await screen.findByText(/The address names a remedy that there is not\./)).toBeDefined();
    const paced = screen.getByRole<HTMLInputElement>("checkbox", { name: /^maxUnavailable 1%/ });
    expect([paced.checked, paced.disabled]).toEqual([true, false]);
  });

  test("remedies are compared in start-all and in a healthy update, with what each saves", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    const table = await screen.findByRole("table", { name: "Remedies compared" });
    const row = await within(table).findByRole("row", { name: /spec.nodeName field selector/ });
    await waitFor(() => expect(within(row).getAllByText("invisible")).toHaveLength(2), { timeout: 60_000 });
    expect(row.textContent).toContain("95\u00a0%");
    const pace = within(table).getByRole("row", { name: /maxUnavailable 1%/ });
    expect(pace.textContent).toContain("no change");
  });

  test("another cluster is a choice in the address", async () => {
    serveApi({
      [PATH]: agentFixture(),
      [`${PATH}?cluster=c-prod`]: agentFixture({ subject: null, clusterId: "c-prod" }),
    });
    const user = userEvent.setup();
    const { urls } = renderPage(<AgentPage agentId={AGENT_ID} />);
    await user.selectOptions(await screen.findByRole("combobox", { name: "Cluster" }), "c-prod");
    expect(urls.at(-1)).toBe("?cluster=c-prod");
    expect(await screen.findByText("Its workload is not there any more")).toBeDefined();
  });
});

describe("the forecast", () => {
  test("says how many copies stay unseen, and that nodes were measured without a slope", async () => {
    const point = (day: number): [number, number, number, number] => [86_400 * day, 40, 40, 40];
    const nodeHistory = {
      metric: "nodes",
      serverId: null,
      serverName: null,
      priorityLevelName: null,
      rejectReason: null,
      unit: "count" as const,
      resolution: "hourly" as const,
      stepSeconds: 3600,
      isGenerated: true,
      points: [point(1), point(2)],
    };
    serveApi({ [PATH]: agentFixture({ subject: agentSubject({ nodeHistory }) }) });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText(/40 now, unseen up to/)).toBeDefined();
    const panel = screen.getByRole("region", { name: "Forecast of its verdict" });
    expect(within(panel).getByText("generated history")).toBeDefined();
    expect(within(panel).getByText(/40 nodes. Simulating at how many more/)).toBeDefined();
  });

  test("needs a history of the nodes", async () => {
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText("No history of its nodes is stored yet")).toBeDefined();
  });
});

describe("states", () => {
  test("doubts about the cluster's figures stand above, and the verdict is inconclusive", async () => {
    const doubts = ["Counts and sizes are older than two of their periods."];
    serveApi({ [PATH]: agentFixture({ subject: agentSubject({ doubts, isStale: true }) }) });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText("Figures of stage-eu-west carry no verdict.")).toBeDefined();
    expect(await within(storm()).findByText("inconclusive")).toBeDefined();
    expect(within(storm()).getByText(/By its figures alone it is/)).toBeDefined();
  });

  test("an agent that no cluster has says so; a store that cannot be read offers to try again", async () => {
    serveApi({
      [PATH]: new Response(
        JSON.stringify({
          type: "about:blank",
          title: "Not Found",
          status: 404,
          detail: "No cluster is known to run an agent of this id.",
          code: "not-found",
          requestId: "r-1",
        }),
        { status: 404, headers: { "content-type": "application/problem+json" } },
      ),
    });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText("No cluster is known to run an agent by this address")).toBeDefined();
  });

  test("a browser without workers is told so", async () => {
    vi.stubGlobal("Worker", undefined);
    serveApi({ [PATH]: agentFixture() });
    renderPage(<AgentPage agentId={AGENT_ID} />);
    expect(await screen.findByText(/This browser has no workers/)).toBeDefined();
  });
});

describe("the list of agents", () => {
  test("stands worst first; copies that no cluster knows are not known, not none", async () => {
    serveApi({ "GET /api/agents": agentsFixture() });
    renderPage(<AgentsPage />);
    const table = await screen.findByRole("table", { name: "Agents, worst verdict first" });
    const [, worst, unsure] = within(table).getAllByRole("row");
    expect(worst?.textContent).toContain("node-telemetry");
    expect(unsure?.textContent).toContain("not known");
    expect(
      within(table).getByRole("link", { name: "observability/node-telemetry" }).getAttribute("href"),
    ).toBe(`/agents/${encodeURIComponent(AGENT_ID)}`);
  });

  test("the filter is in the address, and none that fits says so", async () => {
    serveApi({ "GET /api/agents": agentsFixture() });
    const user = userEvent.setup();
    const { urls } = renderPage(<AgentsPage />);
    await user.type(await screen.findByRole("searchbox"), "zzz");
    expect(await screen.findByText("No agent fits the filter")).toBeDefined();
    expect(urls.at(-1)).toBe("?q=zzz");
    await user.click(screen.getByRole("button", { name: "Show all 2" }));
    expect(await screen.findByRole("table")).toBeDefined();
  });

  test("clusters that are not simulated yet are counted, and none at all says what to wait for", async () => {
    serveApi({ "GET /api/agents": agentsFixture({ agents: [], clustersSimulated: 0 }) });
    renderPage(<AgentsPage />);
    expect(await screen.findByText("No agent was simulated yet")).toBeDefined();
    expect(screen.getByText("0 of 2 clusters simulated")).toBeDefined();
  });
});
