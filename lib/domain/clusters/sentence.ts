/**
 * Words about a failure as a sentence of their own: a capital, where they begin with a word and not with the name of
 * something (`api-0`, `/metrics`), and a full stop.
 */
export function asSentence(text: string): string {
  const begun = text.replace(/^[a-z]+(?=[ ,])/, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
