import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Migration {
  /** Name of its folder, `20261130000000_init`: sorted by name is the order of application. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hexadecimal, as `_prisma_migrations` records it. */
  readonly checksum: string;
}

/** The migrations in `directory`, in the order in which they are applied. @throws where the directory cannot be read. */
export function readMigrations(directory: string): readonly Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const content = readFileSync(join(directory, name, "migration.sql"));
      return {
        name,
        sql: content.toString("utf8"),
        checksum: createHash("sha256").update(content).digest("hex"),
      };
    });
}
