import type { FakeApiServer, FaultRule } from "../lib/fake-api-server/index.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import type { Headroom } from "./fixtures/headroom.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { ClusterPage } from "./pages/cluster-page.ts";
import { FleetPage } from "./pages/fleet-page.ts";

type Part = "version, gates" | "API servers" | "counts and sizes" | "fairness" | "inventory";
const PARTS: readonly Part[] = ["version, gates", "API servers", "counts and sizes", "fairness", "inventory"];

interface FaultOnPage {
  /** Name of the cluster that has it. */
  readonly cluster: string;
  readonly rules: readonly FaultRule[];
  readonly isRefusing?: boolean;
  /** How the cluster stands in the fleet. */
  readonly state: "ok" | "warning" | "unreachable";
  /** What each part that is not read in full says; the others are `ok`. */
  readonly parts: Partial<Record<Part, { readonly status: RegExp; readonly says: RegExp }>>;
  /** Facts in the head of the page. */
  readonly head: readonly string[];
}

const everywhere = (says: RegExp): FaultOnPage["parts"] =>
  Object.fromEntries(PARTS.map((part) => [part, { status: "failed", says }]));

const NEVER_READ = ["version not known", "nodes not known", "never read"];
const READ = ["Kubernetes 1.34.2", "12 nodes", "3 API servers"];

