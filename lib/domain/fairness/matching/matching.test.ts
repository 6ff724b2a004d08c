import { describe, expect, it } from "vitest";
import { defaultFlowSchemas, defaultPriorityLevels } from "../configuration/expand-objects.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../fairness-part.ts";
import { FlowClassifier } from "./flow-classifier.ts";
import { type FlowMatchInput, matchFlow } from "./match-line.ts";
import { readPolicyRules } from "./policy-rules.ts";
import { serviceAccountUser, userOf } from "./request-user.ts";

describe("the trace", () => {
  const trace = (input: Omit<FlowMatchInput, "v">) => matchFlow({ v: "1.34", ...input }).trace;
  const mismatchesOf = (input: Omit<FlowMatchInput, "v">, name: string) =>
    trace(input).find(({ flowSchemaName }) => flowSchemaName === name)?.mismatches;

  it("names the subjects and what the user is", () => {
    const user = "system:serviceaccount:monitoring:agent";
    expect(mismatchesOf({ user, path: "/api/v1/pods" }, "exempt")).toEqual([
      {
        path: "spec.rules[0].subjects",
        field: "subjects",
        expected: ["Group system:masters"],
        actual: [
          `User ${user}`,
          "Group system:serviceaccounts",
          "Group system:serviceaccounts:monitoring",
          "Group system:authenticated",
        ],
        text: `spec.rules[0].subjects: the user ${user} is none of Group system:masters.`,
      },
    ]);
  });

  it("names each field of each rule that does not fit, with what was asked", () => {
    const user = "system:serviceaccount:kube-system:x";
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    expect(mismatchesOf({ user, path }, "system-leader-election")).toMatchObject([
      {
        path: "spec.rules[0].resourceRules[0].verbs",
        field: "verbs",
        expected: ["get", "create", "update"],
        actual: ["list"],
      },
    ]);
    expect(mismatchesOf({ user, path: "/api/v1/pods" }, "system-leader-election")).toMatchObject([
      { field: "verbs" },
      { field: "resources", expected: ["leases"], actual: ["pods"] },
      { field: "apiGroups", expected: ["coordination.k8s.io"], actual: [""] },
      { field: "clusterScope", expected: ["true"], actual: ["false"] },
    ]);
  });

  it("tells paths from resources", () => {
    expect(mismatchesOf({ path: "/api/v1/pods" }, "probes")).toMatchObject([
      { path: "spec.rules[0].resourceRules", field: "resourceRules", actual: ["pods"] },
    ]);
    expect(mismatchesOf({ path: "/metrics" }, "probes")).toMatchObject([
      {
        path: "spec.rules[0].nonResourceRules[0].nonResourceURLs",
        expected: ["/healthz", "/readyz", "/livez"],
        actual: ["/metrics"],
      },
    ]);
    expect(
      mismatchesOf(
        { path: "/metrics", user: "system:serviceaccount:kube-system:x" },
        "system-leader-election",
      ),
    ).toMatchObject([{ field: "nonResourceRules", actual: ["/metrics"] }]);
  });

  it("shows where the schema that takes the request matches", () => {
    const last = trace({ user: "system:node:n1", path: "/api/v1/nodes" }).at(-1);
    expect(last).toMatchObject({
      flowSchemaName: "system-node-high",
      verdict: "matched",
      mismatches: [],
      match: {
        path: "spec.rules[0]",
        subject: "Group system:nodes",
        entryPath: "spec.rules[0].resourceRules[0]",
      },
    });
  });

  it("tells which schemas are skipped and why", () => {
    const schema = (name: string, level: string) => ({
      metadata: { name },
      spec: {
        matchingPrecedence: 10,
        priorityLevelConfiguration: { name: level },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "*" } }],
            nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
          },
        ],
      },
    });
    const broken = {
      metadata: { name: "broken" },
      spec: {
        type: "Limited" as const,
        limited: {
          limitResponse: { type: "Queue" as const, queuing: { queues: 4, handSize: 5, queueLengthLimit: 1 } },
        },
      },
    };
    const skipped = trace({
      path: "/version",
      flowSchemas: ["defaults", schema("a", "gone"), schema("b", "broken")],
      priorityLevels: ["defaults", broken],
    }).filter(({ verdict }) => verdict === "skipped");
    expect(skipped).toMatchObject([
      { flowSchemaName: "a", skipReason: "It is not used: there is no priority level gone." },
      {
        flowSchemaName: "b",
        skipReason:
          "It is not used: the priority level broken is broken (handSize 5 is greater than queues 4).",
      },
    ]);
  });

  it("falls back to catch-all where not even that matches", () => {
    const own = matchFlow({ v: "1.34", user: "somebody", groups: [], path: "/version" });
    expect(own.flowSchema).toBe("catch-all");
    expect(own.trace.at(-1)).toMatchObject({ verdict: "fallback", match: null });
    expect(own.trace.filter(({ flowSchemaName }) => flowSchemaName === "catch-all")).toHaveLength(1);
  });

  it("answers nothing where the request fails before it is classified", () => {
    const own = matchFlow({ v: "1.34", path: "/api/v1/watch" });
    expect(own).toMatchObject({ flowSchema: null, priorityLevel: null, distinguisher: null, trace: [] });
    expect(own.error).not.toBeNull();
  });
});

