import type { RequestInfo } from "../../kubernetes/request.ts";
import type { NonResourceRuleLists, PolicyRule, ResourceRuleLists, RuleSubject } from "./policy-rules.ts";
import { isServiceAccount, isServiceAccountOf, type RequestUser } from "./request-user.ts";

/** Stands for everything, where it is the only entry of a list. */
const ALL = "*";

/** What of a RequestInfo the matching looks at. */
export type MatchedInfo = Pick<
  RequestInfo,
  "isResourceRequest" | "path" | "verb" | "apiGroup" | "namespace" | "resource" | "subresource"
>;

export interface RequestToMatch {
  readonly user: RequestUser;
  readonly requestInfo: MatchedInfo;
}

/**
 * Whether one entry of `spec.rules` matches: one of its subjects, and one of its rules for requests of this kind. A
 * resource request is never matched by nonResourceRules, nor the other way round.
 * Source: apiserver pkg/util/flowcontrol/rule.go, v1.26 to v1.37, for all of this file.
 */
export function matchesRule(rule: PolicyRule, { user, requestInfo }: RequestToMatch): boolean {
  if (!rule.subjects.some((subject) => matchesSubject(subject, user))) return false;
  return requestInfo.isResourceRequest
    ? rule.resourceRules.some((resourceRule) => failingResourceFields(resourceRule, requestInfo).length === 0)
    : rule.nonResourceRules.some((urlRule) => failingNonResourceFields(urlRule, requestInfo).length === 0);
}

/** A ServiceAccount named "*" is every one of its namespace; there is no wildcard for namespaces. */
export function matchesSubject({ kind, namespace, name }: RuleSubject, user: RequestUser): boolean {
  if (name === null) return false;
  switch (kind) {
    case "User":
      return name === ALL || name === user.name;
    case "Group":
      return name === ALL || user.groups.includes(name);
    case "ServiceAccount":
      if (namespace === null) return false;
      return name === ALL
        ? isServiceAccountOf(user.name, namespace)
        : isServiceAccount(user.name, namespace, name);
    default:
      return false;
  }
}

export type ResourceField = "verbs" | "resources" | "apiGroups" | "clusterScope" | "namespaces";

const NO_FIELDS: readonly never[] = [];

/**
 * The fields of a resource rule that keep it from matching, in the order in which the API server looks at them; empty
 * where it matches. A request without a namespace (so every cluster-wide LIST of a namespaced resource) needs
 * `clusterScope`, whatever `namespaces` says. "pods" does not cover "pods/status".
 */
export function failingResourceFields(
  rule: ResourceRuleLists,
  { verb, resource, subresource, apiGroup, namespace }: MatchedInfo,
): readonly ResourceField[] {
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  const hasVerb = includesOrAll(rule.verbs, verb);
  const hasResource = includesOrAll(rule.resources, wanted);
  const hasGroup = includesOrAll(rule.apiGroups, apiGroup);
  const hasScope = namespace === "" ? rule.clusterScope : includesOrAll(rule.namespaces, namespace);
  if (hasVerb && hasResource && hasGroup && hasScope) return NO_FIELDS;
  const fields: ResourceField[] = [];
  if (!hasVerb) fields.push("verbs");
  if (!hasResource) fields.push("resources");
  if (!hasGroup) fields.push("apiGroups");
  if (!hasScope) fields.push(namespace === "" ? "clusterScope" : "namespaces");
  return fields;
}

export type NonResourceField = "verbs" | "nonResourceURLs";

/** As `failingResourceFields`, for a rule about paths. */
export function failingNonResourceFields(
  rule: NonResourceRuleLists,
  { verb, path }: MatchedInfo,
): readonly NonResourceField[] {
  const hasVerb = includesOrAll(rule.verbs, verb);
  const hasPath = rule.nonResourceURLs.some((url) => coversPath(url, path));
  if (hasVerb && hasPath) return NO_FIELDS;
  const fields: NonResourceField[] = [];
  if (!hasVerb) fields.push("verbs");
  if (!hasPath) fields.push("nonResourceURLs");
  return fields;
}

/** "*", the very path, or a prefix of it that ends at a slash: "/healthz" and "/healthz/*" cover "/healthz/etcd". */
function coversPath(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  const prefix = url.endsWith(ALL) ? url.slice(0, -1) : url;
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}

function includesOrAll(list: readonly string[], value: string): boolean {
  return (list.length === 1 && list[0] === ALL) || list.includes(value);
}
