import { describe, expect, test } from "vitest";
import { answerJsonLines, describeValue, type LineObject, LineProblem } from "./json-lines.ts";

interface Run {
  readonly answers: readonly LineObject[];
  readonly reports: readonly string[];
  readonly answered: number;
  readonly failed: number;
}

const double = (line: LineObject): LineObject => {
  if (typeof line.n !== "number") {
    throw new LineProblem({ field: "n", expected: "a number", got: describeValue(line.n) });
  }
  return { doubled: line.n * 2 };
};

/** Feeds bytes in pieces of `pieceBytes`. */
async function run(
  input: string | Uint8Array,
  { pieceBytes = 65_536, maxLineBytes = 1000 } = {},
): Promise<Run> {
  const bytes = typeof input === "string" ? Buffer.from(input) : input;
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const reports: string[] = [];
  let out = "";
  const result = await answerJsonLines({
    chunks: chunks(),
    answer: double,
    write: async (text) => {
      out += text;
    },
    report: (text) => reports.push(text),
    maxLineBytes,
  });
  const answers = out.split("\n").filter((line) => line !== "");
  return { ...result, reports, answers: answers.map((line) => JSON.parse(line)) };
}

describe("lines", () => {
  test.each([1, 2, 3, 7, 65_536])(
    "in pieces of %i bytes: LF, CRLF, blanks, a byte order mark, no end",
    async (pieceBytes) => {
      const text = '\ufeff{"id":"a","n":1}\r\n\n   \r\n{"id":2,"n":2}\n{"id":"ü€😀","n":3}';
      const { answers, reports } = await run(text, { pieceBytes });
      expect(answers).toEqual([
        { id: "a", doubled: 2 },
        { id: 2, doubled: 4 },
        { id: "ü€😀", doubled: 6 },
      ]);
      expect(reports).toEqual([]);
    },
  );

  test("an empty input has no answer and no problem", async () => {
    expect(await run("")).toEqual({ answers: [], reports: [], answered: 0, failed: 0 });
  });

  test.each([
    ["12345678901234567890"],
    ["-9223372036854775808"],
    ["0.1000000000000000055511151231257827"],
    ["1e309"],
    ["9007199254740992"],
  ])("an id that no double holds, %s, comes back as it was written", async (id) => {
    const texts: string[] = [];
    const line = (n: string) => `{"id":7,"other":{"id":5},"n":${n},"id":${id},"last":[{"id":6}]}\n`;
    await answerJsonLines({
      chunks: (async function* () {
        yield Buffer.from(line("1") + line('"wrong"'));
      })(),
      answer: double,
      write: async (text) => void texts.push(text),
      report: () => undefined,
      maxLineBytes: 1000,
    });
    const [answer, problem] = texts.join("").split("\n");
    expect(answer).toBe(`{"id":${id},"doubled":2}`);
    expect(problem).toMatch(`{"id":${id},"error":{`);
  });

  test("the answer's own fields stand beside the id of the line", async () => {
    const { answers } = await run('{"n":5,"id":"last","other":[1]}\n');
    expect(answers).toEqual([{ id: "last", doubled: 10 }]);
  });
});

