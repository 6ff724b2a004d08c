import { BodyError } from "./body-error.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Longest key of the outermost object that is looked at; `items` needs 5, 30 if every character is escaped. */
const MAX_KEY_BYTES = 64;

/** Limits of a {@link ListSplitter}. */
export interface ListSplitterLimits {
  /** Default 16 MiB. */
  readonly maxItemBytes?: number;
  /** Everything but the items. Default 1 MiB. */
  readonly maxEnvelopeBytes?: number;
}

/**
 * Cuts the JSON of a list into the bytes of its items, as the bytes come.
 *
 * It tracks strings, escapes and depth over chunks of any size, finds the key `items` of the outermost object wherever
 * it stands (`metadata` may come before or after it), and keeps only what is outside the items and the item that is
 * being received. In UTF-8 no byte of a longer character equals a quote, bracket or backslash, so bytes are enough.
 *
 * Property (tested against JSON.parse): for every document and every way to cut it into chunks, parsing each item and
 * the envelope gives what parsing the whole document gives; where that fails, something here fails. Exception: a
 * second `items` key is an error here, while JSON.parse takes the last.
 *
 * Chunks must not be changed after they were pushed.
 */
export class ListSplitter {
  readonly #maxItemBytes: number;
  readonly #maxEnvelopeBytes: number;
  readonly #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  #hasBytes = false;

  #inItems = false;
  #sawItems = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  // Envelope only: the key of the outermost object that is being read, and what comes next.
  #isObject = false;
  #expectsKey = false;
  #key: number[] | null = null;
  #isItemsValueNext = false;

  // Items only: the beginning of an item from earlier chunks.
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #isAfterComma = false;

  constructor(limits: ListSplitterLimits = {}) {
    this.#maxItemBytes = limits.maxItemBytes ?? 16 * 1024 * 1024;
    this.#maxEnvelopeBytes = limits.maxEnvelopeBytes ?? 1024 * 1024;
  }

  /**
   * The items that `chunk` completes, in order, each as the bytes of one JSON value (blanks around it are kept).
   * @throws BodyError `bad-body` where the list cannot be well-formed, `too-large` where a limit is met
   */
  push(chunk: Buffer): Buffer[] {
    const items: Buffer[] = [];
    if (chunk.length > 0) this.#hasBytes = true;
    let at = 0;
    while (at < chunk.length)
      at = this.#inItems ? this.#readItems(chunk, at, items) : this.#readEnvelope(chunk, at);
    return items;
  }

  /**
   * The document with its items taken out: `items` is `[]` where they were an array, else as sent.
   * @throws BodyError `truncated` where the document has not ended, `bad-body` where it is no JSON or is empty
   */
  end(): unknown {
    if (!this.#hasBytes) throw new BodyError("bad-body", "the body is empty");
    if (this.#inItems) throw new BodyError("truncated", "the body ended inside items");
    const text = Buffer.concat(this.#envelope).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      if (this.#depth > 0 || this.#inString)
        throw new BodyError("truncated", "the body ended inside an object");
      throw new BodyError(
        "bad-body",
        `the body is not JSON: it begins with ${JSON.stringify(text.slice(0, 80))}`,
      );
    }
  }

  /** Reads the envelope from `from` on; returns where items begin, or the length of the chunk. */
  #readEnvelope(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) this.#readEnvelopeString(byte ?? 0);
      else if (byte === QUOTE) {
        this.#inString = true;
        this.#isItemsValueNext = false;
        if (this.#expectsKey && this.#depth === 1) this.#key = [];
      } else if (byte === COLON && this.#depth === 1 && this.#key !== null) {
        this.#expectsKey = false;
        this.#isItemsValueNext = isItemsKey(this.#key);
        this.#key = null;
      } else if (byte === COMMA && this.#depth === 1) {
        this.#expectsKey = this.#isObject;
        this.#key = null;
        this.#isItemsValueNext = false;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#isItemsValueNext && byte === OPEN_BRACKET) {
          this.#keepEnvelope(chunk.subarray(from, at + 1));
          this.#beginItems();
          return at + 1;
        }
        this.#isItemsValueNext = false;
        if (this.#depth === 0) {
          this.#isObject = byte === OPEN_BRACE;
          this.#expectsKey = this.#isObject;
        }
        this.#depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
      else if (!isBlank(byte)) this.#isItemsValueNext = false;
    }
    this.#keepEnvelope(chunk.subarray(from));
    return at;
  }

  #readEnvelopeString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    }
    // A key that is complete keeps its bytes until the colon: only an open string adds to it.
    if (this.#expectsKey && this.#depth === 1 && this.#key !== null && this.#key.length <= MAX_KEY_BYTES) {
      this.#key.push(byte);
    }
  }

