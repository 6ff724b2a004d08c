import { readFileSync, statSync } from "node:fs";
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type ConfigFile, ConfigFileSchema } from "./config-file-schema.ts";

type Path = readonly PropertyKey[];

/** What a configuration file says, and where each of its members stands. */
export interface ReadConfigFile {
  readonly content: ConfigFile;
  /** Line and column, counted from 1, of the value at this path; of its nearest ancestor where it is absent. */
  readonly positionOf: (path: Path) => { readonly line: number; readonly column: number };
}

/** A configuration of a thousand clusters with their labels is a tenth of this. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Problems told of one file: what follows from the first ones is seldom worth a line. */
const MAX_PROBLEMS = 20;

/**
 * Reads and checks a configuration file. An empty file is an empty configuration.
 * @throws ConfigError with every problem, each with line and column.
 */
export function readConfigFile(file: string): ReadConfigFile {
  const refuse = (expected: string) =>
    new ConfigError([{ source: file, position: null, path: "", expected }]);
  let text: string;
  try {
    const stats = statSync(file);
    // Each process reads it anew: a pipe would give it to the first only, and let the others wait for ever. /dev/null is
    // how people say that there is none.
    if (!stats.isFile() && file !== "/dev/null")
      throw refuse(`a regular file${stats.isDirectory() ? ", not a folder" : ""}`);
    if (stats.size > MAX_FILE_BYTES) throw refuse(`a file of at most ${MAX_FILE_BYTES} bytes`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw refuse(`a file that can be read (${code})`);
  }
  return parseConfigText(text, file);
}

/** As {@link readConfigFile}, from text; `file` only names it in problems. */
export function parseConfigText(text: string, file: string): ReadConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems: ConfigProblem[] = document.errors.slice(0, MAX_PROBLEMS).map((error) => ({
    source: file,
    position: at(error.pos[0]),
    path: "",
    // The first line says what is wrong; the lines after it repeat the text of the file.
    expected: `valid YAML: ${
      error.code === "MULTIPLE_DOCS"
        ? "one document"
        : error.message.split("\n", 1)[0]?.replace(/ at line \d+, column \d+:?$/, "")
    }`,
  }));
  if (problems.length > 0) throw new ConfigError(problems);

  const alias = findAliasOffset(document);
  if (alias !== null) {
    throw new ConfigError([
      { source: file, position: at(alias), path: "", expected: "no alias: write the value out" },
    ]);
  }
  const parsed = ConfigFileSchema.safeParse(document.toJS() ?? {});
  const offsetOf = (path: Path, key?: string): number => findOffset(document.contents, path, key) ?? 0;
  if (parsed.success) return { content: parsed.data, positionOf: (path) => at(offsetOf(path)) };
  throw new ConfigError(
    parsed.error.issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({
            source: file,
            position: at(offsetOf(issue.path, key)),
            path: formatPath([...issue.path, key]),
            expected: `no such key; known here: ${knownKeys(issue.path).join(", ")}`,
          }))
        : [
            {
              source: file,
              position: at(offsetOf(issue.path)),
              path: formatPath(issue.path),
              expected: expectation(issue),
            },
          ],
    ),
  );
}

/** Offset of the first alias: a small file may hold nothing that unfolds into a large one. */
function findAliasOffset(document: Document.Parsed): number | null {
  let offset: number | null = null;
  visit(document, {
    Alias: (_key, node) => {
      offset = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Offset of the value at `path`, or of the key `key` in it; of the nearest ancestor where it is absent. */
function findOffset(root: unknown, path: Path, key?: string): number | null {
  let node = root;
  let offset = isNode(node) ? (node.range?.[0] ?? null) : null;
  for (const step of path) {
    if (isNode(node) && "get" in node && typeof node.get === "function") node = node.get(step, true);
    else return offset;
    if (isNode(node) && node.range) offset = node.range[0];
  }
  if (key !== undefined && isMap(node)) {
    const pair = node.items.find((each) => isPair(each) && isScalar(each.key) && each.key.value === key);
    if (pair && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
  }
  return offset;
}

function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
    "",
  );
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_type") return issue.message;
  if (issue.expected === "object") return `keys: ${knownKeys(issue.path).join(", ")}`;
  return issue.message.startsWith("Invalid input") ? `a ${issue.expected}` : issue.message;
}

/** Keys that the schema knows at `path`, in the order of the documentation. */
function knownKeys(path: Path): readonly string[] {
  let schema: unknown = ConfigFileSchema;
  for (const step of path) {
    const { shape, element } = inner(schema);
    schema = typeof step === "number" ? element : shape?.[String(step)];
  }
  return Object.keys(inner(schema).shape ?? {});
}

/** Shape of an object schema or element of an array schema, looked up through optional and nullable. */
function inner(schema: unknown): { shape?: Record<string, unknown>; element?: unknown } {
  let current = schema as { unwrap?: () => unknown; shape?: Record<string, unknown>; element?: unknown };
  for (let depth = 0; depth < 4 && current && !current.shape && !current.element && current.unwrap; depth++) {
    current = current.unwrap() as typeof current;
  }
  return current ?? {};
}
