import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import type { ConfigFlags } from "./config-types.ts";
import { type Environment, encodeFlags, loadConfig } from "./load-config.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "headroom-config-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function writeConfig(text: string, name = "headroom.yaml"): string {
  const file = path.join(cwd, name);
  writeFileSync(file, text);
  return file;
}

const load = (env: Environment = {}, flags: ConfigFlags = {}) => loadConfig({ cwd, env, flags });

function refusal(env: Environment = {}, flags?: ConfigFlags): string {
  try {
    loadConfig({ cwd, env, ...(flags === undefined ? {} : { flags }) });
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(cwd, "<cwd>");
    throw error;
  }
  throw new Error("expected the configuration to be refused");
}

describe("defaults", () => {
  test("are those documented", () => {
    expect(load()).toEqual({
      file: null,
      workingDirectory: cwd,
      clusters: {
        kubeconfigs: [],
        inCluster: false,
        labels: {},
        budget: { requestsPerMinute: 120, bytesPerMinute: 268_435_456 },
        forceDemo: false,
      },
      store: { url: `file:${cwd}/data/headroom.db` },
      server: { address: "127.0.0.1", port: 3000, baseUrl: null },
      audit: { webhookEnabled: false, tokenFile: null },
      access: { mode: "none" },
      retention: {
        fineSeconds: 7200,
        fiveMinutesSeconds: 1_209_600,
        hourlySeconds: 34_560_000,
        scrapesSeconds: 7_776_000,
        incidentsSeconds: 2_592_000,
      },
      detection: {
        paths: [
          { name: "alert on API server latency", seconds: 300 },
          { name: "DNS cache expiry", seconds: 1800 },
        ],
      },
      agents: { catalogueFiles: [] },
      policy: { approvers: 1, requireEvidence: "declared", maxDrainSeconds: 120, waivers: [] },
      collector: { mode: "supervised" },
    });
  });

  test("stay when the file is empty, and when it says them in full", () => {
    const defaults = load();
    writeConfig("");
    expect({ ...load(), file: null }).toEqual(defaults);
    writeConfig(`
clusters:   { kubeconfigs: [], inCluster: false, labels: {}, budget: { requestsPerMinute: 120, bytesPerMinute: 256Mi } }
store:      { url: "file:./data/headroom.db" }
server:     { address: 127.0.0.1, port: 3000, baseUrl: null }
audit:      { webhook: { enabled: false, tokenFile: null } }
access:     { mode: none }
retention:  { fine: 2h, fiveMinutes: 14d, hourly: 400d, scrapes: 90d, incidents: 30d }
detection:  { paths: [{ name: alert on API server latency, seconds: 300 }, { name: DNS cache expiry, seconds: 1800 }] }
policy:     { approvers: 1, requireEvidence: declared, maxDrainSeconds: 120, waivers: [] }
`);
    expect({ ...load(), file: null }).toEqual(defaults);
  });

  test("KUBECONFIG and the kubeconfig of the home directory alone name nothing", () => {
    expect(load({ KUBECONFIG: "/etc/kubernetes/admin.conf", HOME: homedir() }).clusters.kubeconfigs).toEqual(
      [],
    );
  });
});

