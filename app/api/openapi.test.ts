import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { GET } from "./openapi.json/route";

const ROOT = path.dirname(new URL(import.meta.url).pathname);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const DocumentSchema = z.object({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }).loose())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

async function readDocument() {
  return DocumentSchema.parse(await GET().json());
}

/** `METHOD /api/path/{param}` of every handler that a route file exports; the document itself left out. */
function listHandlers(): string[] {
  return readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "route.ts" && !file.startsWith("openapi.json"))
    .flatMap((file) => {
      const source = readFileSync(path.join(ROOT, file), "utf8");
      const route = `/api/${path.dirname(file)}`.replaceAll("[", "{").replaceAll("]", "}");
      return METHODS.filter((method) =>
        new RegExp(`export (?:const|(?:async )?function) ${method}\\b`).test(source),
      ).map((method) => `${method} ${route}`);
    });
}

test("every handler is described, and everything described has its handler", async () => {
  const { paths } = await readDocument();
  const described = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
  );
  expect(listHandlers().length).toBeGreaterThan(10);
  expect(described.sort()).toEqual(listHandlers().sort());
});

test("nothing that mutates is a GET: every other method takes a same-origin check", () => {
  const writes =
    /\b(?:acknowledge|undoAcknowledge|addTarget|removeTarget|requestConnectionTest|requestIncidentPace)\b/;
  for (const file of readdirSync(ROOT, { recursive: true, encoding: "utf8" })) {
    if (path.basename(file) !== "route.ts") continue;
    const source = readFileSync(path.join(ROOT, file), "utf8");
    const get = /export const GET = .*;/.exec(source)?.[0] ?? "";
    expect(get, file).not.toMatch(writes);
    for (const handler of source.matchAll(/export const (?:POST|DELETE) = (\w+)/g))
      expect(handler[1], file).toBe("handle");
  }
});

test("the document is OpenAPI 3.1, operation ids are unique and every reference leads somewhere", async () => {
  const document = await readDocument();
  expect(document.openapi).toMatch(/^3\.1\./);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((each) => each.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    expect(reference).toMatch(/^#\/components\/schemas\//);
    expect(Object.keys(document.components.schemas)).toContain(
      reference.replace("#/components/schemas/", ""),
    );
  }
});

test("every parameter in a path is described", async () => {
  const { paths } = await readDocument();
  for (const [route, methods] of Object.entries(paths)) {
    const names = [...route.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const operation of Object.values(methods)) {
      const described = z
        .array(z.object({ name: z.string(), in: z.string(), required: z.boolean() }))
        .parse(operation.parameters);
      expect(
        described.filter((each) => each.in === "path").map((each) => each.name),
        route,
      ).toEqual(names);
    }
  }
});
