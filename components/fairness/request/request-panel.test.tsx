// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fairnessFixture } from "@/components/fixtures/cluster-fixture";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import { FairnessPage } from "../fairness-page";

beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const api = (objects: unknown = flowControlFixture()) =>
  serveApi({
    "GET /api/clusters/c-ml/fairness": fairnessFixture(),
    "GET /api/clusters/c-ml/flow-control": objects,
  });
const panel = async () =>
  within(await screen.findByRole("region", { name: "Which FlowSchema catches this request?" }));
const AGENT = "?account=scheduling/gpu-feature-agent";

describe("the tool on the page", () => {
  test("a link with a request opens with its answer", async () => {
    api();
    renderPage(<FairnessPage clusterId="c-ml" />, { search: AGENT });
    const tool = await panel();
    const table = await tool.findByRole("table", { name: "Evaluation, by matchingPrecedence" });
    const rows = within(table).getAllByRole("row");
    expect(rows.at(-1)?.textContent).toContain("9000service-accountsmatches: Group system:serviceaccounts");
    expect(rows.at(-1)?.getAttribute("aria-selected")).toBe("true");
    expect(tool.getByText("service-accounts → workload-low", { selector: "dd b" })).toBeDefined();
    expect(tool.getByText("10 seats")).toBeDefined();
    expect(tool.getByText("85 45 61 31 105 87")).toBeDefined();
  });

  test("what is typed and chosen is in the URL, defaults left out, and the answer follows", async () => {
    api();
    const user = userEvent.setup();
    const { urls } = renderPage(<FairnessPage clusterId="c-ml" />);
    const tool = await panel();
    expect(await tool.findByText("Nobody is named yet")).toBeDefined();
    await user.click(tool.getByRole("combobox", { name: "Service account" }));
    await user.paste("kube-system/kube-proxy");
    await waitFor(() => expect(urls.at(-1)).toBe("?account=kube-system/kube-proxy"));
    expect(
      await tool.findByText("kube-system-service-accounts → workload-high", { selector: "dd b" }),
    ).toBeDefined();
    await user.selectOptions(tool.getByRole("combobox", { name: "Verb" }), "watch");
    await waitFor(() => expect(urls.at(-1)).toBe("?account=kube-system/kube-proxy&verb=watch"));
    expect(await tool.findByText("1 seat")).toBeDefined();
  });

  test("a wrong field says what is expected, is marked, and there is no answer", async () => {
    api();
    renderPage(<FairnessPage clusterId="c-ml" />, { search: "?account=agent&limit=many" });
    const tool = await panel();
    expect(await tool.findByText("This is no request yet")).toBeDefined();
    const limit = tool.getByRole("textbox", { name: "limit" });
    expect(limit.getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById(limit.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
      "expected a whole number",
    );
    expect(tool.queryByRole("table")).toBeNull();
  });

  test("every reason on demand", async () => {
    api();
    const user = userEvent.setup();
    const { urls } = renderPage(<FairnessPage clusterId="c-ml" />, {
      search: "?account=kube-system/coredns",
    });
    const tool = await panel();
    await tool.findByRole("table");
    const before = tool.getByRole("row", { name: /^100 ?system-leader-election/ }).textContent;
    expect(before).toMatch(/\(and \d+ more\)/);
    await user.click(tool.getByRole("button", { name: "Every reason" }));
    await waitFor(() => expect(urls.at(-1)).toContain("why=true"));
    expect(tool.getByRole("row", { name: /^100 ?system-leader-election/ }).textContent).not.toMatch(/more\)/);
  });

  test("groups begin with those of the name and may be changed to none", async () => {
    api();
    const user = userEvent.setup();
    renderPage(<FairnessPage clusterId="c-ml" />, { search: AGENT });
    const tool = await panel();
    await user.click(await tool.findByRole("button", { name: "Groups given" }));
    const groups = await tool.findByRole("textbox", { name: "Groups" });
    expect((groups as HTMLTextAreaElement).value).toBe(
      "system:serviceaccounts\nsystem:serviceaccounts:scheduling\nsystem:authenticated",
    );
    await user.clear(groups);
    expect(await tool.findByText("catch-all → catch-all", { selector: "dd b" })).toBeDefined();
  });

  test("a price that hangs on a count not read is a range, marked as unknown", async () => {
    const { servers } = flowControlFixture();
    api(
      flowControlFixture({
        servers: servers.map((server) => ({ ...server, countsFrom: null, resources: [] })),
      }),
    );
    renderPage(<FairnessPage clusterId="c-ml" />, { search: AGENT });
    const tool = await panel();
    expect(await tool.findByText("1 to 10 seats")).toBeDefined();
    expect(tool.getByText("Not known more closely: objects of pods.")).toBeDefined();
  });

  test("objects that were not read leave the rest of the page", async () => {
    api(flowControlFixture({ flowSchemas: null }));
    renderPage(<FairnessPage clusterId="c-ml" />, { search: AGENT });
    const tool = await panel();
    expect(await tool.findByText("Not read: FlowSchemas")).toBeDefined();
    expect(screen.getByRole("table", { name: "Priority levels of api-1" })).toBeDefined();
  });

  test("an answer of the store that fails costs this panel only", async () => {
    api(new Response("{}", { status: 500, headers: { "x-request-id": "r-9" } }));
    renderPage(<FairnessPage clusterId="c-ml" />, { search: AGENT });
    const tool = await panel();
    expect(await tool.findByText("http-500 · request r-9", undefined, { timeout: 5000 })).toBeDefined();
    expect(screen.getByRole("table", { name: "Priority levels of api-1" })).toBeDefined();
  });
});
