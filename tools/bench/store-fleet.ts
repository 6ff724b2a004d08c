import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../../lib/db/open-store.ts";
import type { NewTarget, Store } from "../../lib/db/store.ts";
import type { SeriesKey } from "../../lib/domain/clusters/series.ts";
import { formatBytes } from "../../lib/format/bytes.ts";
import { makeStorePass } from "./store-passes.ts";

/** What the fleet page asks of the store, with `--clusters` clusters of three API servers and a day of history. */
const { values } = parseArgs({ options: { clusters: { type: "string", default: "1000" } } });
const count = Number(values.clusters);
const NOW = Date.UTC(2026, 0, 2) / 1000;
const DAY = 86_400;
const KEYS: readonly SeriesKey[] = (["executing-seats", "current-limit-seats"] as const).map((metric) => ({
  metric,
  serverId: "api-0",
  priorityLevelName: "workload-low",
  rejectReason: null,
}));

const directory = mkdtempSync(join(tmpdir(), "headroom-bench-"));
try {
  const store = await openStore({ url: `file:${join(directory, "headroom.db")}`, mode: "read-write" });
  const ids = await fill(store);
  await measure("recordPass, 136 samples", 100, (run) =>
    store.parts.recordPass(makeStorePass(ids[run] ?? "", NOW + 30, 2)),
  );
  await measure("clusters.list", 20, () => store.clusters.list());
  await measure("parts.listOutcomes", 20, () => store.parts.listOutcomes());
  await measure("parts.listSummaries", 20, () => store.parts.listSummaries());
  await measure("scrapes.costSince", 20, () => store.scrapes.costSince((NOW - 60) * 1000));
  const [key] = KEYS;
  if (key !== undefined) {
    const keys = new Map(ids.map((id) => [id, key]));
    const range = { fromSeconds: NOW - DAY, toSeconds: NOW, maxPoints: 48 };
    await measure("samples.queryFleet, 24 h in 48 points", 10, () => store.samples.queryFleet(keys, range));
  }
  await measure("reviews.listUnacknowledged, 10,000 events", 20, () =>
    store.reviews.listUnacknowledged("local", 200),
  );
  await measure("parts.getAll, one cluster", 20, () => store.parts.getAll(ids[0] ?? ""));
  await measure("maintenance.prune, all clusters", 1, () =>
    store.maintenance.prune(
      { fine: 7200, fiveMinutes: 14 * DAY, hourly: 400 * DAY, scrapes: 90 * DAY },
      NOW * 1000,
    ),
  );
  console.log(`resident ${formatBytes(process.memoryUsage.rss())}`);
  await store.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function fill(store: Store): Promise<readonly string[]> {
  const targets = Array.from({ length: count }, (_, index): NewTarget => {
    const name = `cluster-${String(index).padStart(4, "0")}`;
    return {
      source: "flag",
      kubeconfigPath: "/k",
      context: name,
      name,
      role: null,
      labels: {},
      isInsecure: false,
      isDemo: false,
    };
  });
  const startedAt = performance.now();
  const ids = (await store.clusters.syncTargets(["flag"], targets, NOW * 1000)).map(
    ({ clusterId }) => clusterId,
  );
  console.log(`syncTargets, ${count} new ones: ${Math.round(performance.now() - startedAt)} ms`);
  const points = Array.from({ length: 288 }, (_, index) => ({
    atSeconds: NOW - DAY + index * 300,
    min: index,
    avg: index + 0.5,
    max: index + 9,
  }));
  for (const id of ids) {
    await store.parts.recordPass(makeStorePass(id, NOW, 0));
    await store.parts.recordPass(makeStorePass(id, NOW - 30, 1));
    await store.samples.append(
      id,
      "five-minutes",
      KEYS.map((key) => ({ key, points })),
      { isGenerated: false },
    );
    await store.events.append(
      id,
      Array.from({ length: Math.ceil(10_000 / count) }, (_, index) => ({
        kind: "agent-added",
        severity: "info",
        at: (NOW - index * 3000) * 1000,
        subject: `agent-${index}`,
        lead: "agent added",
        text: "",
        before: null,
        after: null,
      })),
      { isGenerated: false },
    );
  }
  return ids;
}

/** Prints median and 95th percentile of the wall time, and the processor time of one run. */
async function measure(name: string, runs: number, work: (run: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    await work(run);
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.min(runs - 1, Math.floor(runs * share))] ?? 0).toFixed(1);
  console.log(
    `${name.padEnd(44)} median ${at(0.5)} ms, p95 ${at(0.95)} ms, processor ${((user + system) / 1000 / runs).toFixed(1)} ms`,
  );
}