describe("a line that cannot be answered says which, which field and what was expected; the others are answered", () => {
  const around = (line: string | Uint8Array) =>
    Buffer.concat([
      Buffer.from('{"id":"a","n":1}\n'),
      Buffer.from(line),
      Buffer.from('\n{"id":"c","n":3}\n'),
    ]);

  test.each([
    ["not JSON", "{n:1}", { line: 2, field: null, expected: "one JSON object" }],
    ["cut off", '{"id":"b"', { line: 2, field: null, expected: "one JSON object" }],
    ["a list", "[1,2]", { line: 2, field: null, expected: "one JSON object", got: "a list of 2" }],
    ["a number", "17", { line: 2, field: null, expected: "one JSON object", got: "17" }],
    ["null", "null", { line: 2, field: null, expected: "one JSON object", got: "null" }],
    ["two objects", '{"id":1} {"id":2}', { line: 2, field: null, expected: "one JSON object" }],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0xfe, 0x22]), { line: 2, field: null, expected: "UTF-8" }],
    ["UTF-16", Buffer.from('{"id":1}', "utf16le"), { line: 2, expected: "one JSON object" }],
    ["no id", '{"n":1}', { line: 2, field: "id", got: "nothing" }],
    ["an id that is none", '{"id":{},"n":1}', { line: 2, field: "id", got: "an object" }],
    ["too long", `{"id":"b","n":${"1".repeat(2000)}}`, { line: 2, expected: "a line of at most 1000 bytes" }],
  ])("%s", async (_title, line, error) => {
    for (const pieceBytes of [5, 65_536]) {
      const { answers, reports, answered, failed } = await run(around(line), { pieceBytes });
      expect(answers).toEqual([
        { id: "a", doubled: 2 },
        { id: null, error: expect.objectContaining(error) },
        { id: "c", doubled: 6 },
      ]);
      expect([answered, failed]).toEqual([2, 1]);
      expect(reports).toEqual([
        expect.stringMatching(/^line 2: .*expected /),
        "1 of 3 lines could not be answered.",
      ]);
    }
  });

  test("an id of such a kind in a line nested a hundred thousand deep is refused, whatever stands beside it", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { answers } = await run(`{"id":1.5,"n":1,"x":${deep}}\n{"id":1,"n":1,"x":${deep}}\n`, {
      maxLineBytes: 1_000_000,
    });
    expect(answers).toEqual([
      { id: null, error: expect.objectContaining({ field: "id" }) },
      { id: 1, doubled: 2 },
    ]);
  });

  test("a wrong field keeps the id, and blanks count as lines", async () => {
    const { answers, reports } = await run('\n\n{"id":"b","n":"many"}\n');
    expect(answers).toEqual([
      { id: "b", error: { line: 3, field: "n", expected: "a number", got: '"many"' } },
    ]);
    expect(reports[0]).toBe('line 3: n: expected a number, got "many"');
  });

  test("a hundred are told one by one, the rest as a number", async () => {
    const { reports, failed } = await run("x\n".repeat(150));
    expect(failed).toBe(150);
    expect(reports).toHaveLength(102);
    expect(reports.slice(-2)).toEqual([
      expect.stringContaining("50 more"),
      "150 of 150 lines could not be answered.",
    ]);
  });

  test("a defect of the one who answers is not taken for bad input", async () => {
    const broken = answerJsonLines({
      chunks: (async function* () {
        yield Buffer.from('{"id":1}\n');
      })(),
      answer: () => {
        throw new TypeError("broken");
      },
      write: async () => undefined,
      report: () => undefined,
      maxLineBytes: 1000,
    });
    await expect(broken).rejects.toThrow("broken");
  });
});

describe("memory", () => {
  test("nothing is read ahead of a reader that is behind", async () => {
    let read = 0;
    let isStalled = true;
    let release: () => void = () => undefined;
    const line = `${JSON.stringify({ id: "x".repeat(500), n: 1 })}\n`;
    const done = answerJsonLines({
      chunks: (async function* () {
        for (; read < 10_000; read++) yield Buffer.from(line);
      })(),
      answer: double,
      write: () =>
        isStalled
          ? new Promise<void>((resolve) => {
              release = resolve;
            })
          : Promise.resolve(),
      report: () => undefined,
      maxLineBytes: 10_000,
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(read).toBeLessThan(10);
    isStalled = false;
    release();
    expect(await done).toEqual({ answered: 10_000, failed: 0 });
  });

  test("one line without an end is not kept once it is too long", async () => {
    const piece = Buffer.alloc(1_000_000, "x");
    const before = process.memoryUsage().arrayBuffers;
    let highest = 0;
    const { failed } = await answerJsonLines({
      chunks: (async function* () {
        for (let count = 0; count < 400; count++) {
          yield Buffer.from(piece);
          highest = Math.max(highest, process.memoryUsage().arrayBuffers - before);
        }
      })(),
      answer: double,
      write: async () => undefined,
      report: () => undefined,
      maxLineBytes: 2_000_000,
    });
    expect(failed).toBe(1);
    // 400 MB went through; what the collector has not freed yet is allowed for.
    expect(highest).toBeLessThan(200_000_000);
  });
});

test.each([
  [undefined, "nothing"],
  [null, "null"],
  [[1, 2, 3], "a list of 3"],
  [{}, "an object"],
  [JSON.parse("1e309"), "a number beyond 1.8e308"],
  [JSON.parse("-1e309"), "a number beyond 1.8e308"],
  ["a\u001b[31mb\nc", '"a\\u001b[31mb\\nc"'],
  ["y".repeat(100), `"${"y".repeat(59)}…`],
])("describeValue %j", (value, text) => {
  expect(describeValue(value)).toBe(text);
});
