import { readFile } from "node:fs/promises";
import { DEMO_CLUSTERS, startDemo } from "./fixtures/demo.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { openPage } from "./pages/open-page.ts";

const WORST_FIRST = ["error", "unreachable", "warning", "unknown", "ok"];

let headroom: Headroom;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  headroom = await startDemo(sharedBench);
});

test("a start with no cluster named shows the demo fleet, worst first, and says that it is one", async ({
  page,
}) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  await expect(page.getByRole("banner").getByRole("link", { name: "demo fleet" })).toBeVisible();
  await expect(page.getByText("You are looking at 14 generated clusters.")).toBeVisible();
  await expect(page.getByRole("main")).toContainText(/14 clusters, 6\s650 nodes/);
  await expect(fleet.rows()).toHaveCount(14);
  expect([...(await fleet.names())].sort()).toEqual(DEMO_CLUSTERS);
  const states = await fleet
    .rows()
    .evaluateAll((rows) => rows.map((row) => row.querySelector("td")?.textContent.trim()));
  const ranks = states.map((state) => WORST_FIRST.indexOf(state ?? ""));
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  expect(ranks[0]).toBeLessThan(WORST_FIRST.indexOf("ok"));

  const ml = fleet.row("ml-us-east");
  await expect(ml).toContainText(/workload-low on api-\d: \d+ of 368 seats|reject/);
  await expect(ml.getByRole("cell", { name: "640", exact: true })).toBeVisible();
  await expect(ml.getByRole("cell", { name: "1.34.3", exact: true })).toBeVisible();
  await expect(fleet.row("edge-ap-south")).toContainText("no answer within 5 s");
  await expect(fleet.row("edge-ap-south")).toContainText(/3\sh\s\d+\smin/);

  await expect(fleet.changes).toContainText(/\d+ new, 0 already acknowledged/);
  await expect(fleet.changeRows()).toHaveCount(8);
  await expect(fleet.changeRows().filter({ hasText: "Requests are rejected." })).toContainText("generated");
  await fleet.changes.getByRole("button", { name: /^Show/ }).click();
  await expect(fleet.changeRows().nth(20)).toBeVisible();
  // It went away hours ago: that is told once, as the past that it is.
  const outage = fleet.changeRows().filter({ hasText: "edge-ap-south" });
  await expect(outage.filter({ hasText: "Unreachable." })).toHaveCount(1);
  await expect(outage.filter({ hasText: "Unreachable." })).toContainText("generated");
});

test("the notice about the demo can be closed and stays closed; the tag stays", async ({ page }) => {
  await openPage(page, headroom.url);
  await page.getByRole("button", { name: "Close this notice" }).click();
  await expect(page.getByText("You are looking at 14")).toBeHidden();
  await page.reload();
  await expect(page.getByRole("link", { name: "demo fleet" })).toBeVisible();
  await expect(page.getByText("You are looking at 14")).toBeHidden();
  await page.getByRole("link", { name: "demo fleet" }).click();
  await expect(page).toHaveURL(`${headroom.url}/first-run`);
  await expect(page.getByRole("heading", { name: "1. Name a kubeconfig at the start" })).toBeVisible();
});

