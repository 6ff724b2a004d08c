import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { KubeconfigSource } from "./kubeconfig-types.ts";
import { defaultKubeconfigPaths, loadKubeconfig } from "./load-kubeconfig.ts";
import { FakeClock } from "./test-support/fake-clock.ts";
import { temporaryFolder } from "./test-support/temporary-folder.ts";

const PLANTED = "planted-secret-Zx81";

const PLAIN = `apiVersion: v1
kind: Config
current-context: prod
clusters:
  - name: prod
    cluster:
      server: https://prod.example:6443/
  - name: dev
    cluster: { server: "http://127.0.0.1:8001" }
users:
  - name: admin
    user:
      token: ${PLANTED}
contexts:
  - name: prod
    context: { cluster: prod, user: admin, namespace: ops }
  - name: dev
    context: { cluster: dev }
`;

/** A kubeconfig with one context `c` of cluster `c` and user `u`. */
const config = (cluster: string, user: string) => `current-context: c
clusters:
- name: c
  cluster:
    server: https://c.example
${indent(cluster)}users:
- name: u
  user:
${indent(user)}contexts:
- name: c
  context: { cluster: c, user: u }
`;
const indent = (text: string) =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}\n`))
    .join("");

async function load(
  files: readonly string[],
  options: { contexts?: readonly string[]; source?: KubeconfigSource } = {},
) {
  const folder = await temporaryFolder();
  const paths: string[] = [];
  for (const [index, text] of files.entries()) paths.push(await folder.write(`${index}/config`, text));
  const { source = "flag", ...rest } = options;
  const result = await loadKubeconfig({ paths, source, ...rest });
  return { ...result, paths, folder };
}

describe("loadKubeconfig", () => {
  it("gives the current context when none is named, all for *, and those that are named in that order", async () => {
    const names = async (contexts?: readonly string[]) =>
      (await load([PLAIN], contexts ? { contexts } : {})).targets.map((target) => target.name);
    expect(await names()).toEqual(["prod"]);
    expect(await names(["*"])).toEqual(["prod", "dev"]);
    expect(await names(["dev", "prod", "dev"])).toEqual(["dev", "prod"]);
  });

  it("says what can be shown of a context, and nothing of its credentials in any output", async () => {
    const { targets, paths } = await load([PLAIN]);
    const [target] = targets;
    expect(target).toMatchObject({
      name: "prod",
      source: "flag",
      file: paths[0],
      clusterName: "prod",
      userName: "admin",
      server: "https://prod.example:6443",
      namespace: "ops",
      insecureSkipTlsVerify: false,
      credentialKind: "token",
      impersonates: null,
      proxyUrl: null,
    });
    const credentials = target?.openCredentials({ clock: new FakeClock() });
    expect((await credentials?.get())?.headers).toEqual({ authorization: `Bearer ${PLANTED}` });
    for (const text of [
      JSON.stringify(targets),
      inspect(targets, { depth: 9, showHidden: true }),
      inspect(credentials),
    ]) {
      expect(text).not.toContain(PLANTED);
    }
  });

  it("several files are merged as kubectl does: the first to name an entry or the current context wins, whole", async () => {
    const second = `current-context: other
