import { objectAt, type ScannedWatchEvent, textAt } from "../../domain/findings/index.ts";
import { splitLines } from "../split-lines.ts";
import { type LineReader, readJsonLines } from "./stream-reader.ts";

/** Reads a saved watch, one event a line. */
export const readWatchStream: LineReader<ScannedWatchEvent> = (chunks, onEvent, options) =>
  readJsonLines(
    splitLines(chunks, options.maxLineBytes),
    (value, line) => {
      const type = textAt(value, "type");
      const object = objectAt(value, "object");
      if (type === null || object === null) return false;
      onEvent({ type, object }, line);
      return true;
    },
    'a watch event with "type" and "object"',
  );
