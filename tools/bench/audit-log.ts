/** An audit log through `headroom agents learn --audit -`: events a second on one core, and memory along the way. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateAuditLog } from "./support/audit-generator.ts";
import { atEnd, endChild, runBench } from "./support/clean-up.ts";
import { ROOT } from "./support/paths.ts";
import { cpuSeconds, residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

const { values } = parseArgs({
  options: {
    gigabytes: { type: "string", default: "1" },
    // Of every tenth event; 0: none has one.
    "body-bytes": { type: "string", default: "0" },
  },
});
const bytes = Number(values.gigabytes) * 1e9;
const bodyBytes = Number(values["body-bytes"]);

interface Measured {
  readonly seconds: number;
  readonly readerCpuSeconds: number;
  readonly events: number;
  readonly bytes: number;
  readonly peakBytes: number;
  /** Highest so far when a tenth was read, and when half was. */
  readonly peakAtTenth: number;
  readonly peakAtHalf: number;
  readonly agents: number;
}

await runBench(async () => {
  const measured = await learn();
  const { seconds, readerCpuSeconds, events, peakBytes } = measured;
  report(
    [
      {
        what: `${(measured.bytes / 1e9).toFixed(1)} GB of events, learned from`,
        value: seconds,
        unit: "seconds",
        aim: null,
      },
      { what: "  events", value: events, unit: "count", aim: null },
      {
        what: "  CPU of the reader for 100,000 events",
        value: (readerCpuSeconds / events) * 1e5,
        unit: "seconds",
        aim: 1,
      },
      { what: "  events per second of its CPU", value: events / readerCpuSeconds, unit: "count", aim: null },
      { what: "  events per second on the clock", value: events / seconds, unit: "count", aim: null },
      { what: "  highest memory", value: peakBytes, unit: "bytes", aim: 256_000_000 },
      {
        what: "  highest memory when a tenth was read",
        value: measured.peakAtTenth,
        unit: "bytes",
        aim: null,
      },
      { what: "  highest memory when half was read", value: measured.peakAtHalf, unit: "bytes", aim: null },
    ],
    [
      `${Math.round(measured.bytes / events)} bytes an event${bodyBytes > 0 ? `, every tenth with a body of about ${bodyBytes}` : ""}; ${measured.agents} agents of 2,000 nodes`,
      "the log is made by this bench while the reader reads it, and is not stored; --gigabytes 10 for more",
    ],
  );
});

async function learn(): Promise<Measured> {
  const child = spawn(
    process.execPath,
    [join(ROOT, "lib/cli/main.ts"), "agents", "learn", "--audit", "-", "--output", "json"],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  atEnd(() => endChild(child));
  const pid = child.pid ?? 0;
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  const closed = once(child, "close");
  const startedAt = performance.now();
  let events = 0;
  let sent = 0;
  let cpu = 0;
  const peaks = { all: 0, tenth: 0, half: 0 };
  const look = () => {
    cpu = Math.max(cpu, cpuSeconds(pid));
    peaks.all = Math.max(peaks.all, residentBytes(pid).peak);
    if (sent <= bytes / 10) peaks.tenth = peaks.all;
    if (sent <= bytes / 2) peaks.half = peaks.all;
  };
  const timer = setInterval(look, 20);
  for (const { block, events: more } of generateAuditLog({ bytes, bodyBytes })) {
    if (!child.stdin.write(block)) await once(child.stdin, "drain");
    sent += block.length;
    events += more;
    look();
    if (events % 400_000 === 0) progress(`${events.toLocaleString("en-GB")} events`);
  }
  child.stdin.end();
  const [code] = await closed;
  clearInterval(timer);
  const seconds = (performance.now() - startedAt) / 1000;
  const learned = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
    log: { events: number };
    agents: unknown[];
  };
  if (code !== 0 || learned.log.events !== events) {
    throw new Error(`agents learn ended with ${code} after ${learned.log.events} of ${events} events`);
  }
  return {
    seconds,
    readerCpuSeconds: cpu,
    events,
    bytes: sent,
    peakBytes: peaks.all,
    peakAtTenth: peaks.tenth,
    peakAtHalf: peaks.half,
    agents: learned.agents.length,
  };
}