clusters:
- { name: prod, cluster: { server: "https://hijacked.example", tls-server-name: x } }
- { name: late, cluster: { server: "https://late.example" } }
users:
- { name: admin, user: { username: u, password: p } }
contexts:
- { name: prod, context: { cluster: late } }
- { name: late, context: { cluster: late, user: admin } }
`;
    const { targets, problems } = await load([PLAIN, second], { contexts: ["*"] });
    expect(problems).toEqual([]);
    expect(
      targets.map(({ name, server, tlsServerName, credentialKind }) => [
        name,
        server,
        tlsServerName,
        credentialKind,
      ]),
    ).toEqual([
      ["prod", "https://prod.example:6443", null, "token"],
      ["dev", "http://127.0.0.1:8001", null, "none"],
      ["late", "https://late.example", null, "token"],
    ]);
    const { targets: current } = await load(["contexts: []\n", PLAIN, second]);
    expect(current.map((target) => target.name)).toEqual(["prod"]);
  });

  it("relative paths are resolved against the file they stand in", async () => {
    const { targets, paths } = await load([
      "current-context: c\n",
      config(
        "certificate-authority: ../pki/ca.pem",
        "client-certificate: me.pem\nclient-key: /abs/me.key\nexec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: ./bin/login",
      ),
    ]);
    const folder = join(paths[1] ?? "", "..");
    expect(targets[0]?.clusterEntry().certificateAuthorityFile).toBe(join(folder, "..", "pki", "ca.pem"));
    await expect(targets[0]?.openCredentials({ clock: new FakeClock() }).get()).rejects.toThrow(
      `the certificate authority file ${join(folder, "..", "pki", "ca.pem")} cannot be read (ENOENT)`,
    );
  });

  it("in a list, files that do not exist are passed over; alone, or all of them, they are a problem", async () => {
    const folder = await temporaryFolder();
    const here = await folder.write("here", PLAIN);
    const gone = join(folder.path, "gone");
    const both = await loadKubeconfig({ paths: [gone, here], source: "environment" });
    expect(both.targets).toHaveLength(1);
    expect(both.problems).toEqual([]);
    for (const paths of [[gone], [gone, gone]]) {
      const { targets, problems } = await loadKubeconfig({ paths, source: "flag" });
      expect(targets).toEqual([]);
      expect(problems.map(String)).toEqual([
        `KubeconfigError: ${gone}: expected a kubeconfig here; the file does not exist`,
      ]);
    }
  });

  it("a folder is no kubeconfig", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder.path, "x"));
    const { problems } = await loadKubeconfig({ paths: [join(folder.path, "x")], source: "flag" });
    expect(problems[0]?.message).toMatch(/expected a file, found a folder/);
  });

  it.each<[string, string, number | null, RegExp]>([
    ["no YAML", `a: b\n  c: [${PLANTED}\n`, 1, /^expected YAML or JSON/],
    ["text", PLANTED, 1, /expected a kubeconfig: a mapping/],
    ["another kind", "kind: Pod\n", 1, /^kind: expected kind: Config/],
    ["a list that is none", `clusters: ${PLANTED}\n`, 1, /^clusters: expected a list/],
    [
      "no server",
      "current-context: c\nclusters:\n- name: c\n  cluster:\n    x: 1\n",
      5,
      /^cluster "c": clusters\[0\]\.cluster\.server: expected the URL/,
    ],
    ["no name", "clusters:\n- cluster: { server: https://x }\n", 2, /^clusters\[0\]\.name: expected a name/],
    [
      "a server that is no URL",
      config("server: x", "token: t").replace("    server: https://c.example\n", ""),
      3,
      /^cluster "c": server: expected a URL/,
    ],
    [
      "a proxy of another kind",
      config("proxy-url: ftp://x", "token: t"),
      3,
      /^cluster "c": proxy-url: expected a URL that begins with http/,
    ],
    [
      "CA data that is no base64",
      config(`certificate-authority-data: "%${PLANTED}"`, "token: t"),
      3,
      /certificate-authority-data: expected base64$/,
    ],
    [
      "CA data that is no PEM",
      config(`certificate-authority-data: ${Buffer.from(PLANTED).toString("base64")}`, "token: t"),
      3,
      /expected base64 of PEM/,
    ],
    [
      "a numeric token",
      config("x: y", "token: 123456789"),
      10,
      /^user "u": users\[0\]\.user\.token: expected a string; quote it/,
    ],
    [
      "a certificate without key",
      config("x: y", "client-certificate: a.pem"),
      8,
      /^user "u": expected client-key or client-key-data/,
    ],
    [
      "an exec plugin without command",
      config("x: y", "exec: { apiVersion: client.authentication.k8s.io/v1 }"),
      10,
      /users\[0\]\.user\.exec\.command: expected a command/,
    ],
    [
      "an exec plugin of an old version",
      config("x: y", "exec: { apiVersion: client.authentication.k8s.io/v1alpha1, command: x }"),
      8,
      /exec\.apiVersion: expected client\.authentication\.k8s\.io\/v1 or/,
    ],
    [
      "an auth-provider that is gone",
      config("x: y", "auth-provider: { name: gcp }"),
      8,
      /"gcp" is gone since Kubernetes 1\.26: expected an exec plugin/,
    ],
    ["groups without a user to act as", config("x: y", "as-groups: [a]"), 8, /expected `as` beside/],
    [
      "a name that is used twice",
      `${PLAIN}`.replace("- name: dev\n    cluster:", "- name: prod\n    cluster:"),
      8,
      /^cluster "prod": expected a name that is not used twice/,
    ],
    [
      "a context without its cluster",
      "current-context: c\ncontexts:\n- { name: c, context: { cluster: gone } }\n",
      3,
      /^context "c": expected a cluster named "gone"/,
    ],
    [
      "a context without its user",
      PLAIN.replace("user: admin", "user: gone"),
      15,
      /^context "prod": expected a user named "gone"/,
    ],
    [
      "no current context",
      PLAIN.replace("current-context: prod\n", ""),
      null,
      /^current-context: expected a current context, or the names/,
    ],
    ["an empty file", "", null, /expected a kubeconfig: a mapping/],
  ])(
    "%s: the problem names file, line, place and expectation, never a value",
    async (_, text, line, message) => {
      const { problems, paths } = await load([text]);
      const [problem] = problems;
      expect(problem).toBeDefined();
      const at = line === null ? `${paths[0]}: ` : `${paths[0]}:${line}: `;
      expect(problem?.message.startsWith(at), problem?.message).toBe(true);
      expect(problem?.message.slice(at.length)).toMatch(message);
      expect(problem).toMatchObject({ file: paths[0], line });
      for (const output of [String(problem), JSON.stringify(problem), inspect(problem)])
        expect(output).not.toContain(PLANTED);
    },
  );

  it("a context that does not exist is a problem that lists those that do", async () => {
    const { targets, problems } = await load([PLAIN], { contexts: ["prod", "staging"] });
    expect(targets).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/context "staging": expected one of "prod", "dev"$/);
  });

  it("a broken entry hides no other, and its context is not reported a second time", async () => {
    const text = PLAIN.replace("server: https://prod.example:6443/", "server: 7");
    const { targets, problems } = await load([text], { contexts: ["*"] });
    expect(targets.map((target) => target.name)).toEqual(["dev"]);
    expect(problems).toHaveLength(1);
  });

  it.each([
    "exec: { apiVersion: client.authentication.k8s.io/v1, command: x }",
    "auth-provider: { name: oidc }",
  ])(
    "a user with %s is refused where the page named the file, and taken from every other source",
    async (user) => {
      const refused = await load([config("x: y", user)], { source: "page" });
      expect(refused.targets).toEqual([]);
      expect(refused.problems[0]?.message).toMatch(/never for one named on the page/);
      for (const source of ["flag", "environment", "configuration-file"] as const) {
        expect((await load([config("x: y", user)], { source })).targets).toHaveLength(1);
      }
    },
  );

  it("a certificate that is not checked, a proxy, a server name and impersonation are told", async () => {
    const { targets } = await load([
      config(
        `insecure-skip-tls-verify: true\nproxy-url: http://u:${PLANTED}@proxy:3128\ntls-server-name: kubernetes`,
        "token: t\nas: jane\nas-uid: '7'\nas-groups: [ops, 'system:masters']\nas-user-extra: { example.com/Scopes: [a, b] }",
      ),
    ]);
    expect(targets[0]).toMatchObject({
      insecureSkipTlsVerify: true,
      proxyUrl: "http://proxy:3128/",
      tlsServerName: "kubernetes",
      impersonates: "jane",
    });
    expect(inspect(targets, { depth: 9 })).not.toContain(PLANTED);
    expect((await targets[0]?.openCredentials({ clock: new FakeClock() }).get())?.headers).toEqual({
      authorization: "Bearer t",
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-group": ["ops", "system:masters"],
      "impersonate-extra-example.com%2Fscopes": ["a", "b"],
    });
  });

  it("JSON is a kubeconfig too", async () => {
    const { targets } = await load([
      JSON.stringify({
        "current-context": "j",
        clusters: [{ name: "j", cluster: { server: "https://j" } }],
        users: null,
        contexts: [{ name: "j", context: { cluster: "j", user: "" } }],
      }),
    ]);
    expect(targets[0]).toMatchObject({ server: "https://j", credentialKind: "none" });
  });

  it("aliases are bounded", async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n`;
    const { problems } = await load([bomb]);
    expect(problems[0]?.message).toMatch(/aliases/);
  });
});

describe("defaultKubeconfigPaths", () => {
  it("is what kubectl would read", () => {
    expect(defaultKubeconfigPaths({ KUBECONFIG: "/a::/b", HOME: "/h" })).toEqual(["/a", "/b"]);
    expect(defaultKubeconfigPaths({ KUBECONFIG: "", HOME: "/h" })).toEqual(["/h/.kube/config"]);
    expect(defaultKubeconfigPaths({})).toEqual([]);
  });
});
