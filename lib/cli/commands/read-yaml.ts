import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";

/**
 * Objects as kubectl prints them: JSON or YAML, one object, a List, or several documents. `-` is standard input. A
 * sentence where the file cannot be read or parsed.
 */
export async function readObjects(path: string): Promise<readonly unknown[] | string> {
  let source: string;
  try {
    source = path === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${path}: this file ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}.`;
  }
  const objects: unknown[] = [];
  try {
    for (const document of parseAllDocuments(source)) {
      const [fault] = document.errors;
      if (fault !== undefined) throw fault;
      objects.push(...itemsOf(document.toJS({ maxAliasCount: 100 })));
    }
  } catch (error) {
    // The parser throws for aliases of nothing, and for those that stand for too much.
    const why = error instanceof Error ? error.message.split("\n")[0]?.replace(/:$/, "") : String(error);
    return `${path}: expected JSON or YAML: ${why}.`;
  }
  return objects;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [value];
  const { items } = value as { readonly items?: unknown };
  return Array.isArray(items) ? items : [value];
}
