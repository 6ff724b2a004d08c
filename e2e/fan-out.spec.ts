import { readFile } from "node:fs/promises";
import type { FanOutResponse } from "../lib/contracts/fan-out.ts";
import { AGENT_CATALOGUE } from "../lib/domain/agents/catalogue/catalogue.ts";
import { costOfAgent } from "../lib/domain/agents/cost/agent-cost.ts";
import { resolveAgent } from "../lib/domain/agents/resolve-agent.ts";
import type { ClusterScenario } from "../lib/fake-api-server/index.ts";
import { composeScenario } from "../lib/fake-api-server/scenario-builder.ts";
import { standardCounts } from "../lib/fake-api-server/scenarios.ts";
import { standardLoad } from "../lib/fake-api-server/standard-load.ts";
import { formatBytes } from "../lib/format/bytes.ts";
import { formatCount } from "../lib/format/number.ts";
import { expectAccessible } from "./fixtures/axe.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { ClusterPage } from "./pages/cluster-page.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { untilListening } from "./pages/open-page.ts";

const AGENTS = "Agents, if all copies LIST at once";
const READS = "pods protobuf; namespaces protobuf; client client-go/0.32.3";
const LARGE = { name: "large", nodes: 400, pods: 12_000 };
const SMALL = { name: "small", nodes: 12, pods: 200 };

let headroom: Headroom;
let ids: ReadonlyMap<string, string>;

test.describe.configure({ timeout: 300_000 });
test.use({ viewport: { width: 1440, height: 900 } });

/** A cluster with one agent on every node that LISTs all pods, and one that only RBAC bounds. */
function scenarioOf({ name, nodes, pods }: typeof LARGE): ClusterScenario {
  const startedAt = Date.UTC(2026, 0, 1);
  const agent = (agentName: string, annotations: Readonly<Record<string, string>>) => ({
    kind: "DaemonSet" as const,
    namespace: "observability",
    name: agentName,
    image: `registry.example.com/${agentName}:2.6.3`,
    replicas: "nodes" as const,
    serviceAccountName: agentName,
    annotations,
    clusterRules: [{ apiGroups: [""], resources: ["pods", "namespaces"], verbs: ["get", "list", "watch"] }],
  });
  return composeScenario({
    name,
    seed: name,
    kubernetesVersion: "1.34.2",
    createdAt: startedAt,
    serverNames: [`${name}-cp-0`],
    nodesAt: () => nodes,
    podsAt: () => pods,
    podStoredBytes: 5000,
    nodeStoredBytes: 9000,
    namespaces: 40,
    counts: standardCounts(nodes, 34),
    workloads: [agent("telemetry", { "headroom.dev/informers": READS }), agent("unknown-agent", {})],
    staticPods: [],
    apiServices: [],
    webhooks: [],
    customResources: [],
    load: (levels) =>
      standardLoad({
        minor: 34,
        levels,
        seed: name,
        startedAt: () => startedAt,
        nodesAt: () => nodes,
        typicalNodes: nodes,
        servers: 1,
        storageBytes: () => 200e6,
      }),
  });
}

const askFanOut = (name: string) =>
  headroom.ask<FanOutResponse>(`/api/clusters/${ids.get(name) ?? ""}/fan-out`);

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(240_000);
  const clusters = [];
  for (const each of [LARGE, SMALL]) {
    clusters.push(await sharedBench.cluster({ name: each.name, change: () => scenarioOf(each) }));
  }
  headroom = await sharedBench.headroom({
    kubeconfigs: [await writeKubeconfig(sharedBench.folder, clusters)],
  });
  ids = await waitForFirstPass(headroom, [LARGE.name, SMALL.name]);
  for (const { name } of [LARGE, SMALL]) {
    await expect
      .poll(async () => (await askFanOut(name)).projection?.isCurrent ?? false, {
        timeout: 180_000,
        message: `simulation of ${name}`,
      })
      .toBe(true);
  }
});

const rowOf = (page: ClusterPage, agent: string) =>
  page.page.getByRole("table", { name: AGENTS }).getByRole("row").filter({ hasText: agent });

test("figures of the table are those of the cost model for what the cluster holds", async ({ page }) => {
  const { facts } = await askFanOut(LARGE.name);
  if (facts === null) throw new Error("no facts");
  const agent = resolveAgent(
    {
      kind: "DaemonSet",
      namespace: "observability",
      name: "telemetry",
      serviceAccountName: "telemetry",
      labels: {},
      containers: [
        {
          name: "telemetry",
          image: "registry.example.com/telemetry:2.6.3",
          words: null,
          variables: null,
          configTexts: [],
          isConfigKnown: false,
        },
      ],
      replicas: { kind: "per-node", count: LARGE.nodes },
      isKeptFromNodes: null,
      informersAnnotation: READS,
    },
    { catalogue: AGENT_CATALOGUE },
  );
  const { perStart, total, levels } = costOfAgent(agent, facts);
  expect(perStart.seats.value).toBe(11);
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  const cells = rowOf(fanOut, "observability/telemetry").getByRole("cell");
  await expect(cells.nth(1)).toHaveText(formatCount(LARGE.nodes));
  await expect(cells.nth(2)).toContainText("workload-low");
  await expect(cells.nth(3)).toContainText("pods, namespaces, all declared");
  await expect(cells.nth(4)).toHaveText(`≈ ${formatBytes(perStart.receivedBytes.value)}`);
  await expect(cells.nth(5)).toHaveText(formatCount(perStart.seats.value));
  await expect(cells.nth(6)).toHaveText(`≈ ${formatBytes(total?.receivedBytes.value ?? 0)}`);
  await expect(cells.nth(7)).toHaveText(formatCount(total?.seats.value ?? 0));
  await expect(cells.nth(10)).toHaveText(/^(unsafe|visible)$/);
  const [level] = levels;
  const capacity = fanOut
    .panel("Start-all cost against capacity")
    .getByRole("row", { name: /^workload-low/ });
  await expect(capacity.getByRole("cell").nth(4)).toHaveText(formatCount(level?.capacity?.ceilingSeats ?? 0));
  await expect(rowOf(fanOut, "observability/unknown-agent").getByRole("cell").nth(10)).toHaveText(
    "inconclusive",
  );
  const prices = fanOut.panel("What a LIST costs here").getByRole("row", { name: /^pods/ });
  await expect(prices.getByRole("cell").nth(4)).toHaveText("10");
});

