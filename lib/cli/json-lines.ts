import { isUtf8 } from "node:buffer";
import { once } from "node:events";

/**
 * Many questions at once: one JSON object a line in, one a line out, in the order in which they came. What is held at a
 * time is one line, one chunk of the input and about 64 KiB of answers, however long the input is.
 */

/** A JSON object of one line, not yet looked at. */
export type LineObject = Readonly<Record<string, unknown>>;

/** What is wrong with a line. Thrown by whoever answers lines; the other lines are answered all the same. */
export class LineProblem extends Error {
  override readonly name = "LineProblem";
  /** The field with its path, `nodes[3][0]`; `null` where the line itself is wrong. */
  readonly field: string | null;
  /** What was expected, to follow "expected". */
  readonly expected: string;
  /** What stood there instead, short; `null` where that says nothing. */
  readonly got: string | null;

  constructor({
    field,
    expected,
    got = null,
  }: {
    readonly field: string | null;
    readonly expected: string;
    readonly got?: string | null;
  }) {
    super(`${field === null ? "" : `${field}: `}expected ${expected}${got === null ? "" : `, got ${got}`}`);
    this.field = field;
    this.expected = expected;
    this.got = got;
  }
}

export interface JsonLinesOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The fields of the answer, `id` apart. Throws a `LineProblem` for what cannot be answered. */
  readonly answer: (line: LineObject) => LineObject;
  /** Takes text with its newlines; resolves when more is welcome. */
  readonly write: (text: string) => Promise<void>;
  /** A sentence for people about a line that could not be answered. */
  readonly report: (text: string) => void;
  /** A longer line is not read, and named. */
  readonly maxLineBytes: number;
}

export interface JsonLinesResult {
  readonly answered: number;
  readonly failed: number;
}

/** Answers are handed on in pieces of about this many characters, and whenever the input has none ready. */
const PIECE_CHARACTERS = 65_536;
/** So many problems are told to people one by one; each stands in its answer in any case. */
const REPORTED_PROBLEMS = 100;

/**
 * Answers every line. A line of blanks is passed over; a line that cannot be answered gives
 * `{"id", "error": {"line", "field", "expected", "got"}}` in its place, `id` being `null` where the line has none.
 * Lines end in LF or CRLF, the last one also without; a byte order mark at the start is passed over.
 */
export async function answerJsonLines(options: JsonLinesOptions): Promise<JsonLinesResult> {
  let answered = 0;
  let failed = 0;
  let pending = "";
  const flush = async () => {
    if (pending === "") return;
    const text = pending;
    pending = "";
    await options.write(text);
  };
  for await (const lines of splitLines(options.chunks, options.maxLineBytes)) {
    for (const line of lines) {
      const outcome = answerOne(line, options);
      if (outcome === null) continue;
      if (outcome.problem === null) answered++;
      else if (++failed <= REPORTED_PROBLEMS) {
        options.report(`line ${line.number}: ${outcome.problem}`);
      }
      pending += `${outcome.text}\n`;
      if (pending.length >= PIECE_CHARACTERS) await flush();
    }
    await flush();
  }
  if (failed > REPORTED_PROBLEMS) {
    options.report(`… and ${failed - REPORTED_PROBLEMS} more; every answer that is missing says why.`);
  }
  if (failed > 0) options.report(`${failed} of ${answered + failed} lines could not be answered.`);
  return { answered, failed };
}

/** A `write` for a stream: waits while its reader is behind. */
export function writeTo(stream: NodeJS.WritableStream): (text: string) => Promise<void> {
  return async (text) => {
    if (!stream.write(text)) await once(stream, "drain");
  };
}

interface RawLine {
  /** From 1, lines of blanks included. */
  readonly number: number;
  /** `null` where the line is longer than allowed. */
  readonly bytes: Buffer | null;
}