test("filter and order are in the address; Back undoes a choice at a time", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  const input = fleet.clusters.getByRole("searchbox");
  await input.fill("edge");
  await expect(fleet.rows()).toHaveCount(3);
  await expect(page).toHaveURL(/[?&]q=edge\b/);
  await fleet.clusters.getByRole("button", { name: /^Ok \d+$/ }).click();
  await expect(page).toHaveURL(/[?&]state=ok\b/);
  await expect(fleet.rows()).toHaveCount(2);
  await expect(fleet.row("edge-ap-south")).toHaveCount(0);
  await input.fill("");
  await expect(page).not.toHaveURL(/[?&]q=/);
  await fleet.clusters.getByRole("button", { name: "Nodes", exact: true }).click();
  await expect(page).toHaveURL(/[?&]sort=/);
  await expect(fleet.clusters.getByRole("columnheader", { name: "Nodes" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  // Which clusters are in order moves while their agents are simulated for the first time.
  const largest = async () => {
    const { rows } = await headroom.ask<{
      readonly rows: readonly { readonly name: string; readonly state: string; readonly nodes: number }[];
    }>("/api/fleet");
    return rows.filter(({ state }) => state === "ok").sort((a, b) => b.nodes - a.nodes)[0]?.name;
  };
  const isLargestFirst = async () => (await fleet.names())[0] === (await largest());
  await expect.poll(isLargestFirst).toBe(true);
  const shared = page.url();

  await page.goBack();
  await expect(page).not.toHaveURL(/[?&]sort=/);
  await expect(fleet.clusters.getByRole("button", { name: /^Ok \d+$/ })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.goBack();
  await expect(page).not.toHaveURL(/[?&]state=/);
  await expect(fleet.clusters.getByRole("button", { name: "All 14" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );

  await openPage(page, shared);
  await expect.poll(isLargestFirst).toBe(true);
  await expect(fleet.row("edge-ap-south")).toHaveCount(0);
});

test("a filter that nothing fits says so and offers the way back", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url, "?q=nothing-has-this-name");
  await expect(fleet.clusters).toContainText("No cluster fits the filter");
  await fleet.clusters.getByRole("button", { name: "Show all 14" }).click();
  await expect(fleet.rows()).toHaveCount(14);
});

test("Copy as Markdown holds the figures of the page, where they are from and when", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url, "?q=prod-");
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown).toMatch(/^## Fleet, \d{4}-\d\d-\d\d \d\d:\d\d UTC \(demo fleet\)\n/);
  expect(markdown).toContain(`[${headroom.url}/?q=prod-](${headroom.url}/?q=prod-)`);
  expect(markdown).toContain("### Clusters, 4 of 14");
  expect(markdown).toMatch(/\| prod-us-east \|.*\| 2\s000 \| 1\.34\.2 \|/);
  expect(markdown).toMatch(/\| [^|]+ UTC \| error \| ml-us-east \| Requests are rejected\./);
  expect(markdown).toContain("All figures measured.");
  expect(markdown).toMatch(/Headroom's own cost: [\d.]+ requests\/min/);
});

test("CSV holds the rows of the table as they are filtered, with plain numbers", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url, "?q=prod-");
  await expect(fleet.rows()).toHaveCount(4);
  const pending = page.waitForEvent("download");
  await fleet.clusters.getByRole("button", { name: "CSV of headroom-fleet" }).click();
  const download = await pending;
  expect(download.suggestedFilename()).toBe("headroom-fleet.csv");
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines).toHaveLength(5);
  expect(lines[0]).toContain("Cluster,");
  const [, ...rows] = lines;
  expect(rows.map((row) => row.split(",")[1]).sort()).toEqual([
    "prod-ap-east",
    "prod-eu-west",
    "prod-us-east",
    "prod-us-west",
  ]);
  expect(rows.find((row) => row.includes("prod-us-east"))).toContain(",2000,");
});

test("a time zone that the reader chose holds on every page, also after a reload", async ({ page }) => {
  await openPage(page, `${headroom.url}/settings/preferences`);
  await page.getByRole("combobox", { name: "Time zone" }).selectOption("Asia/Tokyo");
  await expect(page.getByRole("contentinfo")).toContainText("Asia/Tokyo");
  await openPage(page, headroom.url);
  await expect(page.getByRole("contentinfo")).toContainText("Asia/Tokyo");
  const shown = page.getByRole("main").locator("time").first();
  const instant = new Date((await shown.getAttribute("datetime")) ?? "");
  await expect(shown).toContainText("GMT+9");
  const hour = String((instant.getUTCHours() + 9) % 24).padStart(2, "0");
  await expect(shown).toHaveText(new RegExp(` ${hour}:`));
});

test("the theme goes round system, dark and light, and is there before the first paint", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await openPage(page, headroom.url);
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-theme", "light");
  await page.getByRole("button", { name: "Theme: system. Change to dark" }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  const dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.reload({ waitUntil: "commit" });
  await expect(root).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Theme: dark. Change to light" }).click();
  await expect(root).toHaveAttribute("data-theme", "light");
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).not.toBe(
    dark,
  );
});

test("at 390 px rows are stacked and no page scrolls sideways", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  const row = fleet.row("ml-us-east");
  const name = await row.getByRole("link", { name: "ml-us-east", exact: true }).boundingBox();
  const reason = await row.getByText(/^workload-low on api-/).boundingBox();
  expect(name?.y).toBeLessThan(reason?.y ?? 0);
  expect((reason?.x ?? 400) + (reason?.width ?? 0)).toBeLessThanOrEqual(390);
  for (const path of [
    "/",
    "/clusters/ml-us-east",
    "/clusters/ml-us-east/fairness",
    "/clusters/ml-us-east/history",
    "/first-run",
    "/settings/clusters",
    "/settings/preferences",
  ]) {
    await openPage(page, `${headroom.url}${path}`);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths, path).toEqual([390, 390]);
  }
});

test("an address that names nothing says so, as a page and to programs", async ({ page, complaints }) => {
  complaints.allow(/status of 404/);
  for (const path of ["/clusters/no-such-cluster", "/clusters/no-such-cluster/history", "/nowhere"]) {
    const response = await openPage(page, `${headroom.url}${path}`);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByText("There is nothing at this address")).toBeVisible();
  }
  const api = await page.request.get(`${headroom.url}/api/clusters/no-such-cluster/overview`);
  expect(api.status()).toBe(404);
  expect(api.headers()["content-type"]).toBe("application/problem+json");
});
