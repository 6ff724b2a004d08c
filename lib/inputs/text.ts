import { isUtf8 } from "node:buffer";
import { InputError } from "./input-problem.ts";

const NEWLINE = 0x0a;

/** Text of bytes, without a byte order mark. @throws InputError with the line of the first byte that is not UTF-8 */
export function decodeUtf8(bytes: Buffer, firstLine = 1): string {
  if (!isUtf8(bytes)) {
    throw new InputError("expected UTF-8", firstLine + countLines(bytes, findFaultyByte(bytes)));
  }
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Offset of a byte at which the text stops being UTF-8, found by halving. */
function findFaultyByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 4) {
    const middle = (good + bad) >> 1;
    // A cut may fall into a character: of the last three bytes nothing is said.
    if ([0, 1, 2, 3].some((back) => middle - back > good && isUtf8(bytes.subarray(0, middle - back))))
      good = middle - 3;
    else bad = middle;
    if (bad - good <= 8) break;
  }
  return good;
}

function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** All bytes of a stream, at most so many. @throws InputError where there are more */
export async function readAll(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong: string,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new InputError(tooLong);
    pieces.push(chunk);
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, bytes);
}
