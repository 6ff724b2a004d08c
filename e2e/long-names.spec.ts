import { writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { openPage } from "./pages/open-page.ts";

/** As cloud providers name contexts, and longer: without a blank to break at. */
const NAME = `arn:aws:eks:eu-central-1:123456789012:cluster/${"platform-production-".repeat(10)}blue`;

let headroom: Headroom;
let clusterId: string;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  const cluster = await sharedBench.cluster({ name: NAME });
  const kubeconfig = await writeKubeconfig(sharedBench.folder, [cluster]);
  headroom = await sharedBench.headroom({ kubeconfigs: [kubeconfig] });
  clusterId = (await waitForFirstPass(headroom, [NAME])).get(NAME) ?? "";
});

for (const width of [390, 1440]) {
  test(`a name of hundreds of characters makes no page scroll sideways at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    const ofCluster = `/clusters/${encodeURIComponent(clusterId)}`;
    for (const path of [
      "/",
      ofCluster,
      `${ofCluster}/fairness`,
      `${ofCluster}/history`,
      "/settings/clusters",
    ]) {
      await openPage(page, `${headroom.url}${path}`);
      await expect(page.getByRole("main").getByText(NAME).first()).toBeVisible();
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      expect(widths, path).toEqual([width, width]);
    }
  });
}
