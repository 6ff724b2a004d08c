import { LineCounter, parseAllDocuments } from "yaml";
import { InputError } from "./input-problem.ts";
import type { InputLimits } from "./limits.ts";
import { NOT_PLAIN, parsePlainYaml } from "./plain-yaml.ts";

/** One YAML document, parsed. */
export interface YamlDocument {
  /** Line on which its content begins, from 1. */
  readonly line: number;
  readonly value: unknown;
  /** Of its text, with its neighbours where one text holds several. */
  readonly bytes: number;
}

/**
 * All documents of a text that begins at `firstLine`. Aliases unfold to a bounded size.
 * @throws InputError with line and column of the first fault
 */
export function parseYaml(
  text: string,
  firstLine: number,
  limits: Pick<InputLimits, "aliases">,
): readonly YamlDocument[] {
  const plain = parsePlainYaml(text);
  if (plain !== NOT_PLAIN) {
    return [{ line: firstLine + linesBeforeContent(text), value: plain, bytes: text.length }];
  }
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: firstLine + line - 1, column: col };
  };
  try {
    const documents = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: "silent",
    });
    return documents.flatMap((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) {
        const { line, column } = at(fault.pos[0]);
        // The parser descends by itself and reports the end of its stack as a fault of the text.
        if (/call stack/.test(fault.message)) throw new InputError(TOO_DEEP, line, column);
        throw new InputError(`expected valid YAML: ${withoutContent(fault.message)}`, line, column);
      }
      const value: unknown = document.toJS({ maxAliasCount: limits.aliases });
      const start = document.contents?.range?.[0] ?? 0;
      return [{ line: at(start).line, value, bytes: text.length }];
    });
  } catch (error) {
    throw asInputError(error, firstLine);
  }
}

const TOO_DEEP = "expected less nesting: there is more than can be followed";

function asInputError(error: unknown, firstLine: number): InputError {
  if (error instanceof InputError) return error;
  if (error instanceof RangeError) return new InputError(TOO_DEEP, firstLine);
  if (error instanceof ReferenceError) {
    return new InputError("expected aliases that unfold to a bounded size", firstLine);
  }
  return new InputError(
    `expected valid YAML: ${error instanceof Error ? withoutContent(error.message) : "it cannot be parsed"}`,
    firstLine,
  );
}

/** The first line of a message: what follows repeats the text, which may be a secret. */
function withoutContent(message: string): string {
  return (message.split("\n", 1)[0] ?? "").replace(/: .*$/s, (rest) => (rest.length > 80 ? "" : rest));
}

/** Lines before the first one with content: blank ones, comments, the marker. */
function linesBeforeContent(text: string): number {
  const head = /^(?:---[ ]*(?:#.*)?\n|[ ]*(?:#.*)?\n)*/.exec(text)?.[0] ?? "";
  return head.match(/\n/g)?.length ?? 0;
}
