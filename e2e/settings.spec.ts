import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FakeApiServer } from "../lib/fake-api-server/index.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { SettingsPage } from "./pages/settings-page.ts";

let headroom: Headroom;
let folder: string;
let named: FakeApiServer;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  folder = sharedBench.folder;
  named = await sharedBench.cluster({ name: "named-in-file" });
  const limited = await sharedBench.cluster({
    name: "limited",
    identities: [
      {
        token: "limited-reader",
        user: "system:serviceaccount:headroom:headroom",
        groups: [],
        rules: [
          { nonResourceURLs: ["/version", "/metrics"], verbs: ["get"] },
          { apiGroups: [""], resources: ["namespaces", "nodes", "pods"], verbs: ["get", "list"] },
          { apiGroups: ["apps"], resources: ["*"], verbs: ["list"] },
        ],
      },
    ],
  });
  await writeKubeconfig(folder, [named, limited], "from-file");
  await writeFile(
    join(folder, "headroom.yaml"),
    'clusters: { kubeconfigs: [{ path: ./from-file, contexts: ["*"] }] }\n',
  );
  headroom = await sharedBench.headroom({ folder });
  await waitForFirstPass(headroom, ["named-in-file", "limited"]);
});

test("a cluster is added by path and context after a test of the connection, and removed again", async ({
  page,
  bench,
  complaints,
}) => {
  complaints.allow(/status of 409/);
  const added = await bench.cluster({ name: "added", nodes: 9 });
  const other = await bench.cluster({ name: "other" });
  const path = await writeKubeconfig(bench.folder, [added, other]);
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings.addPanel.getByRole("button", { name: "Add cluster" }).click();
  await expect(settings.path).toHaveAttribute("aria-invalid", "true");
  await expect(settings.addPanel).toContainText("needed here");

  await settings.test(path, "");
  await expect(settings.addPanel).toContainText(
    "expected a current context, or the names of contexts to read",
  );
  await settings.addPanel.getByRole("button", { name: "added", exact: true }).click();
  await expect(settings.context).toHaveValue("added");
  await settings.addPanel.getByRole("button", { name: "Test connection" }).click();
  await expect(settings.addPanel).toContainText("The cluster answers.");
  await expect(settings.addPanel).toContainText("Kubernetes v1.34.2");
  await expect(settings.addPanel.getByRole("table", { name: "Permissions found by the test" })).toContainText(
    "get /metrics",
  );
  await settings.addPanel.getByRole("button", { name: "Add cluster" }).click();
  await expect(settings.addPanel).toContainText("The cluster was added.");
  const row = settings.target("added");
  await expect(row).toContainText("this page");
  await expect(row).toContainText(path);

  await settings.addPanel.getByRole("link", { name: "Open it" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "added" })).toBeVisible();
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("main")).toContainText("9 nodes", { timeout: 1000 });
  }).toPass({ timeout: 120_000 });

  await settings.open(headroom.url);
  await settings.fill(path, "added");
  await settings.addPanel.getByRole("button", { name: "Add cluster" }).click();
  await expect(settings.addPanel.getByRole("alert")).toContainText("was added before");
  await row.getByRole("button", { name: "Remove added" }).click();
  const question = page.getByRole("dialog", { name: "Stop reading added?" });
  await question.getByRole("button", { name: "Keep it" }).click();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Remove added" }).click();
  await question.getByRole("button", { name: "Stop reading it" }).click();
  await expect(row).toHaveCount(0);
  await page.reload();
  await expect(settings.target("named-in-file")).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("a test that fails says why: nobody listens, the file is not there, it is no kubeconfig", async ({
  page,
  bench,
}) => {
  const closed = await bench.cluster({ name: "closed", isRefusing: true });
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings.test(await writeKubeconfig(bench.folder, [closed]), "closed");
  await expect(settings.addPanel).toContainText("The cluster could not be read.");
  await expect(settings.addPanel).toContainText("the connection was refused: nothing listens there");

  const absent = join(bench.folder, "absent");
  await settings.test(absent, "");
  await expect(settings.addPanel).toContainText(absent);
  await expect(settings.addPanel).toContainText("The cluster could not be read.");

  const text = join(bench.folder, "notes.txt");
  await writeFile(text, "not: [a kubeconfig, password hunter2-do-not-show");
  await settings.test(text, "");
  await expect(settings.addPanel).toContainText(text);
  await expect(settings.addPanel).not.toContainText("hunter2");
});

