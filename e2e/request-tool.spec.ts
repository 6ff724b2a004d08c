import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { defaultFlowControl } from "../lib/domain/fairness/defaults/defaults.ts";
import { ruleVersion } from "../lib/domain/kubernetes/version.ts";
import { type FlowControl, flowControlCollections } from "../lib/fake-api-server/flow-control-objects.ts";
import type { ClusterScenario } from "../lib/fake-api-server/index.ts";
import type { FlowMatchVector } from "../lib/vectors/flow-match-vector.ts";
import { readVectors } from "../lib/vectors/read-vectors.ts";
import { expectAccessible } from "./fixtures/axe.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { ClusterPage } from "./pages/cluster-page.ts";
import { untilListening } from "./pages/open-page.ts";

/** A cluster with the objects that its recorded requests met. */
interface Case {
  readonly name: string;
  readonly version: string;
  readonly vectors: readonly FlowMatchVector[];
}

const { vectors } = readVectors<FlowMatchVector>("flow-match.json.gz");
const TITLE = "Which FlowSchema catches this request?";
const PER_DEFAULTS = 5;

/** Recorded requests that met the same objects, by these. */
const byObjects = Map.groupBy(vectors, ({ flowSchemas, priorityLevels }) =>
  JSON.stringify([flowSchemas, priorityLevels]),
);
const largestOf = (kind: string): readonly FlowMatchVector[] =>
  [...byObjects.values()].filter((group) => group[0]?.kind === kind).sort((a, b) => b.length - a.length)[0] ??
  [];

/** Defaults of five versions, each with requests of its own, and objects that somebody added. */
const CASES: readonly Case[] = [
  ...["1.26.3", "1.29.6", "1.31.14", "1.34.13", "1.37.2"].map((version, index) => ({
    name: `defaults-${version}`,
    version,
    vectors: vectors
      .filter(({ kind, versions }) => kind === "defaults" && versions.includes(version))
      .slice(index * PER_DEFAULTS, (index + 1) * PER_DEFAULTS),
  })),
  { name: "subjects", version: "1.33.13", vectors: largestOf("subject") },
  { name: "paths", version: "1.36.6", vectors: largestOf("url") },
];

let headroom: Headroom;
let ids: ReadonlyMap<string, string>;

test.describe.configure({ timeout: 300_000 });

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(240_000);
  const clusters = [];
  for (const each of CASES) {
    clusters.push(
      await sharedBench.cluster({
        name: each.name,
        kubernetesVersion: each.version,
        servers: 1,
        change: (scenario) => withObjects(scenario, each),
      }),
    );
  }
  headroom = await sharedBench.headroom({
    kubeconfigs: [await writeKubeconfig(sharedBench.folder, clusters)],
  });
  ids = await waitForFirstPass(
    headroom,
    CASES.map(({ name }) => name),
  );
});

/** The scenario with the FlowSchemas and priority levels of the recorded requests. */
function withObjects(scenario: ClusterScenario, { version, vectors: [first] }: Case): ClusterScenario {
  if (first === undefined) throw new Error("no vector");
  const flowControl = flowControlOf(first, version);
  const own = flowControlCollections(flowControl, {
    clusterUid: scenario.uid,
    createdAt: scenario.createdAt,
  });
  const names = new Set(own.map(({ type }) => type.resource));
  return {
    ...scenario,
    collections: [...scenario.collections.filter(({ type }) => !names.has(type.resource)), ...own],
  };
}

/** As the fake server keeps them. The casts: it serves what it is given, and the sets hold whole objects. */
function flowControlOf({ flowSchemas, priorityLevels }: FlowMatchVector, version: string): FlowControl {
  const defaults = defaultFlowControl(ruleVersion(version).minor);
  type Schema = FlowControl["flowSchemas"][number];
  type Level = FlowControl["priorityLevelConfigurations"][number];
  const common = { autoUpdate: null, mandatory: false };
  return {
    flowSchemas: byName(
      flowSchemas.flatMap((each): readonly Schema[] =>
        each === "defaults"
          ? defaults.flowSchemas
          : [{ ...common, name: each.metadata.name, spec: each.spec as Schema["spec"] }],
      ),
    ),
    priorityLevelConfigurations: byName(
      priorityLevels.flatMap((each): readonly Level[] =>
        each === "defaults"
          ? defaults.priorityLevelConfigurations
          : [{ ...common, name: each.metadata.name, spec: each.spec as Level["spec"] }],
      ),
    ),
  };
}

const byName = <T extends { readonly name: string }>(objects: readonly T[]): readonly T[] => [
  ...new Map(objects.map((object) => [object.name, object])).values(),
];

