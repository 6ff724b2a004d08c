import { AgentCatalogueSchema } from "../contracts/agent-catalogue.ts";
import { type CatalogueEntry, extendCatalogue } from "../domain/agents/index.ts";
import { InputError, type InputProblem } from "./input-problem.ts";
import { formatPath, positionsIn } from "./positions.ts";
import { readDocument } from "./read-document.ts";

export interface ReadCatalogue {
  /** The published catalogue with the entries of the files that can be read; of two with one id the earlier counts. */
  readonly catalogue: readonly CatalogueEntry[];
  readonly problems: readonly InputProblem[];
}

/** Problems named of one file. */
const PROBLEMS_NAMED = 20;

/** Reads catalogues of one's own. A file with a fault counts for nothing, and each of its faults is named with its place. */
export async function readCatalogue(files: readonly string[]): Promise<ReadCatalogue> {
  const problems: InputProblem[] = [];
  const own = new Map<string, CatalogueEntry>();
  for (const file of files) {
    for (const entry of await readCatalogueFile(file, problems)) {
      if (!own.has(entry.id)) own.set(entry.id, entry);
    }
  }
  return { catalogue: extendCatalogue([...own.values()]), problems };
}

async function readCatalogueFile(file: string, problems: InputProblem[]): Promise<readonly CatalogueEntry[]> {
  try {
    const { value, text } = await readDocument(file);
    const parsed = AgentCatalogueSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const placeOf = positionsIn(text);
    for (const { path, message } of parsed.error.issues.slice(0, PROBLEMS_NAMED)) {
      const where = path.length === 0 ? "" : `${formatPath(path)}: `;
      problems.push({ file, ...placeOf(path), message: `${where}expected ${expectation(message)}` });
    }
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { line, column, message } = error;
    problems.push({ file, line, column, message });
    return [];
  }
}

/** Messages of the schema's own say what is expected; those of zod are brought into that form. */
const expectation = (message: string): string =>
  message.replace(/^Invalid (?:input|option): expected /, "").replace(/^Unrecognized/, "no unrecognized");
