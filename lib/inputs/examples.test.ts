import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AGENT_CATALOGUE } from "../domain/agents/index.ts";
import { readAgentInputs } from "./read-agents.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readClusterFile } from "./read-cluster-file.ts";

/** Examples that are published beside the schemas. */
const example = (name: string) => fileURLToPath(new URL(`../../public/schemas/${name}`, import.meta.url));

test("agent.example.yaml", async () => {
  const { workloads, problems, skipped } = await readAgentInputs([example("agent.example.yaml")], "default");
  expect([problems, skipped]).toEqual([[], []]);
  expect(
    workloads.map(({ name, informersAnnotation }) => [name, informersAnnotation?.split("\n").length]),
  ).toEqual([["node-telemetry", 7]]);
});

test("cluster-facts.example.yaml", async () => {
  const { facts, problems, skipped } = await readClusterFile(example("cluster-facts.example.yaml"));
  expect([problems, skipped, facts?.nodes]).toEqual([[], [], 1200]);
});

test("agent-catalogue.example.yaml", async () => {
  const { catalogue, problems } = await readCatalogue([example("agent-catalogue.example.yaml")]);
  expect(problems).toEqual([]);
  expect(catalogue).toHaveLength(AGENT_CATALOGUE.length + 1);
});
