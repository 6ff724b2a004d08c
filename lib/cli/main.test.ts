import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type FakeCluster, startFakeCluster } from "../collector/test-support/fake-cluster.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

let cluster: FakeCluster;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-cli-"));
  cluster = await startFakeCluster({ scenario: { name: "prod", nodes: 20, servers: 1 } });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The command line in a process of its own, away from any kubeconfig of this machine. */
async function headroom(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_ENV: "test",
      HEADROOM_STORE_URL: `file:${join(folder, "store.db")}`,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

test("--version prints the version alone", async () => {
  expect(await headroom(["--version"])).toEqual({ code: 0, out: `${packageJson.version}\n`, err: "" });
});

test.each([
  ["an unknown command", ["scrutinise"]],
  ["an unknown option", ["collect", "--twice"]],
  ["an unknown form of output", ["collect", "--once", "--output", "xml"]],
  ["--context without --once", ["collect", "--context", "prod"]],
])("%s is wrong usage: exit code 2 and a sentence", async (_title, args) => {
  const { code, out, err } = await headroom(args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).not.toBe("");
  expect(err).not.toContain("    at ");
});

describe("collect --once", () => {
  test("finds the kubeconfig as kubectl does, prints no credential, and exits with 0", async () => {
    const { code, out, err } = await headroom(["collect", "--once"], { KUBECONFIG: cluster.kubeconfigPath });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ {2}version +ok/m);
    expect(out).toMatch(/^ {2}inventory +ok .* 20 nodes/m);
    expect(out).toMatch(/requests, .* on the wire/);
    expect(out).not.toContain(cluster.server.token);
    expect(out).not.toContain("\u001b[");
  });

  test("as JSON, with the values that were read", async () => {
    const { code, out } = await headroom([
      "collect",
      "--once",
      "--output",
      "json",
      "--kubeconfig",
      cluster.kubeconfigPath,
    ]);
    expect(code).toBe(0);
    const { clusters } = JSON.parse(out);
    expect(clusters[0].parts.map((each: { part: string }) => each.part)).toHaveLength(5);
    expect(clusters[0].parts[0].value.gitVersion).toBe("v1.34.2");
    expect(out).not.toContain(cluster.server.token);
  });

  test("a cluster read in part: exit code 3, and what was read is still printed", async () => {
    const off = cluster.server.faults.add({
      fault: { kind: "status", code: 403 },
      path: "/apis/apps/v1/deployments",
    });
    const { code, out } = await headroom([
      "collect",
      "--once",
      "--quiet",
      "--kubeconfig",
      cluster.kubeconfigPath,
    ]);
    off();
    expect(code).toBe(3);
    expect(out).toContain("not read: deployments");
    expect(out).not.toMatch(/^ {2}version/m);
  });

  test.each([
    ["a file that is not there", ["--kubeconfig", "/nowhere/kubeconfig"], "does not exist"],
    ["no kubeconfig at all", [], "does not exist"],
  ])("%s: exit code 2, with the file", async (_title, args, says) => {
    const { code, err } = await headroom(["collect", "--once", ...args]);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });

  test("a context that is not there: exit code 2, with those that are", async () => {
    const { code, err } = await headroom([
      "collect",
      "--once",
      "--kubeconfig",
      cluster.kubeconfigPath,
      "--context",
      "staging",
    ]);
    expect(code).toBe(2);
    expect(err).toContain('"staging"');
    expect(err).toContain('expected one of "prod"');
  });

  test("--store keeps the pass; without it nothing is written", async () => {
    const { code } = await headroom(["collect", "--once", "--store", "--kubeconfig", cluster.kubeconfigPath]);
    expect(code).toBe(0);
    const check = await headroom(["db", "check"]);
    expect([check.code, check.err]).toEqual([0, ""]);
    expect(check.out).toContain("integrity: ok");
  });
});
