/** Writes the published JSON Schemas from their zod schemas. A test says when one is out of step. */
import { mkdirSync, writeFileSync } from "node:fs";
import { PUBLISHED_SCHEMAS, publishedSchema } from "../lib/contracts/json-schemas.ts";

const folder = new URL("../public/schemas/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(PUBLISHED_SCHEMAS)) {
  writeFileSync(new URL(name, folder), publishedSchema(schema));
}
