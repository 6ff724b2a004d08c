import type { AuditEvent } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { defaultFlowSchemas } from "../../../fairness/configuration/expand-objects.ts";
import type { FlowSchemaObject } from "../../../fairness/fairness-part.ts";
import { FlowClassifier } from "../../../fairness/matching/flow-classifier.ts";
import { matchesRule, matchesSubject, type RequestToMatch } from "../../../fairness/matching/match-rule.ts";
import {
  type PolicyRule,
  type ResourceRuleLists,
  readPolicyRules,
} from "../../../fairness/matching/policy-rules.ts";
import { formatPosition } from "../../finding.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";
import { asFlowSchema, flowConfigurationOf, type ScannedFlowConfiguration } from "./flow-configuration.ts";
import { requestInfoOf } from "./misclassified.ts";

/** A FlowSchema that means all of a client's requests and takes only those within namespaces. */
export const apfRuleMissesClusterScope: Rule = {
  name: "apf.rule-misses-cluster-scope",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "A FlowSchema for all namespaces misses requests of the whole cluster",
  what: 'Looks at FlowSchemas of manifests (those of the defaults aside) with a resource rule that names namespaces ["*"], lists or watches, and lacks clusterScope: true, so that LISTs across all namespaces and cluster-scoped resources match another FlowSchema. With an audit log an error where its subjects send such requests, nothing where they send none; without one an error where the level is meant to hold somebody back (no shares, or it rejects), else a warning.',
  why: "The requests that cost most are the ones it misses: they are classified by the next FlowSchema that matches and take seats of a level that was meant to be spared.",
  fix: 'Add clusterScope: true to the resource rule; namespaces ["*"] means requests within any namespace. A level with 0 shares is no full block either: while nothing else of it executes, one request does.',
  sources: [
    {
      text: "kubernetes/kubernetes#134196",
      url: "https://github.com/kubernetes/kubernetes/issues/134196",
    },
    {
      text: "FlowSchema v1, ResourcePolicyRule: clusterScope and namespaces",
      url: "https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/flow-schema-v1/",
    },
    {
      text: "kubernetes/apiserver pkg/util/flowcontrol/rule.go, v0.26 to v0.37",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/util/flowcontrol/rule.go",
    },
  ],
  check: { kind: "stream", begin },
};

interface Suspect {
  readonly object: ScannedObject;
  readonly flowSchema: FlowSchemaObject;
  readonly rules: readonly PolicyRule[];
  /** As `rules`, each with cluster scope. */
  readonly widened: readonly PolicyRule[];
  requests: number;
  matched: number;
  missed: number;
  /** Where the missed ones go, by FlowSchema and level. */
  readonly fallsTo: Map<string, number>;
  lastAt: number | null;
}

function begin(facts: ScanFacts): StreamObserver {
  const configuration = flowConfigurationOf(facts);
  const classifier = new FlowClassifier(configuration);
  const suspects = facts.objects.ofKind("FlowSchema").flatMap((object) => suspectOf(object, configuration));
  return {
    ...(suspects.length === 0
      ? {}
      : { auditEvent: (event: AuditEvent) => takeEvent(suspects, event, classifier) }),
    finish: () => ({ findings: suspects.flatMap((each) => toFinding(each, facts, configuration)) }),
  };
}

function suspectOf(object: ScannedObject, { minor }: ScannedFlowConfiguration): readonly Suspect[] {
  const [flowSchema] = asFlowSchema(object);
  if (flowSchema === undefined || defaultFlowSchemas(minor).some(({ name }) => name === flowSchema.name))
    return [];
  const rules = readPolicyRules(flowSchema.rules);
  if (!rules.some(({ resourceRules }) => resourceRules.some((each) => isNarrow(each, resourceRules))))
    return [];
  const widened = rules.map((rule) => ({
    ...rule,
    resourceRules: rule.resourceRules.map((each) =>
      isAllNamespaces(each) ? { ...each, clusterScope: true } : each,
    ),
  }));
  return [
    {
      object,
      flowSchema,
      rules,
      widened,
      requests: 0,
      matched: 0,
      missed: 0,
      fallsTo: new Map(),
      lastAt: null,
    },
  ];
}

