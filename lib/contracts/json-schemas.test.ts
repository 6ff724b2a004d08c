import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PUBLISHED_SCHEMAS, publishedSchema } from "./json-schemas.ts";

test.each(Object.entries(PUBLISHED_SCHEMAS))(
  "%s is what its zod schema says (tools/write-schemas.ts)",
  (name, schema) => {
    const published = readFileSync(new URL(`../../public/schemas/${name}`, import.meta.url), "utf8");
    expect(published).toBe(publishedSchema(schema));
  },
);
