/** Longest text of a server or a program that an error carries. */
const EXCERPT_CHARACTERS = 500;

/** So much of it is looked at. */
const MAX_REDACTED_CHARACTERS = 8000;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, "[redacted PEM]"],
  [/\b(authorization\s*[:=]\s*)("?)(?:(bearer|basic)\s+)?[^\s"',]+/gi, "$1$2$3 [redacted]"],
  [/\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{6,}/gi, "$1 [redacted]"],
  [/\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}/g, "[redacted token]"],
  [/\bk8s-aws-v1\.[A-Za-z0-9_=-]+/g, "[redacted token]"],
  [/\bya29\.[A-Za-z0-9_-]+/g, "[redacted token]"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, "[redacted key]"],
  [
    /((?:token|password|passwd|secret|api[-_]?key|client[-_]?key(?:[-_]?data)?|private[-_]?key|access[-_]?key)"?\s*[:=]\s*"?)[^\s"'&,}]+/gi,
    "$1[redacted]",
  ],
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^/\s@"']+@/gi, "$1[redacted]@"],
];

/**
 * Takes what looks like a credential out of text that came from elsewhere: PEM blocks, Authorization values, bearer
 * tokens, JWTs, well-known token prefixes, `token=…`, user information in URLs; and every string of `secrets`, whatever
 * it looks like (also percent-encoded and base64-encoded). Secrets shorter than 4 characters are left, since taking
 * them out would destroy the text.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    for (const form of new Set([
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
    ])) {
      result = result.replaceAll(form, "[redacted]");
    }
  }
  for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
  return result;
}

/**
 * One line of foreign text, fit for a message: redacted first (a cut could leave half a token that no pattern knows),
 * control characters and runs of blanks replaced by one blank, cut at `maxCharacters`.
 */
export function excerpt(
  text: string,
  secrets: Iterable<string> = [],
  maxCharacters: number = EXCERPT_CHARACTERS,
): string {
  // What comes later will not be shown; the last word of it may be half a secret.
  const begin =
    text.length <= MAX_REDACTED_CHARACTERS
      ? text
      : text.slice(0, MAX_REDACTED_CHARACTERS).replace(/\S+$/, "…");
  const line = redact(begin, secrets)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1)}…`;
}

/** The URL without user information; "an unreadable URL" where it is none. */
export function withoutUserInfo(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.username = "";
    parsed.password = "";
    return parsed.href;
  } catch {
    return "an unreadable URL";
  }
}
