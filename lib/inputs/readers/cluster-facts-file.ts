import {
  asClusterFacts,
  CLUSTER_FACTS_FIELDS,
  ClusterFactsFileSchema,
  type ReadClusterFacts,
} from "../../contracts/cluster-facts.ts";
import { isJsonObject, type JsonObject } from "../../domain/findings/index.ts";
import type { InputProblem, SkippedInput } from "../input-problem.ts";
import { formatPath, positionsIn } from "../positions.ts";

export interface ReadClusterFactsFile {
  readonly facts: ReadClusterFacts;
  readonly problems: readonly InputProblem[];
  readonly skipped: readonly SkippedInput[];
}

/**
 * Facts about a cluster given by hand. A field that is wrong is named with its place, and the others count; a field
 * that is not known is named and passed over. `text` is where the places are looked up.
 */
export function readClusterFactsFile(file: string, value: unknown, text: string): ReadClusterFactsFile {
  const given: JsonObject = isJsonObject(value) ? value : {};
  const unknown = Object.keys(given).filter((key) => !CLUSTER_FACTS_FIELDS.includes(key));
  const skipped = unknown.map((key) => ({
    file,
    reason: `${key} is no field of cluster facts; known are ${CLUSTER_FACTS_FIELDS.join(", ")}`,
  }));
  const problems: InputProblem[] = [];
  if (!isJsonObject(value)) {
    problems.push({
      file,
      line: 1,
      column: null,
      message: "expected the facts of a cluster as keys and values",
    });
  }
  const checked = ClusterFactsFileSchema.safeParse(given);
  if (checked.success) return { facts: asClusterFacts(checked.data), problems, skipped };
  const placeOf = positionsIn(text);
  const wrong = new Set<PropertyKey>();
  for (const { path, message } of checked.error.issues) {
    const [field] = path;
    if (field !== undefined) wrong.add(field);
    problems.push({ file, ...placeOf(path), message: `${formatPath(path)}: expected ${message}` });
  }
  const usable = Object.fromEntries(Object.entries(given).filter(([key]) => !wrong.has(key)));
  const rest = ClusterFactsFileSchema.safeParse(usable);
  return { facts: asClusterFacts(rest.success ? rest.data : {}), problems, skipped };
}
