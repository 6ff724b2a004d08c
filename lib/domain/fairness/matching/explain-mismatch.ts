import {
  failingNonResourceFields,
  failingResourceFields,
  type MatchedInfo,
  matchesRule,
  matchesSubject,
  type NonResourceField,
  type RequestToMatch,
  type ResourceField,
} from "./match-rule.ts";
import type { PolicyRule, RuleSubject } from "./policy-rules.ts";
import type { RequestUser } from "./request-user.ts";

/** One reason why a FlowSchema does not match. */
export interface Mismatch {
  /** Where in the object, e.g. `spec.rules[0].resourceRules[1].verbs`. */
  readonly path: string;
  readonly field:
    | "rules"
    | "subjects"
    | "resourceRules"
    | "nonResourceRules"
    | ResourceField
    | NonResourceField;
  /** What the field takes, as the object lists it; subjects as `Group system:masters`. Empty: nothing. */
  readonly expected: readonly string[];
  /** What the request has. */
  readonly actual: readonly string[];
  /** A sentence for people. */
  readonly text: string;
}

/** Where a FlowSchema matches: the first rule, and the first subject and entry of it that do. */
export interface RuleMatch {
  readonly path: string;
  readonly subject: string;
  /** E.g. `spec.rules[0].resourceRules[1]`. */
  readonly entryPath: string;
}

/** Every reason why none of the rules match, in the order of the object. Empty where one does. */
export function explainMismatch(rules: readonly PolicyRule[], request: RequestToMatch): Mismatch[] {
  if (rules.some((rule) => matchesRule(rule, request))) return [];
  if (rules.length === 0) {
    return [
      {
        path: "spec.rules",
        field: "rules",
        expected: [],
        actual: [],
        text: "It has no rules, so it matches nothing.",
      },
    ];
  }
  return rules.flatMap((rule, i) => explainRule(rule, `spec.rules[${i}]`, request));
}

export function findMatch(rules: readonly PolicyRule[], request: RequestToMatch): RuleMatch | null {
  const index = rules.findIndex((rule) => matchesRule(rule, request));
  const rule = rules[index];
  if (rule === undefined) return null;
  const { user, requestInfo } = request;
  const subject = rule.subjects.find((candidate) => matchesSubject(candidate, user));
  const path = `spec.rules[${index}]`;
  const entryPath = requestInfo.isResourceRequest
    ? `${path}.resourceRules[${rule.resourceRules.findIndex((entry) => failingResourceFields(entry, requestInfo).length === 0)}]`
    : `${path}.nonResourceRules[${rule.nonResourceRules.findIndex((entry) => failingNonResourceFields(entry, requestInfo).length === 0)}]`;
  return { path, subject: subject === undefined ? "" : nameSubject(subject), entryPath };
}

function explainRule(rule: PolicyRule, path: string, { user, requestInfo }: RequestToMatch): Mismatch[] {
  if (!rule.subjects.some((subject) => matchesSubject(subject, user))) {
    const expected = rule.subjects.map(nameSubject);
    const text = `${path}.subjects: the user ${user.name} is none of ${listed(expected)}.`;
    return [{ path: `${path}.subjects`, field: "subjects", expected, actual: nameUser(user), text }];
  }
  return requestInfo.isResourceRequest
    ? explainResourceRules(rule, path, requestInfo)
    : explainNonResourceRules(rule, path, requestInfo);
}

function explainResourceRules(rule: PolicyRule, path: string, info: MatchedInfo): Mismatch[] {
  if (rule.resourceRules.length === 0) {
    const text = `${path} has no resourceRules, and this is a request for a resource.`;
    const actual = [info.resource];
    return [{ path: `${path}.resourceRules`, field: "resourceRules", expected: [], actual, text }];
  }
  const wanted = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  return rule.resourceRules.flatMap((entry, i) =>
    failingResourceFields(entry, info).map((field) => {
      const at = `${path}.resourceRules[${i}].${field}`;
      switch (field) {
        case "verbs":
          return mismatch(at, field, entry.verbs, info.verb);
        case "resources":
          return mismatch(at, field, entry.resources, wanted);
        case "apiGroups":
          return mismatch(at, field, entry.apiGroups, info.apiGroup);
        case "namespaces":
          return mismatch(at, field, entry.namespaces, info.namespace);
        case "clusterScope": {
          const text = `${at} is not true, and the request names no namespace: it is cluster-wide.`;
          return { path: at, field, expected: ["true"], actual: ["false"], text };
        }
        default:
          return unknownField(field);
      }
    }),
  );
}

function explainNonResourceRules(rule: PolicyRule, path: string, info: MatchedInfo): Mismatch[] {
  if (rule.nonResourceRules.length === 0) {
    const text = `${path} has no nonResourceRules, and ${info.path} is no resource.`;
    const actual = [info.path];
    return [{ path: `${path}.nonResourceRules`, field: "nonResourceRules", expected: [], actual, text }];
  }
  return rule.nonResourceRules.flatMap((entry, i) =>
    failingNonResourceFields(entry, info).map((field) => {
      const at = `${path}.nonResourceRules[${i}].${field}`;
      return field === "verbs"
        ? mismatch(at, field, entry.verbs, info.verb)
        : mismatch(at, field, entry.nonResourceURLs, info.path);
    }),
  );
}

function mismatch(
  path: string,
  field: Mismatch["field"],
  expected: readonly string[],
  actual: string,
): Mismatch {
  const text = `${path}: ${quoted(actual)} is none of ${listed(expected.map(quoted))}.`;
  return { path, field, expected, actual: [actual], text };
}

/** The core group is the empty word. */
const quoted = (word: string) => (word === "" ? '""' : word);

const listed = (words: readonly string[]) => (words.length === 0 ? "(nothing)" : words.join(", "));

function nameSubject({ kind, namespace, name }: RuleSubject): string {
  return `${kind} ${namespace === null ? "" : `${namespace}/`}${name ?? "(no name)"}`;
}

const nameUser = ({ name, groups }: RequestUser) => [
  `User ${name}`,
  ...groups.map((group) => `Group ${group}`),
];

function unknownField(field: never): never {
  throw new Error(`unknown field ${String(field)}`);
}