describe("precedence", () => {
  test("the audit webhook is turned on by the file or the environment; its token's path starts at the one that names it", () => {
    const folder = path.join(cwd, "etc");
    mkdirSync(folder);
    const file = writeConfig("audit: { webhook: { enabled: true, tokenFile: token } }", "etc/headroom.yaml");
    const flags = { config: file };
    expect(load({}, flags).audit).toEqual({ webhookEnabled: true, tokenFile: path.join(folder, "token") });
    expect(
      load({ HEADROOM_AUDIT_WEBHOOK: "false", HEADROOM_AUDIT_TOKEN_FILE: "other" }, flags).audit,
    ).toEqual({
      webhookEnabled: false,
      tokenFile: path.join(cwd, "other"),
    });
    expect(refusal({ HEADROOM_AUDIT_WEBHOOK: "perhaps" })).toContain("HEADROOM_AUDIT_WEBHOOK");
  });

  test("flags override the environment, which overrides the file", () => {
    writeConfig("server: { port: 3100 }");
    expect(load().server.port).toBe(3100);
    expect(load({ HEADROOM_PORT: "3200" }).server.port).toBe(3200);
    expect(load({ HEADROOM_PORT: "3200" }, { port: 3300 }).server.port).toBe(3300);
  });

  test("kubeconfigs add up: flag, then environment, then file", () => {
    writeConfig("clusters: { kubeconfigs: [{ path: ./file.yaml, contexts: [a, b] }, { path: /abs.yaml }] }");
    const config = load(
      { HEADROOM_KUBECONFIG: `one.yaml${path.delimiter}/two.yaml` },
      { kubeconfig: ["~/flag.yaml"], context: ["prod"] },
    );
    expect(config.clusters.kubeconfigs).toEqual([
      { source: "flag", path: path.join(homedir(), "flag.yaml"), contexts: ["prod"] },
      { source: "environment", path: path.join(cwd, "one.yaml"), contexts: ["*"] },
      { source: "environment", path: "/two.yaml", contexts: ["*"] },
      { source: "configuration-file", path: path.join(cwd, "file.yaml"), contexts: ["a", "b"] },
      { source: "configuration-file", path: "/abs.yaml", contexts: ["*"] },
    ]);
  });

  test("catalogues of agents are named relative to the file, in order", () => {
    writeConfig("agents: { catalogue: [./agents.yaml, /etc/headroom/agents.json] }");
    expect(load().agents.catalogueFiles).toEqual([
      path.join(cwd, "agents.yaml"),
      "/etc/headroom/agents.json",
    ]);
  });

  test("the file of --config wins over HEADROOM_CONFIG, which wins over headroom.yaml", () => {
    writeConfig("server: { port: 3001 }");
    writeConfig("server: { port: 3002 }", "by-variable.yaml");
    const named = writeConfig("server: { port: 3003 }", "by-flag.yaml");
    expect(load({ HEADROOM_CONFIG: "by-variable.yaml" }).server.port).toBe(3002);
    expect(load({ HEADROOM_CONFIG: "by-variable.yaml" }, { config: named })).toMatchObject({
      file: named,
      server: { port: 3003 },
    });
  });

  test("child processes get the flags in HEADROOM_FLAGS", () => {
    const flags = { kubeconfig: ["/k.yaml"], context: ["one"], port: 4000, demo: true };
    expect(loadConfig({ cwd, env: { HEADROOM_FLAGS: encodeFlags(flags) } })).toEqual(load({}, flags));
  });

  test("relative paths start where people started the server, not where the built server moved to", () => {
    expect(
      loadConfig({ env: { HEADROOM_CWD: cwd, HEADROOM_KUBECONFIG: "k.yaml" }, flags: {} }),
    ).toMatchObject({
      workingDirectory: cwd,
      clusters: { kubeconfigs: [{ path: path.join(cwd, "k.yaml") }] },
    });
  });

  test("an empty variable is an unset one", () => {
    expect(load({ HEADROOM_PORT: "", HEADROOM_KUBECONFIG: " ", COLLECTOR: "" })).toEqual(load());
  });

  test("paths in the file are relative to the file, in variables to the working directory", () => {
    const file = writeConfig("store: { url: 'file:./store.db' }");
    const elsewhere = loadConfig({ cwd: "/", env: { HEADROOM_CONFIG: file }, flags: {} });
    expect(elsewhere.store.url).toBe(`file:${cwd}/store.db`);
    expect(load({ HEADROOM_STORE_URL: "file:other.db" }).store.url).toBe(`file:${cwd}/other.db`);
    expect(load({ HEADROOM_STORE_URL: "file:///var/lib/headroom.db" }).store.url).toBe(
      "file:/var/lib/headroom.db",
    );
  });
});