const FAULTS: readonly FaultOnPage[] = [
  {
    cluster: "every-path-401",
    rules: [{ fault: { kind: "status", code: 401 } }],
    state: "unreachable",
    parts: everywhere(/the credentials were refused: Unauthorized \(HTTP 401[,)]/),
    head: NEVER_READ,
  },
  {
    cluster: "every-path-hangs",
    rules: [{ fault: { kind: "hang" } }],
    state: "unreachable",
    parts: everywhere(/no answer within 5 s/),
    head: NEVER_READ,
  },
  {
    cluster: "every-path-redirects",
    rules: [{ fault: { kind: "redirect", location: "https://login.example.com/" } }],
    state: "unreachable",
    parts: everywhere(/redirected to https:\/\/login\.example\.com\/, which is not followed \(HTTP 302[,)]/),
    head: NEVER_READ,
  },
  {
    cluster: "connections-refused",
    rules: [],
    isRefusing: true,
    state: "unreachable",
    parts: everywhere(/the connection was refused: nothing listens there/),
    head: NEVER_READ,
  },
  {
    cluster: "every-path-html",
    rules: [{ fault: { kind: "html" } }],
    state: "warning",
    parts: everywhere(/text\/html|the body is not JSON: it begins with "<!doctype html>/),
    head: NEVER_READ,
  },
  {
    cluster: "metrics-403",
    rules: [{ fault: { kind: "status", code: 403 }, path: "/metrics" }],
    state: "warning",
    parts: {
      "version, gates": { status: /partial/, says: /not read \/metrics of 3 of 3 API servers/ },
      "API servers": { status: /partial/, says: /0 of 3 servers/ },
      "counts and sizes": { status: /partial/, says: /11 resources by one-object LISTs/ },
      // Partial while its configuration is read along, failed when the metrics alone were due.
      fairness: { status: /partial|failed/, says: /this is not permitted: .*\(HTTP 403, / },
    },
    head: READ,
  },
  {
    cluster: "leases-403",
    rules: [{ fault: { kind: "status", code: 403 }, path: /\/leases$/ }],
    state: "warning",
    parts: {
      "API servers": {
        status: /partial/,
        says: /not read identity Leases: .*\(HTTP 403, GET .*The ClusterRole of Headroom lacks this rule/s,
      },
    },
    head: READ,
  },
  {
    cluster: "flowschemas-429",
    rules: [{ fault: { kind: "status", code: 429, retryAfterSeconds: 0 }, path: /\/flowschemas$/ }],
    state: "warning",
    parts: {
      fairness: {
        status: /partial/,
        says: /not read flowschemas: (?=.*\(HTTP 429, GET )(?=.*the API server has no room for the request)/is,
      },
    },
    head: READ,
  },
  {
    cluster: "levels-invalid-json",
    rules: [{ fault: { kind: "invalid-json" }, path: /\/prioritylevelconfigurations$/ }],
    state: "warning",
    parts: {
      fairness: { status: /partial/, says: /not read prioritylevelconfigurations: .*not what was expected/ },
    },
    head: READ,
  },
  {
    cluster: "version-drips",
    rules: [{ fault: { kind: "drip", chunkBytes: 1, pauseMs: 60 }, path: "/version" }],
    state: "warning",
    parts: {
      "version, gates": {
        status: /partial/,
        says: /not read \/version: .*the answer did not end within 8 s/,
      },
    },
    head: READ,
  },
  {
    cluster: "daemonsets-truncated",
    rules: [{ fault: { kind: "truncate", afterBytes: 10 }, path: /\/daemonsets$/ }],
    state: "warning",
    parts: {
      inventory: {
        status: /partial/,
        says: /11 workloads.*not read daemonsets: .*the connection was closed inside the body/s,
      },
    },
    head: READ,
  },
  {
    cluster: "apiservices-500",
    rules: [{ fault: { kind: "status", code: 500 }, path: /\/apiservices$/ }],
    state: "warning",
    parts: {
      inventory: {
        status: /partial/,
        says: /not read apiservices: (?=.*\(HTTP 500, GET )(?=.*etcdserver: request timed out)/s,
      },
    },
    head: READ,
  },
  {
    cluster: "clusterroles-410",
    rules: [{ fault: { kind: "status", code: 410 }, path: /\/clusterroles$/ }],
    state: "warning",
    parts: { inventory: { status: /partial/, says: /not read clusterroles: .*has expired/ } },
    head: READ,
  },
  {
    cluster: "clock-an-hour-ahead",
    rules: [{ fault: { kind: "clock-skew", seconds: 3600 } }],
    state: "ok",
    parts: {},
    head: READ,
  },
];

let headroom: Headroom;
let ids: ReadonlyMap<string, string>;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  const clusters: FakeApiServer[] = [];
  for (const { cluster, rules, isRefusing = false } of FAULTS) {
    clusters.push(await sharedBench.cluster({ name: cluster, faults: rules, isRefusing }));
  }
  clusters.push(await sharedBench.cluster({ name: "sound" }));
  headroom = await sharedBench.headroom({
    kubeconfigs: [await writeKubeconfig(sharedBench.folder, clusters)],
  });
  ids = await waitForFirstPass(headroom, [...FAULTS.map(({ cluster }) => cluster), "sound"]);
});

for (const { cluster, state, parts, head } of FAULTS) {
  test(`${cluster}: every part says what became of it`, async ({ page }) => {
    const overview = new ClusterPage(page);
    await overview.open(headroom.url, ids.get(cluster) ?? "");
    for (const fact of head) await expect(overview.main).toContainText(fact);
    for (const part of PARTS) {
      const row = overview.part(part);
      const expected = parts[part] ?? { status: /^ok$/, says: /\d/ };
      await expect(row.getByRole("cell").first(), part).toHaveText(expected.status);
      await expect(row.getByRole("cell").last(), part).toHaveText(expected.says);
    }
    const rule = state === "unreachable" ? "collector.unreachable" : "collector.part-not-read";
    const finding = page
      .getByRole("table", { name: "Findings, worst first" })
      .getByRole("row", { name: rule });
    if (state === "ok") await expect(finding).toHaveCount(0);
    else await expect(finding.first()).toBeVisible();
    if (state === "unreachable") await expect(overview.main).toContainText(/unreachable for \d/);
  });
}

test("the fleet ranks clusters by what is wrong, and one that is read in full stands unharmed", async ({
  page,
}) => {
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  await expect(fleet.rows()).toHaveCount(FAULTS.length + 1);
  for (const { cluster, state } of FAULTS) {
    await expect(fleet.row(cluster).getByRole("cell").first(), cluster).toHaveText(state);
  }
  await expect(fleet.row("sound")).toContainText("Nothing to do");
  await expect(fleet.row("connections-refused")).toContainText("the connection was refused");
  await expect(fleet.row("leases-403")).toContainText(
    'the permission "list leases.coordination.k8s.io in kube-system" is missing',
  );
  const states = FAULTS.map(({ state }) => state);
  const order = await fleet.names();
  const lastUnreachable = Math.max(
    ...FAULTS.filter(({ state }) => state === "unreachable").map(({ cluster }) => order.indexOf(cluster)),
  );
  expect(lastUnreachable).toBe(states.filter((state) => state === "unreachable").length - 1);
  expect(order.slice(-2).sort()).toEqual(["clock-an-hour-ahead", "sound"]);
});

test("figures that were not read are said to be missing, never shown as zero", async ({ page }) => {
  const fairness = new ClusterPage(page);
  await fairness.open(headroom.url, ids.get("metrics-403") ?? "", "/fairness");
  const levels = fairness.panel("Priority levels");
  await expect(levels).toContainText("Not read: priority levels");
  await expect(levels).not.toContainText(/yet|measured/);
  await expect(levels.getByRole("cell", { name: "0", exact: true })).toHaveCount(0);
  await fairness.open(headroom.url, ids.get("metrics-403") ?? "");
  const nodes = fairness.rowOf(/^Counts and sizes/, "nodes");
  await expect(nodes.getByRole("cell").nth(1)).toHaveText("12");
  await expect(nodes.getByRole("cell").nth(2)).toContainText(/not (?:known|read|published)/);
});

test("a cluster whose clock is an hour ahead has ages by our own clock", async ({ page }) => {
  const overview = new ClusterPage(page);
  await overview.open(headroom.url, ids.get("clock-an-hour-ahead") ?? "");
  await expect(overview.main).toContainText(/data (?:<\s1|\d+)\ss old/);
});
