/**
 * `npm run bench [-- --only NAMES]`: runs the benches one after the other, each in a process of its own, and prints
 * each figure beside its aim, over the build that is there. There is no pass or fail: machines differ, and so does what else runs on them.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { COLLECTOR_ENVIRONMENT, COLLECTOR_V8_FLAGS } from "../../lib/supervisor/collector-flags.ts";
import { formatFigures } from "./support/figure.ts";
import type { FiguresLine } from "./support/report.ts";

interface Bench {
  readonly file: string;
  readonly title: string;
  /** Measures code of the collector in its own process, which then gets the collector's flags and environment. */
  readonly isCollectorCode?: boolean;
  readonly limitSeconds: number;
}

const BENCHES: Readonly<Record<string, Bench>> = {
  metrics: {
    file: "metrics-scan.ts",
    title: "A /metrics page of 32 MB",
    isCollectorCode: true,
    limitSeconds: 120,
  },
  list: {
    file: "list-reader.ts",
    title: "LIST of 150,000 pods (never part of a pass)",
    isCollectorCode: true,
    limitSeconds: 300,
  },
  audit: { file: "audit-log.ts", title: "An audit log of 1 GB, learned from", limitSeconds: 600 },
  lines: { file: "cli-lines.ts", title: "100,000 lines through the command line", limitSeconds: 300 },
  fleet: { file: "fleet-page.ts", title: "Fleet page, 1,000 clusters in the store", limitSeconds: 600 },
  overview: { file: "cluster-overview.ts", title: "Cluster overview at 5,000 nodes", limitSeconds: 240 },
  scan: { file: "scan.ts", title: "headroom scan: many manifests, and a gigabyte", limitSeconds: 900 },
  starts: { file: "starts.ts", title: "Starting", limitSeconds: 300 },
  demo: { file: "demo-fleet.ts", title: "Demo fleet", limitSeconds: 600 },
  store: { file: "store-size.ts", title: "Growth of the store", limitSeconds: 900 },
  collector: {
    file: "collector.ts",
    title: "One collector, 200 clusters of 2,000 nodes and 3 servers",
    limitSeconds: 900,
  },
  seats: { file: "seats.ts", title: "Prices of requests in seats", limitSeconds: 120 },
  queueset: {
    file: "queueset.ts",
    title: "Queue set, requests through one priority level",
    limitSeconds: 240,
  },
  "storm-speed": { file: "storm-speed.ts", title: "Simulated storms", limitSeconds: 300 },
};

const { values } = parseArgs({ options: { only: { type: "string" } } });
const names = values.only?.split(",") ?? Object.keys(BENCHES);
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`No bench named ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}

const [cpu] = cpus();
console.log(
  `${availableParallelism()} cores (${cpu?.model ?? "unknown"}), ${(totalmem() / 1e9).toFixed(0)} GB, Node ${process.versions.node}, ${process.platform}-${process.arch}`,
);
let failures = 0;
for (const name of names) {
  const bench = BENCHES[name];
  if (bench !== undefined && !(await run(name, bench))) failures += 1;
}
process.exitCode = failures > 0 ? 1 : 0;

/** Runs one bench and prints what it found; false where it could not measure. */
async function run(name: string, bench: Bench): Promise<boolean> {
  console.log(`\n${bench.title} [${name}]  load before ${load()}`);
  const file = fileURLToPath(new URL(bench.file, import.meta.url));
  const child = spawn(process.execPath, [...(bench.isCollectorCode ? COLLECTOR_V8_FLAGS : []), file], {
    env: { ...process.env, ...(bench.isCollectorCode ? COLLECTOR_ENVIRONMENT : {}) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  // The bench cleans up after itself when it is told to end.
  const limit = setTimeout(() => child.kill("SIGTERM"), bench.limitSeconds * 1000);
  const onSignal = () => child.kill("SIGTERM");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  const [code] = await once(child, "close");
  clearTimeout(limit);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, onSignal);
  const last = text.trim().split("\n").at(-1);
  if (code !== 0 || last === undefined || last === "") {
    console.log("  not measured: the bench ended early, see above");
    return false;
  }
  const { figures, notes } = JSON.parse(last) as FiguresLine;
  for (const line of formatFigures(figures)) console.log(line);
  for (const note of notes) console.log(`  ${note}`);
  console.log(`  load after ${load()}`);
  return true;
}

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(" ");
}