  #beginItems(): void {
    if (this.#sawItems) throw new BodyError("bad-body", "the list has two items");
    this.#sawItems = true;
    this.#inItems = true;
    this.#depth = 0;
    this.#isAfterComma = false;
  }

  /** Reads items from `from` on; returns where the envelope goes on, or the length of the chunk. */
  #readItems(chunk: Buffer, from: number, items: Buffer[]): number {
    const end = chunk.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let start = this.#pieceBytes > 0 ? from : -1;
    let at = from;
    for (; at < end; at++) {
      const byte = chunk[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
        if (start < 0) start = at;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (start < 0) start = at;
        depth++;
      } else if (depth > 0) {
        if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
      } else if (byte === COMMA) {
        items.push(this.#finishItem(chunk, start, at));
        this.#isAfterComma = true;
        start = -1;
      } else if (byte === CLOSE_BRACKET) {
        if (start >= 0) items.push(this.#finishItem(chunk, start, at));
        else if (this.#isAfterComma) throw new BodyError("bad-body", "an item of the list is missing");
        this.#inItems = false;
        this.#inString = false;
        // The envelope reads the closing bracket.
        this.#depth = 2;
        return at;
      } else if (byte === CLOSE_BRACE) throw new BodyError("bad-body", "the items of the list do not end");
      else if (start < 0 && !isBlank(byte)) start = at;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    if (start >= 0) this.#carry(chunk.subarray(start));
    return at;
  }

  #finishItem(chunk: Buffer, start: number, at: number): Buffer {
    if (start < 0) throw new BodyError("bad-body", "an item of the list is missing");
    const last = chunk.subarray(start, at);
    if (this.#pieceBytes === 0) {
      this.#checkItemBytes(last.length);
      return last;
    }
    this.#carry(last);
    const item = Buffer.concat(this.#pieces, this.#pieceBytes);
    this.#pieces = [];
    this.#pieceBytes = 0;
    return item;
  }

  #carry(piece: Buffer): void {
    this.#checkItemBytes(this.#pieceBytes + piece.length);
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
  }

  #checkItemBytes(bytes: number): void {
    if (bytes > this.#maxItemBytes) {
      throw new BodyError("too-large", `one item of the list exceeds ${this.#maxItemBytes} bytes`);
    }
  }

  #keepEnvelope(piece: Buffer): void {
    this.#envelopeBytes += piece.length;
    if (this.#envelopeBytes > this.#maxEnvelopeBytes) {
      const reason = this.#sawItems ? "what is around its items" : "it has no items so far, and";
      throw new BodyError(
        "too-large",
        `the body is no list: ${reason} exceeds ${this.#maxEnvelopeBytes} bytes`,
      );
    }
    // A copy: a view would keep the whole chunk with all its items alive.
    if (piece.length > 0) this.#envelope.push(Buffer.from(piece));
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isItemsKey(bytes: readonly number[]): boolean {
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.includes("\\")) return text === "items";
  try {
    return JSON.parse(`"${text}"`) === "items";
  } catch {
    // Not a JSON string: the envelope fails as a whole when it is parsed.
    return false;
  }
}
