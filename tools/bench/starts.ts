/** How long one waits: a second `npm start` until the first answer, and the command line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, runBench, temporaryFolder } from "./support/clean-up.ts";
import { productEnvironment } from "./support/environment.ts";
import { median } from "./support/figure.ts";
import { ROOT } from "./support/paths.ts";
import { report } from "./support/report.ts";
import { freePort } from "./support/web-server.ts";

const LIMIT_MS = 60_000;
const STARTS = 3;
const COMMANDS = 11;

await runBench(async () => {
  const folder = temporaryFolder();
  // The first start makes the store; what is timed are those after it.
  await timeStart(folder);
  const starts: number[] = [];
  for (let run = 0; run < STARTS; run++) starts.push(await timeStart(folder));
  const headroom = (...args: string[]) =>
    timeCommand(process.execPath, [join(ROOT, "tools", "headroom.mjs"), ...args]);
  const version = await headroom("--version");
  const help = await headroom("--help");
  const npm = await timeCommand("npm", ["run", "-s", "headroom", "--", "--version"]);
  const node = await timeCommand(process.execPath, ["-e", ""]);
  report([
    {
      what: "second npm start until the first answer (median)",
      value: median(starts),
      unit: "seconds",
      aim: 5,
    },
    { what: "headroom --version (median)", value: version, unit: "milliseconds", aim: 300 },
    { what: "headroom --help (median)", value: help, unit: "milliseconds", aim: 300 },
    { what: "the same by npm run: npm's own part", value: npm - version, unit: "milliseconds", aim: null },
    { what: "Node alone", value: node, unit: "milliseconds", aim: null },
  ]);
});

/** Seconds from `npm start` to the first page that answers 200. */
async function timeStart(folder: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  // A group of its own: npm does not hand every signal on to what it runs.
  const child = spawn("npm", ["start", "--", "--port", String(port)], {
    cwd: ROOT,
    detached: true,
    env: productEnvironment({ HEADROOM_STORE_URL: `file:${join(folder, "headroom.db")}` }),
    stdio: ["ignore", "ignore", "ignore"],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, "exit");
    process.kill(-child.pid, "SIGTERM");
    await gone;
  };
  atEnd(end);
  while (performance.now() - startedAt < LIMIT_MS && child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) {
      const seconds = (performance.now() - startedAt) / 1000;
      await end();
      return seconds;
    }
    await sleep(25);
  }
  await end();
  throw new Error(`npm start did not answer within ${LIMIT_MS / 1000} s`);
}

/** Median milliseconds of a command from its start to its end. */
async function timeCommand(command: string, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < COMMANDS; run++) {
    const startedAt = performance.now();
    const child = spawn(command, [...args], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