test.each<[string, string, Environment, object]>([
  [
    "quantity",
    "clusters: { budget: { bytesPerMinute: 64Mi } }",
    {},
    { clusters: { budget: { bytesPerMinute: 67_108_864 } } },
  ],
  [
    "plain bytes",
    "clusters: { budget: { bytesPerMinute: 5000000 } }",
    {},
    { clusters: { budget: { bytesPerMinute: 5_000_000 } } },
  ],
  ["duration", "retention: { fine: 1h30m }", {}, { retention: { fineSeconds: 5400 } }],
  [
    "labels",
    "clusters: { labels: { prod: { role: production } } }",
    {},
    { clusters: { labels: { prod: { role: "production" } } } },
  ],
  ["IPv6 loopback", "server: { address: '::1' }", {}, { server: { address: "::1" } }],
  [
    "base URL",
    "server: { baseUrl: https://headroom.example.com }",
    {},
    { server: { baseUrl: "https://headroom.example.com" } },
  ],
  [
    "waiver",
    'policy: { waivers: [{ rule: collector.insecure-tls, reason: lab, until: "2027-01-31" }] }',
    {},
    {
      policy: {
        waivers: [{ rule: "collector.insecure-tls", subject: null, reason: "lab", until: "2027-01-31" }],
      },
    },
  ],
  ["in-cluster by variable", "", { HEADROOM_IN_CLUSTER: "true" }, { clusters: { inCluster: true } }],
  [
    "budget by variable",
    "",
    { HEADROOM_REQUESTS_PER_MINUTE: "60", HEADROOM_BYTES_PER_MINUTE: "1Gi" },
    { clusters: { budget: { requestsPerMinute: 60, bytesPerMinute: 2 ** 30 } } },
  ],
  ["external collector", "", { COLLECTOR: "external" }, { collector: { mode: "external" } }],
  [
    "access mode overridden to none",
    "access: { mode: proxy }",
    { HEADROOM_ACCESS_MODE: "none" },
    { access: { mode: "none" } },
  ],
])("%s is understood", (_title, yaml, env, expected) => {
  writeConfig(yaml);
  expect(load(env)).toMatchObject(expected);
});