/** The address that asks about a recorded request. */
function searchOf({ user, groups, method, path, query }: FlowMatchVector): string {
  const search = new URLSearchParams({
    who: "user",
    user,
    groups: groups.join("\n"),
    by: "path",
    path: query === "" ? path : `${path}?${query}`,
  });
  if (method !== "GET") search.set("method", method);
  return `?${search}`;
}

/** What stands under a head of the result. */
const resultOf = (page: Page, head: string) =>
  page
    .getByRole("region", { name: TITLE })
    .locator("dt", { hasText: new RegExp(`^${head}$`) })
    .locator("xpath=following-sibling::dd[1]")
    .locator("b");

for (const each of CASES) {
  test(`${each.vectors.length} recorded requests, objects of ${each.name}: the page answers as the API server of ${each.version}`, async ({
    page,
  }) => {
    expect(each.vectors.length).toBeGreaterThanOrEqual(PER_DEFAULTS);
    const fairness = new ClusterPage(page);
    for (const vector of each.vectors) {
      await fairness.open(headroom.url, ids.get(each.name) ?? "", "/fairness", searchOf(vector));
      await expect(resultOf(page, "Result"), vector.id).toHaveText(
        `${vector.flowSchema} → ${vector.priorityLevel}`,
      );
      if (vector.distinguisher !== "") {
        await expect(resultOf(page, "Flow"), vector.id).toHaveText(vector.distinguisher);
      } else {
        await expect(resultOf(page, "Flow"), vector.id).toHaveText(/^(none|one for all|no namespace)$/);
      }
      const rows = page.getByRole("table", { name: "Evaluation, by matchingPrecedence" }).getByRole("row");
      await expect(rows.last(), vector.id).toContainText(vector.flowSchema);
      await expect(rows.last()).toHaveAttribute("aria-selected", "true");
    }
  });
}

test("a request is asked by keyboard alone, stays in the address, and the price has its reasons", async ({
  page,
}) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("defaults-1.34.13") ?? "", "/fairness");
  const tool = fairness.panel(TITLE);
  await expect(tool).toContainText("Nobody is named yet");
  await tool.getByLabel("Service account", { exact: true }).focus();
  await page.keyboard.type("monitoring/agent");
  await expect(resultOf(page, "Result")).toHaveText("service-accounts → workload-low");
  await expect(page).toHaveURL(/[?&]account=monitoring\/agent\b/);
  await expect(resultOf(page, "Price")).toHaveText(/^\d+ seats?$/);
  await expect(tool).toContainText("1.34: size-based; from cache;");
  await expect(resultOf(page, "Served")).toHaveText("from the watch cache");
  await expect(tool).toContainText(/Rests on api-0: nominal limit of workload-low \d+ seats/);

  await tool.getByLabel("limit", { exact: true }).fill("ten");
  await expect(tool).toContainText("limit: expected a whole number.");
  await expect(tool.getByLabel("limit", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page, "the tool with a wrong field");
  await tool.getByLabel("limit", { exact: true }).fill("10");
  await expect(tool).toContainText("GET /api/v1/pods?limit=10");

  await tool.getByLabel("Verb").selectOption("watch");
  await expect(resultOf(page, "Price")).toHaveText("1 seat");
  await page.goBack();
  await expect(page).not.toHaveURL(/verb=/);
  await expect(tool.getByLabel("Verb")).toHaveValue("list");
  await expectAccessible(page, "the tool with an answer");
  await page.reload();
  await untilListening(page);
  await expect(resultOf(page, "Result")).toHaveText("service-accounts → workload-low");
});

test("what is asked goes nowhere: no request carries it", async ({ page }) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("defaults-1.34.13") ?? "", "/fairness");
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  await fairness.panel(TITLE).getByLabel("Service account", { exact: true }).fill("kube-system/asked-here");
  await expect(resultOf(page, "Result")).toHaveText("kube-system-service-accounts → workload-high");
  expect(sent.filter((each) => each.includes("asked-here"))).toEqual([]);
});

interface FlowControlAnswer {
  readonly accounts: readonly { readonly namespace: string; readonly pods: number }[];
}

test("drift: the defaults of a version do not differ; what was added does, and is named", async ({
  page,
}) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("defaults-1.31.14") ?? "", "/fairness");
  const plain = fairness.panel("Drift from the defaults of 1.31");
  await expect(plain).toContainText(/0 of \d+ differ/);
  await expect(plain.getByRole("row", { name: /13 FlowSchemas, 8 priority levels/ })).toContainText(
    "as default 1.31",
  );
  await fairness.open(headroom.url, ids.get("subjects") ?? "", "/fairness");
  const added = fairness.panel("Drift from the defaults of 1.33").getByRole("row", { name: /FlowSchema c1/ });
  await expect(added).toContainText("added");
  await expect(added).toContainText("No default of any version.");
});

