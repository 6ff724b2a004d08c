/**
 * Field selectors as far as requests are classified by them. Source: apimachinery pkg/fields/selector.go,
 * v0.26 to v0.37 alike.
 */

const EQUALS = 61;

export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  /** Escapes (`\,`, `\=`, `\\`) resolved. */
  readonly value: string;
}

/** The terms of a field selector, sorted as upstream sorts them (by their bytes), or `null` where it is malformed. */
export function parseFieldSelector(selector: string): readonly FieldTerm[] | null {
  const terms: FieldTerm[] = [];
  for (const text of splitTerms(selector).sort(compareBytes)) {
    if (text === "") continue;
    const term = parseTerm(text);
    if (term === null) return null;
    terms.push(term);
  }
  return terms;
}

/** The value that the terms require `field` to equal, or `null`. Of several the first in order counts. */
export function exactMatch(terms: readonly FieldTerm[], field: string): string | null {
  for (const term of terms) if (term.operator === "=" && term.field === field) return term.value;
  return null;
}

/**
 * The value that a field selector requires `field` to equal, or `null`: it requires none, or is malformed. The same as
 * `exactMatch` of `parseFieldSelector`, without building terms for a selector of one plain term.
 */
export function requiredValue(selector: string, field: string): string | null {
  if (!selector.includes(field)) return null;
  if (selector.startsWith(field) && selector.charCodeAt(field.length) === EQUALS && !selector.includes(",")) {
    const start = field.length + (selector.charCodeAt(field.length + 1) === EQUALS ? 2 : 1);
    if (!selector.includes("=", start) && !selector.includes("\\")) return selector.slice(start);
  }
  const terms = parseFieldSelector(selector);
  return terms === null ? null : exactMatch(terms, field);
}

/** The order of the UTF-8 bytes of two texts: other than that of their UTF-16 units where one has surrogates. */
function compareBytes(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Two that differ in the second half of a pair have the first in common: then the halves decide.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function splitTerms(selector: string): string[] {
  if (selector === "") return [];
  if (!selector.includes(",")) return [selector];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < selector.length; i++) {
    const char = selector[i];
    if (char === "\\") i++;
    else if (char === ",") {
      terms.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

function parseTerm(text: string): FieldTerm | null {
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    const isNext = text[i + 1] === "=";
    if (char === "=" || (char === "!" && isNext)) {
      const value = unescapeValue(text.slice(i + (isNext ? 2 : 1)));
      if (value === null) return null;
      return { field: text.slice(0, i), operator: char === "=" ? "=" : "!=", value };
    }
  }
  return null;
}

/** `null` for an unescaped `,` or `=` and for a backslash before anything but `\`, `,` and `=`. */
function unescapeValue(text: string): string | null {
  if (!/[\\,=]/.test(text)) return text;
  let value = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === "," || char === "=") return null;
    if (char !== "\\") {
      value += char;
      continue;
    }
    const next = text[i + 1];
    if (next !== "\\" && next !== "," && next !== "=") return null;
    value += next;
    i++;
  }
  return value;
}
