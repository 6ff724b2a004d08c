import { describe, expect, it } from "vitest";
import { defaultFlowSchemas, defaultPriorityLevels } from "../configuration/expand-objects.ts";
import { collapseFlows } from "./collapse-flows.ts";

const defaults = {
  flowSchemas: defaultFlowSchemas(34),
  priorityLevels: defaultPriorityLevels(34),
  minor: 34,
};
const account = (namespace: string, name: string, pods: number) => ({ namespace, name, pods });
const LIST_PODS = { method: "GET", path: "/api/v1/pods" };

describe("collapseFlows", () => {
  it("puts all kube-system accounts that list cluster-wide into one flow without a distinguisher", () => {
    const flows = collapseFlows(
      defaults,
      [
        account("kube-system", "a", 3),
        account("kube-system", "agent", 500),
        account("monitoring", "agent", 40),
      ],
      LIST_PODS,
    );
    expect(flows).toEqual([
      {
        flowSchemaName: "kube-system-service-accounts",
        priorityLevelName: "workload-high",
        flowDistinguisher: "",
        hand: [81, 71, 107, 50, 116, 127],
        waitingCapacity: 300,
        accounts: [account("kube-system", "agent", 500), account("kube-system", "a", 3)],
        pods: 503,
      },
      {
        flowSchemaName: "service-accounts",
        priorityLevelName: "workload-low",
        flowDistinguisher: "system:serviceaccount:monitoring:agent",
        hand: [105, 116, 124, 73, 102, 80],
        waitingCapacity: 300,
        accounts: [account("monitoring", "agent", 40)],
        pods: 40,
      },
    ]);
  });

  it("tells kube-system accounts apart by the namespace they ask about", () => {
    const flows = collapseFlows(defaults, [account("kube-system", "a", 1)], {
      method: "GET",
      path: "/api/v1/namespaces/a/pods",
    });
    expect(flows.map(({ flowDistinguisher }) => flowDistinguisher)).toEqual(["a"]);
  });

  it("puts each account's own namespace into the path", () => {
    const flowSchemas = defaults.flowSchemas.map((schema) =>
      schema.name === "service-accounts"
        ? { ...schema, distinguisherMethod: "ByNamespace" as const }
        : schema,
    );
    const flows = collapseFlows(
      { ...defaults, flowSchemas },
      [account("one", "a", 1), account("one", "b", 2), account("two", "a", 1)],
      { method: "GET", path: "/api/v1/namespaces/{namespace}/pods" },
    );
    expect(flows.map(({ flowDistinguisher, pods }) => [flowDistinguisher, pods])).toEqual([
      ["one", 3],
      ["two", 1],
    ]);
  });

  it("knows no hand where the level has no queues", () => {
    const flowSchemas = defaults.flowSchemas.filter(({ name }) => name === "catch-all");
    const [flow] = collapseFlows({ ...defaults, flowSchemas }, [account("a", "b", 7)], LIST_PODS);
    expect(flow).toMatchObject({
      priorityLevelName: "catch-all",
      hand: null,
      waitingCapacity: null,
      pods: 7,
    });
  });

  it("gives nothing for nobody, and refuses a path that is never classified", () => {
    expect(collapseFlows(defaults, [], LIST_PODS)).toEqual([]);
    expect(() => collapseFlows(defaults, [], { method: "GET", path: "/api/v1/watch" })).toThrow(RangeError);
  });
});
