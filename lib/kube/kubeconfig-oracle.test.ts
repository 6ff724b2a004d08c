import { KubeConfig } from "@kubernetes/client-node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { FakeClock } from "./test-support/fake-clock.ts";
import { temporaryFolder } from "./test-support/temporary-folder.ts";

/** What a request is made with, in the terms of both. */
interface Effect {
  readonly server: string;
  readonly namespace: string | null;
  readonly authorization: string | null;
  readonly impersonates: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly servername: string | null;
  readonly isVerified: boolean;
}

async function ours(file: string): Promise<Effect> {
  const { targets, problems } = await loadKubeconfig({ paths: [file], source: "flag" });
  const [target] = targets;
  if (target === undefined) throw new Error(problems.map(String).join());
  const { headers, ca, cert, key } = await target.openCredentials({ clock: new FakeClock() }).get();
  return {
    server: target.server,
    namespace: target.namespace,
    authorization: textOf(headers.authorization),
    impersonates: textOf(headers["impersonate-user"]),
    ca,
    cert,
    key,
    servername: target.tlsServerName,
    isVerified: !target.insecureSkipTlsVerify,
  };
}

/** The same by the official client, for what it supports. */
async function theirs(file: string): Promise<Effect> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const options: { headers?: Record<string, unknown>; auth?: string } & Record<string, unknown> = {};
  await config.applyToHTTPSOptions(options);
  const basic = options.auth === undefined ? null : `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return {
    server: config.getCurrentCluster()?.server ?? "",
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? null,
    authorization: textOf(options.headers?.Authorization) ?? basic,
    impersonates: textOf(options.headers?.["Impersonate-User"]),
    ca: textOf(options.ca),
    cert: textOf(options.cert),
    key: textOf(options.key),
    servername: textOf(options.servername),
    isVerified: options.rejectUnauthorized !== false,
  };
}

function textOf(value: unknown): string | null {
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  return typeof value === "string" ? value : null;
}

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);

const cluster = fc.record(
  {
    server: fc.constantFrom(
      "https://a.example",
      "https://a.example:6443/",
      "https://10.0.0.1/k8s/clusters/c-1",
    ),
    "certificate-authority-data": fc.constant(base64(pem("ca data"))),
    "certificate-authority": fc.constant("pki/ca.pem"),
    "insecure-skip-tls-verify": fc.boolean(),
    "tls-server-name": word,
  },
  { requiredKeys: ["server"] },
);
const certificate = fc.constantFrom(
  {},
  { "client-certificate": "pki/me.pem", "client-key": "pki/me.key" },
  { "client-certificate-data": base64(pem("me data")), "client-key-data": base64(pem("key data")) },
);
const login = fc.oneof(
  fc.constant({}),
  word.map((token) => ({ token })),
  fc.record({ username: word, password: word }),
);
const user = fc
  .tuple(
    certificate,
    login,
    fc.option(
      word.map((as) => ({ as })),
      { nil: {} },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, string>);

describe("loadKubeconfig beside the official client", () => {
  it("comes to the same requests, for every kubeconfig of the kinds that both support", async () => {
    const folder = await temporaryFolder();
    await folder.write("pki/ca.pem", pem("ca file"));
    await folder.write("pki/me.pem", pem("me file"));
    await folder.write("pki/me.key", pem("key file"));
    await fc.assert(
      fc.asyncProperty(cluster, user, fc.option(word), async (clusterFields, userFields, namespace) => {
        // Where both a file and data are given, kubectl takes the data; the official client takes the file.
        const { "certificate-authority": file, ...rest } = clusterFields;
        const fields =
          "certificate-authority-data" in rest || file === undefined
            ? rest
            : { ...rest, "certificate-authority": file };
        const path = await folder.write(
          "config",
          JSON.stringify({
            "current-context": "c",
            clusters: [
              { name: "other", cluster: { server: "https://other" } },
              { name: "c", cluster: fields },
            ],
            users: [{ name: "u", user: userFields }],
            contexts: [
              {
                name: "c",
                context: { cluster: "c", user: "u", ...(namespace === null ? {} : { namespace }) },
              },
            ],
          }),
        );
        expect(await ours(path)).toEqual(await theirs(path));
      }),
      { numRuns: 200 },
    );
  });
});