const isAllNamespaces = ({ namespaces }: ResourceRuleLists) =>
  namespaces.length === 1 && namespaces[0] === "*";
const hasAny = (list: readonly string[], ...wanted: readonly string[]) =>
  list.some((each) => each === "*" || wanted.includes(each));

/** It reads in all namespaces, and no rule beside it takes the same without a namespace. */
function isNarrow(rule: ResourceRuleLists, beside: readonly ResourceRuleLists[]): boolean {
  if (rule.clusterScope || !isAllNamespaces(rule) || !hasAny(rule.verbs, "list", "watch")) return false;
  return !beside.some(
    (each) =>
      each.clusterScope &&
      hasAny(each.verbs, "list", "watch") &&
      rule.resources.every((resource) => hasAny(each.resources, resource)) &&
      rule.apiGroups.every((group) => hasAny(each.apiGroups, group)),
  );
}

function takeEvent(suspects: readonly Suspect[], event: AuditEvent, classifier: FlowClassifier): void {
  if (event.stage === "RequestReceived" || event.stage === "ResponseStarted") return;
  const user = { name: event.userName, groups: event.userGroups };
  for (const suspect of suspects) {
    if (!suspect.rules.some(({ subjects }) => subjects.some((each) => matchesSubject(each, user)))) continue;
    const request: RequestToMatch = { user, requestInfo: requestInfoOf(event) };
    suspect.requests++;
    const found = classifier.classify(request);
    if (found.flowSchema.name === suspect.flowSchema.name) suspect.matched++;
    else if (
      suspect.widened.some((rule) => matchesRule(rule, request)) &&
      !suspect.rules.some((rule) => matchesRule(rule, request)) &&
      found.flowSchema.matchingPrecedence >= suspect.flowSchema.matchingPrecedence
    ) {
      suspect.missed++;
      const goes = `${found.flowSchema.name} -> ${found.priorityLevel.name}`;
      suspect.fallsTo.set(goes, (suspect.fallsTo.get(goes) ?? 0) + 1);
      suspect.lastAt = event.receivedAt ?? suspect.lastAt;
    }
  }
}

function toFinding(
  suspect: Suspect,
  facts: ScanFacts,
  { priorityLevels }: ScannedFlowConfiguration,
): readonly RuleFinding[] {
  const { object, flowSchema, requests, matched, missed } = suspect;
  const isWatched = facts.given.has("audit-log") && requests > 0;
  if (isWatched && missed === 0) return [];
  const level = priorityLevels.find(({ name }) => name === flowSchema.priorityLevelName);
  const isJail =
    level?.type === "Limited" && (level.nominalConcurrencyShares === 0 || level.limitResponse === "Reject");
  const [worst] = [...suspect.fallsTo].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const seen = isWatched
    ? ` ${formatCount(missed)} of ${formatCount(requests)} requests of its subjects go elsewhere (${worst?.[0] ?? ""}).`
    : "";
  return [
    {
      subject: subjectOf(object),
      severity: isWatched || isJail ? "error" : "warning",
      message: `A rule for namespaces ["*"] lacks clusterScope: true, so that LISTs across all namespaces do not match it.${seen}`,
      evidence: {
        grade: isWatched ? "measured" : "checked",
        source: isWatched ? "audit log" : formatPosition(object.position),
        observedAt: suspect.lastAt,
      },
      figures: {
        ...(isWatched
          ? { requests, inJail: matched, matched, elsewhere: missed, fallsTo: worst?.[0] ?? null }
          : {}),
        priorityLevel: flowSchema.priorityLevelName,
        nominalConcurrencyShares: level?.nominalConcurrencyShares ?? null,
      },
      position: object.position,
    },
  ];
}
