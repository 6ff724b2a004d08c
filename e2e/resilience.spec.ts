import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import { laterBy } from "./fixtures/environment.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass, waitUntilUnreachable } from "./fixtures/wait-for-data.ts";
import { ClusterPage } from "./pages/cluster-page.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { openPage } from "./pages/open-page.ts";

test("with every API server black-holed, pages open after a restart with what is stored, its age and the reason", async ({
  page,
  bench,
}) => {
  test.slow();
  const silent = await bench.cluster({ name: "silent", nodes: 31 });
  const gone = await bench.cluster({ name: "gone", nodes: 17 });
  const options = {
    folder: bench.folder,
    kubeconfigs: [await writeKubeconfig(bench.folder, [silent, gone])],
  };
  const before = await bench.headroom(options);
  const ids = await waitForFirstPass(before, ["silent", "gone"]);
  await before.stop();
  silent.faults.add({ fault: { kind: "hang" } });
  await gone.setRefusing("all", true);
  const after = await bench.headroom({ ...options, environment: laterBy(3 * 3600) });
  await waitUntilUnreachable(after, ["silent", "gone"]);

  const fleet = new FleetPage(page);
  await fleet.open(after.url);
  for (const [name, nodes] of [
    ["silent", "31"],
    ["gone", "17"],
  ] as const) {
    const row = fleet.row(name);
    await expect(row.getByRole("cell", { name: nodes, exact: true })).toBeVisible();
    await expect(row).toContainText("1.34.2");
    await expect(row.getByRole("cell", { name: /^3\sh\b/ })).toBeVisible();
    await expect(row.getByRole("cell").first()).toHaveText("unreachable");
  }
  await expect(fleet.row("silent")).toContainText("no answer within 5 s");
  await expect(fleet.row("gone")).toContainText("the connection was refused");

  const cluster = new ClusterPage(page);
  await cluster.open(after.url, ids.get("silent") ?? "");
  await expect(cluster.main).toContainText(/data 3\sh\b.* old/);
  await expect(cluster.main).toContainText("silent does not answer since");
  await expect(cluster.main).toContainText("Figures are the last known good ones");
  await expect(cluster.main).toContainText("31 nodes");
  await expect(cluster.panel("Counts and sizes")).toContainText(/last known good, .*3\sh.* old/);
  await cluster.open(after.url, ids.get("silent") ?? "", "/fairness");
  await expect(cluster.panel("Priority levels")).toContainText(/last known good, .*3\sh.* old/);
  await expect(cluster.panel("Priority levels")).toContainText("No answer within 5 s");
  await expect(
    cluster
      .rowOf(/^Priority levels of/, "workload-low")
      .getByRole("cell")
      .nth(1),
  ).toHaveText("245");
  await cluster.open(after.url, ids.get("gone") ?? "", "/history");
  await expect(cluster.panel("Changes in this range")).toContainText(
    /Unreachable\. .*Figures are the last known good ones\./,
  );
  await expect(cluster.panel("Nodes")).toContainText("latest 17");
});

test("a collector that is killed is said to be, and comes back without the web server going down", async ({
  page,
  bench,
}) => {
  test.slow();
  const steady = await bench.cluster({ name: "steady", nodes: 23 });
  const headroom = await bench.headroom({ kubeconfigs: [await writeKubeconfig(bench.folder, [steady])] });
  await waitForFirstPass(headroom, ["steady"]);
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  // Each crash in a row doubles the pause; the fourth leaves eight seconds to look.
  for (let crash = 1; crash <= 4; crash += 1) {
    await expect.poll(() => headroom.collectorPid(), { timeout: 120_000, intervals: [50] }).not.toBeNull();
    const pid = headroom.collectorPid() ?? Number.NaN;
    process.kill(pid, "SIGKILL");
    await expect.poll(() => headroom.collectorPid(), { intervals: [20] }).not.toBe(pid);
  }
  await page.reload();
  await expect(page.getByText("The collector stopped and is being started again.")).toBeVisible();
  await expect(page.getByText(/signal SIGKILL\. It ended 4 times in a row/)).toBeVisible();
  await expect(fleet.row("steady").getByRole("cell", { name: "23", exact: true })).toBeVisible();
  await expect.poll(() => headroom.collectorPid(), { timeout: 120_000 }).not.toBeNull();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("The collector stopped and is being started again.")).toHaveCount(0);
    await expect(page.getByText("The collector is starting.")).toHaveCount(0);
  }).toPass({ timeout: 120_000 });
  await expect(page.getByRole("banner")).toContainText("1 of 1 fresh");
});

test("without a collector of its own and none elsewhere, pages say that nothing new is read", async ({
  page,
  bench,
}) => {
  const headroom = await bench.headroom({ environment: { COLLECTOR: "external" } });
  await openPage(page, headroom.url);
  await expect(page.getByText("No collector gives a sign of life.")).toBeVisible();
  await expect(page.getByText(/Start one with: npm run collector/)).toBeVisible();
  expect(headroom.collectorPid()).toBeNull();
});

test("a stop needs no force while a browser has a page open", async ({ page, bench, complaints }) => {
  complaints.allow(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  const headroom = await bench.headroom();
  await openPage(page, headroom.url);
  await expect(page.getByRole("banner")).toBeVisible();
  await headroom.stop();
  await expect(async () =>
    expect((await fetch(headroom.url).catch(() => null))?.status).toBeUndefined(),
  ).toPass();
});

test("a damaged store is kept aside whole, and every page names the file", async ({ page, bench }) => {
  const path = join(bench.folder, "headroom.db");
  const damaged = Buffer.alloc(16_384, "this was a database once\n");
  await writeFile(path, damaged);
  // Beside every store that was opened once; without it the file would be somebody's own.
  await writeFile(`${path}.guard`, "");
  const headroom = await bench.headroom({ folder: bench.folder, environment: { COLLECTOR: "external" } });
  await openPage(page, `${headroom.url}/settings/clusters`);
  const notice = page.getByText(/^The store was damaged and was kept aside as /);
  await expect(notice).toBeVisible();
  const aside = /kept aside as (\S+)\. This one begins/.exec((await notice.textContent()) ?? "")?.[1] ?? "";
  expect(existsSync(aside), aside).toBe(true);
  expect((await readFile(aside)).equals(damaged)).toBe(true);
  expect(
    (await readdir(bench.folder)).filter((name) => name.startsWith("headroom.db")).length,
  ).toBeGreaterThan(1);
});

test("a store that cannot be opened leaves /livez alone, and /readyz and the pages say why", async ({
  page,
  bench,
  complaints,
}) => {
  complaints.allow(/status of 503/);
  // Nobody can make a file there, whoever runs this.
  const headroom = await bench.headroom({
    storeUrl: "file:/proc/headroom/headroom.db",
    waitFor: "/livez",
    environment: { COLLECTOR: "external" },
  });
  const live = await page.request.get(`${headroom.url}/livez`);
  expect(live.status()).toBe(200);
  const ready = await page.request.get(`${headroom.url}/readyz`);
  expect(ready.status()).toBe(503);
  expect(await ready.text()).toContain("/proc/headroom");
  await openPage(page, headroom.url);
  await expect(page.getByRole("region", { name: "Clusters, worst first" })).toContainText("/proc/headroom");
  await expect(page.getByRole("button", { name: "Try again" }).first()).toBeVisible();
});
