import { access, readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { ClusterTarget } from "./cluster-target.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

/** Where the kubelet puts the account of a pod. */
export const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The account of the pod this process runs in. The token file is read for every request, since the kubelet replaces it.
 *
 * @throws KubeconfigError where this is no pod, or it has no account
 */
export async function loadInCluster(
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** Default {@link SERVICE_ACCOUNT_FOLDER}. */
    readonly folder?: string;
  } = {},
): Promise<ClusterTarget> {
  const { env = process.env, folder = SERVICE_ACCOUNT_FOLDER } = options;
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const port = env.KUBERNETES_SERVICE_PORT ?? "";
  const fail = (expected: string) =>
    new KubeconfigError({ file: folder, line: null, place: "in-cluster account", expected });
  if (host === "" || port === "") {
    throw fail("expected KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, which every pod has");
  }
  const tokenFile = join(folder, "token");
  const certificateAuthorityFile = join(folder, "ca.crt");
  for (const file of [tokenFile, certificateAuthorityFile]) {
    try {
      await access(file);
    } catch {
      throw fail(`expected a readable ${file}; is automountServiceAccountToken off?`);
    }
  }
  return new ClusterTarget({
    name: "in-cluster",
    source: "in-cluster",
    namespace: await readNamespace(join(folder, "namespace")),
    cluster: {
      name: "in-cluster",
      file: folder,
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      tlsServerName: null,
      insecureSkipTlsVerify: false,
      certificateAuthorityFile,
      certificateAuthorityData: null,
      proxyUrl: null,
      disableCompression: false,
      execConfig: null,
    },
    user: {
      name: "in-cluster",
      file: folder,
      clientCertificateFile: null,
      clientCertificateData: null,
      clientKeyFile: null,
      clientKeyData: null,
      token: null,
      tokenFile,
      username: null,
      password: null,
      exec: null,
      hasOidcProvider: false,
      oidcIdToken: null,
      impersonate: null,
    },
  });
}

async function readNamespace(file: string): Promise<string | null> {
  try {
    return (await readFile(file, "utf8")).trim() || null;
  } catch {
    // Only a default for people; the account works without it.
    return null;
  }
}
