import { InputError } from "./input-problem.ts";
import { formatLimit, type InputLimits } from "./limits.ts";
import { parseYaml, type YamlDocument } from "./parse-yaml.ts";
import { splitLines } from "./split-lines.ts";
import { decodeUtf8 } from "./text.ts";

/** What a part of a YAML input came to. */
export type YamlPart =
  | { readonly kind: "document"; readonly document: YamlDocument }
  /** The rest of the input goes on. */
  | { readonly kind: "fault"; readonly error: InputError };

/**
 * Documents of a YAML input, one after the other, each parsed by itself: a fault in one leaves the others, and no more
 * than one of them is held. The items of a List that is longer than one document may be are read one by one.
 */
export async function* readYaml(
  chunks: AsyncIterable<Buffer>,
  limits: InputLimits,
): AsyncGenerator<YamlPart> {
  const collector = new DocumentCollector(limits);
  for await (const lines of splitLines(chunks, limits.yamlDocumentBytes)) {
    for (const line of lines) {
      const text = collector.take(line.number, line.bytes);
      if (text !== null) yield* parsePart(text, limits);
    }
  }
  const last = collector.end();
  if (last !== null) yield* parsePart(last, limits);
}

interface DocumentText {
  readonly firstLine: number;
  /** `null`: longer than allowed. */
  readonly bytes: Buffer | null;
}

function* parsePart({ firstLine, bytes }: DocumentText, limits: InputLimits): Generator<YamlPart> {
  try {
    if (bytes === null) {
      throw new InputError(
        `expected a YAML document of at most ${formatLimit(limits.yamlDocumentBytes)}`,
        firstLine,
      );
    }
    const text = decodeUtf8(bytes, firstLine);
    for (const document of parseYaml(text, firstLine, limits)) {
      if (document.value !== null && document.value !== undefined) yield { kind: "document", document };
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    yield { kind: "fault", error };
  }
}

const DASH = 0x2d;
const BLANK = 0x20;
const TAB = 0x09;
const HASH = 0x23;
const PERCENT = 0x25;
const NEWLINE = Buffer.from("\n");

/**
 * Puts lines together to documents. `---` at the margin ends one: inside a text of several lines it would have to be
 * indented. A directive (`%`) belongs to the document after it. A `List` as kubectl prints it gives its items one by
 * one: each is a sequence of one; what follows them is left out.
 */
class DocumentCollector {
  readonly #limits: InputLimits;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #firstLine = 1;
  #isTooLong = false;
  #hasContent = false;
  #list: ListState = { step: "before-items", isList: true };

  constructor(limits: InputLimits) {
    this.#limits = limits;
  }

  /** The part that this line ends; `null` where it goes on. */
  take(number: number, line: Buffer | null): DocumentText | null {
    if (line === null) {
      this.#isTooLong = true;
      this.#hasContent = true;
      return null;
    }
    if (isDocumentMarker(line)) {
      const done = this.end();
      // Directives alone stay: they belong to the document that the marker begins.
      if (done !== null || this.#pieces.length === 0) this.#begin(number);
      this.#list = { step: "before-items", isList: line.length === 3 };
      this.#add(line);
      return done;
    }
    const indent = indentOf(line);
    if (indent === null) {
      this.#add(line);
      return null;
    }
    const isItem = line[indent] === DASH && line[indent + 1] === BLANK;
    const done = this.#follow(number, line, indent, isItem);
    if (this.#list.step === "after-items") return done;
    this.#hasContent ||= line[indent] !== PERCENT;
    this.#add(line);
    return done;
  }

  end(): DocumentText | null {
    if (!this.#hasContent) return null;
    const bytes = this.#isTooLong ? null : Buffer.concat(this.#pieces, this.#bytes);
    this.#begin(this.#firstLine);
    return { firstLine: this.#firstLine, bytes };
  }

  /** Follows the shape of a List; the item that this line ends, if it does. */
  #follow(number: number, line: Buffer, indent: number, isItem: boolean): DocumentText | null {
    const list = this.#list;
    switch (list.step) {
      case "before-items": {
        if (indent > 0) return null;
        const text = line.toString("latin1");
        if (/^items:\s*$/.test(text) && list.isList) this.#list = { step: "first-item" };
        else if (!/^(?:apiVersion:|kind:\s*List\s*$|metadata:)/.test(text)) {
          this.#list = { step: "before-items", isList: false };
        }
        return null;
      }
      case "first-item":
        if (!isItem) {
          this.#list = { step: "before-items", isList: false };
          return null;
        }
        this.#list = { step: "items", indent };
        this.#begin(number);
        return null;
      case "items": {
        if (indent > list.indent) return null;
        const done = this.end();
        this.#begin(number);
        if (!isItem || indent < list.indent) this.#list = { step: "after-items" };
        return done;
      }
      case "after-items":
        return null;
      default: {
        const never: never = list;
        throw new Error(`unknown step ${String(never)}`);
      }
    }
  }

  #begin(line: number): void {
    this.#firstLine = line;
    this.#pieces = [];
    this.#bytes = 0;
    this.#isTooLong = false;
    this.#hasContent = false;
  }

  #add(line: Buffer): void {
    this.#bytes += line.length + 1;
    if (this.#bytes > this.#limits.yamlDocumentBytes) this.#isTooLong = true;
    if (this.#isTooLong) this.#pieces = [];
    else this.#pieces.push(line, NEWLINE);
  }
}

type ListState =
  | { readonly step: "before-items"; readonly isList: boolean }
  | { readonly step: "first-item" }
  | { readonly step: "items"; readonly indent: number }
  | { readonly step: "after-items" };

function isDocumentMarker(line: Buffer): boolean {
  return (
    line.length >= 3 &&
    line[0] === DASH &&
    line[1] === DASH &&
    line[2] === DASH &&
    (line.length === 3 || line[3] === BLANK || line[3] === TAB)
  );
}

/** Blanks before the content of a line; `null` for a line without content, or with a comment alone. */
function indentOf(line: Buffer): number | null {
  let at = 0;
  while (line[at] === BLANK || line[at] === TAB) at++;
  return at === line.length || line[at] === HASH ? null : at;
}