describe("what is refused names file, line, path and expectation", () => {
  test.each([
    [
      "an unknown key at the top",
      "serve: { port: 1 }",
      "<cwd>/headroom.yaml:1:1: serve: no such key; known here: clusters, store, server, audit, access, retention, detection, agents, policy",
    ],
    [
      "an unknown key further in",
      "server:\n  port: 3000\n  prot: 3001",
      "<cwd>/headroom.yaml:3:3: server.prot: no such key; known here: address, port, baseUrl",
    ],
    [
      "an unknown key in a list",
      "clusters:\n  kubeconfigs:\n    - path: a\n      context: b",
      "<cwd>/headroom.yaml:4:7: clusters.kubeconfigs[0].context: no such key; known here: path, contexts",
    ],
    [
      "a port that is none",
      "server: { port: 70000 }",
      "<cwd>/headroom.yaml:1:17: server.port: a whole number from 1 to 65535",
    ],
    [
      "a port in text",
      "server: { port: web }",
      "<cwd>/headroom.yaml:1:17: server.port: a whole number from 1 to 65535",
    ],
    [
      "a duration without unit",
      "retention:\n  fine: 2",
      "<cwd>/headroom.yaml:2:9: retention.fine: a duration such as 2h or 14d",
    ],
    [
      "a quantity that is none",
      "clusters: { budget: { bytesPerMinute: 5MB } }",
      "<cwd>/headroom.yaml:1:39: clusters.budget.bytesPerMinute: bytes, as a number or a quantity such as 256Mi",
    ],
    [
      "a kubeconfig without path",
      "clusters: { kubeconfigs: [{ contexts: [a] }] }",
      "<cwd>/headroom.yaml:1:27: clusters.kubeconfigs[0].path: the path of a kubeconfig",
    ],
    [
      "no context at all",
      "clusters: { kubeconfigs: [{ path: a, contexts: [] }] }",
      '<cwd>/headroom.yaml:1:48: clusters.kubeconfigs[0].contexts: at least one context, or ["*"] for all',
    ],
    [
      "a list in place of keys",
      "server: [1]",
      "<cwd>/headroom.yaml:1:9: server: keys: address, port, baseUrl",
    ],
    [
      "text in place of everything",
      "hello",
      "<cwd>/headroom.yaml:1:1: keys: clusters, store, server, audit, access, retention, detection, agents, policy",
    ],
    ["YAML that is none", "server: { port: 1", "<cwd>/headroom.yaml:1:18: valid YAML:"],
    [
      "a key twice",
      "server: { port: 1 }\nserver: { port: 2 }",
      "<cwd>/headroom.yaml:2:1: valid YAML: Map keys must be unique",
    ],
    [
      "evidence of no grade",
      "policy: { requireEvidence: guessed }",
      "<cwd>/headroom.yaml:1:28: policy.requireEvidence: measured, declared, catalogued or bounded",
    ],
    [
      "a base URL with a path",
      "server: { baseUrl: https://a.example/x }",
      "<cwd>/headroom.yaml:1:20: server.baseUrl: an origin such as",
    ],
    [
      "another access mode",
      "access: { mode: oidc }",
      "<cwd>/headroom.yaml:1:17: access.mode: none: sign-in by oidc does not exist yet",
    ],
    [
      "an address that is not loopback",
      "server: { address: 0.0.0.0 }",
      "<cwd>/headroom.yaml:1:20: server.address: a loopback address (127.0.0.1, ::1 or localhost): there is no authentication yet",
    ],
    [
      "PostgreSQL",
      "store: { url: postgresql://u:hunter2@db/x }",
      '<cwd>/headroom.yaml:1:15: store.url: a "file:" URL: PostgreSQL is not supported yet',
    ],
  ])("%s", (_title, yaml, message) => {
    writeConfig(yaml);
    const refused = refusal();
    expect(refused).toContain(message);
    expect(refused).not.toContain("hunter2");
  });

  test("all problems of a file are named at once", () => {
    writeConfig("server: { port: 0 }\nretention: { fine: x }\nnonsense: 1");
    expect(refusal().split("\n")).toHaveLength(3);
  });

  test("a file with more faults than anybody reads is told by the first ones", () => {
    writeConfig(`server: ${"[".repeat(500)}`);
    expect(refusal().split("\n").length).toBeLessThanOrEqual(20);
  });

  test("several documents in one file", () => {
    writeConfig("server: { port: 4000 }\n---\nserver: { port: 5000 }");
    expect(refusal()).toBe("<cwd>/headroom.yaml:2:1: valid YAML: one document");
  });

  test("a file too long, a folder or a pipe in the place of the file", () => {
    const file = writeConfig("#".repeat(1024 * 1024 + 1));
    expect(refusal()).toBe("<cwd>/headroom.yaml: a file of at most 1048576 bytes");
    rmSync(file);
    mkdirSync(file);
    expect(refusal()).toBe("<cwd>/headroom.yaml: a regular file, not a folder");
    expect(refusal({ HEADROOM_CONFIG: "/dev/zero" })).toBe("/dev/zero: a regular file");
    expect(load({ HEADROOM_CONFIG: "/dev/null" }).file).toBe("/dev/null");
  });

  test("a file that was named and is not there", () => {
    expect(refusal({ HEADROOM_CONFIG: "gone.yaml" })).toBe(
      "<cwd>/gone.yaml: a file that can be read (ENOENT)",
    );
  });

  test.each<[string, Environment, ConfigFlags | undefined, string]>([
    [
      "a port in a variable",
      { HEADROOM_PORT: "x" },
      undefined,
      "HEADROOM_PORT: a whole number from 1 to 65535",
    ],
    [
      "an address in a variable",
      { HEADROOM_ADDRESS: "10.0.0.1" },
      undefined,
      "HEADROOM_ADDRESS: a loopback address",
    ],
    ["an address by flag", {}, { address: "0.0.0.0" }, "--address: a loopback address"],
    ["a port by flag", {}, { port: 99_999 }, "--port: a whole number from 1 to 65535"],
    ["a context without its kubeconfig", {}, { context: ["a"] }, "--context: --kubeconfig PATH beside it"],
    [
      "a context variable alone",
      { HEADROOM_CONTEXT: "a" },
      undefined,
      "HEADROOM_CONTEXT: HEADROOM_KUBECONFIG beside it",
    ],
    [
      "an access mode in a variable",
      { HEADROOM_ACCESS_MODE: "proxy" },
      undefined,
      "HEADROOM_ACCESS_MODE: none: sign-in by proxy",
    ],
    ["flags that are no JSON", { HEADROOM_FLAGS: "{" }, undefined, "HEADROOM_FLAGS: flags as JSON"],
    ["a collector mode", { COLLECTOR: "off" }, undefined, "COLLECTOR: external or supervised"],
    ["a boolean", { HEADROOM_DEMO: "yes" }, undefined, "HEADROOM_DEMO: true or false"],
  ])("%s", (_title, env, flags, message) => {
    expect(refusal(env, flags)).toContain(message);
  });

  test("an alias, which could unfold without bound", () => {
    const bomb = ["a: &a [x, x]", "b: &b [*a, *a]", "c: [*b, *b]"].join("\n");
    writeConfig(bomb);
    expect(refusal()).toBe("<cwd>/headroom.yaml:2:8: no alias: write the value out");
  });
});
