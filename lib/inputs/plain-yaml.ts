/**
 * The YAML that manifests are written in, read line by line: block mappings with plain names, block sequences, scalars
 * of one line, literal blocks (`|`), empty and short lists in brackets. Anything else (aliases, tags, folded text,
 * scalars of several lines, …), and anything that may be a fault, is left to the whole parser: `NOT_PLAIN`.
 *
 * Property (tested over random and damaged documents): whatever this reader reads, the whole parser reads the same and
 * finds no fault in. It is there because 10,000 manifests take the whole parser most of a minute on a busy machine.
 */
export const NOT_PLAIN: unique symbol = Symbol("not plain YAML");

/** The value of one document, or `NOT_PLAIN`. */
export function parsePlainYaml(text: string): unknown {
  try {
    return new PlainReader(text.split("\n")).read();
  } catch (error) {
    if (error === NOT_PLAIN) return NOT_PLAIN;
    throw error;
  }
}

const DEEPEST = 64;
const NAME = /^([A-Za-z_][\w./-]*|"[\w ./-]*"|'[\w ./-]*'):(?: +|$)/;
/** Names that are no texts to YAML, or that mean something to a JavaScript object. */
const NO_NAME = /^(?:true|false|null|__proto__)$/i;
const WORD = /^[A-Za-z][\w./-]*$/;
const NO_TEXT = /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE)$/;
const WHOLE = /^(?:0|-?[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})\.\d{1,15}$/;
/** What YAML may take for a number in some form that is not read here. */
const NUMBER_LIKE = /^[-+]?(?:0[xo][\da-f]+|(?:\.\d+|\d+\.?\d*)(?:e[-+]?\d+)?|\.(?:inf|nan))$/i;
/** What a plain scalar does not begin with. */
const INDICATOR = /^[?:,[\]{}#&*!|>'"%@`]|^-(?: |$)/;

class PlainReader {
  readonly #lines: readonly string[];
  #at = 0;
  /** The line that is being read: without its indentation, or what is left of it after a dash. */
  #content = "";
  #indent = -1;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  read(): unknown {
    if (/^---\s*(?:#.*)?$/.test(this.#lines[0] ?? "")) this.#at = 1;
    this.#load();
    if (this.#indent < 0) return null;
    const value = this.#readBlock(this.#indent, 0);
    if (this.#indent >= 0) throw NOT_PLAIN;
    return value;
  }

  /** Goes to the next line with content, from the present one on; indent −1 at the end. */
  #load(): void {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      let indent = 0;
      while (line.charCodeAt(indent) === 0x20) indent++;
      if (indent === line.length) continue;
      const first = line.charCodeAt(indent);
      if (first === 0x23) continue;
      // Tabs, markers of documents and directives.
      if (first === 0x09 || (indent === 0 && /^(?:---|\.\.\.|%)/.test(line)) || line.includes("\t"))
        throw NOT_PLAIN;
      this.#indent = indent;
      this.#content = trimEnd(line.slice(indent));
      return;
    }
    this.#indent = -1;
    this.#content = "";
  }

  #next(): void {
    this.#at++;
    this.#load();
  }

  #readBlock(indent: number, depth: number): unknown {
    if (depth > DEEPEST) throw NOT_PLAIN;
    return isDash(this.#content) ? this.#readSequence(indent, depth) : this.#readMapping(indent, depth);
  }

  #readSequence(indent: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    while (this.#indent === indent && isDash(this.#content)) {
      const rest = this.#content.slice(1).replace(/^ +/, "");
      if (rest === "" || rest.startsWith("#")) {
        this.#next();
        items.push(this.#indent > indent ? this.#readBlock(this.#indent, depth + 1) : null);
      } else if (isDash(rest)) {
        throw NOT_PLAIN;
      } else if (NAME.test(rest)) {
        // What follows the dash is the first line of a mapping of its own.
        this.#indent += this.#content.length - rest.length;
        this.#content = rest;
        items.push(this.#readMapping(this.#indent, depth + 1));
      } else items.push(this.#readScalar(rest, indent));
    }
    if (this.#indent > indent) throw NOT_PLAIN;
    return items;
  }

  #readMapping(indent: number, depth: number): Readonly<Record<string, unknown>> {
    if (depth > DEEPEST) throw NOT_PLAIN;
    const mapping: Record<string, unknown> = {};
    while (this.#indent === indent) {
      const match = NAME.exec(this.#content);
      if (match === null) break;
      const name = nameOf(match[1] ?? "");
      if (Object.hasOwn(mapping, name)) throw NOT_PLAIN;
      const rest = this.#content.slice(match[0].length);
      if (rest !== "" && !rest.startsWith("#")) {
        mapping[name] = this.#readScalar(rest, indent);
        continue;
      }
      this.#next();
      const isNested = this.#indent > indent || (this.#indent === indent && isDash(this.#content));
      mapping[name] = isNested ? this.#readBlock(this.#indent, depth + 1) : null;
    }
    if (this.#indent >= indent && !(this.#indent === indent && isDash(this.#content) && depth > 0)) {
      throw NOT_PLAIN;
    }
    return mapping;
  }

  /** A scalar on the rest of a line, or a block that begins there; goes on to the line after it. */
  #readScalar(rest: string, indent: number): unknown {
    if (rest.startsWith("|")) return this.#readLiteral(rest, indent);
    const value = readInline(rest);
    this.#next();
    // A line that is indented further would belong to the scalar.
    if (this.#indent > indent) throw NOT_PLAIN;
    return value;
  }

  #readLiteral(head: string, indent: number): string {
    const chomping = /^\|([+-]?)$/.exec(head)?.[1];
    if (chomping === undefined) throw NOT_PLAIN;
    const from = this.#at + 1;
    const first = this.#lines.findIndex((line, index) => index >= from && !isBlank(line));
    const width = first < 0 ? 0 : leadOf(this.#lines[first] ?? "");
    // A block without text has rules of its own.
    if (width <= indent) throw NOT_PLAIN;
    let end = first;
    for (; end < this.#lines.length; end++) {
      const line = this.#lines[end] ?? "";
      if (isBlank(line) || leadOf(line) >= width) continue;
      if (leadOf(line) > indent) throw NOT_PLAIN;
      break;
    }
    const lines = this.#lines.slice(from, end);
    // The end of the document is no line of it.
    if (end === this.#lines.length && lines.at(-1) === "") lines.pop();
    // Lines of more blanks than the text is indented by are text, or a fault before its first line.
    if (lines.some((line) => line.length > width && isBlank(line))) throw NOT_PLAIN;
    this.#at = end;
    this.#load();
    let last = lines.length;
    if (chomping !== "+") while (isBlank(lines[last - 1] ?? "x")) last--;
    const text = lines
      .slice(0, last)
      .map((line) => line.slice(width))
      .join("\n");
    return chomping === "-" ? text : `${text}\n`;
  }
}

const leadOf = (line: string) => line.search(/[^ ]/);

/** Only blanks are white space to YAML: a text may begin and end in other kinds of it. */
const trimEnd = (text: string) => (text.endsWith(" ") ? text.replace(/ +$/, "") : text);
const isBlank = (line: string) => /^ *$/.test(line);
const isDash = (content: string) => content === "-" || content.startsWith("- ");

function nameOf(raw: string): string {
  if (raw.startsWith('"') || raw.startsWith("'")) {
    const name = raw.slice(1, -1);
    if (name === "__proto__") throw NOT_PLAIN;
    return name;
  }
  if (NO_NAME.test(raw)) throw NOT_PLAIN;
  return raw;
}

/** A value on one line; a comment may follow it. */
function readInline(text: string): unknown {
  const first = text[0];
  if (first === '"' || first === "'") return readQuoted(text, first);
  if (first === "[" || first === "{") return readBrackets(text);
  if (INDICATOR.test(text)) throw NOT_PLAIN;
  const comment = text.indexOf(" #");
  const plain = comment < 0 ? text : trimEnd(text.slice(0, comment));
  if (plain.includes(": ") || plain.endsWith(":")) throw NOT_PLAIN;
  return resolvePlain(plain);
}

function readQuoted(text: string, quote: string): string {
  const end = quote === '"' ? closingDouble(text) : closingSingle(text);
  const rest = text.slice(end + 1);
  if (end < 0 || !/^(?: +#.*)?$/.test(rest)) throw NOT_PLAIN;
  const inner = text.slice(1, end);
  if (quote === "'") return inner.replaceAll("''", "'");
  if (!inner.includes("\\")) return inner;
  // Escapes that JSON and YAML have in common.
  if (!/^(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*$/.test(inner)) throw NOT_PLAIN;
  return JSON.parse(text.slice(0, end + 1)) as string;
}

function closingDouble(text: string): number {
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return -1;
}

function closingSingle(text: string): number {
  for (let at = text.indexOf("'", 1); at >= 0; at = text.indexOf("'", at + 2)) {
    if (text[at + 1] !== "'") return at;
  }
  return -1;
}

/** `[]`, `{}`, and lists of words or of texts in double quotes. */
function readBrackets(text: string): unknown {
  if (text === "[]") return [];
  if (text === "{}") return {};
  if (!text.startsWith("[") || !text.endsWith("]")) throw NOT_PLAIN;
  return text
    .slice(1, -1)
    .split(",")
    .map((raw) => {
      const item = raw.replace(/^ +| +$/g, "");
      const quoted = /^"([^"\\]*)"$/.exec(item)?.[1];
      if (quoted !== undefined) return quoted;
      if (!WORD.test(item) || NO_TEXT.test(item)) throw NOT_PLAIN;
      return item;
    });
}

/** As the core schema of YAML 1.2 resolves it. Source: YAML 1.2.2, §10.3.2. */
function resolvePlain(text: string): unknown {
  const first = text.charCodeAt(0);
  const isNumberStart =
    (first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2b || first === 0x2e;
  if (isNumberStart) {
    if (WHOLE.test(text) || DECIMAL.test(text)) return Number(text);
    if (NUMBER_LIKE.test(text)) throw NOT_PLAIN;
    return text;
  }
  if (!NO_TEXT.test(text)) return text;
  if (text[0] === "t" || text[0] === "T") return true;
  return text[0] === "f" || text[0] === "F" ? false : null;
}
