import type { FakeApiServer } from "../lib/fake-api-server/index.ts";
import { frozenAt, writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { ClusterPage } from "./pages/cluster-page.ts";
import { untilListening } from "./pages/open-page.ts";

/** Figures stand still at this instant, so that the page can be held against the scenario to the last seat. */
const AT = Date.UTC(2026, 10, 30, 9);
const LEVEL = "workload-low";

let headroom: Headroom;
let old: FakeApiServer;
let recent: FakeApiServer;
let ids: ReadonlyMap<string, string>;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  recent = await sharedBench.cluster({
    name: "recent",
    kubernetesVersion: "1.36.1",
    nodes: 250,
    // Twelve static pods of the control plane join them.
    pods: 6088,
    workloads: 45,
    change: frozenAt(AT),
  });
  old = await sharedBench.cluster({
    name: "old",
    kubernetesVersion: "1.28.9",
    nodes: 40,
    servers: 1,
    change: frozenAt(AT),
  });
  headroom = await sharedBench.headroom({
    kubeconfigs: [await writeKubeconfig(sharedBench.folder, [recent, old])],
  });
  ids = await waitForFirstPass(headroom, ["recent", "old"]);
});

/** As pages write whole numbers: groups of three, a narrow space between. */
const count = (value: number) => new RegExp(`^${String(value).replace(/\B(?=(\d{3})+$)/g, "\\s")}$`);

function storedBytes(cluster: FakeApiServer, group: string, resource: string): number {
  const found = cluster.scenario.collections.find(
    ({ type }) => type.group === group && type.resource === resource,
  );
  if (found?.storedBytesEach === undefined || found.storedBytesEach === null) throw new Error(resource);
  return found.size(AT) * found.storedBytesEach;
}

/** Three digits and a unit, as pages write bytes. */
function bytesText(bytes: number): RegExp {
  const [size, unit] = bytes >= 1e6 ? [bytes / 1e6, "MB"] : [bytes / 1e3, "kB"];
  return new RegExp(`^${Number(size.toPrecision(3))}\\s${unit}$`.replace(".", "\\."));
}

test("the overview shows the version, nodes, pods and API servers that the cluster has", async ({ page }) => {
  const overview = new ClusterPage(page);
  await overview.open(headroom.url, ids.get("recent") ?? "");
  await expect(overview.main).toContainText("Kubernetes 1.36.1");
  await expect(overview.main).toContainText("250 nodes");
  await expect(overview.main).toContainText(/6\s100 pods/);
  await expect(overview.main).toContainText("3 API servers");
  await expect(overview.main).toContainText(/Headroom’s own cost [\d.]+ requests\/min/);
  const servers = overview.panel("API servers");
  await expect(servers).toContainText("3 of 3 read");
  for (const name of ["api-0", "api-1", "api-2"]) await expect(servers).toContainText(name);
  await expect(overview.part("inventory")).toContainText(/45 workloads, 250 nodes, 6,100 pods/);
});

