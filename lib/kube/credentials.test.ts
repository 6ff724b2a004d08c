import { readFile, rename } from "node:fs/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { CredentialError } from "./exec-plugin.ts";
import { loadInCluster } from "./in-cluster.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { FakeClock } from "./test-support/fake-clock.ts";
import { temporaryFolder } from "./test-support/temporary-folder.ts";

const PLANTED = "planted-secret-Zx81";
const V1 = "client.authentication.k8s.io/v1";

type Folder = Awaited<ReturnType<typeof temporaryFolder>>;

async function open(
  folder: Folder,
  user: Record<string, unknown>,
  options: {
    env?: Record<string, string>;
    execTimeoutSeconds?: number;
    cluster?: Record<string, unknown>;
  } = {},
) {
  const file = await folder.write(
    "config",
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: "https://c.example", ...options.cluster } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
  const { targets, problems } = await loadKubeconfig({ paths: [file], source: "flag" });
  expect(problems).toEqual([]);
  const clock = new FakeClock();
  const { cluster: _, env = { PATH: process.env.PATH ?? "" }, ...rest } = options;
  const credentials = targets[0]?.openCredentials({ clock, env, ...rest });
  if (credentials === undefined) throw new Error("no target");
  return { credentials, clock };
}

/** A plugin that counts its runs in the file `runs` and prints what `lines` say. */
async function withPlugin(
  folder: Folder,
  lines: readonly string[],
  options: Parameters<typeof open>[2] & { exec?: Record<string, unknown> } = {},
) {
  await folder.writeScript("plugin", [`echo run >> "${folder.path}/runs"`, ...lines]);
  const { exec, ...rest } = options;
  const opened = await open(folder, { exec: { apiVersion: V1, command: "./plugin", ...exec } }, rest);
  const runs = async () => (await readFile(`${folder.path}/runs`, "utf8")).trim().split("\n").length;
  return { ...opened, runs };
}

const print = (status: Record<string, unknown>) =>
  `echo '${JSON.stringify({ kind: "ExecCredential", apiVersion: V1, status })}'`;

async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CredentialError) return error;
    throw error;
  }
  throw new Error("expected a failure");
}

describe("token files", () => {
  it("are read for every request: a token that was replaced is taken up at once", async () => {
    const folder = await temporaryFolder();
    await folder.write("token", "one\n");
    const { credentials } = await open(folder, { tokenFile: "token", token: "never" });
    expect((await credentials.get()).headers).toEqual({ authorization: "Bearer one" });
    await folder.write("next", "two");
    await rename(`${folder.path}/next`, `${folder.path}/token`);
    expect((await credentials.get()).headers).toEqual({ authorization: "Bearer two" });
  });

  it("that are missing, empty or no header text say so without their content", async () => {
    const folder = await temporaryFolder();
    const { credentials } = await open(folder, { tokenFile: "token" });
    expect((await failure(credentials.get())).message).toMatch(
      /the token file .*token cannot be read \(ENOENT\)/,
    );
    await folder.write("token", "\n");
    expect((await failure(credentials.get())).message).toMatch(/is empty/);
    await folder.write("token", `${PLANTED}\nX-Injected: 1`);
    const { message } = await failure(credentials.get());
    expect(message).toMatch(/characters that no header can carry/);
    expect(message).not.toContain(PLANTED);
  });
});

describe("client certificates and basic authentication", () => {
  it("data wins over a file; files are read each time", async () => {
    const folder = await temporaryFolder();
    const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    await folder.write("key", pem("file"));
    const { credentials } = await open(
      folder,
      { "client-certificate-data": base64(pem("data")), "client-certificate": "none", "client-key": "key" },
      { cluster: { "certificate-authority-data": base64(pem("ca")) } },
    );
    expect(await credentials.get()).toEqual({
      headers: {},
      ca: pem("ca"),
      cert: pem("data"),
      key: pem("file"),
    });
    await folder.write("key", "no pem");
    expect((await failure(credentials.get())).message).toMatch(/client key file .* holds no PEM/);
  });

  it("user name and password go as Basic, and the encoded form is known as a secret", async () => {
    const { credentials } = await open(await temporaryFolder(), { username: "u", password: PLANTED });
    const value = Buffer.from(`u:${PLANTED}`).toString("base64");
    expect((await credentials.get()).headers).toEqual({ authorization: `Basic ${value}` });
    expect([...credentials.secrets()]).toEqual([PLANTED, value]);
  });
});

