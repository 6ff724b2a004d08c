import { expectAccessible } from "./fixtures/axe.ts";
import { startDemo } from "./fixtures/demo.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { openPage } from "./pages/open-page.ts";

const AGENT = "daemonset/observability/node-telemetry";
const CLUSTER = "stage-eu-west";

let headroom: Headroom;
let clusterId: string;

interface Agents {
  readonly agents: readonly { readonly agentId: string }[];
}
interface Clusters {
  readonly clusters: readonly { readonly clusterId: string; readonly name: string }[];
}

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(400_000);
  headroom = await startDemo(sharedBench);
  const { clusters } = await headroom.ask<Clusters>("/api/palette");
  clusterId = clusters.find(({ name }) => name === CLUSTER)?.clusterId ?? "";
  // The collector simulates cluster by cluster; one that has the agent is enough.
  await expect
    .poll(
      async () => (await headroom.ask<Agents>("/api/agents")).agents.some(({ agentId }) => agentId === AGENT),
      { timeout: 300_000, message: "a stored simulation of the agent" },
    )
    .toBe(true);
});

const agentUrl = (search = "") =>
  `${headroom.url}/agents/${encodeURIComponent(AGENT)}?cluster=${encodeURIComponent(clusterId)}${search}`;

test("agents stand in the top bar, by key, in the palette, and lead to their own page", async ({ page }) => {
  await openPage(page, headroom.url);
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page).toHaveURL(`${headroom.url}/agents`);
  await expect(page.getByRole("banner").getByRole("link", { name: "Agents" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  const table = page.getByRole("table", { name: "Agents, worst verdict first" });
  await expect(table.getByRole("row", { name: /node-telemetry/ })).toBeVisible();
  await expectAccessible(page, "/agents");
  await table.getByRole("link", { name: "observability/node-telemetry" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "node-telemetry" })).toBeVisible();
});

test("a storm is simulated in the browser; choices are in the address, and Back undoes one", async ({
  page,
}) => {
  await openPage(page, agentUrl());
  const storm = page.getByRole("region", { name: /^Storm/ });
  await expect(storm.getByText(/\d+ of 20 seeds|, 20 seeds/).first()).toBeVisible();
  await page.getByRole("radio", { name: /^First rollout/ }).check();
  await expect(page).toHaveURL(/[?&]scenario=first-rollout/);
  await page.getByRole("button", { name: "Memory" }).click();
  await expect(page).toHaveURL(/[?&]lens=memory/);
  const replicas = page.getByRole("slider", { name: /Replicas/ });
  await replicas.focus();
  await replicas.press("End");
  await expect(page).toHaveURL(/[?&]replicas=\d+/);
  await page.goBack();
  await expect(page).not.toHaveURL(/[?&]replicas=/);
  await page.goBack();
  await expect(page).not.toHaveURL(/[?&]lens=/);
  await page.goBack();
  await expect(page.getByRole("radio", { name: /^Start-all/ })).toBeChecked();
});

test("one address gives one picture", async ({ page }) => {
  const figures = async () => {
    await openPage(page, agentUrl("&replicas=60&seed=7"));
    const storm = page.getByRole("region", { name: /^Storm/ });
    await expect(storm.getByText(/60 copies, the last starts/)).toBeVisible();
    return storm.locator("dl dd:nth-of-type(1)").allTextContents();
  };
  const first = await figures();
  expect(first[0]).toMatch(/\d/);
  expect(await figures()).toEqual(first);
});

test("the page has no violation of WCAG, and is copied with its figures", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page, agentUrl());
  await expect(page.getByRole("table", { name: "Remedies compared" })).toBeVisible();
  await expect(page.getByText(/, 20 seeds/).first()).toBeVisible();
  await expectAccessible(page, "an agent");
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown).toMatch(/^## observability\/node-telemetry, agent, /);
  expect(markdown).toContain(`### Storm on ${CLUSTER}: Start-all`);
  expect(markdown).toContain("### Remedies compared");
  expect(markdown).toContain("(simulated)");
});

test("an agent that there is not is not found", async ({ page, complaints }) => {
  complaints.allow(/status of 404/);
  const response = await openPage(page, `${headroom.url}/agents/${encodeURIComponent("daemonset/no/such")}`);
  expect(response?.status()).toBe(404);
});