test("counts and sizes are those of the API server, and an unknown size is no zero", async ({ page }) => {
  const overview = new ClusterPage(page);
  await overview.open(headroom.url, ids.get("recent") ?? "");
  const panel = overview.panel("Counts and sizes");
  const more = panel.getByRole("button", { name: /^Show \d+$/ });
  await more.click();
  for (const [group, resource, objects] of [
    ["", "pods", 6100],
    ["", "nodes", 250],
    ["", "configmaps", 210],
    ["", "secrets", 305],
  ] as const) {
    const cells = overview
      .rowOf(/^Counts and sizes/, group === "" ? resource : `${resource}.${group}`)
      .getByRole("cell");
    await expect(cells.nth(1), resource).toHaveText(count(objects));
    await expect(cells.nth(2), resource).toHaveText(bytesText(storedBytes(recent, group, resource)));
  }
  // 1.36 answers −1 for the size of what nobody changed since its start, and prices such a LIST by an assumption.
  const finding = page
    .getByRole("table", { name: "Findings, worst first" })
    .getByRole("row", { name: "collector.sizes-unknown" });
  await expect(finding).toContainText(/\d+ of \d+ resources have no known count or size/);
  await expect(finding).toContainText("prices their LISTs by what it assumes, shown in their place");
  const response = await page.request.get(`${headroom.url}/api/clusters/${ids.get("recent")}/overview`);
  const { resources } = (await response.json()) as {
    resources: {
      group: string;
      resource: string;
      storedBytes: { state: string; reason?: string; assumed?: number | null };
    }[];
  };
  const unknown = resources.filter(({ storedBytes: each }) => each.state === "unknown");
  expect(unknown.length).toBeGreaterThan(0);
  for (const { group, resource, storedBytes: each } of unknown) {
    const cell = overview
      .rowOf(/^Counts and sizes/, group === "" ? resource : `${resource}.${group}`)
      .getByRole("cell")
      .nth(2);
    await expect(cell).toContainText(each.assumed === null ? "not known" : "not known, the server assumes");
  }
});

test("a version without size metrics says that it publishes none", async ({ page }) => {
  const overview = new ClusterPage(page);
  await overview.open(headroom.url, ids.get("old") ?? "");
  await expect(overview.main).toContainText("Kubernetes 1.28.9");
  await expect(overview.main).toContainText("1 API server");
  await overview
    .panel("Counts and sizes")
    .getByRole("button", { name: /^Show \d+$/ })
    .click();
  const nodes = overview.rowOf(/^Counts and sizes/, "nodes").getByRole("cell");
  await expect(nodes.nth(1)).toHaveText("40");
  await expect(nodes.nth(2)).toContainText("not published");
});

for (const [index, name] of ["api-0", "api-1", "api-2"].entries()) {
  test(`seats and limits of ${name} are its own, and its flows sum to the level's row`, async ({ page }) => {
    const figures = recent.scenario.figuresAt(index, AT);
    const fairness = new ClusterPage(page);
    await fairness.open(headroom.url, ids.get("recent") ?? "", "/fairness", `?server=${name}&level=${LEVEL}`);
    await expect(page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
    for (const level of figures.levels) {
      const cells = fairness.rowOf(`Priority levels of ${name}`, level.name).getByRole("cell");
      await expect(cells.nth(1), `${level.name}, nominal`).toHaveText(count(level.nominalSeats));
      if (level.type === "Limited") {
        await expect(cells.nth(4), `${level.name}, limit`).toHaveText(count(level.currentLimitSeats));
      } else {
        await expect(cells.nth(4)).toHaveText("no limit");
      }
    }
    const flows = figures.levels.find((level) => level.name === LEVEL)?.flows ?? [];
    const executing = flows.reduce((sum, flow) => sum + flow.executingRequests, 0);
    const seats = flows.reduce((sum, flow) => sum + flow.executingRequests * flow.seatsEach, 0);
    const row = fairness.rowOf(`Priority levels of ${name}`, LEVEL).getByRole("cell");
    await expect(row.nth(6)).toHaveText(count(seats));
    await expect(fairness.panel(`Flows of ${LEVEL}, ${name}`)).toContainText(
      `Sums: ${executing} executing, ${seats} seats, 0 waiting.`,
    );
    await expect(fairness.panel(`Flows of ${LEVEL}, ${name}`)).not.toContainText("at another moment");
    await expect(fairness.rowOf(`${LEVEL} per API server`, name).getByRole("cell").first()).toHaveText(
      new RegExp(`^${seats} / \\d+$`),
    );
  });
}

test("choosing a server and a level is in the address; Back undoes it; nothing is summed over servers", async ({
  page,
}) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("recent") ?? "", "/fairness", "?server=api-1");
  await page.getByRole("group", { name: "API server" }).getByRole("button", { name: "api-2" }).click();
  await expect(page).toHaveURL(/[?&]server=api-2\b/);
  await expect(page.getByRole("table", { name: "Priority levels of api-2" })).toBeVisible();
  await fairness.rowOf("Priority levels of api-2", "node-high").click();
  await expect(page).toHaveURL(/[?&]level=node-high\b/);
  await expect(fairness.panel("Per API server, node-high")).toContainText(
    "There is no figure over several servers",
  );
  await page.goBack();
  await expect(page).not.toHaveURL(/level=/);
  await page.goBack();
  await expect(page.getByRole("table", { name: "Priority levels of api-1" })).toBeVisible();
});