/** Lines of each chunk as they become whole; without their ends. */
async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Iterable<RawLine>> {
  let number = 0;
  /** The beginning of a line whose end has not come, in the pieces in which it came. */
  let parts: Buffer[] = [];
  let partBytes = 0;
  const finish = (last: Buffer): RawLine => {
    number++;
    const length = partBytes + last.length;
    const bytes =
      length > maxLineBytes ? null : parts.length === 0 ? last : Buffer.concat([...parts, last], length);
    parts = [];
    partBytes = 0;
    return { number, bytes };
  };
  function* wholeLines(chunk: Buffer): Generator<RawLine> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield finish(chunk.subarray(start, end));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    partBytes += rest.length;
    // Of a line that is too long nothing is kept but its length.
    if (partBytes > maxLineBytes) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  for await (const chunk of chunks) {
    yield wholeLines(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  if (partBytes > 0) yield [finish(Buffer.alloc(0))];
}

const LINE_FEED = 10;
const BYTE_ORDER_MARK = "\ufeff";

interface Outcome {
  readonly text: string;
  /** `null` where the line was answered. */
  readonly problem: string | null;
}

/** `null` for a line of blanks. */
function answerOne({ number, bytes }: RawLine, options: JsonLinesOptions): Outcome | null {
  let id = "null";
  try {
    const text = decode(bytes, options.maxLineBytes);
    const trimmed = (number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).trim();
    if (trimmed === "") return null;
    const line = parseObject(trimmed);
    id = readId(line, trimmed);
    return { text: withId(id, options.answer(line)), problem: null };
  } catch (error) {
    if (!(error instanceof LineProblem)) throw error;
    const { field, expected, got, message } = error;
    return {
      text: withId(id, { error: { line: number, field, expected, ...(got === null ? {} : { got }) } }),
      problem: message,
    };
  }
}

function decode(bytes: Buffer | null, maxLineBytes: number): string {
  if (bytes === null) {
    throw new LineProblem({
      field: null,
      expected: `a line of at most ${maxLineBytes} bytes`,
      got: "a longer one",
    });
  }
  if (!isUtf8(bytes)) {
    throw new LineProblem({ field: null, expected: "UTF-8", got: "bytes that are not" });
  }
  return bytes.toString("utf8");
}

function parseObject(text: string): LineObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw new LineProblem({
      field: null,
      expected: "one JSON object",
      got:
        position === undefined
          ? "text that is not JSON"
          : `text that is not JSON from character ${Number(position) + 1} on`,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new LineProblem({ field: null, expected: "one JSON object", got: describeValue(value) });
  }
  return value as LineObject;
}

/** An answer as text; `id` is JSON already. */
function withId(id: string, answer: LineObject): string {
  const fields = JSON.stringify(answer).slice(1);
  return `{"id":${id}${fields === "}" ? "" : ","}${fields}`;
}

/** The id as JSON. A number that a double may not hold is given as it was written. */
function readId(line: LineObject, text: string): string {
  const { id } = line;
  if (typeof id === "string" || Number.isSafeInteger(id)) return JSON.stringify(id);
  const written = typeof id === "number" ? writtenId(text) : null;
  if (written !== null) return written;
  throw new LineProblem({
    field: "id",
    expected: "a text or a number, which the answer carries too",
    got: describeValue(id),
  });
}

type SourceReviver = (
  this: unknown,
  key: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;

/** How the number `id` of a line is written; `null` where that cannot be told. */
function writtenId(text: string): string | null {
  const ids = new Map<unknown, string>();
  const note: SourceReviver = function (key, value, { source }) {
    if (key === "id" && source !== undefined) ids.set(this, source);
    return value;
  };
  try {
    const line: unknown = JSON.parse(text, note as Parameters<typeof JSON.parse>[1]);
    return ids.get(line) ?? null;
  } catch (error) {
    // Unlike the parser itself, the walk with a reviver has a limit of depth.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const SHOWN_CHARACTERS = 60;

/** A value as a message shows it: short, on one line, without control characters. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond 1.8e308";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
