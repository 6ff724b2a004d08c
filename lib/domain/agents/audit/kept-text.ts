/**
 * Text that is kept beyond the event it came in: at most `maxCharacters` of it, and a copy of its own, since engines let
 * a part of a text keep the whole alive.
 */
export function keptText(text: string, maxCharacters: number): string {
  const part = text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
  return JSON.parse(JSON.stringify(part)) as string;
}
