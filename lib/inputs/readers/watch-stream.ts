import { objectAt, type ScannedWatchEvent, textAt } from "../../domain/findings/index.ts";
import { jsonLineReader } from "./stream-reader.ts";

/** Reads a saved watch, one event a line. */
export const readWatchStream = jsonLineReader<ScannedWatchEvent>((value) => {
  const type = textAt(value, "type");
  const object = objectAt(value, "object");
  return type === null || object === null ? null : { type, object };
}, 'a watch event with "type" and "object"');
