import type { RequestInfo } from "./request-info.ts";
import { StatusError } from "./status.ts";

/** As in a ClusterRole: resource rules name groups and resources, the others name URLs; `*` is a wildcard. */
export type PermissionRule =
  | {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
      /** Only in these namespaces, as a RoleBinding would; absent: everywhere. */
      readonly namespaces?: readonly string[];
      readonly resourceNames?: readonly string[];
    }
  | { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] };

export interface Identity {
  readonly token: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly rules: readonly PermissionRule[];
}

/** Reads everything but Secrets: the widest account that a reader of clusters should ever be given. */
export const READ_ALL_BUT_SECRETS: readonly PermissionRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
  { nonResourceURLs: ["*"], verbs: ["get"] },
];

/** Paths an anonymous user may read (ClusterRoles system:public-info-viewer and system:discovery). */
const PUBLIC_PATHS = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

const ANONYMOUS: Identity = {
  token: "",
  user: "system:anonymous",
  groups: ["system:unauthenticated"],
  rules: [{ nonResourceURLs: PUBLIC_PATHS, verbs: ["get"] }],
};

/**
 * Who asks, by the Authorization header.
 * @throws StatusError 401 for a token that nobody has.
 */
export function authenticate(identities: readonly Identity[], authorization: string | undefined): Identity {
  if (authorization === undefined) return ANONYMOUS;
  const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
  const identity = identities.find((candidate) => candidate.token === token);
  if (!identity) throw new StatusError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  return identity;
}

/** @throws StatusError 403 in the words of kube-apiserver. */
export function authorize(identity: Identity, info: RequestInfo): void {
  if (isAllowed(identity, info)) return;
  throw new StatusError({
    code: 403,
    reason: "Forbidden",
    message: forbiddenMessage(identity, info),
    details: {},
  });
}

export function isAllowed(identity: Identity, info: RequestInfo): boolean {
  // Not even a wildcard reads Secrets here: nothing that this server is for may ask for them.
  if (info.isResource && info.resource === "secrets") return false;
  return identity.rules.some((rule) =>
    info.isResource ? matchesResource(rule, info) : matchesUrl(rule, info),
  );
}

function matchesUrl(rule: PermissionRule, info: RequestInfo): boolean {
  if (!("nonResourceURLs" in rule) || !holds(rule.verbs, info.verb)) return false;
  return rule.nonResourceURLs.some((url) =>
    url.endsWith("*") ? info.path.startsWith(url.slice(0, -1)) : url === info.path,
  );
}

function matchesResource(rule: PermissionRule, info: Extract<RequestInfo, { isResource: true }>): boolean {
  if (!("resources" in rule)) return false;
  const asked = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  return (
    holds(rule.verbs, info.verb) &&
    holds(rule.apiGroups, info.group) &&
    holds(rule.resources, asked) &&
    (rule.namespaces === undefined || rule.namespaces.includes(info.namespace)) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(info.name))
  );
}

const holds = (list: readonly string[], value: string) => list.includes("*") || list.includes(value);

function forbiddenMessage(identity: Identity, info: RequestInfo): string {
  const user = JSON.stringify(identity.user);
  if (!info.isResource)
    return `forbidden: User ${user} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
  const subject = info.group === "" ? info.resource : `${info.resource}.${info.group}`;
  const named = info.name === "" ? "" : ` ${JSON.stringify(info.name)}`;
  const scope =
    info.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(info.namespace)}`;
  const what = `cannot ${info.verb} resource ${JSON.stringify(info.resource)} in API group ${JSON.stringify(info.group)}`;
  return `${subject}${named} is forbidden: User ${user} ${what} ${scope}`;
}
