import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../../lib/db/open-store.ts";
import type { Store } from "../../lib/db/store.ts";
import { formatBytes } from "../../lib/format/bytes.ts";
import { makeStorePass, PASSES } from "./store-passes.ts";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { report } from "./support/report.ts";

/**
 * How large the store of one cluster (three API servers, eight priority levels) grows in 400 days.
 *
 * Writes `--days` days through the store itself (passes, roll-up, hourly pruning), two passes in each five minutes so
 * that least, mean and greatest differ, and the last two hours at the pace of the collector. Then five minutes and
 * samples as scraped are at their full length; hours, events and scrapes are counted on to 400 days.
 */
const { values } = parseArgs({ options: { days: { type: "string", default: "21" } } });
const days = Math.max(16, Number(values.days));
const KEPT_DAYS = 400;
const SCRAPES_KEPT_DAYS = 90;
const DAY = 86_400;
const HOUR = 3600;
const START = Date.UTC(2026, 0, 1) / 1000;
const END = START + days * DAY;
const LIMIT_BYTES = 50_000_000;

await runBench(async () => {
  const url = `file:${join(temporaryFolder(), "headroom.db")}`;
  const store = await openStore({ url, mode: "read-write" });
  const clusterId = await addCluster(store);
  const startedAt = performance.now();
  let passes = 0;
  for (let at = START; at < END; at += at < END - 2 * HOUR ? PASSES.sparseSeconds : PASSES.fineSeconds) {
    await store.parts.recordPass(makeStorePass(clusterId, at, passes));
    passes += 1;
    if (at % HOUR === 0) await prune(store, at);
  }
  await prune(store, END);
  const passMs = (performance.now() - startedAt) / passes;
  const { tables, sizeBytes } = await store.maintenance.check();
  const series = (await store.samples.listKeys(clusterId)).length;
  await store.close();
  const grown = tables.map(({ name, sizeBytes: bytes }) => ({
    name,
    bytes,
    grownBytes: bytes * growthOf(name),
  }));
  report(
    [
      {
        what: `a cluster of three servers kept ${KEPT_DAYS} days, projected`,
        value: grown.reduce((sum, { grownBytes }) => sum + grownBytes, 0),
        unit: "bytes",
        aim: LIMIT_BYTES,
      },
      { what: `measured on disk after ${days} days`, value: sizeBytes, unit: "bytes", aim: null },
      { what: "storing one pass, pruning included", value: passMs, unit: "milliseconds", aim: null },
    ],
    [
      `${passes} passes, ${series} series`,
      grown
        .filter(({ grownBytes }) => grownBytes >= 100_000)
        .map(({ name, bytes, grownBytes }) => `${name} ${formatBytes(bytes)} → ${formatBytes(grownBytes)}`)
        .join(", "),
    ],
  );
});

async function addCluster(store: Store): Promise<string> {
  const target = {
    source: "page",
    kubeconfigPath: "/k",
    context: "bench",
    name: "bench",
    role: null,
  } as const;
  const added = await store.clusters.addTarget(
    { ...target, labels: {}, isInsecure: false, isDemo: false },
    START * 1000,
  );
  return added.clusterId;
}

function prune(store: Store, at: number) {
  const retention = {
    fine: 2 * HOUR,
    fiveMinutes: 14 * DAY,
    hourly: KEPT_DAYS * DAY,
    scrapes: SCRAPES_KEPT_DAYS * DAY,
  };
  return store.maintenance.prune(retention, at * 1000);
}

/** By how much a table is larger after the whole time than after the days that were written. */
function growthOf(table: string): number {
  if (table === "samples_hourly" || table === "events") return KEPT_DAYS / days;
  if (table === "scrapes") return SCRAPES_KEPT_DAYS / days;
  return 1;
}
