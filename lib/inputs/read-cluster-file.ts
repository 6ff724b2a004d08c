import type { ClusterFacts } from "../domain/clusters/cluster-facts.ts";
import { InputError, type InputProblem, type SkippedInput } from "./input-problem.ts";
import { readDocument } from "./read-document.ts";
import { readClusterFactsFile } from "./readers/cluster-facts-file.ts";

export interface ReadClusterFile {
  /** `null`: the file cannot be read. */
  readonly facts: ClusterFacts | null;
  readonly problems: readonly InputProblem[];
  readonly skipped: readonly SkippedInput[];
}

/** Reads facts about a cluster given by hand, whatever the file's name. Never throws for what is in it. */
export async function readClusterFile(file: string): Promise<ReadClusterFile> {
  try {
    const { value, text } = await readDocument(file);
    const { facts, problems, skipped } = readClusterFactsFile(file, value, text);
    return { facts: facts.cluster, problems, skipped };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { line, column, message } = error;
    return { facts: null, problems: [{ file, line, column, message }], skipped: [] };
  }
}