test("FlowSchemas stand by matchingPrecedence with the level they lead to", async ({ page }) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("recent") ?? "", "/fairness");
  const table = page.getByRole("table", { name: /^FlowSchemas, by matchingPrecedence/ });
  const precedences = (await table.getByRole("row").locator("td:first-child").allInnerTexts()).map((text) =>
    Number(text.replace(/\s/g, "")),
  );
  expect(precedences.length).toBeGreaterThan(8);
  expect(precedences).toEqual([...precedences].sort((a, b) => a - b));
  await expect(table.getByRole("row", { name: /^1000 system-nodes|system-nodes/ }).first()).toContainText(
    "system",
  );
});

test("history has ranges in the address, a crosshair for the keyboard and a table in place of each chart", async ({
  page,
}) => {
  const history = new ClusterPage(page);
  await history.open(headroom.url, ids.get("recent") ?? "", "/history");
  await expect(page.getByRole("button", { name: "24h", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "2h", exact: true }).click();
  await expect(page).toHaveURL(/[?&]range=2h\b/);
  const seats = history.panel("Seats in use and current limit");
  const picture = seats.getByRole("group", {
    name: "Seats in use and current limit. Arrow keys read values.",
  });
  await expect(picture).toHaveAttribute("aria-describedby", /.+/);
  await expect(seats).toContainText(/seats in use, api-\d: from \d+ to \d+/);
  // The picture of the range before stands until that of the new one has come; with it goes the focus.
  await expect(async () => {
    await picture.focus();
    await page.keyboard.press("ArrowLeft");
    await expect(seats.locator("figcaption")).toHaveAttribute("aria-live", "polite", { timeout: 1000 });
  }).toPass();
  await expect(seats.locator("figcaption")).toContainText(/\w{3} \d+ \w{3}, \d\d:\d\d/);
  await page.keyboard.press("Escape");
  await expect(seats.locator("figcaption")).toContainText("latest");

  const nodes = history.panel("Nodes");
  await nodes.getByText("Values as a table").click();
  await expect(
    nodes.getByRole("table", { name: "Nodes" }).getByRole("cell", { name: "250" }).first(),
  ).toBeVisible();

  await page.getByRole("button", { name: "30d", exact: true }).click();
  await expect(page).toHaveURL(/[?&]range=30d\b/);
  await page.getByRole("button", { name: "Earlier" }).click();
  await expect(page).toHaveURL(/[?&]at=\d+/);
  await expect(
    page
      .getByText("Nothing is stored for this range")
      .or(page.getByText("Nothing was read in this range."))
      .first(),
  ).toBeVisible();
  await page.getByRole("button", { name: "To now" }).click();
  await expect(page).not.toHaveURL(/[?&]at=/);
});

test("the page of a cluster as Markdown names the cluster, its figures and what is not known", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const overview = new ClusterPage(page);
  await overview.open(headroom.url, ids.get("old") ?? "");
  await untilListening(page);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown).toMatch(/^## old, overview, /);
  expect(markdown).not.toContain("(demo fleet)");
  expect(markdown).toContain("Kubernetes 1.28.9 · 40 nodes");
  expect(markdown).toMatch(/\| nodes \| 40 \| not published/);
});
