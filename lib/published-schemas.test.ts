import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { PUBLISHED_SCHEMAS, publishedSchema } from "./contracts/json-schemas.ts";

const folder = new URL("../public/schemas/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");

test.each(Object.entries(PUBLISHED_SCHEMAS))(
  "%s is what the code checks by; `npm run schemas` writes it",
  (name, schema) => {
    expect(read(name)).toBe(publishedSchema(schema));
  },
);

test("every published schema is made from code, and has an example where people write it", () => {
  const files = readdirSync(folder);
  expect(files.filter((name) => name.endsWith(".schema.json")).sort()).toEqual(
    Object.keys(PUBLISHED_SCHEMAS).sort(),
  );
  expect(files).toContain("cluster-facts.example.yaml");
});

test("the published schema of cluster facts takes and refuses what the code does", () => {
  const published = z.fromJSONSchema(JSON.parse(read("cluster-facts.schema.json")));
  const code = PUBLISHED_SCHEMAS["cluster-facts.schema.json"];
  for (const facts of [
    {},
    { nodes: null },
    { nodes: 5, objects: { pods: 3 }, flowcontrol: "defaults" },
    { other: 1 },
  ]) {
    expect([published.safeParse(facts).success, code?.safeParse(facts).success]).toEqual([true, true]);
  }
  for (const facts of [
    { nodes: -1 },
    { nodes: "5" },
    { objects: [] },
    { flowcontrol: "mine" },
    { featureGates: { A: 1 } },
  ]) {
    expect([published.safeParse(facts).success, code?.safeParse(facts).success]).toEqual([false, false]);
  }
});
