import { InputError } from "./input-problem.ts";
import { formatLimit, INPUT_LIMITS } from "./limits.ts";
import { openInput } from "./open-input.ts";
import { parseJson } from "./parse-json.ts";
import { parseYaml } from "./parse-yaml.ts";
import { decodeUtf8, readAll } from "./text.ts";

/** A file of one document, with its text, in which places may be looked up. */
export interface ReadDocument {
  /** `null`: the file is empty. */
  readonly value: unknown;
  readonly text: string;
}

/** Of files that people write by hand. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a file of one YAML or JSON document, packed or not. @throws InputError */
export async function readDocument(file: string, maxBytes = MAX_BYTES): Promise<ReadDocument> {
  const input = await openInput(file);
  try {
    const bytes = await readAll(input.chunks(), maxBytes, `expected at most ${formatLimit(maxBytes)}`);
    const text = decodeUtf8(bytes);
    return { value: parseDocument(file, text), text };
  } finally {
    await input.close();
  }
}

/** JSON by the parser for it, which is many times faster; in braces may stand YAML as well. */
function parseDocument(file: string, text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    try {
      return parseJson(text, INPUT_LIMITS.depth);
    } catch (error) {
      if (!(error instanceof InputError) || /\.json(?:\.gz)?$/.test(file)) throw error;
    }
  }
  const [document, second] = parseYaml(text, 1, INPUT_LIMITS);
  if (second !== undefined) throw new InputError("expected one document", second.line);
  return document?.value ?? null;
}
