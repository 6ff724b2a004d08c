import { describe, expect, it } from "vitest";
import { parseRequest } from "./request.ts";
import { type ResourceQuestion, requestOfResource, VERBS } from "./resource-request.ts";

const PODS: ResourceQuestion = { verb: "list", resource: "pods", namespace: "", name: "" };

describe("requestOfResource", () => {
  it.each(["a", "system:node", "a,b", "a=b", "a\\b", "a?watch=1", "é%41", "a&limit=5"])(
    "asks for the object named %j, whatever stands in its name",
    (name) => {
      for (const verb of VERBS) {
        if (verb === "create" || verb === "deletecollection") continue;
        const asked = requestOfResource({ ...PODS, verb, namespace: "ns", name });
        if ("faults" in asked) return expect.fail(JSON.stringify(asked));
        const { method, path, options } = asked;
        const query = options.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
        const isList = verb === "list" || verb === "watch";
        expect(parseRequest(method, path, query)).toMatchObject({
          verb,
          resource: "pods",
          subresource: "",
          namespace: "ns",
          // A selector with a name that no path could hold requires none.
          name: isList && name.includes("%") ? "" : name,
        });
      }
      return undefined;
    },
  );

  it.each<[Partial<ResourceQuestion>, object]>([
    [{ resource: "pods/status" }, { resource: "a subresource is of one object: there is no list of it" }],
    [
      { verb: "create", resource: "pods/eviction" },
      { name: "needed here: the subresource eviction is of one object" },
    ],
    [{ verb: "get" }, { name: "needed here: get is of one object" }],
    [{ verb: "get", name: "a/b" }, { name: "expected one name, without a slash or a blank" }],
    [{ namespace: "a/b" }, { namespace: "expected one name, without a slash or a blank" }],
    [
      { resource: "Pods" },
      { resource: "expected a plural as in a path: pods, deployments.apps, pods/status" },
    ],
    [{ resource: "" }, { resource: "needed here: the plural as in a path, such as pods" }],
    [{ verb: "deletecollection", name: "a" }, { name: "deletecollection is of many objects" }],
  ])("says of %j what is wrong", (question, faults) => {
    expect(requestOfResource({ ...PODS, ...question })).toEqual({ faults });
  });
});
