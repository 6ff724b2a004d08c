import { isUtf8 } from "node:buffer";
import { InputError } from "./input-problem.ts";

const NEWLINE = 0x0a;

/** Text of bytes, without a byte order mark. @throws InputError with the line of the first byte that is not UTF-8 */
export function decodeUtf8(bytes: Buffer, firstLine = 1): string {
  if (!isUtf8(bytes)) throw new InputError("expected UTF-8", firstLine + findFaultyLine(bytes));
  const text = bytes.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Lines before the first one that is not UTF-8: no character reaches over the end of a line. */
function findFaultyLine(bytes: Buffer): number {
  let lines = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    if (!isUtf8(bytes.subarray(start, end))) return lines;
    lines++;
    start = end + 1;
  }
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
