import { resolve } from "node:path";
import { AppError } from "../errors.ts";

/**
 * Absolute path of the database file that a store URL names. Relative paths start at the working directory.
 * @throws AppError `unsupported` for PostgreSQL, `invalid-input` for anything else that is no `file:` URL.
 */
export function parseStoreUrl(url: string): string {
  if (/^postgres(ql)?:/.test(url)) {
    throw new AppError(
      "unsupported",
      "This release keeps its store in a file. Set store.url to a path, such as file:./data/headroom.db.",
    );
  }
  const path = /^file:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined || path.includes("?")) {
    throw new AppError("invalid-input", `store.url is ${JSON.stringify(url)}, which names no file.`, {
      issues: [{ where: "store.url", expected: "file:PATH, such as file:./data/headroom.db" }],
    });
  }
  return resolve(path);
}
