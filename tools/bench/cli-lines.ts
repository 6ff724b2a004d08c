/** 100,000 questions as lines through the command line: lines per second, and the process's highest memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import type { Figure } from "./support/figure.ts";
import { ROOT } from "./support/paths.ts";
import { residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

const LINES = 100_000;
const POLL_MS = 20;
const VERSIONS = ["1.26.3", "1.30.4", "1.33.13", "1.34.13", "1.36.6", "1.37.2"];

interface Questions {
  readonly command: readonly string[];
  readonly line: (index: number) => object;
}

const QUESTIONS: Readonly<Record<string, Questions>> = {
  seats: {
    command: ["seats"],
    line: (index) => ({
      method: "GET",
      path: `/api/v1/namespaces/team-${index % 200}/pods`,
      query: `limit=500&resourceVersion=${index % 3 === 0 ? "0" : index}&labelSelector=app%3Dweb-${index % 50}`,
      objects: (index * 7919) % 100_000,
      size: 500 + ((index * 31) % 20_000),
    }),
  },
  match: {
    command: ["fairness", "match"],
    line: (index) => ({
      user:
        index % 2 === 0
          ? `system:serviceaccount:team-${index % 200}:agent`
          : `system:node:node-${index % 5000}`,
      method: "GET",
      path: "/api/v1/pods",
      query: "resourceVersion=0",
    }),
  },
  rollout: {
    command: ["rollout", "plan"],
    line: (index) => ({
      maxUnavailable: index % 2 === 0 ? "10%" : 1 + (index % 5),
      nodes: [
        [["o"], true],
        [["o-"], true],
        [["n"], true],
        [[], true],
        [["n-"], index % 3 > 0],
      ],
    }),
  },
};

await runBench(async () => {
  const folder = temporaryFolder();
  const figures: Figure[] = [];
  for (const [name, questions] of Object.entries(QUESTIONS)) {
    const file = join(folder, `${name}.jsonl`);
    await writeQuestions(file, questions);
    const { seconds, peakBytes } = await answer(questions.command, file);
    progress(`${name}: ${Math.round(LINES / seconds)} lines per second`);
    const what = `headroom ${questions.command.join(" ")} --input, ${LINES.toLocaleString("en-GB")} lines`;
    figures.push(
      { what, value: seconds, unit: "seconds", aim: null },
      { what: "  lines per second", value: LINES / seconds, unit: "count", aim: null },
      { what: "  highest memory", value: peakBytes, unit: "bytes", aim: 500_000_000 },
    );
  }
  report(figures, [
    "each run is a process of its own, its start included; memory is bounded by the longest line, not by their number",
  ]);
});

async function writeQuestions(file: string, { line }: Questions): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0; index < LINES; index++) {
    const v = VERSIONS[index % VERSIONS.length];
    if (!stream.write(`${JSON.stringify({ id: index, v, ...line(index) })}\n`)) await once(stream, "drain");
  }
  stream.end();
  await finished(stream);
}

/** Answers a file in a process of its own and counts what comes out. */
async function answer(
  command: readonly string[],
  file: string,
): Promise<{ readonly seconds: number; readonly peakBytes: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "lib/cli/main.ts"), ...command, "--input", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let answers = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) answers++;
  });
  let peakBytes = 0;
  const poll = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid ?? 0).peak);
  }, POLL_MS);
  const [code] = await once(child, "close");
  clearInterval(poll);
  if (code !== 0 || answers !== LINES)
    throw new Error(`${command.join(" ")} ended with ${code} after ${answers} answers`);
  return { seconds: (performance.now() - startedAt) / 1000, peakBytes };
}