describe("exec plugins", () => {
  it("get what the kubeconfig and the protocol say, and no terminal", async () => {
    const folder = await temporaryFolder();
    const { credentials } = await withPlugin(
      folder,
      [
        `printf '%s|%s|%s' "$1" "$EXTRA" "$KUBERNETES_EXEC_INFO" > "${folder.path}/seen"`,
        "test -t 0 && exit 9",
        print({ token: PLANTED }),
      ],
      {
        exec: { args: ["a b"], env: [{ name: "EXTRA", value: "x" }], provideClusterInfo: true },
        cluster: {
          "tls-server-name": "kubernetes",
          extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "here" } }],
        },
      },
    );
    expect((await credentials.get()).headers).toEqual({ authorization: `Bearer ${PLANTED}` });
    const [argument, extra, info] = (await readFile(`${folder.path}/seen`, "utf8")).split("|");
    expect([argument, extra]).toEqual(["a b", "x"]);
    expect(JSON.parse(info ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: {
          server: "https://c.example",
          "tls-server-name": "kubernetes",
          config: { audience: "here" },
        },
      },
    });
    expect(inspect(credentials, { depth: 9, showHidden: true })).not.toContain(PLANTED);
    expect(JSON.stringify(credentials)).not.toContain(PLANTED);
  });

  it("run once until their credential expires, also when many ask at once", async () => {
    const { credentials, clock, runs } = await withPlugin(await temporaryFolder(), [
      print({ token: "t", expirationTimestamp: "2026-01-01T01:00:00Z" }),
    ]);
    await Promise.all([credentials.get(), credentials.get(), credentials.get()]);
    await clock.advance(3_599_999);
    await credentials.get();
    expect(await runs()).toBe(1);
    await clock.advance(1);
    await credentials.get();
    expect(await runs()).toBe(2);
  });

  it("without an expiry run again only after the API server refused the credential", async () => {
    const { credentials, clock, runs } = await withPlugin(await temporaryFolder(), [print({ token: "t" })]);
    await credentials.get();
    await clock.advance(100_000_000);
    await credentials.get();
    expect(await runs()).toBe(1);
    credentials.invalidate();
    await credentials.get();
    expect(await runs()).toBe(2);
  });

  it("may give a client certificate", async () => {
    const { credentials } = await withPlugin(await temporaryFolder(), [
      print({ clientCertificateData: "C", clientKeyData: "K" }),
    ]);
    expect(await credentials.get()).toMatchObject({ headers: {}, cert: "C", key: "K" });
  });

  it("that take too long are killed with what they started", async () => {
    const folder = await temporaryFolder();
    const { credentials } = await withPlugin(
      folder,
      [
        `sh -c 'echo $$ > "${folder.path}/child"; exec sleep 600' &`,
        `echo $$ > "${folder.path}/parent"`,
        "wait",
      ],
      { execTimeoutSeconds: 0.5 },
    );
    expect((await failure(credentials.get())).message).toBe(
      "exec plugin plugin did not finish within 0.5 s and was killed",
    );
    for (const name of ["parent", "child"]) {
      const pid = Number(await readFile(`${folder.path}/${name}`, "utf8"));
      await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    }
  });

  it("are killed when the client is closed", async () => {
    const folder = await temporaryFolder();
    const { credentials } = await withPlugin(folder, [`echo $$ > "${folder.path}/pid"`, "exec sleep 600"]);
    const failed = failure(credentials.get());
    await expect
      .poll(() => readFile(`${folder.path}/pid`, "utf8").catch(() => ""), { timeout: 10_000 })
      .toMatch(/\d\n/);
    credentials.close();
    expect((await failed).message).toBe("exec plugin plugin was stopped");
    const pid = Number(await readFile(`${folder.path}/pid`, "utf8"));
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });

  it("that fail are named with exit status and the end of what they said, without credentials", async () => {
    const { credentials } = await withPlugin(await temporaryFolder(), [
      `echo '{"status":{"token":"${PLANTED}"}}'`,
      `printf '%01000d\\n' 7 >&2`,
      `echo "login failed for token=abc123 with ${PLANTED}, Authorization: Bearer ${PLANTED}" >&2`,
      "exit 3",
    ]);
    const { message } = await failure(credentials.get());
    expect(message).toMatch(
      /^exec plugin plugin ended with exit status 3: …0+7 login failed for token=\[redacted\]/,
    );
    expect(message.length).toBeLessThan(400);
    expect(message).not.toContain(PLANTED);
    expect(message).not.toContain("abc123");
  });

  it("that fail are not started again for ten seconds", async () => {
    const { credentials, clock, runs } = await withPlugin(await temporaryFolder(), ["exit 1"]);
    await failure(credentials.get());
    await clock.advance(9_999);
    await failure(credentials.get());
    expect(await runs()).toBe(1);
    await clock.advance(1);
    await failure(credentials.get());
    expect(await runs()).toBe(2);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no JSON", [`echo ${PLANTED}`], /printed no JSON; expected an ExecCredential/],
    ["another kind", ['echo \'{"kind":"Pod"}\''], /printed no ExecCredential .*kind/],
    [
      "another version",
      [print({ token: PLANTED }).replace("/v1", "/v1beta1")],
      /another apiVersion than the kubeconfig names/,
    ],
    ["neither token nor certificate", [print({})], /neither a token nor a certificate/],
    ["half a certificate", [print({ clientCertificateData: "C" })], /only one of/],
    ["no time as expiry", [print({ token: PLANTED, expirationTimestamp: "soon" })], /that is no time/],
    ["too much", ["yes | head -c 2000000"], /printed more than 1048576 bytes and was killed/],
    ["an end by a signal", ["kill -TERM $$"], /was killed by SIGTERM/],
  ])("that print %s are refused, and what they printed is not quoted", async (_, lines, message) => {
    const { credentials } = await withPlugin(await temporaryFolder(), lines);
    const error = await failure(credentials.get());
    expect(error.message).toMatch(message);
    expect(inspect(error)).not.toContain(PLANTED);
  });

  it("that are not installed are named with the hint of the kubeconfig", async () => {
    const { credentials } = await open(await temporaryFolder(), {
      exec: { apiVersion: V1, command: "no-such-plugin-here", installHint: "install it\nlike this" },
    });
    expect((await failure(credentials.get())).message).toBe(
      "exec plugin no-such-plugin-here is not installed: install it like this",
    );
  });

  it.each([
    ["lie below a file", { command: "./data/plugin" }, "ENOTDIR"],
    [
      "get an argument that no program can be given",
      { command: "echo", args: ["a\0b"] },
      "ERR_INVALID_ARG_VALUE",
    ],
    ["get more than the system passes on", { command: "echo", args: ["x".repeat(5e6)] }, "E2BIG"],
  ])("that %s say so", async (_title, exec, code) => {
    const folder = await temporaryFolder();
    await folder.write("data", "x");
    const { credentials } = await open(folder, { exec: { apiVersion: V1, ...exec } });
    expect((await failure(credentials.get())).message).toContain(`could not be started (${code})`);
  });

  it("that cannot be executed, or need a terminal, say so", async () => {
    const folder = await temporaryFolder();
    await folder.write("data", "x");
    const exec = { apiVersion: V1, command: "./data" };
    expect((await failure((await open(folder, { exec })).credentials.get())).message).toMatch(
      /could not be started \(EACCES\)/,
    );
    const { credentials } = await open(folder, { exec: { ...exec, interactiveMode: "Always" } });
    expect((await failure(credentials.get())).message).toMatch(/needs a terminal/);
  });
});

