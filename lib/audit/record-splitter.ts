/**
 * Cuts the bytes of an audit log into texts of one event each: events one a line, the items of an EventList or of an
 * array however it is laid out, events printed over many lines, all of these in one file after another. What is held
 * at a time is one event, however long the log.
 */

/** One event's text, not yet looked at. */
export interface RawRecord {
  readonly text: string;
  /** From an EventList or array: it need not say its kind. */
  readonly isItem: boolean;
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** False where the log ends within it. */
  readonly isWhole: boolean;
}

export interface RecordHandlers {
  readonly onRecord: (record: RawRecord) => void;
  /** A record of more than `maxRecordBytes`: passed over. */
  readonly onTooLong: (line: number) => void;
  /** A list that ends before its last bracket; what came of it was handed on. */
  readonly onBrokenList: (line: number) => void;
}

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** So much of a line is looked at to tell a list from an event. */
const HEAD_BYTES = 512;
const LIST_HEAD = /^\s*\{\s*(?:"[A-Za-z]+"\s*:\s*(?:"[^"]*"|\{[^{}]*\})\s*,\s*)*?"kind"\s*:\s*"EventList"/;
const SORTED_LIST_HEAD = /^\s*\{\s*"apiVersion"\s*:\s*"audit\.k8s\.io\/[^"]*"\s*,\s*"items"\s*:\s*\[/;
const ARRAY_HEAD = /^\s*\[\s*(?:\{|\]\s*$)/;
const SPREAD_HEAD = /^\s*\{[ \t]*\r?\n/;
const EVENT_HEAD = Buffer.from('{"kind":"Event",');
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

export class RecordSplitter {
  readonly #handlers: RecordHandlers;
  readonly #maxBytes: number;
  /** What has come of a record whose end has not. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  /** The line on which the current record, or what is behind it, begins. */
  #line = 1;
  /** Brackets that are open, outermost first, to the depth at which items lie; `null` while lines are read. */
  #list: ListState | null = null;
  #isStart = true;
  /** The first bytes of a line of which more is needed to tell what it is. */
  #pending: Buffer | null = null;

  constructor(maxRecordBytes: number, handlers: RecordHandlers) {
    this.#maxBytes = maxRecordBytes;
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    const bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = null;
    this.#read(bytes, false);
  }

  /** Tells that nothing more comes. */
  end(): void {
    const rest = this.#pending ?? Buffer.alloc(0);
    this.#pending = null;
    this.#read(rest, true);
    if (this.#list !== null) {
      this.#list = null;
      this.#drop();
      this.#handlers.onBrokenList(this.#line);
    } else if (this.#partBytes > 0) this.#finish(Buffer.alloc(0), 0, 0, false, false);
  }

  #read(bytes: Buffer, isLast: boolean): void {
    let at = 0;
    if (this.#isStart && bytes.length > 0) {
      if (bytes.length < BYTE_ORDER_MARK.length && !isLast) {
        this.#pending = bytes;
        return;
      }
      if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) at = BYTE_ORDER_MARK.length;
    }
    while (at < bytes.length) {
      if (this.#list !== null) {
        at = this.#readList(this.#list, bytes, at);
        continue;
      }
      if (this.#partBytes === 0) {
        const kind = this.#kindAt(bytes, at, isLast);
        if (kind === "unknown") {
          this.#pending = Buffer.from(bytes.subarray(at));
          return;
        }
        this.#isStart = false;
        if (kind !== "line") {
          this.#list = {
            kind,
            depth: 0,
            itemDepth: ITEM_DEPTH[kind],
            isText: false,
            isEscaped: false,
            itemAt: -1,
            isInItems: kind !== "list",
          };
          continue;
        }
      }
      at = this.#readLine(bytes, at);
    }
  }

  /** What begins at `at`, the beginning of a line. */
  #kindAt(bytes: Buffer, at: number, isLast: boolean): "line" | ListKind | "unknown" {
    const first = bytes[at];
    // Nearly every line of nearly every log.
    if (first === OPEN_BRACE && bytes[at + 15] === COMMA && bytes[at + 14] === QUOTE) return "line";
    const isPlain = first !== OPEN_BRACE && !(this.#isStart && (first === OPEN_BRACKET || isBlank(first)));
    if (isPlain) return "line";
    if (bytes.length - at < HEAD_BYTES && !isLast) return "unknown";
    const head = bytes.toString("latin1", at, at + HEAD_BYTES);
    if (LIST_HEAD.test(head) || SORTED_LIST_HEAD.test(head)) return "list";
    if (this.#isStart && ARRAY_HEAD.test(head)) return "array";
    return SPREAD_HEAD.test(head) ? "spread" : "line";
  }

  /** Reads to the end of a line, or of the bytes. @returns where it stopped */
  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0) {
      this.#keep(bytes, at, bytes.length);
      return bytes.length;
    }
    this.#finish(bytes, at, end, false, true);
    this.#line++;
    return end + 1;
  }

  /** Reads on in a list until it ends, or the bytes do. */
  #readList(list: ListState, bytes: Buffer, from: number): number {
    let at = from;
    let itemAt = list.itemAt >= 0 ? from : -1;
    for (; at < bytes.length; at++) {
      const code = bytes[at];
      if (code === LINE_FEED) {
        this.#line++;
        if (list.isText || this.#isNewEvent(list, bytes, at + 1)) return this.#breakList(at + 1);
        continue;
      }
      if (list.isText) {
        if (list.isEscaped) list.isEscaped = false;
        else if (code === BACKSLASH) list.isEscaped = true;
        else if (code === QUOTE) list.isText = false;
        continue;
      }
      if (code === QUOTE) list.isText = true;
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        if (list.depth === list.itemDepth && code === OPEN_BRACE && list.isInItems) {
          itemAt = at;
          list.itemAt = this.#line;
        }
        list.depth++;
        if (list.kind === "list" && list.depth === 2) list.isInItems = code === OPEN_BRACKET;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        list.depth--;
        if (list.depth < 0) return this.#breakList(at + 1);
        if (itemAt >= 0 && list.depth === list.itemDepth) {
          const line = list.itemAt;
          list.itemAt = -1;
          this.#finishItem(bytes, itemAt, at + 1, list, line);
          itemAt = -1;
        }
        if (list.depth === 0) {
          this.#list = null;
          return at + 1;
        }
      }
    }
    if (itemAt >= 0) this.#keep(bytes, itemAt, bytes.length);
    return at;
  }

  /** Whether a line in the midst of a list is the first of events one a line: the list before it was cut off. */
  #isNewEvent(list: ListState, bytes: Buffer, at: number): boolean {
    if (list.depth === list.itemDepth && list.isInItems) return false;
    return bytes.subarray(at, at + EVENT_HEAD.length).equals(EVENT_HEAD);
  }

  #breakList(at: number): number {
    this.#list = null;
    this.#drop();
    this.#handlers.onBrokenList(this.#line);
    return at;
  }

  #finishItem(bytes: Buffer, start: number, end: number, list: ListState, line: number): void {
    const next = this.#line;
    this.#line = line;
    this.#finish(bytes, start, end, list.kind !== "spread", true);
    this.#line = next;
  }

  /** Hands on what was kept together with what stands between `start` and `end`. */
  #finish(bytes: Buffer, start: number, end: number, isItem: boolean, isWhole: boolean): void {
    const length = this.#partBytes + end - start;
    if (length > this.#maxBytes) this.#handlers.onTooLong(this.#line);
    else if (length > 0) {
      const text =
        this.#parts.length === 0
          ? bytes.toString("utf8", start, end)
          : Buffer.concat([...this.#parts, bytes.subarray(start, end)], length).toString("utf8");
      this.#handlers.onRecord({ text, isItem, line: this.#line, isWhole });
    }
    this.#drop();
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    this.#partBytes += end - start;
    // Of what is too long nothing is kept but its length. A copy: the chunk is the reader's to use again.
    if (this.#partBytes > this.#maxBytes) this.#parts = [];
    else this.#parts.push(Buffer.from(bytes.subarray(start, end)));
  }

  #drop(): void {
    this.#parts = [];
    this.#partBytes = 0;
  }
}

/** `list`: an EventList; `array`: of events; `spread`: one event over many lines. */
type ListKind = "list" | "array" | "spread";

/** How many brackets are open around an item. */
const ITEM_DEPTH: Readonly<Record<ListKind, number>> = { list: 2, array: 1, spread: 0 };

interface ListState {
  readonly kind: ListKind;
  readonly itemDepth: number;
  depth: number;
  isText: boolean;
  isEscaped: boolean;
  /** The line on which the item that has begun did so; −1: none has. */
  itemAt: number;
  /** Within brackets that hold items: `metadata` of a list has none. */
  isInItems: boolean;
}

const isBlank = (code: number | undefined): boolean =>
  code === 32 || code === 9 || code === 13 || code === 10;
