import { describe, expect, test } from "vitest";
import {
  type AssessedCluster,
  assessCluster,
  type ClusterToAssess,
  compareClusters,
} from "./assess-cluster.ts";
import type { ClusterFinding } from "./finding.ts";
import type { PartName, PartState } from "./part.ts";

const part = (name: PartName, valueAt: number | null): PartState<null> => ({
  part: name,
  latest: {
    part: name,
    status: valueAt === null ? "failed" : "ok",
    startedAt: 5,
    durationSeconds: 1,
    requests: 1,
    wireBytes: 1,
    answer: "",
    failure: null,
    notRead: [],
  },
  value: null,
  valueAt,
  nextAttemptAt: null,
  periodSeconds: 30,
});

const READ = [part("version", 1), part("fairness", 1)];
const fairness = (severity: "error" | "warning") =>
  ({ severity, serverName: "api-0", priorityLevelName: "workload-low", text: "" }) as const;
const collection = (
  severity: ClusterFinding["severity"],
  rule: ClusterFinding["rule"] = "collector.part-not-read",
): ClusterFinding => ({
  severity,
  rule,
  title: "",
  subject: "",
  happens: "",
  sinceAt: null,
});

const cluster = (over: Partial<ClusterToAssess> = {}): ClusterToAssess => ({
  unreachableSince: null,
  parts: READ,
  fairness: [],
  collection: [],
  fanOut: "ok",
  ...over,
});

describe("the state of a cluster", () => {
  test.each<[string, ClusterToAssess, string]>([
    ["read and quiet", cluster(), "ok ok ok ok"],
    ["never attempted", cluster({ parts: [] }), "unknown unknown unknown unknown"],
    [
      "a level rejects",
      cluster({ fairness: [fairness("error"), fairness("warning")] }),
      "error error error ok",
    ],
    ["a level is crowded", cluster({ fairness: [fairness("warning")] }), "warning warning warning ok"],
    ["a part is missing", cluster({ collection: [collection("warning")] }), "warning warning ok warning"],
    ["something is told as information", cluster({ collection: [collection("info")] }), "ok ok ok ok"],
    [
      "read, but not its fairness",
      cluster({ parts: [part("version", 1), part("fairness", null)], collection: [collection("warning")] }),
      "warning warning unknown warning",
    ],
    [
      "unreachable, quiet when last read",
      cluster({ unreachableSince: 1, collection: [collection("error", "collector.unreachable")] }),
      "unreachable ok unknown error",
    ],
    [
      "unreachable, in error when last read",
      cluster({
        unreachableSince: 1,
        fairness: [fairness("error")],
        collection: [collection("error", "collector.unreachable")],
      }),
      "unreachable error unknown error",
    ],
    [
      "unreachable from the start",
      cluster({
        unreachableSince: 1,
        parts: [part("version", null)],
        collection: [collection("error", "collector.unreachable")],
      }),
      "unreachable unknown unknown error",
    ],
  ])("%s", (_title, input, expected) => {
    const { state, lastKnown, fairness: ofFairness, collection: ofCollection } = assessCluster(input);
    expect([state, lastKnown, ofFairness, ofCollection].join(" ")).toBe(expected);
  });
});

test("the fleet stands worst first; an unreachable cluster keeps its place among those in error", () => {
  const assessed = (
    name: string,
    over: Partial<ClusterToAssess>,
    busiestRatio: number | null = null,
    worst: AssessedCluster["fanOut"]["worst"] = null,
  ): AssessedCluster => {
    const input = cluster(over);
    return {
      name,
      assessment: assessCluster(input),
      fairness: input.fairness,
      fanOut: { severity: input.fanOut, worst },
      busiestRatio,
    };
  };
  const clusters = [
    assessed("ok-b", {}, 0.2),
    assessed("ok-a", {}, 0.2),
    assessed("ok-full", {}, 0.9),
    assessed("ok-unknown-seats", {}),
    assessed("unknown", { parts: [] }),
    assessed("warning-1", { fairness: [fairness("warning")] }, 0.9),
    assessed("warning-2", { fairness: [fairness("warning"), fairness("warning")] }, 0.1),
    assessed("gone-quiet", { unreachableSince: 1 }),
    assessed("gone-error", { unreachableSince: 1, fairness: [fairness("error")] }, 0.5),
    assessed("unsafe", { fanOut: "error" }, 0.1, { undrained: 0, bytes: 9e9 }),
    assessed("unsafe-more", { fanOut: "error" }, 0.1, { undrained: 0, bytes: 9e11 }),
    assessed("never-drains", { fanOut: "error" }, 0.1, { undrained: 3, bytes: 1 }),
    assessed("error-1", { fairness: [fairness("error")] }, 0.4),
    assessed("error-2", { fairness: [fairness("error"), fairness("error")] }, 0.1),
  ];
  expect(clusters.sort(compareClusters).map((each) => each.name)).toEqual([
    "error-2",
    "gone-error",
    "error-1",
    "never-drains",
    "unsafe-more",
    "unsafe",
    "gone-quiet",
    "warning-2",
    "warning-1",
    "unknown",
    "ok-full",
    "ok-a",
    "ok-b",
    "ok-unknown-seats",
  ]);
});
