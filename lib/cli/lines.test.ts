import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { headroom, linesOf } from "./test-support/headroom.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const LIST = {
  v: "1.36.6",
  method: "GET",
  path: "/api/v1/pods",
  query: "resourceVersion=0",
  objects: 20_000,
  size: 4200,
};
const STATE = { v: "1.36.3", nodes: [[["o"], true]] };
const SCENARIO = {
  config: { queues: 4, handSize: 2, queueLengthLimit: 5, concurrencyLimit: 1 },
  flows: [["a", "b"]],
  requests: [[0, 0, 1, 0, 0, 1000, 0, -1]],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-lines-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Wrong {
  readonly line: object;
  readonly field: string | null;
  readonly says: string;
}

const COMMANDS: Readonly<Record<string, { readonly good: object; readonly wrong: readonly Wrong[] }>> = {
  seats: {
    good: LIST,
    wrong: [
      { line: { ...LIST, v: undefined }, field: "v", says: "a Kubernetes version" },
      { line: { ...LIST, v: 1.36 }, field: "v", says: "as text" },
      { line: { ...LIST, method: "get it" }, field: "method", says: "HTTP method" },
      { line: { ...LIST, path: "pods" }, field: "path", says: "begins with /" },
      { line: { ...LIST, query: 5 }, field: "query", says: "a text" },
      { line: { ...LIST, objects: -1 }, field: "objects", says: "whole number" },
      {
        line: { ...LIST, objects: 2 ** 53 },
        field: "objects",
        says: "whole number of at most 9007199254740991",
      },
      { line: { ...LIST, size: "4 KB" }, field: "size", says: "whole number" },
      { line: { ...LIST, stats: "old" }, field: "stats", says: "one of ok, stale" },
      { line: { ...LIST, gates: { WatchList: "on" } }, field: "gates.WatchList", says: "true or false" },
      { line: { ...LIST, watchers: 1.5 }, field: "watchers", says: "whole number" },
    ],
  },
  "fairness match": {
    good: { v: "1.36", user: "alice", path: "/api/v1/pods" },
    wrong: [
      { line: { v: "1.36", user: "alice" }, field: "path", says: "begins with /" },
      { line: { v: "1.36", path: "/a", groups: "admins" }, field: "groups", says: "a list" },
      {
        line: { v: "1.36", path: "/a", flowSchemas: ["default"] },
        field: "flowSchemas[0]",
        says: '"defaults"',
      },
      {
        line: { v: "1.36", path: "/a", flowSchemas: [{ metadata: { name: "x" }, spec: {} }] },
        field: "flowSchemas[0].spec.priorityLevelConfiguration",
        says: "a reference",
      },
      {
        line: {
          v: "1.36",
          path: "/a",
          priorityLevels: [{ metadata: { name: "x" }, spec: { type: "Open" } }],
        },
        field: "priorityLevels[0].spec.type",
        says: "one of Exempt, Limited",
      },
    ],
  },
  "fairness limits": {
    good: { v: "1.36" },
    wrong: [
      {
        line: { v: "1.36", periods: Array.from({ length: 10 }, () => ({ lengthUs: 1e12, demand: [] })) },
        field: "periods[9].lengthUs",
        says: "9007199254740 us in all",
      },
      { line: { v: "1.36", scl: 0 }, field: "scl", says: "at least 1" },
      { line: { v: "1.36", periods: [{ lengthUs: 1 }] }, field: "periods[0].demand", says: "a list" },
      {
        line: { v: "1.36", periods: [{ lengthUs: 5, demand: [[0, "nobody", 1]] }] },
        field: "periods[0].demand[0][1]",
        says: "one of the levels",
      },
      {
        line: {
          v: "1.36",
          periods: [
            {
              lengthUs: 5,
              demand: [
                [3, "system", 1],
                [2, "system", 2],
              ],
            },
          ],
        },
        field: "periods[0].demand[1][0]",
        says: "no earlier time",
      },
    ],
  },
  "fairness replay": {
    good: SCENARIO,
    wrong: [
      { line: { ...SCENARIO, config: { queues: 4 } }, field: "config.handSize", says: "whole number" },
      {
        line: { ...SCENARIO, config: { ...SCENARIO.config, handSize: 5 } },
        field: "config",
        says: "can be used",
      },
      {
        line: { ...SCENARIO, config: { ...SCENARIO.config, queues: 60_000_000 } },
        field: "config.queues",
        says: "at most 1000000",
      },
      {
        line: { ...SCENARIO, changes: [[0, 4, 2, 5, 10_000_000]] },
        field: "changes[0][4]",
        says: "at most 1000000",
      },
      {
        line: { ...SCENARIO, requests: [[0, 0, 10_000_000, 0, 0, 1, 0, -1]] },
        field: "requests[0][2]",
        says: "at most 1000000",
      },
      {
        line: { ...SCENARIO, requests: [[2e12, 0, 1, 0, 0, 1, 0, -1]] },
        field: "requests[0][0]",
        says: "at most 1000000000000",
      },
      {
        line: { ...SCENARIO, requests: Array.from({ length: 20 }, () => [0, 0, 1, 0, 0, 1e12, 0, -1]) },
        field: "requests",
        says: "ends within 9007199254740 us",
      },
      { line: { ...SCENARIO, requests: [[0, 0, 1]] }, field: "requests[0]", says: "arrival us" },
      {
        line: { ...SCENARIO, requests: [[0, 3, 1, 0, 0, 1, 0, -1]] },
        field: "requests[0][1]",
        says: "index of one of the 1 flows",
      },
      {
        line: { ...SCENARIO, requests: [[0, 0, 0, 0, 0, 1, 0, -1]] },
        field: "requests[0][2]",
        says: "at least 1",
      },
      {
        line: {
          ...SCENARIO,
          requests: [
            [5, 0, 1, 0, 0, 1, 0, -1],
            [4, 0, 1, 0, 0, 1, 0, -1],
          ],
        },
        field: "requests[1][0]",
        says: "no earlier time",
      },
    ],
  },
  "rollout plan": {
    good: STATE,
    wrong: [
      { line: { ...STATE, nodes: undefined }, field: "nodes", says: "pods on it" },
      { line: { ...STATE, nodes: [[["o"], 1]] }, field: "nodes[0][1]", says: "true or false" },
      { line: { ...STATE, nodes: [[["o", "x"], true]] }, field: "nodes[0][0][1]", says: "o (old template)" },
      {
        line: { ...STATE, nodes: { runs: [[2, ["q"], true]] } },
        field: "nodes.runs[0][1][0]",
        says: "o (old template)",
      },
      {
        line: { ...STATE, nodes: { runs: [[10_000_000, ["o"], true]] } },
        field: "nodes",
        says: "at most 200000",
      },
      { line: { ...STATE, maxUnavailable: "half" }, field: "maxUnavailable", says: "percentage" },
      {
        line: { ...STATE, maxUnavailable: 1, maxSurge: "10%" },
        field: "maxSurge",
        says: "0, as maxUnavailable",
      },
      { line: { ...STATE, maxUnavailable: 0 }, field: "maxUnavailable", says: "more than 0" },
      { line: { ...STATE, minReadySeconds: -5 }, field: "minReadySeconds", says: "whole number" },
    ],
  },
};

describe.each(Object.entries(COMMANDS))("%s", (command, { good, wrong }) => {
  test("tells of each wrong line which it is, which field, what was expected; answers the others; ends with 2", async () => {
    const lines = wrong.flatMap(({ line }, index) => [
      { id: `good-${index}`, ...good },
      { id: `wrong-${index}`, ...line },
    ]);
    const { code, out, err } = await headroom(
      [...command.split(" "), "--input", "-"],
      linesOf([...lines, "{"]),
    );
    const answers = out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(code).toBe(2);
    expect(answers.map(({ id }) => id)).toEqual([...lines.map(({ id }) => id), null]);
    for (const [index, { field, says }] of wrong.entries()) {
      expect(answers[2 * index].error).toBeUndefined();
      const { error } = answers[2 * index + 1];
      expect(error).toMatchObject({ line: 2 * index + 2, field });
      expect(error.expected).toContain(says);
      expect(err).toContain(`line ${2 * index + 2}: ${field}: expected `);
    }
    expect(err).toContain(`${wrong.length + 1} of ${lines.length + 1} lines could not be answered.`);
  });
});

test("absent fields mean the default, and unknown ones are named", async () => {
  const { code, out } = await headroom(
    ["fairness", "limits", "--input", "-"],
    linesOf([
      { id: 1, v: "1.36" },
      { id: 2, v: "1.36", scl: 600, priorityLevels: ["defaults"], sc1: 3 },
    ]),
  );
  const [plain, full] = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(full.limits).toEqual(plain.limits);
  expect([plain.ignored, full.ignored]).toEqual([undefined, ["sc1"]]);
});

test.each([
  ["seats", { ...LIST, gates: { WatchLists: true, WatchList: true } }, ["gates.WatchLists"]],
  [
    "fairness match",
    {
      v: "1.36",
      path: "/healthz",
      flowSchemas: [
        "defaults",
        {
          kind: "FlowSchema",
          metadata: { name: "a", uid: "1", labels: { x: "y" } },
          spec: {
            matchingPrecedance: 5,
            distinguisherMethod: null,
            priorityLevelConfiguration: { name: "system" },
            rules: [{ subject: [], subjects: [{ kind: "User", user: { name: "x" } }] }],
          },
          status: { conditions: [{ type: "Dangling", status: "False", reason: "Found" }] },
        },
      ],
    },
    ["flowSchemas[1].spec.matchingPrecedance", "flowSchemas[1].spec.rules[0].subject"],
  ],
  [
    "fairness limits",
    { v: "1.36", second: { scl: 600, priorityLevel: ["defaults"] } },
    ["second.priorityLevel"],
  ],
  [
    "fairness limits",
    { v: "1.36", periods: [{ lengthUs: 5, demand: [], inject: {} }] },
    ["periods[0].inject"],
  ],
  ["fairness replay", { ...SCENARIO, config: { ...SCENARIO.config, queue: 4 } }, ["config.queue"]],
  ["rollout plan", { ...STATE, nodes: { runs: [], run: [] } }, ["nodes.run"]],
])(
  "%s names what is misspelt further in, and passes over what kubectl prints beside",
  async (command, line, ignored) => {
    const { code, out } = await headroom(
      [...command.split(" "), "--input", "-"],
      linesOf([{ id: 1, ...line }]),
    );
    expect([code, JSON.parse(out).ignored]).toEqual([0, ignored]);
  },
);

test.each(Object.entries(COMMANDS))(
  "%s takes a line with its answer in it for the line",
  async (command, { good }) => {
    const args = [...command.split(" "), "--input", "-"];
    const first = await headroom(args, linesOf([{ id: 1, ...good }]));
    const again = await headroom(args, linesOf([{ ...good, ...JSON.parse(first.out) }]));
    expect([again.code, again.out]).toEqual([0, first.out]);
  },
);

describe("where the lines come from", () => {
  test("a file; blanks, CRLF and a byte order mark are no lines", async () => {
    const file = join(folder, "lines.jsonl");
    await writeFile(
      file,
      `\ufeff${JSON.stringify({ id: 1, ...STATE })}\r\n\r\n${JSON.stringify({ id: 2, ...STATE })}`,
    );
    const { code, out, err } = await headroom(["rollout", "plan", "--input", file, "--output", "json"]);
    expect([code, err, out.trim().split("\n").length]).toEqual([0, "", 2]);
  });

  test.each([
    ["a file that is not there", () => join(folder, "nothing.jsonl"), "does not exist"],
    ["a folder", () => folder, "expected a file"],
  ])("%s: exit code 2 and its name", async (_title, path, says) => {
    const { code, out, err } = await headroom(["seats", "--input", path()]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(path());
    expect(err).toContain(says);
  });

  test.each([
    ["a flag of one question", ["--kubernetes-version", "1.36"], "--kubernetes-version"],
    ["text as output", ["--output", "text"], "--output"],
  ])("%s beside --input is wrong usage", async (_title, args, says) => {
    const { code, out, err } = await headroom(["seats", "--input", "-", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(says);
  });

  test("nothing to answer is no error", async () => {
    expect(await headroom(["seats", "--input", "-"], "\n\n")).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("100,000 lines", () => {
  const LINES = 100_000;
  let file: string;
  beforeAll(async () => {
    file = join(folder, "many.jsonl");
    await writeFile(file, linesOf(Array.from({ length: LINES }, (_, id) => ({ id, ...LIST, objects: id }))));
  });

  test("are answered in order within a heap of 64 MB", async () => {
    const child = spawn(process.execPath, ["--max-old-space-size=64", MAIN, "seats", "--input", file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let peakBytes = 0;
    let answered = 0;
    let rest = "";
    let lastId = -1;
    for await (const chunk of child.stdout) {
      // Each piece is looked at and dropped; the reader is slower than the writer for a moment.
      if (answered % 20 === 0) peakBytes = Math.max(peakBytes, await peakOf(child.pid ?? 0));
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const id = Number(/^\{"id":(\d+),/.exec(line)?.[1]);
        expect(id).toBe(lastId + 1);
        lastId = id;
        answered++;
      }
    }
    const [code] = child.exitCode === null ? await once(child, "close") : [child.exitCode];
    expect([code, answered, rest]).toEqual([0, LINES, ""]);
    expect(peakBytes).toBeLessThan(400_000_000);
  });

  test("a reader that goes away is no error", async () => {
    const child = spawn(process.execPath, [MAIN, "seats", "--input", file], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect([code, err]).toEqual([0, ""]);
  });

  test("nor is one of the problems that goes away: all is answered, and the exit code says that not all could be", async () => {
    const child = spawn(process.execPath, [MAIN, "seats", "--input", "-"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stderr.destroy();
    child.stdin.end(linesOf([{ id: 1 }, { id: 2, ...LIST }, { id: 3 }]));
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const [code] = await once(child, "close");
    expect([code, out.trim().split("\n").length]).toEqual([2, 3]);
  });

  test.runIf(existsSync("/dev/full"))("a full disk is one sentence and exit code 1", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [MAIN, "seats", "--input", file], {
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    let err = "";
    child.stderr?.on("data", (chunk) => {
      err += chunk;
    });
    const [code] = await once(child, "close");
    expect([code, err]).toEqual([1, "The output could not be written (ENOSPC).\n"]);
  });

  test("an answer comes as soon as its line is there", async () => {
    const child = spawn(process.execPath, [MAIN, "seats", "--input", "-"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    for (const id of [1, 2]) {
      child.stdin.write(`${JSON.stringify({ id, ...LIST })}\n`);
      const [chunk] = await once(child.stdout, "data");
      expect(JSON.parse(String(chunk)).id).toBe(id);
    }
    child.stdin.end();
    expect((await once(child, "close"))[0]).toBe(0);
  });
});

/** Highest resident memory of a process so far; 0 where the machine does not tell. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
