import { describe, expect, it } from "vitest";
import { buildScenario } from "./scenarios.ts";
import { ask, NOW, seriesValue, startForTest } from "./test-support.ts";

async function metricsOf(kubernetesVersion: string, options: Parameters<typeof buildScenario>[0] = {}) {
  const server = await startForTest({
    scenario: buildScenario({ kubernetesVersion, nodes: 50, ...options }),
  });
  return { server, page: await (await ask(server, "/metrics", {}, server.servers[0]?.url)).text() };
}

const has = (page: string, name: string) =>
  page.includes(`\n# TYPE ${name} `) || page.startsWith(`# TYPE ${name} `);

describe("metric names by version", () => {
  /** First and last minor that publishes the family. */
  const families: readonly [name: string, since: number, until: number][] = [
    ["apiserver_flowcontrol_request_concurrency_limit", 26, 36],
    ["apiserver_flowcontrol_request_concurrency_in_use", 26, 36],
    ["apiserver_flowcontrol_current_executing_seats", 28, 99],
    ["apiserver_flowcontrol_current_inqueue_seats", 29, 99],
    ["apiserver_flowcontrol_current_limit_seats", 26, 99],
    ["apiserver_storage_objects", 26, 99],
    ["apiserver_resource_objects", 34, 99],
    ["apiserver_resource_size_estimate_bytes", 34, 99],
    ["apiserver_storage_size_bytes", 28, 99],
    ["apiserver_storage_db_total_size_in_bytes", 26, 27],
    ["kubernetes_feature_enabled", 26, 99],
    ["kubernetes_build_info", 26, 99],
  ];

  it.each([26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37])(
    "1.%d has what it publishes and nothing else",
    async (minor) => {
      const { page } = await metricsOf(`1.${minor}.1`);
      const found = families.filter(([name]) => has(page, name)).map(([name]) => name);
      expect(found).toEqual(
        families.filter(([, since, until]) => since <= minor && minor <= until).map(([name]) => name),
      );
      expect(page).toContain(`git_version="v1.${minor}.1"`);
    },
  );

  it("labels the etcd cluster by the name of the version", async () => {
    expect((await metricsOf("1.29.6")).page).toContain('apiserver_storage_size_bytes{cluster="');
    expect((await metricsOf("1.30.1")).page).toContain('apiserver_storage_size_bytes{storage_cluster_id="');
  });

  it("knows the bucket at 15 s of the wait histogram from 1.28", async () => {
    const pattern = /request_wait_duration_seconds_bucket\{[^}]*le="15"/;
    expect((await metricsOf("1.27.3")).page).not.toMatch(pattern);
    expect((await metricsOf("1.28.3")).page).toMatch(pattern);
  });
});

describe("feature gates", () => {
  it.each([
    ["1.32.2", "WatchList", "BETA", 1],
    ["1.33.1", "WatchList", "BETA", 0],
    ["1.34.1", "WatchList", "BETA", 1],
    ["1.30.1", "ConsistentListFromCache", "ALPHA", 0],
    ["1.34.1", "ConsistentListFromCache", "", 1],
    ["1.37.2", "ConsistentListFromCache", "", null],
    ["1.33.1", "SizeBasedListCostEstimate", "BETA", null],
  ])("%s publishes %s with stage %j as %s", async (version, name, stage, value) => {
    const { page } = await metricsOf(version);
    expect(seriesValue(page, `kubernetes_feature_enabled{name="${name}",stage="${stage}"}`)).toBe(value);
  });

  it("follows --feature-gates", async () => {
    const { page } = await metricsOf("1.34.1", { featureGates: { SizeBasedListCostEstimate: false } });
    expect(
      seriesValue(page, 'kubernetes_feature_enabled{name="SizeBasedListCostEstimate",stage="BETA"}'),
    ).toBe(0);
  });
});

describe("counts and sizes", () => {
  it("agree with what a LIST finds", async () => {
    const { server, page } = await metricsOf("1.34.2");
    for (const [group, resource, path] of [
      ["", "nodes", "/api/v1/nodes"],
      ["", "pods", "/api/v1/pods"],
      ["apps", "daemonsets", "/apis/apps/v1/daemonsets"],
      ["discovery.k8s.io", "endpointslices", "/apis/discovery.k8s.io/v1/endpointslices"],
    ] as const) {
      const { items } = await (await ask(server, path)).json();
      expect(seriesValue(page, `apiserver_resource_objects{group="${group}",resource="${resource}"}`)).toBe(
        items.length,
      );
      const plain = group === "" ? resource : `${resource}.${group}`;
      expect(seriesValue(page, `apiserver_storage_objects{resource="${plain}"}`)).toBe(items.length);
    }
  });

  it("are -1 for big collections in the first 90 s after a start, and known afterwards", async () => {
    const startedAt = NOW - 60_000;
    const server = await startForTest({
      scenario: buildScenario({ nodes: 50, pods: 1200, servers: 1, startedAt }),
    });
    const pods = async () =>
      seriesValue(
        await (await ask(server, "/metrics")).text(),
        'apiserver_resource_objects{group="",resource="pods"}',
      );
    expect(await pods()).toBe(-1);
    server.clock.at = NOW + 31_000;
    expect(await pods()).toBe(1204);
  });

  it("leave sizes unknown for events, and from 1.36 for what nobody changes", async () => {
    const size = (page: string, resource: string) =>
      seriesValue(page, `apiserver_resource_size_estimate_bytes{group="",resource="${resource}"}`);
    const before = (await metricsOf("1.35.1")).page;
    const after = (await metricsOf("1.36.1")).page;
    expect([size(before, "events"), size(after, "events")]).toEqual([-1, -1]);
    expect(size(before, "services")).toBeGreaterThan(0);
    expect(size(after, "services")).toBe(-1);
    expect(size(after, "pods")).toBeGreaterThan(0);
  });
});

describe("counters", () => {
  it("never go back, and gauges move, while time passes", async () => {
    const { server } = await metricsOf("1.34.2", { nodes: 800 });
    const readAll = async () => {
      const page = await (await ask(server, "/metrics", {}, server.servers[0]?.url)).text();
      const counters = new Map<string, number>();
      const kinds = new Map<string, string>();
      for (const line of page.split("\n")) {
        const type = /^# TYPE (\S+) (\S+)$/.exec(line);
        if (type) kinds.set(type[1] ?? "", type[2] ?? "");
        const series = /^(\w+?)(?:_bucket|_count)?(\{.*\})? (\S+)$/.exec(line);
        if (!series || line.startsWith("#")) continue;
        const kind = kinds.get(series[1] ?? "");
        if (kind === "counter" || kind === "histogram")
          counters.set(line.slice(0, line.lastIndexOf(" ")), Number(series[3]));
      }
      return {
        counters,
        seats: seriesValue(
          page,
          'apiserver_flowcontrol_current_executing_seats{flow_schema="system-nodes",priority_level="system"}',
        ),
      };
    };
    let before = await readAll();
    const seats = new Set([before.seats]);
    let grown = 0;
    for (let step = 0; step < 25; step++) {
      server.clock.at += 7000;
      const after = await readAll();
      for (const [series, value] of before.counters) {
        const next = after.counters.get(series) ?? 0;
        if (next < value) expect.fail(`${series} went from ${value} to ${next}`);
        if (next > value) grown += 1;
      }
      seats.add(after.seats);
      before = after;
    }
    expect(grown).toBeGreaterThan(500);
    expect(seats.size).toBeGreaterThan(3);
  });
});
