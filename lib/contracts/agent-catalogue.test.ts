import { describe, expect, test } from "vitest";
import { AGENT_CATALOGUE } from "../domain/agents/catalogue/catalogue.ts";
import type { CatalogueEntry } from "../domain/agents/catalogue/catalogue-entry.ts";
import { matchImage } from "../domain/agents/catalogue/match-image.ts";
import { parseInformersAnnotation } from "../domain/agents/informers-annotation.ts";
import { isBuiltInResource } from "../domain/kubernetes/built-in-resources.ts";
import { AgentCatalogueSchema } from "./agent-catalogue.ts";

/** Run from no image: known by name. */
const WITHOUT_IMAGE = new Set(["kubelet"]);

describe("the published catalogue", () => {
  test("has 60 entries at least, cited ones", () => {
    const cited = AGENT_CATALOGUE.filter(({ versions }) =>
      versions.some(({ citation }) => citation !== undefined),
    );
    expect(cited.length).toBeGreaterThanOrEqual(60);
  });

  test("is as its schema says, with every id once", () => {
    const parsed = AgentCatalogueSchema.safeParse(AGENT_CATALOGUE);
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  test.each(AGENT_CATALOGUE.map((entry) => [entry.id, entry] as const))(
    "%s: its images are its own, its resources are known, its claims cited or bounded",
    (id, entry) => {
      expect(entry.images.length > 0).toBe(!WITHOUT_IMAGE.has(id));
      expect(entry.examples.length > 0).toBe(!WITHOUT_IMAGE.has(id));
      for (const image of entry.examples)
        expect([image, matchImage(AGENT_CATALOGUE, image)?.id]).toEqual([image, id]);
      for (const { reads } of entry.versions) {
        for (const read of reads) {
          const [informer] = parseInformersAnnotation(read.what).informers;
          const { apiGroup = "", resource = "" } = informer ?? {};
          // Everything of all groups is built-in and custom resources alike.
          const isKnown = read.what.startsWith("* ") || isBuiltInResource(apiGroup, resource);
          expect([read.what, read.crd === true]).toEqual([read.what, !isKnown]);
        }
      }
    },
  );
});

describe("a catalogue of one's own", () => {
  const entry: CatalogueEntry = {
    id: "own-agent",
    title: "Our agent",
    category: "platform",
    images: ["platform/own-agent"],
    examples: ["registry.example.com/platform/own-agent:1.0"],
    versions: [{ client: "client-go/0.34.1", reads: [{ what: "pods@node" }] }],
  };
  const withVersion = (over: object) => ({ ...entry, versions: [{ ...entry.versions[0], ...over }] });

  test("needs id, title, category, images, examples and versions", () => {
    expect(AgentCatalogueSchema.safeParse([entry]).success).toBe(true);
  });

  test.each<[string, object, string, string]>([
    [
      "an informer that does not parse",
      withVersion({ reads: [{ what: "pods@nodes" }] }),
      "0.versions.0.reads.0.what",
      "@node",
    ],
    [
      "two informers in one",
      withVersion({ reads: [{ what: "pods; nodes" }] }),
      "0.versions.0.reads.0.what",
      "one informer",
    ],
    [
      "a client that is none",
      withVersion({ client: "fabric8" }),
      "0.versions.0.client",
      "client LIBRARY/VERSION",
    ],
    [
      "a condition of two kinds",
      withVersion({ reads: [{ what: "pods", when: [{ argument: "a", variable: "B", assume: true }] }] }),
      "0.versions.0.reads.0.when.0",
      "one of argument",
    ],
    [
      "an expression that is none",
      withVersion({ reads: [{ what: "pods", when: [{ config: "(", assume: true }] }] }),
      "0.versions.0.reads.0.when.0.config",
      "a regular expression",
    ],
    [
      "a citation without a release",
      withVersion({ citation: { repository: "a/b", path: "c" } }),
      "0.versions.0.citation.release",
      "",
    ],
    [
      "a branch for a release",
      withVersion({ citation: { repository: "a/b", path: "c", release: "main" } }),
      "0.versions.0.citation.release",
      "a tag",
    ],
    [
      "ranges out of order",
      {
        ...entry,
        versions: [
          { ...entry.versions[0], from: "2" },
          { ...entry.versions[0], from: "1" },
        ],
      },
      "0.versions.1.from",
      "newest last",
    ],
    [
      "a range that ends before it begins",
      withVersion({ from: "2.0", before: "1.9" }),
      "0.versions.0.before",
      "after 2.0",
    ],
    ["a key that it does not know", { ...entry, image: "x" }, "0", "image"],
  ])("refuses %s, and says where", (_title, wrong, path, message) => {
    const issues = AgentCatalogueSchema.safeParse([wrong]).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toContain(path);
    expect(issues.map((issue) => issue.message).join("\n")).toContain(message);
  });

  test("refuses an id twice", () => {
    const { error } = AgentCatalogueSchema.safeParse([entry, entry]);
    expect(error?.issues[0]?.message).toContain("own-agent is there twice");
  });
});
