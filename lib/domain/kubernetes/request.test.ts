import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { parseRequest, requiredField } from "./request.ts";

interface Recorded {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly requestInfo: Readonly<Record<string, string>>;
}

const differences = (recorded: readonly Recorded[]) =>
  recorded.flatMap(({ id, method, path, query, requestInfo }) => {
    const info: object = parseRequest(method, path, query);
    const found = new Map(Object.entries(info));
    return Object.entries(requestInfo)
      .filter(([field, value]) => found.get(field) !== value)
      .map(([field, value]) => `${id}: ${field} is ${String(found.get(field))}, recorded ${value}`);
  });

describe("parseRequest against the recorded request parser", () => {
  it.each([
    ["seats-list.json.gz", 5399],
    ["seats-watch.json", 1941],
    ["seats-mutating.json", 1962],
  ])("agrees on every request of %s", (file, size) => {
    const { vectors } = readVectors<Recorded>(file);
    expect(vectors).toHaveLength(size);
    expect(differences(vectors)).toEqual([]);
  });

  it("agrees on every request of watch-tracker.json, whose watches are recorded without their query", () => {
    const { vectors } = readVectors<{ id: string; requests: readonly Omit<Recorded, "id">[] }>(
      "watch-tracker.json",
    );
    expect(vectors).toHaveLength(78);
    const requests = vectors.flatMap(({ id, requests }) =>
      requests.map((request) => ({
        ...request,
        id,
        query: request.requestInfo.verb === "watch" ? "watch=1" : "",
      })),
    );
    expect(differences(requests)).toEqual([]);
  });
});

describe("parseRequest on paths", () => {
  const read = (method: string, path: string, query = "") => {
    const { verb, apiGroup, apiVersion, namespace, resource, subresource, name } = parseRequest(
      method,
      path,
      query,
    );
    return [verb, apiGroup, apiVersion, namespace, resource, subresource, name].join("|");
  };

  it.each([
    ["GET", "/api/v1/pods", "list||v1||pods||"],
    ["GET", "//api/v1/pods/", "list||v1||pods||"],
    ["GET", "/api/v1//pods", "get||v1||||pods"],
    ["GET", "/apis/apps/v1/namespaces/a/deployments/d/scale", "get|apps|v1|a|deployments|scale|d"],
    ["GET", "/apis/apps/v1/namespaces/a/deployments/d/scale/more/parts", "get|apps|v1|a|deployments|scale|d"],
    ["GET", "/api/v1/namespaces", "list||v1||namespaces||"],
    ["GET", "/api/v1/namespaces/a", "get||v1|a|namespaces||a"],
    ["PUT", "/api/v1/namespaces/a/finalize", "update||v1|a|namespaces|finalize|a"],
    ["PATCH", "/api/v1/namespaces/a/status", "patch||v1|a|namespaces|status|a"],
    ["DELETE", "/api/v1/namespaces/a/pods", "deletecollection||v1|a|pods||"],
    ["GET", "/api/v1/watch/namespaces/a/pods/x", "watch||v1|a|pods||x"],
    ["GET", "/api/v1/proxy/nodes/n/metrics", "proxy||v1||nodes||n"],
    ["OPTIONS", "/api/v1/pods", "||v1||pods||"],
    ["GET", "/api/v1/pods/a%2Fb", "get||v1||pods|b|a"],
    ["GET", "/api/v1/pods/a%zz", "get||v1||pods||a%zz"],
  ])("%s %s is %s", (method, path, expected) => {
    expect(read(method, path)).toBe(expected);
  });

  it.each([
    "/",
    "",
    "/healthz",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/api/v1",
    "/metrics",
    "/apix/v1/pods",
  ])("%s names no resource", (path) => {
    expect(parseRequest("POST", path)).toMatchObject({
      isResourceRequest: false,
      verb: "post",
      resource: "",
      options: null,
    });
  });

  it("tells no resource from a path that ends in watch or proxy: the API server answers 500", () => {
    const info = parseRequest("GET", "/api/v1/watch");
    expect(info).toMatchObject({ isResourceRequest: true, verb: "get", resource: "", options: null });
    expect(info.error).toMatch(/ends in \/watch/);
    expect(parseRequest("GET", "/apis/apps/v1/proxy/").error).toMatch(/ends in \/proxy/);
  });
});

describe("parseRequest on the name that a field selector requires", () => {
  const nameOf = (query: string, minor = 37) => parseRequest("GET", "/api/v1/pods", query, minor).name;

  it("takes the first in the order of the terms' text", () => {
    expect(nameOf("fieldSelector=metadata.name=b,metadata.name=a")).toBe("a");
    expect(nameOf("fieldSelector=metadata.name=a,metadata.name==b")).toBe("b");
    expect(nameOf("fieldSelector=spec.nodeName=n,metadata.name=a")).toBe("a");
    // Bytes are compared, not UTF-16 units: U+FFFF comes before U+10000.
    expect(nameOf("fieldSelector=metadata.name=\u{10000},metadata.name=\uffff")).toBe("\uffff");
  });

  it("takes none that cannot stand in a path, none that is excluded", () => {
    expect(nameOf("fieldSelector=metadata.name=..")).toBe("");
    expect(nameOf("fieldSelector=metadata.name=a%2Fb")).toBe("");
    expect(nameOf("fieldSelector=metadata.name!=a")).toBe("");
  });

  it("takes none where any parameter does not decode, and keeps the verb", () => {
    expect(nameOf("fieldSelector=metadata.name=a&limit=abc")).toBe("");
    expect(nameOf("fieldSelector=metadata.name=a&labelSelector=((bad")).toBe("");
    expect(nameOf("fieldSelector=metadata.name=a,broken")).toBe("");
    expect(parseRequest("GET", "/api/v1/pods", "watch=1&limit=")).toMatchObject({ verb: "watch", name: "" });
  });

  it("depends on the version where a set of labels ends in two commas", () => {
    const query = "fieldSelector=metadata.name=a&labelSelector=x+in+(b,,)";
    expect(nameOf(query, 34)).toBe("");
    expect(nameOf(query, 35)).toBe("a");
  });

  it("reads other fields for the watch tracker", () => {
    const { options } = parseRequest("GET", "/api/v1/pods", "watch=1&fieldSelector=spec.nodeName%3Dn1");
    if (options === null) return expect.fail();
    expect(requiredField(options, "spec.nodeName", 37)).toBe("n1");
    expect(requiredField(options, "metadata.name", 37)).toBeNull();
  });
});
