import { splitLines } from "../split-lines.ts";
import { type LineReader, TOO_LONG } from "./stream-reader.ts";

/** Reads a log or a list of events, line by line, whatever the lines say. What is no UTF-8 is replaced. */
export const readLogLines: LineReader<string> = async (chunks, onLine, options) => {
  let events = 0;
  let faultyLines = 0;
  let firstFault: { line: number; message: string } | null = null;
  for await (const lines of splitLines(chunks, options.maxLineBytes)) {
    for (const { number, bytes } of lines) {
      if (bytes === null) {
        faultyLines++;
        firstFault ??= { line: number, message: `expected ${TOO_LONG(options.maxLineBytes)}` };
      } else {
        events++;
        onLine(bytes.toString("utf8"), number);
      }
    }
  }
  return { events, faultyLines, firstFault, notes: [] };
};
