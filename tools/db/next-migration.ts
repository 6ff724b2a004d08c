import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { diffMigrationsToSchema } from "./schema-engine.ts";

/**
 * `npm run db:migrate` prints the SQL of the next migration; with a name (`npm run -s db:migrate -- add-leases`) it
 * writes it to prisma/migrations as well. Read what it wrote before you commit it.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const { isEmpty, script } = await diffMigrationsToSchema(root);
const name = process.argv[2];
if (isEmpty) {
  console.log("-- Nothing to migrate: prisma/migrations yields prisma/schema.prisma.");
} else if (name === undefined) {
  console.log(script);
} else if (!/^[a-z0-9-]+$/.test(name)) {
  console.error("A migration is named in kebab-case: `npm run db:migrate -- add-leases`.");
  process.exitCode = 2;
} else {
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const directory = join(root, "prisma", "migrations", `${stamp}_${name.replaceAll("-", "_")}`);
  mkdirSync(directory);
  writeFileSync(join(directory, "migration.sql"), script);
  console.log(directory);
}
