import { fileURLToPath } from "node:url";
import { diffMigrationsToSchema } from "./schema-engine.ts";

/** `npm run db:check`: exit code 2 where prisma/migrations does not yield prisma/schema.prisma. */
const { isEmpty, script } = await diffMigrationsToSchema(fileURLToPath(new URL("../..", import.meta.url)));
if (isEmpty) {
  console.log("prisma/migrations yields prisma/schema.prisma.");
} else {
  console.error(
    "prisma/migrations does not yield prisma/schema.prisma. `npm run db:migrate -- NAME` writes what is missing:",
  );
  console.error(script);
  process.exitCode = 2;
}
