/** The rules of a FlowSchema as the matcher reads them: nothing is absent. */
export interface PolicyRule {
  readonly subjects: readonly RuleSubject[];
  readonly resourceRules: readonly ResourceRuleLists[];
  readonly nonResourceRules: readonly NonResourceRuleLists[];
}

export interface RuleSubject {
  /** Anything but `User`, `Group` and `ServiceAccount` matches nobody, as does one whose name is missing. */
  readonly kind: string;
  /** Of ServiceAccounts only. */
  readonly namespace: string | null;
  readonly name: string | null;
}

export interface ResourceRuleLists {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope: boolean;
  readonly namespaces: readonly string[];
}

export interface NonResourceRuleLists {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/**
 * Reads `spec.rules`, which the store keeps as JSON. What is not shaped as the API shapes it counts as empty: it comes
 * from an API server that validated it, or from a file, and matches nothing.
 */
export function readPolicyRules(rules: readonly unknown[]): PolicyRule[] {
  return rules.map((rule) => ({
    subjects: listOf(rule, "subjects").map(readSubject),
    resourceRules: listOf(rule, "resourceRules").map((resourceRule) => ({
      verbs: stringsOf(resourceRule, "verbs"),
      apiGroups: stringsOf(resourceRule, "apiGroups"),
      resources: stringsOf(resourceRule, "resources"),
      clusterScope: fieldOf(resourceRule, "clusterScope") === true,
      namespaces: stringsOf(resourceRule, "namespaces"),
    })),
    nonResourceRules: listOf(rule, "nonResourceRules").map((nonResourceRule) => ({
      verbs: stringsOf(nonResourceRule, "verbs"),
      nonResourceURLs: stringsOf(nonResourceRule, "nonResourceURLs"),
    })),
  }));
}

function readSubject(subject: unknown): RuleSubject {
  const kind = stringOf(subject, "kind") ?? "";
  switch (kind) {
    case "User":
      return { kind, namespace: null, name: stringOf(fieldOf(subject, "user"), "name") };
    case "Group":
      return { kind, namespace: null, name: stringOf(fieldOf(subject, "group"), "name") };
    case "ServiceAccount": {
      const account = fieldOf(subject, "serviceAccount");
      return { kind, namespace: stringOf(account, "namespace"), name: stringOf(account, "name") };
    }
    default:
      return { kind, namespace: null, name: null };
  }
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}

function stringOf(value: unknown, field: string): string | null {
  const found = fieldOf(value, field);
  return typeof found === "string" ? found : null;
}

function listOf(value: unknown, field: string): readonly unknown[] {
  const found = fieldOf(value, field);
  return Array.isArray(found) ? found : [];
}

function stringsOf(value: unknown, field: string): readonly string[] {
  return listOf(value, field).filter((item) => typeof item === "string");
}
