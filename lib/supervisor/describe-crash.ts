import { redact } from "../kube/redact.ts";

const MAX_CHARACTERS = 300;

export interface Crash {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of standard error, oldest first. */
  readonly lines: readonly string[];
}

/** One sentence: how a process ended and the last it said of why, with what looks like a credential taken out. */
export function describeCrash({ code, signal, lines }: Crash): string {
  const how = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
  const why = findReason(lines);
  if (why === null) return `${how}.`;
  const text = redact(why).replace(/\s+/g, " ").trim();
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
  return /[.!?…]$/.test(cut) ? `${how}: ${cut}` : `${how}: ${cut}.`;
}

/**
 * The last line that names an error: Node prints `Error: …` between an excerpt of the source and the stack. Else the
 * last one that is none of Node's own decoration.
 */
function findReason(lines: readonly string[]): string | null {
  const said = lines.map(readLine).filter((line) => line !== "");
  const isError = (line: string) =>
    /^(?:Uncaught )?(?:[A-Z]\w*)?Error\b/.test(line) || /^FATAL ERROR/.test(line);
  const isDecoration = (line: string) =>
    /^Node\.js v|^at |^\^+$|^\}|^\[|^node:internal|^file:\/\/|^throw |^-{3,}/.test(line);
  return said.findLast(isError) ?? said.findLast((line) => !isDecoration(line)) ?? null;
}

/** What a line says: of a log line that tells of an error its message and error, of other log lines nothing. */
function readLine(line: string): string {
  const text = line.trim();
  if (!text.startsWith("{")) return text;
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== "object" || record === null) return text;
    const { level, msg, err } = record as {
      level?: unknown;
      msg?: unknown;
      err?: { message?: unknown } | null;
    };
    if (level !== undefined && level !== "error" && level !== "fatal") return "";
    const parts = [msg, err?.message].filter(
      (part): part is string => typeof part === "string" && part !== "",
    );
    return parts.length === 0 ? text : parts.join(": ");
  } catch {
    return text;
  }
}
