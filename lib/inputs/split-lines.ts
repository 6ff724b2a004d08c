/** One line of a stream, without its end. */
export interface StreamLine {
  /** From 1. */
  readonly number: number;
  /** `null` where the line is longer than allowed: of such a line nothing is kept. */
  readonly bytes: Buffer | null;
  /** False for a last line that has no end: it may be cut short. */
  readonly isEnded: boolean;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Lines of each chunk as they become whole. Holds one line and one chunk at most. Lines end in LF or CRLF. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<Iterable<StreamLine>> {
  let number = 0;
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  const finish = (last: Buffer, isEnded: boolean): StreamLine => {
    number++;
    const length = pieceBytes + last.length;
    const whole = pieces.length === 0 ? last : Buffer.concat([...pieces, last], length);
    const bytes = length > maxLineBytes ? null : withoutReturn(whole);
    pieces = [];
    pieceBytes = 0;
    return { number, bytes, isEnded };
  };
  function* wholeLines(chunk: Buffer): Generator<StreamLine> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield finish(chunk.subarray(start, end), true);
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    pieceBytes += rest.length;
    if (pieceBytes > maxLineBytes) pieces = [];
    else if (rest.length > 0) pieces.push(rest);
  }
  for await (const chunk of chunks) yield wholeLines(chunk);
  if (pieceBytes > 0) yield [finish(Buffer.alloc(0), false)];
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
