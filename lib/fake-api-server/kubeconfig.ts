/** A kubeconfig with one context, as an object; JSON of it is a kubeconfig file. */
export function kubeconfigOf(facts: {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly caPem?: string | undefined;
}): object {
  const { name, url, token, caPem } = facts;
  const cluster = {
    server: url,
    ...(caPem === undefined ? {} : { "certificate-authority-data": Buffer.from(caPem).toString("base64") }),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
}