describe("auth-provider oidc", () => {
  const idToken = (expiry: number) =>
    `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ exp: expiry })).toString("base64url")}.c2ln`;
  const user = (token: string) => ({ "auth-provider": { name: "oidc", config: { "id-token": token } } });

  it("the ID token is taken from the file as it stands, so that what kubectl refreshed is taken up", async () => {
    const folder = await temporaryFolder();
    const now = new FakeClock().now() / 1000;
    const { credentials, clock } = await open(folder, user(idToken(now + 60)));
    expect((await credentials.get()).headers).toEqual({ authorization: `Bearer ${idToken(now + 60)}` });
    await clock.advance(60_000);
    const error = await failure(credentials.get());
    expect(error.message).toMatch(/has expired: sign in with kubectl/);
    expect(error.message).not.toContain(idToken(now + 60));
    await open(folder, user(idToken(now + 600)));
    expect((await credentials.get()).headers).toEqual({ authorization: `Bearer ${idToken(now + 600)}` });
    await open(folder, { "auth-provider": { name: "oidc" } });
    expect((await failure(credentials.get())).message).toMatch(/has no id-token/);
  });
});

describe("the in-cluster account", () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  it("reads CA and token for every request, and the namespace once", async () => {
    const folder = await temporaryFolder();
    await folder.write("ca.crt", "-----BEGIN CERTIFICATE-----\n");
    await folder.write("token", "one");
    await folder.write("namespace", "ops\n");
    const target = await loadInCluster({ env, folder: folder.path });
    expect(target).toMatchObject({
      name: "in-cluster",
      source: "in-cluster",
      server: "https://[fd00::1]:443",
      namespace: "ops",
      credentialKind: "token-file",
    });
    const credentials = target.openCredentials({ clock: new FakeClock() });
    expect((await credentials.get()).headers).toEqual({ authorization: "Bearer one" });
    await folder.write("token", "two");
    expect((await credentials.get()).headers).toEqual({ authorization: "Bearer two" });
  });

  it("outside of a pod, or without an account, says what was expected", async () => {
    const folder = await temporaryFolder();
    await expect(loadInCluster({ env: {}, folder: folder.path })).rejects.toThrow(/KUBERNETES_SERVICE_HOST/);
    await expect(loadInCluster({ env, folder: folder.path })).rejects.toThrow(/automountServiceAccountToken/);
  });
});

/** A zombie that nobody has waited for counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status !== "" && !/\) Z /.test(status);
}
