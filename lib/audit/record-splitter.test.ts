import { describe, expect, test } from "vitest";
import { auditEvent, auditObject } from "../domain/agents/audit/test-events.ts";
import { RecordSplitter } from "./record-splitter.ts";

interface Seen {
  readonly ids: string[];
  readonly others: string[];
  readonly tooLong: number[];
  readonly broken: number[];
  readonly lines: number[];
}

function split(text: string | Buffer, chunkBytes: number, maxBytes = 10_000): Seen {
  const seen: Seen = { ids: [], others: [], tooLong: [], broken: [], lines: [] };
  const splitter = new RecordSplitter(maxBytes, {
    onRecord: (record) => {
      try {
        const { auditID, text: other } = JSON.parse(record.text) as { auditID?: string; text?: string };
        seen.ids.push(auditID ?? `no id ${other}`);
        seen.lines.push(record.line);
      } catch {
        if (record.text.trim() !== "") seen.others.push(record.text);
      }
    },
    onTooLong: (line) => seen.tooLong.push(line),
    onBrokenList: (line) => seen.broken.push(line),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) splitter.push(bytes.subarray(at, at + chunkBytes));
  splitter.end();
  return seen;
}

const event = (id: string, extra: Readonly<Record<string, unknown>> = {}) =>
  auditObject(auditEvent({ auditId: id }), extra);
const line = (id: string, extra = {}) => JSON.stringify(event(id, extra));
const hostile = { requestObject: { a: 'x}]{["\\', items: [{ auditID: "inner" }], b: "日本🚀" } };
const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: { selfLink: "{[" } };
const items = (...ids: string[]) => ids.map((id) => event(id, hostile));

describe("records of an audit log, in chunks of any size", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["one a line", `${line("a")}\n${line("b")}\n`, ["a", "b"]],
    ["without a last line feed", `${line("a")}\n${line("b")}`, ["a", "b"]],
    [
      "with CRLF, a byte order mark and lines of blanks",
      `\ufeff${line("a")}\r\n\r\n  \r\n${line("b")}\r\n`,
      ["a", "b"],
    ],
    ["an EventList on one line", JSON.stringify({ ...list, items: items("a", "b") }), ["a", "b"]],
    [
      "an EventList over many lines",
      JSON.stringify({ ...list, items: items("a", "b") }, null, 2),
      ["a", "b"],
    ],
    [
      "an EventList with its keys sorted",
      JSON.stringify({ apiVersion: list.apiVersion, items: items("a"), kind: "EventList" }),
      ["a"],
    ],
    [
      "EventLists one a line",
      `${JSON.stringify({ ...list, items: items("a") })}\n${JSON.stringify({ ...list, items: [] })}\n${JSON.stringify({ ...list, items: items("b") })}\n`,
      ["a", "b"],
    ],
    [
      "an EventList between lines",
      `${line("a")}\n${JSON.stringify({ ...list, items: items("b") })}\n${line("c")}\n`,
      ["a", "b", "c"],
    ],
    ["an array", JSON.stringify(items("a", "b")), ["a", "b"]],
    ["an array over many lines", `\n ${JSON.stringify(items("a", "b"), null, 1)}\n`, ["a", "b"]],
    [
      "printed over many lines, one after the other",
      [event("a", hostile), event("b", hostile)].map((each) => JSON.stringify(each, null, 4)).join("\n"),
      ["a", "b"],
    ],
    ["an array with one event a line", `[\n${line("a")},\n${line("b")}\n]\n`, ["a", "b"]],
    [
      "a list with one event a line",
      `{"kind":"EventList","items":[\n${line("a")},\n${line("b")}]}`,
      ["a", "b"],
    ],
  ];

  test.each(cases)("%s", (_, text, expected) => {
    for (const size of [1, 2, 7, 64, 513, 1_000_000]) {
      const seen = split(text, size);
      expect(seen.ids).toEqual(expected);
      expect([seen.others, seen.tooLong, seen.broken]).toEqual([[], [], []]);
    }
  });

  test("garbage stands between events and takes none of them with it", () => {
    const text = [
      "[2026-03-02] started",
      line("a"),
      "{",
      "{{{{",
      "}",
      '{"text": 1}',
      "null",
      line("b"),
      "\u0000".repeat(50),
    ].join("\n");
    for (const size of [1, 13, 100_000])
      expect(split(text, size).ids.filter((id) => /^[ab]$/.test(id))).toEqual(["a", "b"]);
  });

  test("a list that is cut off gives what is whole, and the events after it", () => {
    const whole = JSON.stringify({ ...list, items: items("a", "b") });
    const text = `${whole.slice(0, -40)}\n${line("c")}\n${line("d")}\n`;
    for (const size of [1, 31, 100_000]) {
      const seen = split(text, size);
      expect(seen.ids).toEqual(["a", "c", "d"].slice(size === 0 ? 1 : 0));
      expect(seen.broken).toHaveLength(1);
    }
    expect(split(whole.slice(0, -1), 10).broken).toHaveLength(1);
  });

  test("events that are too long are passed over and named by their line, in lines and lists", () => {
    const long = { requestObject: "x".repeat(20_000) };
    const lines = `${line("a")}\n${line("big", long)}\n${line("b")}\n`;
    const asList = JSON.stringify({ ...list, items: [event("a"), event("big", long), event("b")] });
    for (const size of [100, 1_000_000]) {
      expect(split(lines, size)).toMatchObject({ ids: ["a", "b"], tooLong: [2], lines: [1, 3] });
      expect(split(asList, size)).toMatchObject({ ids: ["a", "b"], tooLong: [1] });
    }
  });

  test("a last line that is cut off is handed on as such", () => {
    const ends: boolean[] = [];
    const splitter = new RecordSplitter(1000, {
      onRecord: ({ isWhole }) => ends.push(isWhole),
      onTooLong: () => undefined,
      onBrokenList: () => undefined,
    });
    splitter.push(Buffer.from('{"kind":"Event","x":1}\n{"kind":"Ev'));
    splitter.end();
    expect(ends).toEqual([true, false]);
  });
});
