import path from "node:path";
import { expect, test } from "vitest";
import { AGENT_CATALOGUE } from "../domain/agents/index.ts";
import { describeInputProblem } from "./input-problem.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { folderWith } from "./test-support.ts";

const OWN = `
- id: own-agent
  title: Our agent
  category: platform
  images: [platform/own-agent]
  examples: ["registry.example.com/platform/own-agent:1.0"]
  versions:
    - client: client-go/0.34.1
      reads:
        - what: pods@node protobuf
`;

async function read(files: Readonly<Record<string, string>>) {
  const folder = folderWith(files);
  const { catalogue, problems } = await readCatalogue(
    Object.keys(files).map((name) => path.join(folder, name)),
  );
  return {
    catalogue,
    problems: problems.map((each) => describeInputProblem(each).replaceAll(`${folder}/`, "")),
  };
}

test("without files it is the published catalogue", async () => {
  expect(await readCatalogue([])).toEqual({ catalogue: AGENT_CATALOGUE, problems: [] });
});

test("own entries stand before the published ones, and take the place of those with their id", async () => {
  const { catalogue, problems } = await read({
    "agents.yaml": OWN,
    "more.json": JSON.stringify([
      {
        id: "flannel",
        title: "Our flannel",
        category: "network",
        images: ["mirror/flannel"],
        examples: ["mirror/flannel:1"],
        versions: [{ client: "other", reads: [] }],
      },
    ]),
  });
  expect(problems).toEqual([]);
  expect(catalogue.slice(0, 2).map(({ title }) => title)).toEqual(["Our agent", "Our flannel"]);
  expect(catalogue.filter(({ id }) => id === "flannel")).toHaveLength(1);
  expect(catalogue).toHaveLength(AGENT_CATALOGUE.length + 1);
});

test("of two own entries with one id the earlier counts", async () => {
  const { catalogue } = await read({ "a.yaml": OWN, "b.yaml": OWN.replace("Our agent", "Another") });
  expect(catalogue[0]?.title).toBe("Our agent");
  expect(catalogue).toHaveLength(AGENT_CATALOGUE.length + 1);
});

test.each<[string, string, string]>([
  [
    "an informer that does not parse",
    OWN.replace("pods@node protobuf", "pods@nodes"),
    "agents.yaml:10:17: [0].versions[0].reads[0].what: expected ",
  ],
  ["a key that is not known", OWN.replace("title:", "name:"), "agents.yaml:2:3: [0]: expected "],
  ["a file that is no list", "id: x", "agents.yaml:1:1: expected array"],
  ["an empty file", "", "agents.yaml:1:1: expected array"],
  ["text that is no YAML", "- {a: [", "agents.yaml:1:8: expected valid YAML"],
  ["two documents", `${OWN}---\n${OWN}`, "agents.yaml:13: expected one document"],
])("%s: names file, line and what was expected, and counts for nothing", async (_title, text, problem) => {
  const { catalogue, problems } = await read({ "agents.yaml": text });
  expect(problems.join("\n")).toContain(problem);
  expect(catalogue).toHaveLength(AGENT_CATALOGUE.length);
});

test("a file that is not there is named", async () => {
  const { problems } = await readCatalogue(["/nowhere/agents.yaml"]);
  expect(problems.map(describeInputProblem)).toEqual(["/nowhere/agents.yaml: expected a file; it is gone"]);
});
