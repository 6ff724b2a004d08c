// @vitest-environment jsdom
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import { FIXTURE_NOW, frameFixture } from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { CopyMarkdown } from "./copy-markdown";
import { FrameNotices } from "./frame-notices";
import { TopBar } from "./top-bar";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const palette = {
  clusters: [
    { clusterId: "c-ml", name: "ml-us-east", state: "error", version: "v1.34.3" },
    { clusterId: "c-prod", name: "prod-us-east", state: "ok", version: "v1.34.2" },
  ],
  agents: [{ agentId: "daemonset/observability/node-telemetry", title: "observability/node-telemetry" }],
  rules: [{ name: "rollout.unpaced", title: "An update replaces every pod at once" }],
};
const api = (frame = frameFixture()) => serveApi({ "GET /api/frame": frame, "GET /api/palette": palette });

describe("the top bar", () => {
  test("says how fresh the fleet is and that it is a demo", async () => {
    api();
    renderPage(<TopBar />);
    expect(await screen.findByText("3 of 4 fresh")).toBeDefined();
    expect(screen.getByRole("link", { name: "demo fleet" })).toBeDefined();
  });

  test("Ctrl K finds a cluster by letters in order, Enter opens it, and it comes first the next time", async () => {
    const user = userEvent.setup();
    api();
    const { pushed } = renderPage(<TopBar />);
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /prod-us-east/ });
    await user.keyboard("puse");
    await waitFor(() => expect(screen.getAllByRole("option")[0]?.textContent).toContain("prod-us-east"));
    await user.keyboard("{Enter}");
    expect(pushed).toEqual(["/clusters/c-prod"]);
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(() => expect(screen.getAllByRole("option")[0]?.textContent).toContain("prod-us-east"));
  });

  test("the palette finds a rule by its name and by its words", async () => {
    const user = userEvent.setup();
    api();
    const { pushed } = renderPage(<TopBar />);
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /rollout\.unpaced/ });
    await user.keyboard("replaces every pod");
    await waitFor(() => expect(screen.getAllByRole("option")[0]?.textContent).toContain("rollout.unpaced"));
    await user.keyboard("{Enter}");
    expect(pushed).toEqual(["/rules/rollout.unpaced"]);
  });

  test("Ctrl Enter in the palette opens a new tab", async () => {
    const user = userEvent.setup();
    const open = vi.fn();
    vi.stubGlobal("open", open);
    api();
    const { pushed } = renderPage(<TopBar />);
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /ml-us-east/ });
    await user.keyboard("ml-us{Control>}{Enter}{/Control}");
    expect(open).toHaveBeenCalledWith("/clusters/c-ml", "_blank", "noopener");
    expect(pushed).toEqual([]);
  });

  test("an agent is found by its name and opens on its own page; g a goes to all of them", async () => {
    const user = userEvent.setup();
    api();
    const { pushed } = renderPage(<TopBar />);
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /node-telemetry/ });
    await user.keyboard("telemetry{Enter}");
    expect(pushed).toEqual(["/agents/daemonset%2Fobservability%2Fnode-telemetry"]);
    await user.keyboard("ga");
    expect(pushed.at(-1)).toBe("/agents");
  });

  test("? lists the keys of the page, g f goes to the fleet, and letters typed in a field do neither", async () => {
    const user = userEvent.setup();
    api();
    const { pushed } = renderPage(
      <>
        <TopBar />
        <input aria-label="field" />
      </>,
    );
    await user.click(screen.getByRole("textbox", { name: "field" }));
    await user.keyboard("?gf");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(pushed).toEqual([]);
    await user.click(document.body);
    await user.keyboard("gf");
    expect(pushed).toEqual(["/"]);
    await user.keyboard("?");
    expect((await screen.findByRole("dialog", { name: "Keys" })).textContent).toContain("Go to the fleet");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("t goes round the themes and keeps the choice", async () => {
    const user = userEvent.setup();
    api();
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    renderPage(<TopBar />);
    await user.keyboard("t");
    expect(localStorage.getItem("headroom.theme")).toBe("dark");
    await user.keyboard("t");
    expect(localStorage.getItem("headroom.theme")).toBe("light");
    expect(document.documentElement.dataset.theme).toBe("light");
    expect(screen.getByRole("button", { name: "Theme: light. Change to system" })).toBeDefined();
  });
});

describe("notices of Headroom itself", () => {
  test("a collector that runs says nothing", async () => {
    api();
    const { container } = { container: document.body };
    renderPage(<FrameNotices />);
    await waitFor(() => expect(container.textContent).toBe(""));
  });

  test.each([
    ["starting", "The collector is starting."],
    ["restarting", "The collector stopped and is being started again."],
    ["stopped", "The collector is not running."],
    ["external-absent", "No collector gives a sign of life."],
  ] as const)("%s is said, with the last sign of life", async (state, lead) => {
    api(frameFixture({ collector: { state, message: null, heartbeatAt: FIXTURE_NOW - 90_000 } }));
    renderPage(<FrameNotices />);
    expect(await screen.findByText(lead)).toBeDefined();
    expect(screen.getByText("1 min 30 s")).toBeDefined();
  });

  test("a store in trouble is said in the server's words", async () => {
    api(frameFixture({ storeNotice: "The disk is full since 09:12." }));
    renderPage(<FrameNotices />);
    expect(await screen.findByText("The disk is full since 09:12.")).toBeDefined();
  });
});

describe("copying as Markdown", () => {
  test("c copies what the page makes", async () => {
    const user = userEvent.setup();
    renderPage(<CopyMarkdown makeText={() => "# page"} />);
    await user.keyboard("c");
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe("# page"));
  });

  test("a refused clipboard is said where it happened", async () => {
    const user = userEvent.setup();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("denied"));
    renderPage(<CopyMarkdown makeText={() => "# page"} />);
    await user.click(screen.getByRole("button", { name: "Copy as Markdown" }));
    expect((await screen.findByRole("alert")).textContent).toBe("The browser refused the clipboard.");
  });

  test("nothing to copy yet is a button that does nothing", () => {
    renderPage(<CopyMarkdown makeText={null} />);
    expect(screen.getByRole<HTMLButtonElement>("button").disabled).toBe(true);
  });
});