test("verdict and drain time are those that the store holds, and the tab counts them", async ({ page }) => {
  const { agents } = await askFanOut(LARGE.name);
  const worst = agents[0];
  expect(worst?.title).toBe("observability/telemetry");
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  await expect(rowOf(fanOut, "observability/telemetry").getByRole("cell").nth(10)).toHaveText(
    worst?.projection?.verdict ?? "",
  );
  const count = agents.filter(({ projection }) => projection?.verdict === worst?.projection?.verdict).length;
  await expect(page.getByRole("link", { name: /^Fan-out/ })).toContainText(String(count));
  await expect(fanOut.main).toContainText(/agents? (is|are) (unsafe|visible)\./);
});

test("a small cluster rolls normally, in one line with the threshold", async ({ page }) => {
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(SMALL.name) ?? "", "/fan-out");
  await expect(fanOut.main).toContainText("small: roll normally.");
  await expect(fanOut.main).toContainText("neighbours wait at most 1 s at p99");
});

test("a row is chosen by keyboard, stands in the address, and its curve is simulated in the browser", async ({
  page,
}) => {
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  await rowOf(fanOut, "observability/telemetry").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/[?&]agent=/);
  await expect(fanOut.main).not.toContainText("What observability/telemetry rests on");
  await page.goBack();
  await expect(page).not.toHaveURL(/agent=/);
  await expect(page.getByRole("heading", { name: "What observability/telemetry rests on" })).toBeVisible();
  const curve = fanOut.panel("Drain time against node count");
  await expect(curve).toContainText(/\d+ storms simulated in this browser/, { timeout: 120_000 });
  await expect(curve).toContainText(/queue wait limit|drain/);
  const picture = curve.getByRole("group", { name: /^Drain time against node count/ });
  await picture.focus();
  await page.keyboard.press("ArrowRight");
  await expect(curve).toContainText(/\d+ nodes: \d/);
  await page.reload();
  await untilListening(page);
  await expect(page.getByRole("table", { name: AGENTS })).toBeVisible();
});

test("a chip says source and what would raise it; the page has no violation in either theme", async ({
  page,
}) => {
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  await expect(fanOut.panel("Drain time against node count")).toContainText(
    /storms simulated in this browser/,
    {
      timeout: 120_000,
    },
  );
  await expectAccessible(page, "the fan-out page");
  await rowOf(fanOut, "observability/telemetry")
    .getByRole("button", { name: /^declared: evidence of/ })
    .click();
  const popover = page.getByRole("dialog", { name: /^Evidence of telemetry/ });
  await expect(popover).toContainText("annotation headroom.dev/informers");
  await expect(popover).toContainText("An audit log over the start of one copy.");
  await expectAccessible(page, "a chip that is open");
});

test("at 1440 px nothing of the tables is cut", async ({ page }) => {
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  await expect(rowOf(fanOut, "observability/telemetry")).toBeVisible();
  for (const name of [AGENTS, "Start-all cost against capacity", "What a LIST costs here"]) {
    await expect(page.getByRole("table", { name }).locator("xpath=.."), name).not.toHaveAttribute(
      "data-more",
    );
  }
});

test("the fleet shows the column, the card and the worst case, and leads to the page", async ({ page }) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  const card = page
    .getByRole("group", { name: "Risks, clusters by state" })
    .getByRole("link", { name: /^Fan-out/ });
  await expect(card).toContainText(/Worst: large: observability\/telemetry 2\.6\.3 (unsafe|visible): ≈/);
  await page.getByRole("link", { name: /^Fan-out of large: (error|warning)/ }).click();
  await expect(page).toHaveURL(/\/fan-out$/);
  await expect(page.getByRole("table", { name: AGENTS })).toBeVisible();
});

test("all tables are in Markdown and as CSV", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const fanOut = new ClusterPage(page);
  await fanOut.open(headroom.url, ids.get(LARGE.name) ?? "", "/fan-out");
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  for (const head of [`### ${AGENTS}`, "### Start-all cost against capacity", "### What a LIST costs here"]) {
    expect(markdown).toContain(head);
  }
  expect(markdown).toMatch(/observability\/telemetry \(2\.6\.3 · DaemonSet\) \|.*\(simulated\)/);
  const pending = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV of headroom-large-agents", exact: true }).click();
  const lines = (await readFile(await (await pending).path(), "utf8")).trimEnd().split("\r\n");
  expect(lines[0]).toContain("Agent,Replicas,Priority level");
  expect(lines.some((line) => line.startsWith("observability/telemetry,400,workload-low,"))).toBe(true);
});
