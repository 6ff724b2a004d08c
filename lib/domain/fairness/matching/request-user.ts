/** Who sends a request, as authentication (and impersonation) left it. */
export interface RequestUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";
const ANONYMOUS = "system:anonymous";

/** A ServiceAccount with the groups that the API server gives its token. */
export function serviceAccountUser(namespace: string, name: string): RequestUser {
  return {
    name: `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/**
 * A user of whom only the name is known, with the groups that follow from it: those of a ServiceAccount, of a node
 * (`system:node:NAME`), of nobody (`system:anonymous`), or of any other authenticated user.
 */
export function userOf(name: string): RequestUser {
  if (name === ANONYMOUS) return { name, groups: ["system:unauthenticated"] };
  const [namespace = "", account = "", ...rest] = name.startsWith(SERVICE_ACCOUNT_PREFIX)
    ? name.slice(SERVICE_ACCOUNT_PREFIX.length).split(":")
    : [];
  if (namespace !== "" && account !== "" && rest.length === 0) return serviceAccountUser(namespace, account);
  const groups = name.startsWith("system:node:") ? ["system:nodes"] : [];
  return { name, groups: [...groups, "system:authenticated"] };
}

/** True for any user in the namespace's part of the ServiceAccounts' names. */
export function isServiceAccountOf(user: string, namespace: string): boolean {
  return user.startsWith(`${SERVICE_ACCOUNT_PREFIX}${namespace}:`);
}

export function isServiceAccount(user: string, namespace: string, name: string): boolean {
  return user === `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}
