import { writeFileSync } from "node:fs";
import type { CertifiedKey } from "./certificates.ts";

export type Credentials = { readonly token: string } | { readonly certificate: CertifiedKey };

interface KubeconfigParts {
  readonly path: string;
  readonly server: string;
  readonly authorityPem: string;
  readonly userName: string;
  readonly credentials: Credentials;
}

/** The one context of every kubeconfig of the test bed. */
export const CONTEXT_NAME = "testbed";

/** Writes a kubeconfig that holds all it needs; JSON, which is YAML too. Readable by its owner alone. */
export function writeKubeconfig({
  path,
  server,
  authorityPem,
  userName,
  credentials,
}: KubeconfigParts): string {
  const user =
    "token" in credentials
      ? { token: credentials.token }
      : {
          "client-certificate-data": base64(credentials.certificate.certificatePem),
          "client-key-data": base64(credentials.certificate.keyPem),
        };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": CONTEXT_NAME,
    contexts: [{ name: CONTEXT_NAME, context: { cluster: CONTEXT_NAME, user: userName } }],
    clusters: [
      { name: CONTEXT_NAME, cluster: { server, "certificate-authority-data": base64(authorityPem) } },
    ],
    users: [{ name: userName, user }],
  };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return path;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
