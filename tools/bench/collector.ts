/**
 * One collector process over 200 clusters at the default periods, as the web process starts it. The clusters are fake
 * and served by another process, whose cost is reported apart.
 */
import { fork } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openStore } from "../../lib/db/open-store.ts";
import { COLLECTOR_ENVIRONMENT, COLLECTOR_V8_FLAGS } from "../../lib/supervisor/collector-flags.ts";
import { atEnd, endChild, runBench, temporaryFolder } from "./support/clean-up.ts";
import { productEnvironment } from "./support/environment.ts";
import { startFakeClusters } from "./support/fake-clusters.ts";
import { ROOT } from "./support/paths.ts";
import { cpuSeconds, residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

const { values } = parseArgs({
  options: {
    clusters: { type: "string", default: "200" },
    nodes: { type: "string", default: "2000" },
    "warm-up-seconds": { type: "string", default: "90" },
    // Every part but the sizes comes round within five minutes.
    seconds: { type: "string", default: "300" },
    // Passed on to Node, for instance --node-flag=--cpu-prof.
    "node-flag": { type: "string", multiple: true, default: [] },
  },
});
const clusters = Number(values.clusters);
const SAMPLE_MS = 1000;
/** Fewer clusters with fresh figures than this, and the run does not count: most often the machine was busy. */
const VALID_SHARE = 0.95;

await runBench(async () => {
  const folder = temporaryFolder();
  const fake = await startFakeClusters({
    clusters,
    nodes: values.nodes,
    servers: 3,
    "metrics-filler-bytes": 1_500_000,
  });
  const configuration = join(folder, "headroom.yaml");
  const storeUrl = `file:${join(folder, "headroom.db")}`;
  writeFileSync(
    configuration,
    JSON.stringify({
      clusters: { kubeconfigs: [{ path: fake.writeKubeconfig(folder) }] },
      store: { url: storeUrl },
    }),
  );
  const logPath = join(folder, "collector.log");
  const collector = fork(join(ROOT, "dist", "collector.mjs"), [], {
    cwd: folder,
    env: productEnvironment({
      ...COLLECTOR_ENVIRONMENT,
      HEADROOM_CONFIG: configuration,
      HEADROOM_CWD: folder,
    }),
    execArgv: [...COLLECTOR_V8_FLAGS, ...values["node-flag"]],
    stdio: ["ignore", "ignore", openSync(logPath, "a"), "ipc"],
  });
  atEnd(() => endChild(collector));
  collector.once("exit", (code) => {
    if (code !== 0)
      progress(`the collector ended with ${code}:\n${readFileSync(logPath, "utf8").slice(-2000)}`);
  });
  const pid = collector.pid ?? 0;
  const cpuNow = () => cpuSeconds(pid);

  progress(`warming up for ${values["warm-up-seconds"]} s`);
  await sleep(Number(values["warm-up-seconds"]) * 1000);
  const warmUp = { cpu: cpuNow(), resident: residentBytes(pid) };
  const fakeBefore = await fake.stats();
  const startedAt = performance.now();
  const startedAtInstant = Date.now();
  const resident: number[] = [];
  progress(`measuring for ${values.seconds} s`);
  while (performance.now() - startedAt < Number(values.seconds) * 1000) {
    await sleep(SAMPLE_MS);
    if (collector.exitCode !== null) throw new Error("the collector ended");
    resident.push(residentBytes(pid).now);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = (cpuNow() - warmUp.cpu) / seconds;
  const fakeAfter = await fake.stats();
  const peak = residentBytes(pid).peak;
  const done = await readOutcomes(storeUrl, startedAtInstant);
  // A collector that reads nothing is small and idle: such figures would say the opposite of the truth.
  if (done.fresh < VALID_SHARE * clusters) {
    throw new Error(
      `only ${done.fresh} of ${clusters} clusters were being read, so nothing can be said; outcomes of parts: ${done.outcomes}`,
    );
  }
  report(
    [
      { what: `CPU over ${clusters} clusters, after warm-up`, value: cpu, unit: "cores", aim: 1 },
      { what: "memory, highest", value: peak, unit: "bytes", aim: 400_000_000 },
      {
        what: "memory, mean after warm-up",
        value: resident.reduce((sum, bytes) => sum + bytes, 0) / resident.length,
        unit: "bytes",
        aim: null,
      },
      {
        what: "CPU during the warm-up (first passes included)",
        value: warmUp.cpu / Number(values["warm-up-seconds"]),
        unit: "cores",
        aim: null,
      },
      {
        what: "the fake API servers' CPU",
        value: (fakeAfter.cpuSeconds - fakeBefore.cpuSeconds) / seconds,
        unit: "cores",
        aim: null,
      },
      {
        what: "requests per second, all clusters",
        value: (fakeAfter.requests - fakeBefore.requests) / seconds,
        unit: "count",
        aim: null,
      },
      { what: "passes stored while measuring", value: done.passes, unit: "count", aim: null },
    ],
    [
      `${done.fresh} of ${clusters} clusters have fairness figures younger than 60 s; outcomes of parts: ${done.outcomes}`,
    ],
  );
});

async function readOutcomes(url: string, since: number) {
  const store = await openStore({ url, mode: "read-only" });
  try {
    const now = Date.now();
    const outcomes = await store.parts.listOutcomes();
    const counts = new Map<string, number>();
    let fresh = 0;
    for (const parts of outcomes.values()) {
      for (const { part, latest, valueAt } of parts) {
        const key = `${part} ${latest.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (part === "fairness" && valueAt !== null && now - valueAt < 60_000) fresh += 1;
      }
    }
    let passes = 0;
    for (const clusterId of outcomes.keys()) {
      const scrapes = await store.scrapes.list(clusterId, { limit: 100 });
      passes += scrapes.filter(({ startedAt }) => startedAt >= since).length;
    }
    return {
      fresh,
      passes,
      outcomes: [...counts]
        .sort()
        .map(([what, count]) => `${what} ${count}`)
        .join(", "),
    };
  } finally {
    await store.close();
  }
}