test("accounts of kube-system share one flow for a LIST of all pods, with the pods of their workloads", async ({
  page,
}) => {
  const id = ids.get("defaults-1.34.13") ?? "";
  const { accounts } = await headroom.ask<FlowControlAnswer>(`/api/clusters/${id}/flow-control`);
  const own = accounts.filter(({ namespace }) => namespace === "kube-system");
  const pods = own.reduce((sum, each) => sum + each.pods, 0);
  expect(pods).toBeGreaterThan(0);
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, id, "/fairness");
  const shared = fairness.panel("Service accounts that share a flow");
  const cells = shared
    .getByRole("row", { name: /one flow for all of kube-system-service-accounts/ })
    .getByRole("cell");
  await expect(cells.nth(1)).toContainText(String(own.length));
  await expect(cells.nth(2)).toHaveText(String(pods));
});

test("limits stand against nominal ones, now and over time, and never against the upper limit", async ({
  page,
}) => {
  const fairness = new ClusterPage(page);
  await fairness.open(
    headroom.url,
    ids.get("defaults-1.34.13") ?? "",
    "/fairness",
    "?server=api-0&level=workload-low",
  );
  const borrowing = fairness.panel("Borrowing, api-0");
  const row = fairness.rowOf("Borrowing now on api-0", "workload-low").getByRole("cell");
  await expect(row.nth(1)).toHaveText(/^\d+$/);
  await expect(row.nth(3)).toHaveText(/^(borrows \d+|lends \d+ of \d+|at nominal)$/);
  await expect(borrowing.getByRole("group", { name: /^Current limit against nominal\./ })).toBeVisible();
  await expect(borrowing).toContainText(/nominal limit, api-0/);
  await expect(borrowing).toContainText(/In this range it .*nominal \d+\./);
  await borrowing.getByRole("button", { name: "2h", exact: true }).click();
  await expect(page).toHaveURL(/[?&]range=2h\b/);
  await expectAccessible(page, "the page with its limits over time");
});

test("at 390 px a table that is cut fades at the edge until its end is in view, and its first column stays", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("defaults-1.34.13") ?? "", "/fairness", "?account=a/b");
  const region = page.getByRole("region", { name: /^Priority levels of api-0, scrolls$/ });
  await expect(region).toHaveAttribute("data-more", "");
  const name = region.getByText("workload-low", { exact: true });
  const before = await name.boundingBox();
  await region.evaluate((element) => element.scrollTo({ left: element.scrollWidth }));
  await expect(region).not.toHaveAttribute("data-more");
  expect((await name.boundingBox())?.x).toBe(before?.x);
  // Sentences are not cut: they wrap, and so do names of a request that was refused.
  const trace = page.getByRole("table", { name: "Evaluation, by matchingPrecedence" });
  await expect(trace.locator("xpath=..")).not.toHaveAttribute("data-more");
  await expectAccessible(page, "the page at 390 px");
});

test("own cost has its seats; all tables are in Markdown and as CSV", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const fairness = new ClusterPage(page);
  await fairness.open(
    headroom.url,
    ids.get("subjects") ?? "",
    "/fairness",
    "?account=monitoring/agent&server=api-0",
  );
  await expect(fairness.main).toContainText(/Headroom’s own cost .* widest request ≈\s\d+ seats?/);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect(page.getByText("Copied as Markdown", { exact: true })).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  for (const head of [
    "### Which FlowSchema catches this request",
    "### Drift from the defaults of 1.33",
    "### Service accounts that share a flow",
    "### Borrowing, api-0",
  ]) {
    expect(markdown).toContain(head);
  }
  expect(markdown).toContain("`GET /api/v1/pods` by system:serviceaccount:monitoring:agent");
  for (const [file, heads] of [
    ["headroom-subjects-request", "Precedence,FlowSchema,How it fares"],
    ["headroom-subjects-drift", "State,Object,Against default,Details"],
    ["headroom-subjects-shared-flows", "Priority level,FlowSchema,Flow,"],
    ["headroom-subjects-api-0-borrowing", "Priority level,Current limit,Nominal,Against nominal"],
  ] as const) {
    const pending = page.waitForEvent("download");
    await page.getByRole("button", { name: `CSV of ${file}`, exact: true }).click();
    const download = await pending;
    expect(download.suggestedFilename()).toBe(`${file}.csv`);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toContain(heads);
    expect(lines.length).toBeGreaterThan(1);
  }
});
