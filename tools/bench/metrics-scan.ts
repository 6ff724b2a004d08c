/** A /metrics page of 32 MB, read over HTTP with the filter of a pass. */
import { WANTED_METRICS } from "../../lib/collector/metrics/wanted-metrics.ts";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { startFakeClusters } from "./support/fake-clusters.ts";
import { median } from "./support/figure.ts";
import { openClient } from "./support/open-client.ts";
import { resetOwnPeak, residentBytes } from "./support/process-figures.ts";
import { report } from "./support/report.ts";

const PAGE_BYTES = 32_000_000;
const RUNS = 7;

await runBench(async () => {
  const fake = await startFakeClusters({ clusters: 1, servers: 1, "metrics-filler-bytes": PAGE_BYTES });
  const client = await openClient(fake.writeKubeconfig(temporaryFolder()));
  // Idle is a process that has read something small, so that code and connections are there already.
  await client.getText("/version");
  const idle = residentBytes("self").now;
  resetOwnPeak();
  const runs: { seconds: number; cpuSeconds: number; fakeSeconds: number }[] = [];
  let samples = 0;
  let decodedBytes = 0;
  let wireBytes = 0;
  for (let run = 0; run < RUNS; run++) {
    const fakeBefore = (await fake.stats()).cpuSeconds;
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    samples = 0;
    const { cost } = await client.scanMetrics({ names: WANTED_METRICS, onSample: () => samples++ });
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    ({ decodedBytes, wireBytes } = cost);
    runs.push({
      seconds,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      fakeSeconds: (await fake.stats()).cpuSeconds - fakeBefore,
    });
  }
  // The first run includes the fake server making and packing its page.
  const [first, ...others] = runs;
  const peak = residentBytes("self").peak;
  report(
    [
      {
        what: "32 MB /metrics, filtered (median)",
        value: median(others.map((run) => run.seconds)),
        unit: "seconds",
        aim: 1,
      },
      { what: "memory over idle, highest", value: Math.max(0, peak - idle), unit: "bytes", aim: 64_000_000 },
      {
        what: "the reader's own CPU",
        value: median(others.map((run) => run.cpuSeconds)),
        unit: "seconds",
        aim: null,
      },
      {
        what: "the fake API server's CPU",
        value: median(others.map((run) => run.fakeSeconds)),
        unit: "seconds",
        aim: null,
      },
    ],
    [
      `${(decodedBytes / 1e6).toFixed(1)} MB as text, ${(wireBytes / 1e6).toFixed(1)} MB on the wire, ${samples} samples kept; the first read took ${first?.seconds.toFixed(2)} s`,
    ],
  );
});
