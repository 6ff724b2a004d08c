/** What a first `npm start` without clusters costs: the demo fleet's process, and the collector that reads it. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { COLLECTOR_ENVIRONMENT, COLLECTOR_V8_FLAGS } from "../../lib/supervisor/collector-flags.ts";
import { atEnd, endChild, runBench, temporaryFolder } from "./support/clean-up.ts";
import { productEnvironment } from "./support/environment.ts";
import { median } from "./support/figure.ts";
import { ROOT } from "./support/paths.ts";
import { childrenOf, commandOf, cpuSeconds, residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

// The generated month is written in the first two minutes or so; that is when the collector is largest.
const { values } = parseArgs({ options: { seconds: { type: "string", default: "240" } } });
const STARTS = 5;

await runBench(async () => {
  const starts: number[] = [];
  for (let run = 0; run < STARTS; run++) starts.push(await timeStart());

  const folder = temporaryFolder();
  const configuration = join(folder, "headroom.yaml");
  writeFileSync(configuration, JSON.stringify({ store: { url: `file:${join(folder, "headroom.db")}` } }));
  const collector = fork(join(ROOT, "dist", "collector.mjs"), [], {
    cwd: folder,
    env: productEnvironment({
      ...COLLECTOR_ENVIRONMENT,
      HEADROOM_CONFIG: configuration,
      HEADROOM_CWD: folder,
    }),
    execArgv: [...COLLECTOR_V8_FLAGS],
    stdio: ["ignore", "ignore", openSync(join(folder, "collector.log"), "a"), "ipc"],
  });
  atEnd(() => endChild(collector));
  const pid = collector.pid ?? 0;
  const fleetPid = await findFleet(pid);
  progress(`reading the demo fleet for ${values.seconds} s`);
  await sleep((Number(values.seconds) - 60) * 1000);
  const cpuBefore = [cpuSeconds(fleetPid), cpuSeconds(pid)] as const;
  await sleep(60_000);
  const [fleet, own] = [residentBytes(fleetPid), residentBytes(pid)];
  report([
    { what: "demo fleet: start until it listens (median)", value: median(starts), unit: "seconds", aim: 1 },
    { what: "demo fleet: memory, highest", value: fleet.peak, unit: "bytes", aim: 150_000_000 },
    { what: "demo fleet: memory at the end", value: fleet.now, unit: "bytes", aim: null },
    {
      what: "demo fleet: CPU in the last minute",
      value: (cpuSeconds(fleetPid) - cpuBefore[0]) / 60,
      unit: "cores",
      aim: null,
    },
    { what: "collector of the demo fleet: memory, highest", value: own.peak, unit: "bytes", aim: null },
    { what: "collector of the demo fleet: memory at the end", value: own.now, unit: "bytes", aim: null },
    {
      what: "collector: CPU in the last minute",
      value: (cpuSeconds(pid) - cpuBefore[1]) / 60,
      unit: "cores",
      aim: null,
    },
  ]);
});

/** Seconds from the start of the process to its line with the addresses. */
async function timeStart(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "dist", "demo-fleet.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  atEnd(() => endChild(child));
  await once(createInterface({ input: child.stdout }), "line");
  const seconds = (performance.now() - startedAt) / 1000;
  await endChild(child);
  return seconds;
}

async function findFleet(pid: number): Promise<number> {
  for (let tries = 0; tries < 300; tries++) {
    const found = childrenOf(pid).find((child) => commandOf(child).includes("demo-fleet.mjs"));
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error("the collector started no demo fleet");
}
