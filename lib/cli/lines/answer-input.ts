import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { answerJsonLines, type LineObject, writeTo } from "../json-lines.ts";

/** A command that answers one question per line. */
export interface LineCommand {
  readonly answer: (line: LineObject) => LineObject;
  readonly maxLineBytes?: number;
}

export const MEBIBYTE = 1024 * 1024;
const DEFAULT_MAX_LINE_BYTES = 16 * MEBIBYTE;

/** Every line was answered, or one was not: wrong input. */
const ANSWERED = 0;
const WRONG_INPUT = 2;

/** Answers the lines of a file, or of standard input (`-`), on standard output. Returns the exit code. */
export async function answerInput(path: string, command: LineCommand): Promise<number> {
  const chunks = await openInput(path);
  if (typeof chunks === "string") {
    process.stderr.write(`${chunks}\n`);
    return WRONG_INPUT;
  }
  try {
    const { failed } = await answerJsonLines({
      chunks,
      answer: command.answer,
      write: writeTo(process.stdout),
      report: (sentence) => void process.stderr.write(`${sentence}\n`),
      maxLineBytes: command.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
    });
    return failed === 0 ? ANSWERED : WRONG_INPUT;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    process.stderr.write(`${path}: could not be read to its end (${code}).\n`);
    return WRONG_INPUT;
  }
}

/** The bytes of an input, or a sentence that says why there are none. */
async function openInput(path: string): Promise<AsyncIterable<Uint8Array> | string> {
  if (path === "-") return process.stdin;
  try {
    const found = await stat(path);
    if (found.isDirectory()) return `${path}: expected a file with one JSON object a line, this is a folder.`;
    return createReadStream(path, { highWaterMark: 256 * 1024 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return `${path}: this file does not exist.`;
    if (code === "EACCES") return `${path}: this file may not be read.`;
    throw error;
  }
}
