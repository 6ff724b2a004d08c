import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { diffMigrationsToSchema } from "./schema-engine.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("prisma/migrations yields prisma/schema.prisma", async () => {
  expect(await diffMigrationsToSchema(root)).toMatchObject({ isEmpty: true });
});

test("what the schema has and the migrations lack is the next migration", async () => {
  const copy = mkdtempSync(join(tmpdir(), "headroom-schema-"));
  try {
    cpSync(join(root, "prisma"), join(copy, "prisma"), { recursive: true });
    const path = join(copy, "prisma", "schema.prisma");
    writeFileSync(path, `${readFileSync(path, "utf8")}\nmodel Lease {\n  id String @id\n  until BigInt\n}\n`);
    const { isEmpty, script } = await diffMigrationsToSchema(copy);
    expect(isEmpty).toBe(false);
    expect(script).toContain('CREATE TABLE "Lease"');
    expect(script).not.toContain("samples_fine");
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