test("a kubeconfig with an exec plugin is refused from the page, and its program is not started", async ({
  page,
  bench,
}) => {
  const guarded = await bench.cluster({ name: "guarded" });
  const path = await writeKubeconfig(bench.folder, [guarded]);
  const marker = join(bench.folder, "the-program-ran");
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "/usr/bin/touch", args: [marker] };
  const { url } = guarded;
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "guarded", cluster: { server: url } }],
      users: [{ name: "guarded", user: { exec: { ...exec, interactiveMode: "Never" } } }],
      contexts: [{ name: "guarded", context: { cluster: "guarded", user: "guarded" } }],
    }),
  );
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings.test(path, "guarded");
  await expect(settings.addPanel).toContainText("The cluster could not be read.");
  await expect(settings.addPanel).toContainText(/exec plugin/);
  expect(existsSync(marker)).toBe(false);
  expect(guarded.requestLog.total).toBe(0);
});

test("where the configuration file names the same cluster, it wins and the page says so", async ({
  page,
  bench,
}) => {
  const path = await writeKubeconfig(bench.folder, [named], "the-same-again");
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await expect(settings.targets).toContainText(`configuration file ${join(folder, "headroom.yaml")}`);
  await settings.test(path, "named-in-file");
  await expect(settings.addPanel).toContainText("Headroom reads this cluster already");
  await settings.addPanel.getByRole("button", { name: "Add cluster" }).click();
  await expect(settings.addPanel).toContainText("The cluster was added.");
  await expect(async () => {
    await page.reload();
    await expect(settings.targets).toContainText("not used: ", { timeout: 1000 });
  }).toPass({ timeout: 120_000 });
  const rows = settings.target("named-in-file");
  await expect(rows).toHaveCount(2);
  const unused = rows.filter({ hasText: "this page" });
  await expect(unused).toContainText(/not used: .*configuration file.* names the same cluster and wins/);
  const used = rows.filter({ hasText: "from-file" });
  await expect(used).not.toContainText("not used");
  await expect(used.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
  await unused.getByRole("button", { name: "Remove named-in-file" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop reading it" }).click();
  await expect(rows).toHaveCount(1);
});

test("each permission is granted, refused or not tried, with what is missing without it", async ({
  page,
}) => {
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings
    .target("limited")
    .getByRole("button", { name: /refused/ })
    .click();
  const permissions = page.getByRole("table", { name: "Permissions in limited" });
  const row = (name: string) => permissions.getByRole("row").filter({ hasText: name });
  await expect(row("list flowschemas")).toContainText("refused");
  await expect(row("list flowschemas")).toContainText("FlowSchemas are not shown");
  await expect(row("get /metrics")).toContainText("granted");
  await expect(row("list clusterroles.rbac")).toContainText("refused");
  const whole = settings.target("named-in-file").getByRole("button", { name: /\d+ of \d+ granted/ });
  await expect(whole).not.toContainText("refused");
});

test("the minimal ClusterRole can be copied; it reads only, and no Secret", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await page.getByRole("button", { name: "Copy ClusterRole" }).click();
  await expect(page.getByRole("region", { name: "Minimal ClusterRole" })).toContainText("Copied");
  const yaml = await page.evaluate(() => navigator.clipboard.readText());
  expect(yaml).toContain("kind: ClusterRole\n");
  expect(yaml).toContain('"/metrics"');
  expect(yaml).not.toMatch(/secrets/i);
  const verbs = new Set([...yaml.matchAll(/verbs: \[(.*)\]/g)].flatMap(([, list = ""]) => list.split(", ")));
  expect([...verbs].sort()).toEqual(['"get"', '"list"']);
});

test("a test that the collector does not finish in ten seconds has timed out", async ({ page, bench }) => {
  test.slow();
  const silent = await bench.cluster({ name: "silent", faults: [{ fault: { kind: "hang" } }] });
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings.test(await writeKubeconfig(bench.folder, [silent]), "silent");
  await expect.poll(() => silent.requestLog.total).toBeGreaterThan(0);
  const collector = headroom.collectorPid() ?? Number.NaN;
  process.kill(collector, "SIGSTOP");
  try {
    await expect(settings.addPanel).toContainText("No answer within 10 s.");
  } finally {
    process.kill(collector, "SIGCONT");
  }
});

test("a test that no collector takes up says that nothing was tried", async ({ page, bench }) => {
  const alone = await bench.headroom({ environment: { COLLECTOR: "external" } });
  const settings = new SettingsPage(page);
  await settings.open(alone.url);
  await expect(settings.targets).toContainText("No cluster is named yet");
  await settings.test("/etc/headroom/kubeconfig", "any");
  await expect(settings.addPanel).toContainText("No collector took up this test.");
  await expect(page.getByText("No collector gives a sign of life.")).toBeVisible();
});
