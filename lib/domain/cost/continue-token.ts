const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * The resource version inside a continue token: positive for the state that the first page was read from, negative for
 * a continuation at the latest state, `null` where `token` is no token of this form (a placeholder, say).
 * Source: apiserver pkg/storage/continue.go: unpadded base64url of a JSON object with `v`, `rv`, `start`.
 */
export function continueResourceVersion(token: string): number | null {
  let bits = 0;
  let held = 0;
  let text = "";
  for (const char of token) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) return null;
    held = ((held << 6) | value) & 0x3fff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      // Bytes beyond ASCII only occur in the start key, which is not looked at.
      text += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  const match = /"rv":\s*(-?\d+)/.exec(text);
  return match === null || !text.startsWith("{") ? null : Number(match[1]);
}
