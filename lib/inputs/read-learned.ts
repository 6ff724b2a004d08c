import { LearnedAgentsFileSchema } from "../contracts/learned-agents.ts";
import type { LearnedAgent } from "../domain/agents/learn/learned-agents.ts";
import { InputError, type InputProblem } from "./input-problem.ts";
import { formatPath } from "./positions.ts";
import { readDocument } from "./read-document.ts";

export interface ReadLearned {
  readonly agents: readonly LearnedAgent[];
  readonly problems: readonly InputProblem[];
}

const MAX_BYTES = 256 * 1024 * 1024;

/** Reads what `headroom agents learn --output json` wrote. Never throws for what is in it. */
export async function readLearned(files: readonly string[]): Promise<ReadLearned> {
  const agents: LearnedAgent[] = [];
  const problems: InputProblem[] = [];
  for (const file of files) {
    try {
      const { value } = await readDocument(file, MAX_BYTES);
      const parsed = LearnedAgentsFileSchema.safeParse(value);
      if (parsed.success) agents.push(...parsed.data.agents);
      else problems.push({ file, line: null, column: null, message: firstFault(parsed.error.issues) });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { line, column, message } = error;
      problems.push({ file, line, column, message });
    }
  }
  return { agents, problems };
}

/** One fault is enough: nobody writes such a file by hand. */
function firstFault(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? "" : ` (${formatPath(first.path)})`;
  return `expected what headroom agents learn --output json writes${where}: ${first?.message ?? ""}`;
}
