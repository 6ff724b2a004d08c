import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyError } from "./body-error.ts";
import { ListSplitter, type ListSplitterLimits } from "./list-splitter.ts";

/** Splits `bytes` in chunks of the given sizes (repeated), and puts items and envelope together again. */
function split(bytes: Buffer, sizes: readonly number[], limits: ListSplitterLimits = {}): unknown {
  const splitter = new ListSplitter(limits);
  const items: unknown[] = [];
  let wasArray = false;
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    for (const item of splitter.push(Buffer.from(bytes.subarray(at, at + size)))) {
      wasArray = true;
      items.push(JSON.parse(item.toString("utf8")));
    }
    at += size;
  }
  const envelope = splitter.end();
  if (!wasArray) return envelope;
  if (typeof envelope !== "object" || envelope === null) throw new Error("items without an object");
  return { ...envelope, items };
}

function fails(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

const whole = [1 << 30];

const object = fc.object({ maxDepth: 2, maxKeys: 3, withUnicodeString: true });
const listDocument = fc
  .record({
    before: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
    after: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    items: fc.oneof(
      { weight: 6, arbitrary: fc.array(fc.oneof(object, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    ),
    hasItems: fc.boolean(),
    indent: fc.constantFrom(0, 0, 1, "\t"),
  })
  .map(({ before, after, items, hasItems, indent }) => {
    const parts: Record<string, unknown> = { ...before };
    if (hasItems) parts.items = items;
    for (const [key, value] of Object.entries(after)) if (key !== "items") parts[key] = value;
    return JSON.stringify(parts, null, indent);
  });
const chunkSizes = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })), {
  minLength: 1,
  maxLength: 5,
});

describe("ListSplitter", () => {
  it("gives what JSON.parse gives, for any document cut in any way", () => {
    fc.assert(
      fc.property(listDocument, chunkSizes, (text, sizes) => {
        // Comparing by expect would be most of the time of this test.
        expect(isDeepStrictEqual(split(Buffer.from(text), sizes), JSON.parse(text))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("fails whenever JSON.parse fails, and agrees when it does not, for documents with bytes changed or cut", () => {
    const mutation = fc.record({
      at: fc.nat({ max: 400 }),
      remove: fc.nat({ max: 3 }),
      insert: fc.constantFrom(
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        '"',
        "\\",
        ":",
        "0",
        " ",
        "null",
        '"items":[',
        "]}",
      ),
    });
    fc.assert(
      fc.property(
        listDocument,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        chunkSizes,
        (text, mutations, sizes) => {
          let changed = text;
          for (const { at, remove, insert } of mutations) {
            const from = at % (changed.length + 1);
            changed = (changed.slice(0, from) + insert + changed.slice(from + remove)).toWellFormed();
          }
          let expected: unknown;
          try {
            expected = JSON.parse(changed);
          } catch {
            expect(fails(() => split(Buffer.from(changed), sizes))).toBe(true);
            return;
          }
          try {
            expect(isDeepStrictEqual(split(Buffer.from(changed), sizes), expected)).toBe(true);
          } catch (error) {
            // The one known difference: a document with two items.
            if (!(error instanceof BodyError && error.message === "the list has two items")) throw error;
          }
        },
      ),
      { numRuns: 4000 },
    );
  });

  it("never gives a result for a list that is cut short, at every length", () => {
    const text =
      '{"kind":"NodeList","items":[{"a":"x]}\\"","b":[1,{}]},{"c":null}],"metadata":{"continue":"é"}}';
    const bytes = Buffer.from(text);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => split(bytes.subarray(0, length), [7]), `cut at ${length}`).toThrow(BodyError);
    }
    expect(split(bytes, [7])).toEqual(JSON.parse(text));
  });

  it.each([
    ["metadata after items", '{"items":[{"a":1}],"metadata":{"continue":"x"}}'],
    ["items null", '{"items":null,"metadata":{}}'],
    ["items absent", '{"kind":"Status"}'],
    ["items empty", '{"items":[ \n ]}'],
    ["items in a nested object only", '{"metadata":{"items":[1,2]},"x":[{"items":[3]}]}'],
    ["a value that says items", '{"kind":"items","x":["items"],"items":[1]}'],
    ["an escaped key", '{"\\u0069tems":[{"a":1}]}'],
    ["a key that ends like items", '{"myitems":[1],"items":[2]}'],
    ["scalars as items", '{"items":[1,"a,]",null,true,-1e3]}'],
    ["blanks everywhere", ' { "items" : [ { "a" : 1 } , { } ] , "b" : 2 } '],
    ["characters of four bytes", '{"items":[{"a":"😀","b":"é\\u2028"}]}'],
    ["an array at the top", '["items",[1,2]]'],
  ])("%s: byte by byte and as a whole", (_, text) => {
    const bytes = Buffer.from(text);
    expect(split(bytes, [1])).toEqual(JSON.parse(text));
    expect(split(bytes, whole)).toEqual(JSON.parse(text));
  });

  it.each([
    ["", "bad-body", /empty/],
    ['{"items":[{"a":1}', "truncated", /inside items/],
    ['{"items":[{"a":1}],"metadata":{', "truncated", /inside an object/],
    ['{"kind":"No', "truncated", /inside an object/],
    ["<html>sign in</html>", "bad-body", /not JSON.*<html>/],
    ['{"items":[{}]} {"items":[]}', "bad-body", /two items|not JSON/],
    ['{"items":[1,]}', "bad-body", /missing/],
    ['{"items":[,1]}', "bad-body", /missing/],
    ['{"items":[1}', "bad-body", /do not end/],
    ['{"items":[1],"items":[2]}', "bad-body", /two items/],
  ])("%s is %s", (text, reason, message) => {
    const run = () => split(Buffer.from(text), [3]);
    expect(run).toThrow(expect.objectContaining({ reason }));
    expect(run).toThrow(message);
  });

  it("one item that never ends is stopped at the limit, and so is a body that is no list", () => {
    const splitter = new ListSplitter({ maxItemBytes: 1000 });
    splitter.push(Buffer.from('{"items":[{"a":"'));
    expect(() => {
      for (let round = 0; round < 100; round++) splitter.push(Buffer.alloc(100, 0x61));
    }).toThrow(/one item of the list exceeds 1000 bytes/);
    const other = new ListSplitter({ maxEnvelopeBytes: 1000 });
    expect(() => other.push(Buffer.from(`{"paths":"${"x".repeat(1000)}"}`))).toThrow(/no list/);
  });
});
