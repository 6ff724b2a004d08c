import { describe, expect, test } from "vitest";
import type { ConnectionTestResponse } from "@/lib/contracts/settings";
import { prepareTestRow } from "./prepare-connection-test";

type Result = NonNullable<ConnectionTestResponse["result"]>;
const result = (over: Partial<Result> = {}): Result => ({
  error: null,
  gitVersion: "v1.34.2",
  clusterUid: "u",
  knownClusterId: null,
  contexts: ["a"],
  permissions: [{ id: "m", permission: "get /metrics", state: "granted", at: 1, withoutIt: "no seats" }],
  isInsecure: false,
  ...over,
});
const row = (state: ConnectionTestResponse["state"], over: Partial<Result> | null = null) =>
  prepareTestRow({
    id: "t",
    kubeconfigPath: "/k",
    context: "a",
    state,
    requestedAt: 0,
    answeredAt: null,
    result: over === null ? null : result(over),
  });

describe("a connection test", () => {
  test.each([
    ["waiting", true, "info"],
    ["running", true, "info"],
    ["timed-out", false, "error"],
    ["no-collector", false, "unknown"],
  ] as const)("%s is a state of its own", (state, isRunning, severity) => {
    expect(row(state)).toMatchObject({ isRunning, severity });
  });

  test("a failure says the collector's own reason", () => {
    expect(row("failed", { error: "401 on GET /version" }).text).toBe("401 on GET /version");
    expect(row("failed").text).not.toBe("");
  });

  test("success names version and a cluster that is read already", () => {
    expect(row("succeeded", { knownClusterId: "c1" })).toEqual({
      severity: "ok",
      lead: "The cluster answers.",
      text: "Kubernetes v1.34.2; Headroom reads this cluster already.",
      isRunning: false,
    });
  });

  test("a refused permission or an unchecked certificate is a warning, not a success", () => {
    const permissions: Result["permissions"] = [
      { id: "m", permission: "get /metrics", state: "refused", at: 1, withoutIt: "no seats" },
    ];
    expect(row("succeeded", { permissions })).toMatchObject({
      severity: "warning",
      lead: "The cluster answers; it refuses 1 of 1 permissions.",
    });
    expect(row("succeeded", { isInsecure: true }).severity).toBe("warning");
  });
});
