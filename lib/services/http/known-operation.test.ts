import { expect, test } from "vitest";
import { assertKnownOperation } from "./known-operation.ts";
import { OPERATIONS } from "./operations.ts";
import { RequestRefused } from "./request-refused.ts";

function ask(method: string, pathname: string): RequestRefused | null {
  try {
    assertKnownOperation({ method, pathname });
    return null;
  } catch (error) {
    if (error instanceof RequestRefused) return error;
    throw error;
  }
}

test.each(Object.values(OPERATIONS).map(({ method, path }) => [method, path]))(
  "%s %s is known",
  (method, path) => {
    expect(ask(method, path.replaceAll(/\{\w+\}/g, "a%2Fb"))).toBeNull();
  },
);

test.each([
  ["GET", "/api/openapi.json"],
  ["HEAD", "/api/fleet"],
  ["OPTIONS", "/api/changes/undo"],
  ["GET", "/clusters/prod"],
  ["GET", "/apiary"],
])("%s %s passes", (method, path) => {
  expect(ask(method, path)).toBeNull();
});

test.each(["/api", "/api/", "/api/nope", "/api/clusters/prod", "/api/clusters//overview", "/api/fleet/more"])(
  "%s is told as not found",
  (path) => {
    expect(ask("GET", path)).toMatchObject({ status: 404, code: "not-found" });
  },
);

test("what there is not has no options either", () => {
  expect(ask("OPTIONS", "/api/nope")).toMatchObject({ status: 404, code: "not-found" });
});

test.each([
  ["PUT", "/api/fleet", "GET, HEAD"],
  ["GET", "/api/changes/acknowledge", "POST"],
  ["HEAD", "/api/changes/acknowledge", "POST"],
  ["PATCH", "/api/settings/clusters", "GET, HEAD, POST"],
  ["POST", "/api/openapi.json", "GET, HEAD"],
])("%s %s is told as a method it does not have", (method, path, allow) => {
  expect(ask(method, path)).toMatchObject({ status: 405, code: "method-not-allowed", headers: { allow } });
});
