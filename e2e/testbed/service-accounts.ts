import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "./api-client.ts";
import { SERVICE_ACCOUNT_ISSUER } from "./server-flags.ts";

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ServiceAccountOptions {
  readonly name: string;
  /** Default `default`. Made when it is not there. */
  readonly namespace?: string;
  /** An existing ClusterRole to bind. Aggregated ones (`view`) are empty unless a controller manager runs. */
  readonly clusterRole?: string;
  /** Rules for a ClusterRole of its own. */
  readonly rules?: readonly PolicyRule[];
  /** Default one hour. */
  readonly tokenSeconds?: number;
}

/** Everything needed to act as a ServiceAccount. */
export interface ServiceAccountAccess {
  /** `system:serviceaccount:<namespace>:<name>` */
  readonly userName: string;
  readonly token: string;
}

/**
 * Makes what is missing (namespace, ServiceAccount, ClusterRole, binding), asks for a token, and waits until
 * every given server lets it do what the role says: each has its own caches of roles and accounts.
 */
export async function grantServiceAccount(
  { name, namespace = "default", clusterRole, rules, tokenSeconds = 3600 }: ServiceAccountOptions,
  {
    admin,
    adminToken,
    servers,
  }: {
    readonly admin: ApiClient;
    readonly adminToken: string;
    readonly servers: readonly ApiClient[];
  },
): Promise<ServiceAccountAccess> {
  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await admin.send({ method: "POST", path, body, token: adminToken });
    if (status >= 300 && status !== 409) throw new Error(`POST ${path}: ${status} ${text.slice(0, 500)}`);
  };
  await create("/api/v1/namespaces", { metadata: { name: namespace } });
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });

  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const own = `testbed:${namespace}:${name}`;
  if (rules) await create(`${rbac}/clusterroles`, { metadata: { name: own }, rules });
  const roles = [...(clusterRole === undefined ? [] : [clusterRole]), ...(rules ? [own] : [])];
  for (const role of roles) {
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name: `${own}:${role}` },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    });
  }

  const answer = await admin.sendOk({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [SERVICE_ACCOUNT_ISSUER], expirationSeconds: tokenSeconds },
    },
    token: adminToken,
  });
  const token = (answer as { status: { token: string } }).status.token; // a TokenRequest that succeeded has one
  const granted: PolicyRule[] = [];
  for (const role of roles) {
    const object = await admin.sendOk({
      path: `${rbac}/clusterroles/${encodeURIComponent(role)}`,
      token: adminToken,
    });
    granted.push(...((object as { rules?: PolicyRule[] }).rules ?? []));
  }
  await Promise.all(servers.map((server) => waitForAccess(server, token, granted)));
  return { userName: `system:serviceaccount:${namespace}:${name}`, token };
}

async function waitForAccess(server: ApiClient, token: string, rules: readonly PolicyRule[]): Promise<void> {
  const deadline = performance.now() + 10_000;
  const spec = reviewSpec(rules);
  let last = "";
  while (performance.now() < deadline) {
    const { status, text } = await server.send({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec },
      token,
    });
    // 201 alone says that the token is accepted, which is all there is to wait for without a role.
    if (status === 201 && (rules.length === 0 || /"allowed":\s*true/.test(text))) return;
    last = `${status} ${text.slice(0, 300)}`;
    await sleep(50);
  }
  throw new Error(`the ServiceAccount's role did not take effect within 10 s: ${last}`);
}

/** A question that the last rule answers with yes: the last binding to be seen is the last one made. */
function reviewSpec(rules: readonly PolicyRule[]): object {
  const rule = rules.at(-1);
  const verb = rule?.verbs[0] ?? "get";
  const path = rule?.nonResourceURLs?.[0];
  if (path !== undefined) return { nonResourceAttributes: { path, verb } };
  const [resource = "pods", subresource] = (rule?.resources?.[0] ?? "pods").split("/");
  const attributes = { group: rule?.apiGroups?.[0] ?? "", resource, verb };
  return { resourceAttributes: subresource === undefined ? attributes : { ...attributes, subresource } };
}
