/**
 * Escapes of URLs as a Go server reads them. Source: Go net/url, `QueryUnescape`, `PathUnescape` and `ParseQuery`.
 */

const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

const PERCENT = 37;
const PLUS = 43;
const ASCII: readonly string[] = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/**
 * `text` from `start` to `end`, a key or value of a query, with `+` and `%XX` resolved; `null` where an escape is
 * broken: Go drops such a pair.
 */
export function unescapeQuery(text: string, start = 0, end: number = text.length): string | null {
  return unescapeAscii(text, start, end, true);
}

/** A path with `%XX` resolved, or `null` where an escape is broken. Bytes that are no UTF-8 become U+FFFD. */
export function unescapePath(text: string): string | null {
  return unescapeAscii(text, 0, text.length, false);
}

/** One pass where every escape spells an ASCII character, which is nearly always; else the whole text is decoded. */
function unescapeAscii(text: string, from: number, end: number, isQuery: boolean): string | null {
  let result = "";
  let start = from;
  for (let i = from; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === PERCENT) {
      const byte =
        i + 2 < end ? hexDigit(text.charCodeAt(i + 1)) * 16 + hexDigit(text.charCodeAt(i + 2)) : -1;
      if (!(byte >= 0 && byte < 128)) return unescapeBytes(text.slice(from, end), isQuery);
      result += text.slice(start, i) + ASCII[byte];
      i += 2;
      start = i + 1;
    } else if (code === PLUS && isQuery) {
      result += `${text.slice(start, i)} `;
      start = i + 1;
    }
  }
  return result + text.slice(start, end);
}

/** The value of a hexadecimal digit, or NaN. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  return code >= 97 && code <= 102 ? code - 87 : Number.NaN;
}

function unescapeBytes(raw: string, isQuery: boolean): string | null {
  if (BROKEN_ESCAPE.test(raw)) return null;
  const text = isQuery ? raw.replaceAll("+", " ") : raw;
  try {
    return decodeURIComponent(text);
  } catch {
    // Well-formed escapes that spell no UTF-8; Go keeps such bytes as they are.
    return new TextDecoder().decode(bytesOf(text));
  }
}

/** Splits a request URI, as audit logs hold it, at its first `?`: `/api/v1/pods?limit=5`. */
export function splitRequestUri(uri: string): { readonly path: string; readonly query: string } {
  const at = uri.indexOf("?");
  return at < 0 ? { path: uri, query: "" } : { path: uri.slice(0, at), query: uri.slice(at + 1) };
}

function bytesOf(text: string): Uint8Array {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const part of text.split(/(%[0-9A-Fa-f]{2})/)) {
    if (part.length === 3 && part.startsWith("%")) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...encoder.encode(part));
  }
  return Uint8Array.from(bytes);
}
