import { describe, expect, test } from "vitest";
import { containerFor } from "../testing/agents.ts";
import type { CatalogueCondition, CatalogueEntry } from "./catalogue-entry.ts";
import { decideCondition } from "./conditions.ts";
import { matchImage } from "./match-image.ts";

const entry = (id: string, ...images: readonly string[]): CatalogueEntry => ({
  id,
  title: id,
  category: "logs",
  images,
  examples: [],
  versions: [],
});

describe("the entry of an image", () => {
  const catalogue = [
    entry("short", "agent"),
    entry("long", "vendor/agent"),
    entry("wild", "*-agent", "csi-*-node"),
    entry("middle", "a*b*c"),
  ];
  test.each([
    ["agent", "short"],
    ["agent:1", "short"],
    ["registry.example.com:5000/mirror/agent@sha256:0", "short"],
    ["vendor/agent:1", "long"],
    ["mirror/vendor/agent", "long"],
    ["Vendor/Agent:1", "long"],
    ["x/my-agent:2", "wild"],
    ["csi-ebs-node", "wild"],
    ["axbyc", "middle"],
    ["abc", "middle"],
    ["abcd", null],
    ["agentx", null],
    ["agent/other", null],
    ["", null],
  ])("%j is %j", (image, id) => {
    expect(matchImage(catalogue, image)?.id ?? null).toBe(id);
  });

  test("a pattern of many wildcards is decided at once", () => {
    const hostile = [entry("x", `${"a*".repeat(2000)}b`)];
    expect(matchImage(hostile, "a".repeat(1000))).toBeNull();
  });
});

describe("a condition", () => {
  const decide = (condition: Partial<CatalogueCondition>, over: Parameters<typeof containerFor>[0]) =>
    decideCondition({ assume: true, ...condition }, containerFor(over));

  test.each<[string, Partial<CatalogueCondition>, Parameters<typeof containerFor>[0], boolean | null]>([
    ["flag given with a value", { argument: "--node" }, { words: ["--node=x"] }, true],
    ["one dash is as good as two", { argument: "node" }, { words: ["-node", "x"] }, true],
    ["another flag that begins alike", { argument: "--node" }, { words: ["--node-name=x"] }, false],
    ["a word that is no flag", { argument: "--node" }, { words: ["node"] }, false],
    ["inside a shell's text", { argument: "--node" }, { words: ["-c", "exec agent --node=x"] }, true],
    ["the value as wanted", { argument: "--node", value: "true|yes" }, { words: ["--node=true"] }, true],
    ["the whole value counts", { argument: "--node", value: "true" }, { words: ["--node=trueish"] }, false],
    ["the next word is its value", { argument: "--node", value: "a" }, { words: ["--node", "a"] }, true],
    ["a flag alone is true", { argument: "--node", value: "true" }, { words: ["--node", "--b"] }, true],
    ["not given", { argument: "--node", absent: true }, { words: [] }, true],
    ["words not known", { argument: "--node", absent: true }, { words: null }, null],
    ["a variable", { variable: "A" }, { variables: [{ name: "A", value: null, fieldPath: "x" }] }, true],
    [
      "its value from elsewhere",
      { variable: "A", value: "1" },
      { variables: [{ name: "A", value: null, fieldPath: null }] },
      null,
    ],
    [
      "the last of two counts",
      { variable: "A", value: "1" },
      {
        variables: [
          { name: "A", value: "1", fieldPath: null },
          { name: "A", value: "2", fieldPath: null },
        ],
      },
      false,
    ],
    ["no such variable", { variable: "A" }, { variables: [] }, false],
    ["variables not known", { variable: "A" }, { variables: null }, null],
    [
      "configuration of any line",
      { config: "use_kubelet\\s+on" },
      { configTexts: ["a\n  Use_Kubelet On"] },
      true,
    ],
    ["configuration in an argument", { config: "role: pod" }, { words: ["--config={role: pod}"] }, true],
    ["all configuration known, and nothing there", { config: "x" }, {}, false],
    ["configuration not known", { config: "x" }, { isConfigKnown: false }, null],
    ["found although not all is known", { config: "x" }, { configTexts: ["x"], isConfigKnown: false }, true],
  ])("%s", (_title, condition, over, expected) => {
    expect(decide(condition, over)).toBe(expected);
  });
});
