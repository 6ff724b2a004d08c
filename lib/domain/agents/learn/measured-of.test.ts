import { describe, expect, test } from "vitest";
import { informersOf, workloadFor } from "../testing/agents.ts";
import type { LearnedAgent } from "./learned-agents.ts";
import { measuredOf } from "./measured-of.ts";

type Observed = LearnedAgent["observed"];

/** What the functions look at of a learned agent. */
const learned = (
  over: Partial<Pick<LearnedAgent, "userName" | "userAgent">> & { readonly reads?: string },
  observed: Partial<Pick<Observed, "workload" | "isComplete" | "requests">> = {},
): LearnedAgent => {
  const { reads = "pods", ...rest } = over;
  return {
    userName: "system:serviceaccount:observability:node-telemetry",
    userAgent: "node-telemetry/v2.6.3",
    version: "2.6.3",
    client: null,
    ...rest,
    informers: informersOf(reads).map((informer) => ({ ...informer, observed: {} })),
    observed: { workload: null, isComplete: true, requests: 10, ...observed },
  } as unknown as LearnedAgent;
};

describe("what an audit log says of a workload", () => {
  test("is what its account was seen to read", () => {
    const found = measuredOf([learned({})], [workloadFor()])(workloadFor());
    expect(found?.informers.map(({ resource }) => resource)).toEqual(["pods"]);
    expect(found).toMatchObject({
      userAgent: "node-telemetry/v2.6.3",
      agentVersion: "2.6.3",
      isComplete: true,
    });
    expect(Object.keys(found?.informers[0] ?? {})).not.toContain("observed");
  });

  test("is nothing where the account was not seen, and nothing of a static pod without a user", () => {
    const other = workloadFor({ serviceAccountName: "other" });
    expect(measuredOf([learned({})], [other])(other)).toBeNull();
    const pod = workloadFor({ kind: "StaticPod", serviceAccountName: null });
    expect(measuredOf([learned({})], [pod])(pod)).toBeNull();
  });

  test("several programs of one pod are joined, complete where all are", () => {
    const found = measuredOf(
      [
        learned({ reads: "pods" }, { requests: 1 }),
        learned({ reads: "nodes", userAgent: "sidecar/v1" }, { requests: 5, isComplete: false }),
      ],
      [workloadFor()],
    )(workloadFor());
    expect(found?.informers.map(({ resource }) => resource)).toEqual(["pods", "nodes"]);
    expect([found?.isComplete, found?.userAgent]).toEqual([false, "sidecar/v1"]);
  });

  test("two workloads of one account are told apart by their pods' names, else nothing is said of either", () => {
    const [one, two] = [workloadFor(), workloadFor({ kind: "Deployment", name: "gateway" })];
    expect(measuredOf([learned({})], [one, two])(one)).toBeNull();
    const find = measuredOf(
      [learned({ reads: "nodes" }, { workload: { kind: "Deployment", name: "gateway" } })],
      [one, two],
    );
    expect(find(one)).toBeNull();
    expect(find(two)?.informers.map(({ resource }) => resource)).toEqual(["nodes"]);
  });
});