describe("FlowClassifier", () => {
  const everybody: FlowSchemaObject = {
    name: "everybody",
    matchingPrecedence: 1,
    priorityLevelName: "team",
    distinguisherMethod: "ByUser",
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: "*" } }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      },
    ],
    autoupdateSpec: null,
    isDangling: false,
    generation: 1,
  };
  const team: PriorityLevelObject = {
    name: "team",
    type: "Limited",
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    borrowingLimitPercent: null,
    limitResponse: "Queue",
    queues: 2,
    handSize: 1,
    queueLengthLimit: 50,
    autoupdateSpec: null,
    generation: 1,
  };
  const classify = (flowSchemas: FlowSchemaObject[], levels: PriorityLevelObject[], groups: string[]) => {
    const classifier = new FlowClassifier({ flowSchemas, priorityLevels: levels, minor: 34 });
    return classifier.classify({
      user: { name: "u", groups },
      requestInfo: {
        isResourceRequest: false,
        path: "/x",
        verb: "get",
        apiGroup: "",
        namespace: "",
        resource: "",
        subresource: "",
      },
    });
  };

  it("supplies exempt in front of everything and catch-all behind", () => {
    expect(classify([everybody], [team], ["system:masters"]).flowSchema.name).toBe("exempt");
    expect(classify([everybody], [team], []).flowSchema.name).toBe("everybody");
    expect(classify([], [], ["system:authenticated"])).toMatchObject({
      flowSchema: { name: "catch-all" },
      priorityLevel: { name: "catch-all", limitResponse: "Reject" },
      flowDistinguisher: "",
    });
  });

  it("does not count a mandatory level that was not given as good enough to point to", () => {
    const toCatchAll = { ...everybody, priorityLevelName: "catch-all" };
    expect(classify([toCatchAll], [team], ["system:authenticated"]).flowSchema.name).toBe("catch-all");
  });

  it("tells flows apart only where there are queues to choose from", () => {
    const distinguisher = (level: Partial<PriorityLevelObject>) =>
      classify([everybody], [{ ...team, ...level }], []).flowDistinguisher;
    expect(distinguisher({})).toBe("u");
    expect(distinguisher({ queues: 1 })).toBe("");
    expect(distinguisher({ limitResponse: "Reject", queues: null, handSize: null })).toBe("");
  });

  it("takes stored objects of a cluster as they are", () => {
    const classifier = new FlowClassifier({
      flowSchemas: JSON.parse(JSON.stringify(defaultFlowSchemas(34))),
      priorityLevels: JSON.parse(JSON.stringify(defaultPriorityLevels(34))),
      minor: 34,
    });
    const { flowSchema } = classifier.classify({
      user: serviceAccountUser("monitoring", "agent"),
      requestInfo: {
        isResourceRequest: true,
        path: "/api/v1/pods",
        verb: "list",
        apiGroup: "",
        namespace: "",
        resource: "pods",
        subresource: "",
      },
    });
    expect(flowSchema.name).toBe("service-accounts");
  });
});

describe("userOf", () => {
  it("gives the groups that follow from a name", () => {
    expect(userOf("system:serviceaccount:a:b").groups).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:a",
      "system:authenticated",
    ]);
    expect(userOf("system:node:n").groups).toEqual(["system:nodes", "system:authenticated"]);
    expect(userOf("system:anonymous").groups).toEqual(["system:unauthenticated"]);
    expect(userOf("system:serviceaccount:a:").groups).toEqual(["system:authenticated"]);
    expect(userOf("alice").groups).toEqual(["system:authenticated"]);
  });
});

describe("readPolicyRules", () => {
  it("reads what is not shaped like a rule as one that matches nothing", () => {
    expect(readPolicyRules([null, 3, "x", {}])).toEqual(
      Array.from({ length: 4 }, () => ({ subjects: [], resourceRules: [], nonResourceRules: [] })),
    );
    expect(
      readPolicyRules([
        { subjects: [{ kind: "User" }, { kind: "Robot" }, null], resourceRules: [{ verbs: "get" }] },
      ]),
    ).toEqual([
      {
        subjects: [
          { kind: "User", namespace: null, name: null },
          { kind: "Robot", namespace: null, name: null },
          { kind: "", namespace: null, name: null },
        ],
        resourceRules: [{ verbs: [], apiGroups: [], resources: [], clusterScope: false, namespaces: [] }],
        nonResourceRules: [],
      },
    ]);
  });
});
