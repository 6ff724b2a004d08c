import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Authority,
  createAuthority,
  createSigningKeyPair,
  issueClientCertificate,
  issueServingCertificate,
} from "./certificates.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { FILES, PROXY_USER } from "./server-flags.ts";

export interface BedFiles {
  readonly authority: Authority;
  readonly adminToken: string;
  readonly adminKubeconfigPath: string;
}

const SERVER_NAMES = [
  "localhost",
  "127.0.0.1",
  "10.96.0.1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
];

/** Keys, certificates, tokens and kubeconfigs of one bed. `address` is what clients use, relay or server. */
export function writeBedFiles(directory: string, address: string): BedFiles {
  const authority = createAuthority("headroom-testbed");
  const serving = issueServingCertificate(authority, { commonName: "kube-apiserver", hosts: SERVER_NAMES });
  const proxy = issueClientCertificate(authority, { commonName: PROXY_USER });
  const signing = createSigningKeyPair();
  const write = (name: keyof typeof FILES, content: string) =>
    writeFileSync(join(directory, FILES[name]), content, { mode: 0o600 });
  write("authority", authority.certificatePem);
  write("authorityKey", authority.keyPem);
  write("servingCertificate", serving.certificatePem);
  write("servingKey", serving.keyPem);
  write("proxyCertificate", proxy.certificatePem);
  write("proxyKey", proxy.keyPem);
  write("signingKey", signing.privatePem);
  write("signingPublicKey", signing.publicPem);

  // kwok stands for kubelets, and is no load to be measured: as a member of system:masters it is exempt from
  // API priority and fairness. Controllers are not.
  const users = [
    { kubeconfig: "adminKubeconfig", name: "testbed-admin", groups: '"system:masters"' },
    { kubeconfig: "kwokKubeconfig", name: "testbed-kwok", groups: '"system:masters"' },
    { kubeconfig: "controllerManagerKubeconfig", name: "system:kube-controller-manager", groups: "" },
    { kubeconfig: "schedulerKubeconfig", name: "system:kube-scheduler", groups: "" },
  ] as const;
  const tokens = users.map((user) => ({ ...user, token: randomBytes(24).toString("base64url") }));
  write("tokens", tokens.map(({ token, name, groups }) => `${token},${name},${name},${groups}\n`).join(""));
  for (const { kubeconfig, name, token } of tokens) {
    const path = join(directory, FILES[kubeconfig]);
    const authorityPem = authority.certificatePem;
    writeKubeconfig({ path, server: address, authorityPem, userName: name, credentials: { token } });
  }
  return {
    authority,
    adminToken: tokens[0]?.token ?? "",
    adminKubeconfigPath: join(directory, FILES.adminKubeconfig),
  };
}
