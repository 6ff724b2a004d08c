import { expect, test } from "vitest";
import { PUBLISHED_SCHEMAS, publishedSchema } from "./json-schemas.ts";

test.each(Object.entries(PUBLISHED_SCHEMAS))(
  "%s is what its zod schema says (tools/write-schemas.ts)",
  async (name, schema) => {
    await expect(publishedSchema(schema)).toMatchFileSnapshot(`../../public/schemas/${name}`);
  },
);
