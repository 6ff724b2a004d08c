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

/** What a line may hold beside the inputs of its set. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["id", "versions", "note", "example", "kind"],
  // Of answers, which may stand in the line with its question.
  ...["explanation", "ignored", "cost", "maximumSeats", "serving", "gaps", "isSubjectToFairness"],
  ...["broken", "crash", "bounds", "pace"],
]);

/**
 * Fields of a line that mean nothing here, with their path: a misspelt one would otherwise be taken for its default in
 * silence. `known`: inputs and outputs of the set. `nested`: inputs that are looked into, by what was read of them.
 */
export function ignoredFields(
  line: LineObject,
  known: ReadonlySet<string>,
  nested: LineObject = {},
): { readonly ignored?: readonly string[] } {
  const ignored = Object.keys(line).filter((name) => !known.has(name) && !OWN_FIELDS.has(name));
  for (const [field, read] of Object.entries(nested)) addUnread(ignored, line[field], read, field);
  return ignored.length === 0 ? {} : { ignored };
}

/** Of an object of the API only the spec is looked into: the rest has fields that decide nothing. */
const BESIDE_SPEC = /(?:flowSchemas|priorityLevels)\[\d+\](?:\.metadata|\.status(?:\.conditions\[\d+\])?)?$/;

/** Adds the paths of what was given and is not in what was read of it. */
function addUnread(found: string[], given: unknown, read: unknown, path: string): void {
  if (typeof given !== "object" || typeof read !== "object" || given === null || read === null) return;
  if (Array.isArray(given)) {
    const items = Array.isArray(read) ? read : [];
    for (const [index, item] of given.entries()) addUnread(found, item, items[index], `${path}[${index}]`);
    return;
  }
  const isOpen = BESIDE_SPEC.test(path);
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(read, name)) {
      addUnread(found, value, (read as Readonly<Record<string, unknown>>)[name], `${path}.${name}`);
    } else if (!isOpen && value !== null) found.push(`${path}.${name}`);
  }
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

/** `maxUnavailable` and `maxSurge`. */
export const INT_OR_PERCENT = "a whole number of at least 0, or a percentage from 0% to 100%";
/** More nodes than any cluster has: a state is held whole. */
export const MOST_NODES = 200_000;
