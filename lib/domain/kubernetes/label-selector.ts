import { parseInt64 } from "./list-options.ts";

/**
 * Whether the API server can read a label selector. A malformed one makes it forget a `metadata.name` in the field
 * selector beside it, which changes the price of the request.
 * Source: apimachinery pkg/labels/selector.go and the validation of label keys and values, v0.26 to v0.37.
 */

const SYMBOLS = new Set(["=", "!", "(", ")", ",", ">", "<"]);
const SPACES = new Set([" ", "\t", "\r", "\n"]);
const BINARY_OPERATORS = new Set(["=", "==", "!=", ">", "<", "in", "notin"]);
const NAME = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

interface Token {
  readonly isSymbol: boolean;
  readonly text: string;
}

/** What ends the tokens. */
const END: Token = { isSymbol: true, text: "" };

/**
 * True where `selector` parses: `app=web,tier in (a,b),!legacy`, and the empty text. From 1.35 a set may end in two
 * commas, `x in (a,,)`; before, it may not.
 */
export function isLabelSelector(selector: string, minor: number): boolean {
  if (selector === "") return true;
  const tokens = scan(selector);
  let at = 0;
  const peek = () => tokens[at] ?? END;
  const next = () => tokens[at++] ?? END;
  if (peek() === END) return true;
  for (;;) {
    const isNegated = isSymbol(peek(), "!");
    if (isNegated) at++;
    const key = next();
    if (key.isSymbol || !isLabelKey(key.text)) return false;
    if (!isNegated && peek() !== END && !isSymbol(peek(), ",")) {
      const operator = next();
      if (operator === END || !BINARY_OPERATORS.has(operator.text)) return false;
      const values: string[] | null =
        operator.text === "in" || operator.text === "notin" ? readSet() : readExactValue();
      if (values === null || !values.every(isLabelValue)) return false;
      if ((operator.text === ">" || operator.text === "<") && values.some((v) => parseInt64(v) === null)) {
        return false;
      }
    }
    const separator = next();
    if (separator === END) return true;
    if (!isSymbol(separator, ",")) return false;
    if (peek().isSymbol && !isSymbol(peek(), "!")) return false;
  }

  function readExactValue(): string[] | null {
    if (peek() === END || isSymbol(peek(), ",")) return [""];
    const value = next();
    return value.isSymbol ? null : [value.text];
  }

  function readSet(): string[] | null {
    if (!isSymbol(next(), "(")) return null;
    if (isSymbol(peek(), ")")) {
      at++;
      return [""];
    }
    const values: string[] = [];
    for (;;) {
      const token = next();
      if (!token.isSymbol) {
        values.push(token.text);
        if (isSymbol(peek(), ",")) continue;
        return isSymbol(next(), ")") ? values : null;
      }
      if (!isSymbol(token, ",")) return null;
      if (isSymbol(peek(), ")")) {
        at++;
        return values;
      }
      // Up to 1.34 the second of two commas is passed over here, so a `)` behind it finds no value.
      if (isSymbol(peek(), ",") && minor < 35) at++;
    }
  }
}

const isSymbol = (token: Token, text: string) => token.isSymbol && token !== END && token.text === text;

function scan(selector: string): Token[] {
  const tokens: Token[] = [];
  let i = 0;
  while (i < selector.length) {
    const char = selector[i] ?? "";
    if (char === "\0") break;
    if (SPACES.has(char)) i++;
    else if (SYMBOLS.has(char)) {
      const text = (char === "=" || char === "!") && selector[i + 1] === "=" ? `${char}=` : char;
      tokens.push({ isSymbol: true, text });
      i += text.length;
      if (selector[i] === "\0") i++;
    } else {
      const start = i;
      while (i < selector.length && !endsWord(selector[i] ?? "")) i++;
      tokens.push({ isSymbol: false, text: selector.slice(start, i) });
      if (selector[i] === "\0") i++;
    }
  }
  return tokens;
}

const endsWord = (char: string) => char === "\0" || SYMBOLS.has(char) || SPACES.has(char);

function isLabelKey(key: string): boolean {
  const parts = key.split("/");
  const name = parts.pop() ?? "";
  if (parts.length > 1 || name.length > 63 || !NAME.test(name)) return false;
  const [prefix] = parts;
  return prefix === undefined || (prefix.length <= 253 && SUBDOMAIN.test(prefix));
}

const isLabelValue = (value: string) => value === "" || (value.length <= 63 && NAME.test(value));
