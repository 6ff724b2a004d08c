import type { AuditEvent } from "../../agents/audit-event.ts";

/** All kubelets of a cluster count as one client: each has a user of its own. */
export const KUBELETS = "system:node:*";
const NODE_PREFIX = "system:node:";
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Who is meant by a user: kubelets together, everybody else alone. */
export const clientOf = (userName: string): string =>
  userName.startsWith(NODE_PREFIX) ? KUBELETS : userName;

/** How findings call a user: `ServiceAccount ns/name`, else `user NAME`. */
export function subjectOfUser(userName: string): string {
  const match = SERVICE_ACCOUNT.exec(userName);
  return match === null ? `user ${userName}` : `ServiceAccount ${match[1]}/${match[2]}`;
}

/** The same for a client of which so many copies were seen: `8 kubelets`. */
export const subjectOfClient = (client: string, copies: number): string =>
  client === KUBELETS ? `${copies} kubelet${copies === 1 ? "" : "s"}` : subjectOfUser(client);

/** `ns/name` of a ServiceAccount's user; `null` for another user. */
export function accountOfUser(
  userName: string,
): { readonly namespace: string; readonly name: string } | null {
  const match = SERVICE_ACCOUNT.exec(userName);
  return match === null ? null : { namespace: match[1] ?? "", name: match[2] ?? "" };
}

/** Which copy of a client sent it: a kubelet's own name, else the node or pod of its token, else its address. */
export function copyOf({ userName, nodeName, podName, sourceIps }: AuditEvent): string {
  if (userName.startsWith(NODE_PREFIX)) return userName;
  return nodeName ?? podName ?? sourceIps.at(-1) ?? "";
}
