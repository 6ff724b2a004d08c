import { isUtf8 } from "node:buffer";
import { splitLines } from "../split-lines.ts";

/** What reading a stream came to. */
export interface StreamSummary {
  /** Handed on. */
  readonly events: number;
  /** Lines that could not be read. */
  readonly faultyLines: number;
  /** The first of them. */
  readonly firstFault: { readonly line: number | null; readonly message: string } | null;
  /** What was left out without fault, such as a last line that is cut short. */
  readonly notes: readonly string[];
}

/** Reads a stream and hands each event on, with its line where that is known. Holds no more than one event. */
export type LineReader<Event> = (
  chunks: AsyncIterable<Buffer>,
  onEvent: (event: Event, line: number | null) => void,
  options: { readonly maxLineBytes: number },
) => Promise<StreamSummary>;

/** Reads one JSON value a line; `take` gives what is handed on, `null` where the value is not what was expected. */
export function jsonLineReader<Event>(
  take: (value: unknown) => Event | null,
  expected: string,
): LineReader<Event> {
  return async (chunks, onEvent, { maxLineBytes }) => {
    let events = 0;
    let faultyLines = 0;
    let firstFault: StreamSummary["firstFault"] = null;
    const notes: string[] = [];
    for await (const lines of splitLines(chunks, maxLineBytes)) {
      for (const { number, bytes, isEnded } of lines) {
        if (bytes !== null && isBlank(bytes)) continue;
        const value = bytes === null ? undefined : parseLine(bytes);
        const event = value === undefined ? null : take(value);
        if (event !== null) {
          events++;
          onEvent(event, number);
        } else if (value === undefined && !isEnded) notes.push(`line ${number}, the last, is cut short`);
        else {
          faultyLines++;
          firstFault ??= {
            line: number,
            message: `expected ${bytes === null ? TOO_LONG(maxLineBytes) : expected}`,
          };
        }
      }
    }
    return { events, faultyLines, firstFault, notes };
  };
}

export const TOO_LONG = (maxLineBytes: number) => `a line of at most ${maxLineBytes} bytes`;

function parseLine(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as unknown;
  } catch {
    // Counted and named by the caller.
    return undefined;
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
