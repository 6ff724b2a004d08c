import type { z } from "zod";
import { describeValue, type LineObject, LineProblem } from "../json-lines.ts";

/** Checks a line against its schema. What is wrong first is told: which field, and what was expected there. */
export function readFields<Schema extends z.ZodType>(schema: Schema, line: LineObject): z.output<Schema> {
  const result = schema.safeParse(line);
  if (result.success) return result.data;
  const { path, message } = deepestIssue(result.error.issues);
  throw new LineProblem({
    field: formatPath(path),
    expected: message,
    got: describeValue(valueAt(line, path)),
  });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first issue; of several forms that a value may have, that of the one which fits furthest. */
function deepestIssue(issues: readonly z.core.$ZodIssue[]): Issue {
  const [issue] = issues;
  if (issue === undefined) return { path: [], message: "another value" };
  if (issue.code !== "invalid_union") return issue;
  const branches = issue.errors.map(deepestIssue);
  const deepest = branches.reduce((best, branch) => (branch.path.length > best.path.length ? branch : best), {
    path: [],
    message: issue.message,
  } as Issue);
  return { path: [...issue.path, ...deepest.path], message: deepest.message };
}

/** `nodes[3][0]`, `config.queues`; `null` for the line itself. */
export function formatPath(path: readonly PropertyKey[]): string | null {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += `${text === "" ? "" : "."}${String(key)}`;
  }
  return text === "" ? null : text;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return at;
}

/** Fields of a line that mean nothing here: a misspelt one would otherwise be taken for its default in silence. */
export function unknownFields(line: LineObject, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(line).filter((name) => !known.has(name));
}

export {
  count,
  flag,
  list,
  oneOf,
  optional,
  text,
  versionText,
  wholeNumber,
} from "../../contracts/fields.ts";
