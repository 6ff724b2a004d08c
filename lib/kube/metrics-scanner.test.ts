import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetricNames } from "./metric-names.ts";
import { type MetricSample, MetricsScanner, type MetricsScanSummary } from "./metrics-scanner.ts";

function scan(
  text: string,
  names: readonly string[],
  chunkBytes = 1 << 20,
): { readonly samples: readonly MetricSample[]; readonly summary: MetricsScanSummary } {
  const samples: MetricSample[] = [];
  const scanner = new MetricsScanner({
    names: new MetricNames(names),
    onSample: (sample) => samples.push(sample),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes)
    scanner.push(Buffer.from(bytes.subarray(at, at + chunkBytes)));
  return { samples, summary: scanner.end() };
}

const only = (line: string, name = "x") => scan(`# TYPE x gauge\n${line}\n`, [name]).samples[0];

describe("MetricsScanner", () => {
  it.each([
    ["x 1", {}, 1, null],
    ["x{} 1", {}, 1, null],
    ['x{a="b"} 2.5e-3', { a: "b" }, 0.0025, null],
    ['x{ a = "b" , c="d", } 1', { a: "b", c: "d" }, 1, null],
    ['x {a="b"}\t1', { a: "b" }, 1, null],
    ['x{a="q\\"u\\\\o\\nte"} 1', { a: 'q"u\\o\nte' }, 1, null],
    ['x{a="\\\\n"} 1', { a: "\\n" }, 1, null],
    ['x{a="\\d"} 1', { a: "\\d" }, 1, null],
    ['x{a="} 9",b="{,="} 1', { a: "} 9", b: "{,=" }, 1, null],
    ['x{a="é😀"} 1', { a: "é😀" }, 1, null],
    ["x +Inf", {}, Number.POSITIVE_INFINITY, null],
    ["x -Inf", {}, Number.NEGATIVE_INFINITY, null],
    ["x NaN", {}, Number.NaN, null],
    ["x -1", {}, -1, null],
    ["x .5", {}, 0.5, null],
    ["x 1.7e+09 1395066363000", {}, 1.7e9, 1395066363000],
    ["x 1 1395066363.5", {}, 1, 1395066363.5],
    ['x{a="b"} 17 # {trace_id="KOO"} 0.67 1520879607.789', { a: "b" }, 17, null],
    ["x 17 12 # {} 1", {}, 17, 12],
    ["x 1\r", {}, 1, null],
  ])("%s", (line, labels, value, timestamp) => {
    expect(only(line)).toEqual({ name: "x", labels, value, timestamp });
  });

  it.each([
    "x",
    "x abc",
    "x 0x10",
    "x{a=b} 1",
    'x{a="b 1',
    'x{a="b"',
    'x{="b"} 1',
    'x{a="b" c="d"} 1',
    "x 1 soon",
    "x 1 2 3",
    'x{a="b"}',
  ])("%s is malformed: counted, and left out", (line) => {
    const { samples, summary } = scan(`# HELP x y\n${line}\nx 5\n`, ["x"]);
    expect(samples.map((sample) => sample.value)).toEqual([5]);
    expect(summary).toEqual({ samples: 1, lines: 3, malformedLines: 1 });
  });

  it("hands over wanted names only: exact names and prefixes, not names that begin alike", () => {
    const text = '# x\na 1\nab 2\nabc{l="v"} 3\nabc_total 4\nb_one 5\nb_two 6\nb 7\n# EOF\n';
    const names = (wanted: string[]) => scan(text, wanted).samples.map((sample) => sample.name);
    expect(names(["abc"])).toEqual(["abc"]);
    expect(names(["a", "abc_total"])).toEqual(["a", "abc_total"]);
    expect(names(["b_*"])).toEqual(["b_one", "b_two"]);
    expect(names(["b*", "ab"])).toEqual(["ab", "b_one", "b_two", "b"]);
    expect(names(["abcd", "c"])).toEqual([]);
  });

  it("gives the same for every way to cut the page", () => {
    const label = fc.string({ unit: "binary", maxLength: 8 });
    const escaped = (text: string) =>
      text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    const line = fc.record({ name: fc.constantFrom("aa", "ab", "abc", "b"), label, value: fc.double() });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), (lines, chunkBytes) => {
        const go = (value: number) =>
          (Object.is(value, -0) ? "-0" : String(value)).replace("Infinity", "Inf");
        const text = lines
          .map((each) => `${each.name}{l="${escaped(each.label)}"} ${go(each.value)}\n`)
          .join("");
        const { samples } = scan(`# HELP a b\n${text}`, ["ab", "b*"], chunkBytes);
        expect(samples).toEqual(
          lines
            .filter((each) => each.name === "ab" || each.name === "b")
            // A carriage return inside a value is kept; nothing else is done to a label.
            .map((each) => ({
              name: each.name,
              labels: { l: each.label },
              value: each.value,
              timestamp: null,
            })),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("a page that does not end in a line feed is cut short, even where its last line looks complete", () => {
    expect(() => scan("# TYPE x gauge\nx 123", ["x"])).toThrow(
      expect.objectContaining({ reason: "truncated" }),
    );
    expect(() => scan("# TYPE x gauge\ny 1", ["x"])).toThrow(
      expect.objectContaining({ reason: "truncated" }),
    );
  });

  it.each([
    ["", /empty/],
    ["\n\n", /empty/],
    ["<html>\n<body>sign in</body>\n", /no metrics page.*<html>/],
    ['{"kind":"Status"}', /no metrics page.*Status/],
    ["x abc\n", /no metrics page/],
  ])("%j is no metrics page", (text, message) => {
    expect(() => scan(text, ["x"])).toThrow(expect.objectContaining({ reason: "bad-body" }));
    expect(() => scan(text, ["x"])).toThrow(message);
  });

  it("a page without any wanted sample is a result", () => {
    expect(scan("# HELP y z\ny 1\n", ["x"]).summary).toEqual({ samples: 0, lines: 2, malformedLines: 0 });
  });

  it("a line that never ends is stopped at the limit, wanted or not", () => {
    for (const beginning of ['x{a="', 'unwanted{a="', "# "]) {
      const scanner = new MetricsScanner({
        names: new MetricNames(["x"]),
        onSample: () => undefined,
        maxLineBytes: 10_000,
      });
      scanner.push(Buffer.from(beginning));
      expect(() => {
        for (let round = 0; round < 200; round++) scanner.push(Buffer.alloc(100, 0x61));
      }).toThrow(expect.objectContaining({ reason: "too-large" }));
    }
  });

  it("a name that no metric can have is a mistake of the caller", () => {
    expect(() => scan("", ["not a name"])).toThrow(RangeError);
  });

  it("pages that come at the same time hold nothing each but the line that is being received", () => {
    const names = new MetricNames(Array.from({ length: 100 }, (_, index) => `wanted_metric_${index}_total`));
    const begin = Buffer.from("# TYPE wanted_metric_7_total counter\nwanted_metric_7_total 1\nwanted_");
    const before = process.memoryUsage().arrayBuffers;
    const scanners = Array.from(
      { length: 200 },
      () => new MetricsScanner({ names, onSample: () => undefined }),
    );
    for (const scanner of scanners) scanner.push(begin);
    const bytesEach = (process.memoryUsage().arrayBuffers - before) / scanners.length;
    for (const scanner of scanners) scanner.push(Buffer.from("metric_7_total 2\n"));
    expect(scanners.map((scanner) => scanner.end().samples)).toEqual(scanners.map(() => 2));
    expect(bytesEach).toBeLessThan(1000);
  });
});
