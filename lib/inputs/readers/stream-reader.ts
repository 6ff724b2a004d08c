import { isUtf8 } from "node:buffer";
import type { StreamLine } from "../split-lines.ts";

/** What reading a stream came to. */
export interface StreamSummary {
  /** Lines that were handed on. */
  readonly events: number;
  /** Lines that could not be read, the first and the last line apart. */
  readonly faultyLines: number;
  /** The first of them. */
  readonly firstFault: { readonly line: number; readonly message: string } | null;
  /** A first or last line that is cut short, as rotation leaves them: passed over, no fault. */
  readonly cutLines: readonly number[];
}

/** Reads a stream of one event a line and hands each on, with the line it stands on. Holds no more than one line. */
export type LineReader<Event> = (
  chunks: AsyncIterable<Buffer>,
  onEvent: (event: Event, line: number) => void,
  options: { readonly maxLineBytes: number },
) => Promise<StreamSummary>;

/** `take` answers whether the value of a line is what was expected; blank lines are passed over. */
export async function readJsonLines(
  batches: AsyncIterable<Iterable<StreamLine>>,
  take: (value: unknown, line: number) => boolean,
  expected = "an event",
): Promise<StreamSummary> {
  let events = 0;
  let faultyLines = 0;
  let firstFault: StreamSummary["firstFault"] = null;
  const cutLines: number[] = [];
  const fault = (line: number, message: string) => {
    faultyLines++;
    firstFault ??= { line, message };
  };
  for await (const lines of batches) {
    for (const { number, bytes, isEnded } of lines) {
      if (bytes === null) {
        fault(number, "expected a shorter line");
        continue;
      }
      if (isBlank(bytes)) continue;
      const value = parseLine(bytes);
      // What is cut at its beginning (the first line) or at its end (the last) is no JSON.
      if (value === undefined && (number === 1 || !isEnded)) cutLines.push(number);
      else if (value === undefined) fault(number, "expected one JSON object");
      else if (take(value, number)) events++;
      else fault(number, `expected ${expected}`);
    }
  }
  return { events, faultyLines, firstFault, cutLines };
}

function parseLine(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  try {
    const value: unknown = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    return value === null ? undefined : value;
  } catch {
    // Counted and named by the caller.
    return undefined;
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
