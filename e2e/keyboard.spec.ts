import { startDemo } from "./fixtures/demo.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { openPage, untilListening } from "./pages/open-page.ts";

let headroom: Headroom;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  headroom = await startDemo(sharedBench);
});

test("Ctrl K finds a cluster by part of its name and opens it", async ({ page }) => {
  await openPage(page, headroom.url);
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Find a cluster, agent, rule or page" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("payments-u");
  const found = palette.getByRole("option", { name: /payments-us/ });
  await expect(found).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${headroom.url}/clusters/payments-us`);
  await expect(page.getByRole("heading", { level: 1, name: "payments-us" })).toBeVisible();

  await page.keyboard.press("Control+k");
  await expect(palette.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("qqqq");
  await expect(palette).toContainText("Nothing by that name");
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
});

test("? lists the keys of the page, and Esc closes the list", async ({ page }) => {
  // One with a neighbour on either side.
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  const [, , name = ""] = await fleet.names();
  await openPage(page, `${headroom.url}/clusters/${name}`);
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  for (const label of [
    "Copy the page as Markdown",
    "Previous cluster, same tab",
    "Next cluster, same tab",
    "Change the theme",
    "Go to the fleet",
  ]) {
    await expect(keys.getByText(label)).toBeVisible();
  }
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
});

test("[ and ] go to the neighbours in the fleet's order and keep the tab", async ({ page }) => {
  const fleet = new FleetPage(page);
  // The order moves while the agents of the demo fleet are simulated for the first time: again, until it stood still.
  await expect(async () => {
    await fleet.open(headroom.url);
    const [, second = "", third = ""] = await fleet.names();
    await openPage(page, `${headroom.url}/clusters/${second}/fairness`);
    await page.keyboard.press("]");
    await expect(page).toHaveURL(`${headroom.url}/clusters/${third}/fairness`, { timeout: 5000 });
    await expect(page.getByRole("heading", { level: 1, name: third })).toBeVisible();
    await page.keyboard.press("[");
    await expect(page).toHaveURL(`${headroom.url}/clusters/${second}/fairness`, { timeout: 5000 });
  }).toPass({ timeout: 180_000 });
});

test("letters do nothing while somebody types, and / leads to the filter", async ({ page }) => {
  const fleet = new FleetPage(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await fleet.open(headroom.url);
  await page.keyboard.press("/");
  const filter = fleet.clusters.getByRole("searchbox");
  await expect(filter).toBeFocused();
  await page.keyboard.type("t?c[j");
  await expect(filter).toHaveValue("t?c[j");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Theme: system/ })).toBeVisible();
  await filter.blur();
  await page.keyboard.press("t");
  await expect(page.getByRole("button", { name: /^Theme: dark/ })).toBeVisible();
});

test("c copies the page as Markdown", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page, `${headroom.url}/clusters/prod-us-east`);
  await page.keyboard.press("c");
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^## prod-us-east, overview, .* UTC \(demo fleet\)\n[\s\S]*Kubernetes 1\.34\.2 · 2\s000 nodes · 48\s000 pods/,
  );
});

test("single-letter keys can be turned off; Ctrl K, arrows and Enter stay", async ({ page }) => {
  await openPage(page, `${headroom.url}/settings/preferences`);
  await page.getByRole("checkbox", { name: "Single-letter keys" }).uncheck();
  await openPage(page, headroom.url);
  await page.keyboard.press("t");
  await page.keyboard.press("?");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Find a cluster, agent, rule or page" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Theme: system/ })).toBeVisible();
});

test("a journey by keyboard alone: from the fleet to the evidence and back", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  const order = await fleet.names();
  const rows = fleet.rows();
  // One tab stop per table: the first row of the clusters comes after the filters.
  await page.keyboard.press("/");
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press("Tab");
    if (await rows.first().evaluate((row) => row === document.activeElement)) break;
  }
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${headroom.url}/clusters/${order[1]}`);
  await untilListening(page);
  const history = page
    .getByRole("navigation", { name: "Cluster pages" })
    .getByRole("link", { name: "History" });
  await history.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${headroom.url}/clusters/${order[1]}/history`);
  await expect(page.getByRole("group", { name: "Range" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(page).toHaveURL(`${headroom.url}/`);
  await expect(fleet.rows()).toHaveCount(14);
});
