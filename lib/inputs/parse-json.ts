import { InputError } from "./input-problem.ts";

/**
 * JSON of one document of at most `maxDepth` levels. `firstLine`: the line on which the text begins.
 * @throws InputError with line and column
 */
export function parseJson(text: string, maxDepth: number, firstLine = 1): unknown {
  const fail = (message: string, offset: number) => {
    const before = text.slice(0, offset);
    const line = firstLine + (before.match(/\n/g)?.length ?? 0);
    return new InputError(message, line, offset - (before.lastIndexOf("\n") + 1) + 1);
  };
  const deep = findTooDeep(text, maxDepth);
  if (deep !== null) throw fail(`expected at most ${maxDepth} levels of nesting`, deep);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { offset, message } = describeFault(error, text);
    throw fail(`expected valid JSON: ${message}`, offset);
  }
}

/** Offset of the first bracket that opens one level too many; `null` where there is none. */
function findTooDeep(text: string, maxDepth: number): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfText(text, at + 1);
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) return at;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return null;
}

/** Offset of the quote that ends a text; the end of all where there is none. */
function endOfText(text: string, from: number): number {
  let at = text.indexOf('"', from);
  // A quote after an odd number of backslashes belongs to the text.
  while (at >= 0) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}

/** Where the text stops being JSON, without what stands there: it may be a secret. */
function describeFault(error: unknown, text: string): { readonly offset: number; readonly message: string } {
  const message = error instanceof Error ? error.message : "";
  if (isCutShort(message)) return { offset: text.trimEnd().length, message: "it ends too early" };
  const position = /at position (\d+)/.exec(message)?.[1];
  const offset = position === undefined ? findFaultOffset(text) : Number(position);
  if (offset >= text.trimEnd().length) return { offset, message: "it ends too early" };
  return {
    offset,
    message: MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? "an unexpected character",
  };
}

const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/double-quoted property name|property name or/, "a name in double quotes is missing"],
  [/after array element/, "a comma or ] is missing"],
  [/after property value/, "a comma or } is missing"],
  [/':' after property name/, "a colon is missing"],
  [/after JSON/, "something follows its end"],
  [/control character/, "a control character stands in a text"],
  [/escape/i, "a text holds an escape that is none"],
];

const isCutShort = (message: string) =>
  /end of JSON input|Unterminated|No number after|Exponent part is missing/.test(message);

/** Above this a fault without a position is reported at the beginning. */
const SEARCHED_CHARACTERS = 4_000_000;

/** The longest beginning that more text could complete ends here: found by halving, where the engine names no place. */
function findFaultOffset(text: string): number {
  if (text.length > SEARCHED_CHARACTERS) return 0;
  let good = 0;
  let bad = text.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function canGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return error instanceof Error && isCutShort(error.message);
  }
}
