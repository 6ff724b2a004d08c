import { describe, expect, test } from "vitest";
import { type RequestForm, readRequestForm } from "./request-form";
import { EMPTY_FORM } from "./request-form.test-support";

const read = (form: Partial<RequestForm>) =>
  readRequestForm({ ...EMPTY_FORM, account: "monitoring/agent", ...form });

/** `METHOD path?query` of a form that can be answered. */
function line(form: Partial<RequestForm>): string {
  const found = read(form);
  if (found.state !== "ready") throw new Error(JSON.stringify(found));
  const { method, path, query } = found.request;
  return `${method} ${path}${query === "" ? "" : `?${query}`}`;
}

const errors = (form: Partial<RequestForm>) => {
  const found = read(form);
  return found.state === "invalid" ? found.errors : found.state;
};

describe("who", () => {
  test("nobody named is an empty form, not a fault; so is a path not given yet", () => {
    expect(read({ account: "" })).toEqual({ state: "empty", missing: "who" });
    expect(read({ who: "user" })).toEqual({ state: "empty", missing: "who" });
    expect(read({ by: "path" })).toEqual({ state: "empty", missing: "path" });
  });

  test("a service account has the groups of its token", () => {
    expect(read({})).toMatchObject({
      request: {
        user: {
          name: "system:serviceaccount:monitoring:agent",
          groups: ["system:serviceaccounts", "system:serviceaccounts:monitoring", "system:authenticated"],
        },
      },
    });
  });

  test("groups given replace those that follow from the name; none given is no group at all", () => {
    const groups = (given: string | null) =>
      read({ who: "user", user: "root", groups: given }) as { request: { user: { groups: unknown } } };
    expect(groups(null).request.user.groups).toEqual(["system:authenticated"]);
    expect(groups(" system:masters \n\ncn=dev, ou=groups\n").request.user.groups).toEqual([
      "system:masters",
      "cn=dev, ou=groups",
    ]);
    expect(groups("").request.user.groups).toEqual([]);
  });

  test.each(["agent", "a/b/c", "/agent", "monitoring/", "a b/c"])("no service account: %s", (account) => {
    expect(errors({ account })).toEqual({ account: "expected namespace/name, such as monitoring/agent" });
  });
});

describe("the request by its resource", () => {
  test.each<[Partial<RequestForm>, string]>([
    [{}, "GET /api/v1/pods"],
    [{ namespace: "a" }, "GET /api/v1/namespaces/a/pods"],
    [{ resource: "deployments.apps", namespace: "b" }, "GET /apis/apps/v1/namespaces/b/deployments"],
    [
      { resource: "leases.coordination.k8s.io", verb: "update", namespace: "kube-system", name: "x" },
      "PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
    ],
    [{ resource: "nodes/status", verb: "patch", name: "n1" }, "PATCH /api/v1/nodes/n1/status"],
    [{ verb: "create", name: "ignored" }, "POST /api/v1/pods"],
    [
      { verb: "create", resource: "pods/binding", namespace: "a", name: "p" },
      "POST /api/v1/namespaces/a/pods/p/binding",
    ],
    [{ verb: "deletecollection", namespace: "a" }, "DELETE /api/v1/namespaces/a/pods"],
    [{ verb: "watch" }, "GET /api/v1/pods?watch=true"],
    [
      { verb: "watch", initial: true, rv: "0" },
      "GET /api/v1/pods?watch=true&resourceVersion=0&sendInitialEvents=true",
    ],
    [
      { limit: "500", rv: "7", match: "Exact", fields: "spec.nodeName=n1", labels: "app in (a,b)" },
      "GET /api/v1/pods?limit=500&resourceVersion=7&resourceVersionMatch=Exact&fieldSelector=spec.nodeName%3Dn1&labelSelector=app%20in%20(a%2Cb)",
    ],
    [{ name: "p", fields: "a=b" }, "GET /api/v1/pods?fieldSelector=metadata.name%3Dp%2Ca%3Db"],
    [
      { verb: "get", resource: "clusterroles.rbac.authorization.k8s.io", name: "system:node" },
      "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    ],
    [{ verb: "get", name: "p", limit: "500" }, "GET /api/v1/pods/p"],
  ])("%j", (form, expected) => {
    expect(line(form)).toBe(expected);
  });

  test.each<[Partial<RequestForm>, object]>([
    [{ resource: "" }, { resource: "needed here: the plural as in a path, such as pods" }],
    [{ resource: "Pods" }, { resource: expect.stringMatching(/^expected a plural/) }],
    [{ resource: "pods/status" }, { resource: "a subresource is of one object: there is no list of it" }],
    [{ verb: "delete" }, { name: "needed here: delete is of one object" }],
    [
      { verb: "create", resource: "pods/exec" },
      { name: "needed here: the subresource exec is of one object" },
    ],
    [{ verb: "deletecollection", name: "p" }, { name: "deletecollection is of many objects" }],
    [{ namespace: "a/b" }, { namespace: "expected one name, without a slash or a blank" }],
    [{ limit: "many" }, { limit: "expected a whole number" }],
    [{ limit: "-1" }, { limit: "expected a whole number" }],
    [{ rv: "latest" }, { rv: "expected a resource version as lists carry it, or 0" }],
    [
      { limit: "x", namespace: "a b" },
      { limit: "expected a whole number", namespace: expect.any(String) },
    ],
    [{ verb: "update", name: "p", watchers: "1.5" }, { watchers: "expected a whole number" }],
  ])("%j is wrong", (form, expected) => {
    expect(errors(form)).toEqual(expected);
  });
});

describe("the request by its path", () => {
  const asked = (path: string, method: RequestForm["method"] = "GET") => line({ by: "path", path, method });

  test("goes as given, its query at the first question mark, faulty options and all", () => {
    expect(asked("/api/v1/pods?limit=abc")).toBe("GET /api/v1/pods?limit=abc");
    expect(asked("/x?a=b?c", "POST")).toBe("POST /x?a=b?c");
    expect(asked("/")).toBe("GET /");
  });

  test("begins with a slash", () => {
    expect(errors({ by: "path", path: "api/v1/pods" })).toEqual({
      path: "expected a path that begins with /, such as /api/v1/pods?limit=500",
    });
  });

  test("a fault in fields that are not shown is none", () => {
    expect(line({ by: "path", path: "/healthz", resource: "No!", limit: "x" })).toBe("GET /healthz");
    expect(line({ verb: "get", name: "p", limit: "x", path: "no slash" })).toBe("GET /api/v1/pods/p");
  });
});
