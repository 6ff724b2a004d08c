import { expectAccessible } from "./fixtures/axe.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import { startDemo } from "./fixtures/demo.ts";
import { laterBy } from "./fixtures/environment.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass, waitUntilUnreachable } from "./fixtures/wait-for-data.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { openPage } from "./pages/open-page.ts";
import { SettingsPage } from "./pages/settings-page.ts";

// Pictures of every step of a scan cost more than the scans.
test.use({ trace: "off", colorScheme: "dark" });

let headroom: Headroom;

// A scan is seconds of work for one core, and a test makes several.
test.describe.configure({ timeout: 240_000 });

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  headroom = await startDemo(sharedBench);
});

for (const [path, ready] of [
  ["/", "Clusters, worst first"],
  ["/?q=nothing-has-this-name", "Clusters, worst first"],
  ["/clusters/ml-us-east", "Findings, worst first"],
  ["/clusters/ml-us-east/fan-out", "Agents, if all copies LIST at once"],
  ["/clusters/ml-us-east/fairness", "Priority levels"],
  ["/clusters/ml-us-east/history", "Seats in use and current limit"],
  ["/clusters/edge-ap-south", "Findings, worst first"],
  ["/first-run", "This is the demo fleet"],
  ["/rules", "Rules by area"],
  ["/rules?q=nothing-has-this-name", "Rules by area"],
  ["/rules/rollout.unpaced", "What, why, fix"],
  ["/settings/clusters", "Minimal ClusterRole"],
  ["/settings/preferences", "Preferences"],
] as const) {
  test(`${path} has no violation`, async ({ page }) => {
    await openPage(page, `${headroom.url}${path}`);
    await expect(page.getByRole("heading", { level: 2, name: ready, exact: true })).toBeVisible();
    await expectAccessible(page, `${path}`);
  });
}

test("an address that names nothing has no violation", async ({ page, complaints }) => {
  complaints.allow(/status of 404/);
  await openPage(page, `${headroom.url}/nowhere`);
  await expectAccessible(page, `not found`);
});

test("dialogs have no violation", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("option", { name: /ml-us-east/ })).toBeVisible();
  await expectAccessible(page, `palette`);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("button", { name: "Keys" }).click();
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await expectAccessible(page, `keys`);
  await page.keyboard.press("Escape");
  await fleet.changes.getByRole("button", { name: /^Acknowledge all/ }).click();
  await expect(page.getByRole("dialog", { name: /^Acknowledge all/ })).toBeVisible();
  await expectAccessible(page, `question`);
});

test("opened details have no violation: permissions, a chart as a table, a failed test", async ({ page }) => {
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings
    .target("ml-us-east")
    .getByRole("button", { name: /granted/ })
    .click();
  await expect(page.getByRole("table", { name: "Permissions in ml-us-east" })).toBeVisible();
  await settings.addPanel.getByRole("button", { name: "Add cluster" }).click();
  await settings.test("/nowhere/kubeconfig", "none");
  await expect(settings.addPanel).toContainText("The cluster could not be read.");
  await expectAccessible(page, `settings in use`);
  await openPage(page, `${headroom.url}/clusters/ml-us-east/history`);
  await page.getByRole("region", { name: "Nodes" }).getByText("Values as a table").click();
  await expect(page.getByRole("table", { name: "Nodes" })).toBeVisible();
  await expectAccessible(page, `history with a table`);
});

test("a phone's width has no violation", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/", "/clusters/ml-us-east/fairness", "/settings/clusters"]) {
    await openPage(page, `${headroom.url}${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectAccessible(page, `${path} at 390 px`);
  }
});

test("stale, partial and unreachable clusters have no violation", async ({ page, bench }) => {
  const silent = await bench.cluster({ name: "silent" });
  const partial = await bench.cluster({
    name: "partial",
    faults: [{ fault: { kind: "status", code: 403 }, path: "/metrics" }],
  });
  const options = {
    folder: bench.folder,
    kubeconfigs: [await writeKubeconfig(bench.folder, [silent, partial])],
  };
  const before = await bench.headroom(options);
  const ids = await waitForFirstPass(before, ["silent", "partial"]);
  await before.stop();
  await silent.setRefusing("all", true);
  const after = await bench.headroom({ ...options, environment: laterBy(7200) });
  await waitUntilUnreachable(after, ["silent"]);
  for (const path of [
    "/",
    `/clusters/${ids.get("silent")}`,
    `/clusters/${ids.get("silent")}/fairness`,
    `/clusters/${ids.get("silent")}/history`,
    `/clusters/${ids.get("partial")}`,
    `/clusters/${ids.get("partial")}/fairness`,
  ]) {
    await openPage(page, `${after.url}${path}`);
    await expect(page.getByRole("main")).toContainText(/silent|partial/);
    await expectAccessible(page, `${path} in trouble`);
  }
});

test("an empty start without a collector, and a store that does not open, have no violation", async ({
  page,
  bench,
  complaints,
}) => {
  complaints.allow(/status of 503/);
  const empty = await bench.headroom({ environment: { COLLECTOR: "external" } });
  const broken = await bench.headroom({
    storeUrl: "file:/proc/headroom/headroom.db",
    waitFor: "/livez",
    environment: { COLLECTOR: "external" },
  });
  for (const path of ["/", "/first-run", "/settings/clusters"]) {
    await openPage(page, `${empty.url}${path}`);
    await expect(page.getByText("No collector gives a sign of life.")).toBeVisible();
    await expectAccessible(page, `${path} of an empty start`);
    await openPage(page, `${broken.url}${path}`);
    await expect(page.getByRole("main")).toContainText("/proc/headroom");
    await expectAccessible(page, `${path} without a store`);
  }
});
