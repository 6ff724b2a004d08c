import { describe, expect, test } from "vitest";
import { factsOfParts } from "./facts-of-parts.ts";
import type { PartValues } from "./part-values.ts";
import { known } from "./reading.ts";
import type { ResourceSize, VersionPart } from "./version-part.ts";

const AT = Date.parse("2026-11-30T12:00:00Z");
const of = (values: Partial<PartValues>) => factsOfParts({ name: "prod", values, observedAt: AT });

const size = (resource: string, serverId: string, objects: number | null): ResourceSize => ({
  group: "",
  resource,
  serverId,
  objects:
    objects === null
      ? { state: "unknown", reason: "minus-one", assumed: null, assumedBecause: null }
      : known(objects),
  storedBytes: { state: "unknown", reason: "not-published", assumed: null, assumedBecause: null },
  objectsSource: null,
});

const version = (gates: readonly (readonly [string, boolean])[][]): VersionPart => ({
  gitVersion: "v1.34.2-gke.100",
  major: 1,
  minor: 34,
  servers: gates.map((each, index) => ({
    serverId: String(index),
    gitVersion: "v1.34.2-gke.100",
    platform: null,
    gates: each.map(([name, enabled]) => ({ name, stage: "BETA", enabled })),
  })),
});

test("what was not read is not known, never zero", () => {
  expect(of({})).toEqual({
    name: "prod",
    kubernetesVersion: null,
    featureGates: {},
    etcdVersion: null,
    apiServers: null,
    nodes: null,
    nodesNotReady: null,
    collections: [],
    flowSchemas: null,
    priorityLevels: null,
    totalConcurrencySeats: null,
    server: { cores: null, memoryBytes: null, linkBytesPerSecond: null },
    background: [],
    observedAt: AT,
  });
});

describe("servers that differ", () => {
  test("of a gate they disagree on nothing is said", () => {
    const gates = version([
      [
        ["A", true],
        ["B", true],
      ],
      [
        ["A", true],
        ["B", false],
      ],
      [["C", false]],
    ]);
    expect(of({ version: gates })).toMatchObject({
      kubernetesVersion: "1.34.2-gke.100",
      featureGates: { A: true, C: false },
    });
  });

  test("of a count the largest stands; one that nobody knows stays unknown", () => {
    const resources = [
      size("pods", "0", 10),
      size("pods", "1", 12),
      size("pods", "2", null),
      size("nodes", "0", null),
    ];
    const sample = {
      group: "",
      resource: "pods",
      sampledObjects: 50,
      jsonBytes: 8000,
      metadataBytes: null,
      protobufBytes: 5000,
    };
    expect(of({ sizes: { resources, samples: [sample] } }).collections).toMatchObject([
      { resource: "nodes", objects: null, jsonObjectBytes: null },
      { resource: "pods", objects: 12, storedBytes: null, jsonObjectBytes: 8000, protobufObjectBytes: 5000 },
    ]);
  });
});
