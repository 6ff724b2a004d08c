import type { AuditEvent } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { type Classification, FlowClassifier } from "../../../fairness/matching/flow-classifier.ts";
import type { MatchedInfo } from "../../../fairness/matching/match-rule.ts";
import { splitRequestUri, unescapePath } from "../../../kubernetes/index.ts";
import { clientOf, KUBELETS, subjectOfClient } from "../../reads/client-subject.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { flowConfigurationOf, nominalSeatsOf, type ScannedFlowConfiguration } from "./flow-configuration.ts";

/** A component of Kubernetes whose requests share a level with everybody's. */
export const apfMisclassified: Rule = {
  name: "apf.misclassified",
  severity: "warning",
  versions: ALL_VERSIONS,
  title: "A component of the cluster is classified as anybody",
  what: "Classifies requests of an audit log by the FlowSchemas that are given (else by the defaults of the version) and reports components that fall to global-default, catch-all or, where a FlowSchema of one's own takes them, to a level that ServiceAccounts of workloads use: users named system:…, kubelets, the controller manager, the scheduler.",
  why: "Whatever any user or script asks fills the same queues: when that level is full, Services are not programmed, nodes are not reported, or leases are not renewed.",
  fix: "Let the component use a ServiceAccount of kube-system, or add a FlowSchema for its user ahead of global-default (matchingPrecedence below 9900) that points to workload-high or system.",
  sources: [
    {
      text: "kubernetes/kubernetes#105370: kube-proxy with a user certificate of its own",
      url: "https://github.com/kubernetes/kubernetes/issues/105370",
    },
    {
      text: "kubernetes/apiserver pkg/apis/flowcontrol/bootstrap/default.go, v0.26 to v0.37",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/apis/flowcontrol/bootstrap/default.go",
    },
  ],
  check: { kind: "stream", begin },
};

/** Levels for everybody else. */
const COMMON_LEVELS = new Set(["global-default", "catch-all"]);
const WORKLOAD_LEVELS = new Set([...COMMON_LEVELS, "workload-low"]);
/** Users of the system namespace that are nobody's component. */
const NO_COMPONENT = /^system:(?:anonymous|unauthenticated|bootstrap:|admin$|masters$|serviceaccount:)/;
const CLIENTS_KEPT = 5000;

interface Client {
  readonly name: string;
  requests: number;
  misplaced: number;
  readonly copies: Set<string>;
  readonly classified: Map<string, Classification>;
  first: Classification | null;
  lastAt: number | null;
}

function begin(facts: ScanFacts): StreamObserver {
  const configuration = flowConfigurationOf(facts);
  const classifier = new FlowClassifier(configuration);
  const clients = new Map<string, Client>();
  return {
    auditEvent: (event) => {
      if (event.stage === "RequestReceived" || !isComponent(event)) return;
      takeEvent(clients, event, classifier);
    },
    finish: () => ({
      findings: [...clients.values()].flatMap((client) => toFinding(client, facts, configuration)),
    }),
  };
}

function isComponent({ userName, userGroups }: AuditEvent): boolean {
  if (userGroups.includes("system:masters")) return false;
  if (userGroups.includes("system:nodes")) return true;
  return userName.startsWith("system:") && !NO_COMPONENT.test(userName);
}

function takeEvent(clients: Map<string, Client>, event: AuditEvent, classifier: FlowClassifier): void {
  const name = clientOf(event.userName);
  let client = clients.get(name);
  if (client === undefined) {
    if (clients.size >= CLIENTS_KEPT) return;
    client = {
      name,
      requests: 0,
      misplaced: 0,
      copies: new Set(),
      classified: new Map(),
      first: null,
      lastAt: null,
    };
    clients.set(name, client);
  }
  const found = classify(client, event, classifier);
  client.requests++;
  if (!isMisplaced(name, found)) return;
  client.misplaced++;
  client.first ??= found;
  if (client.copies.size < CLIENTS_KEPT) client.copies.add(event.userName);
  client.lastAt = event.receivedAt ?? client.lastAt;
}

/** The request as the API server classifies it; the audit log has its verb and resource resolved. */
export function requestInfoOf({ verb, requestUri, objectRef }: AuditEvent): MatchedInfo {
  const { path } = splitRequestUri(requestUri);
  if (objectRef === null) {
    return {
      isResourceRequest: false,
      path: path.includes("%") ? (unescapePath(path) ?? path) : path,
      verb,
      apiGroup: "",
      namespace: "",
      resource: "",
      subresource: "",
    };
  }
  const { apiGroup, namespace, resource, subresource } = objectRef;
  return { isResourceRequest: true, path, verb, apiGroup, namespace, resource, subresource };
}

/**
 * Alike requests are classified once: a log holds millions of them. Kubelets count as one client; a FlowSchema that names
 * a single one of them is taken to mean them all.
 */
function classify({ classified }: Client, event: AuditEvent, classifier: FlowClassifier): Classification {
  const requestInfo = requestInfoOf(event);
  const { isResourceRequest, path, verb, apiGroup, namespace, resource, subresource } = requestInfo;
  const key = isResourceRequest
    ? `${verb} ${apiGroup} ${resource} ${subresource} ${namespace} ${event.userGroups.join()}`
    : `${verb} ${path}`;
  const known = classified.get(key);
  if (known !== undefined) return known;
  const found = classifier.classify({
    user: { name: event.userName, groups: event.userGroups },
    requestInfo,
  });
  if (classified.size < KINDS_KEPT) classified.set(key, found);
  return found;
}
const KINDS_KEPT = 1000;

function isMisplaced(client: string, { priorityLevel, flowSchema }: Classification): boolean {
  if (COMMON_LEVELS.has(priorityLevel.name)) return true;
  const isWorkloads = WORKLOAD_LEVELS.has(priorityLevel.name) || priorityLevel.limitResponse === "Reject";
  // Components that the defaults place: a FlowSchema that takes them elsewhere was written for others.
  return isWorkloads && PLACED.has(client) && flowSchema.name !== "catch-all";
}

const PLACED = new Set([KUBELETS, "system:kube-controller-manager", "system:kube-scheduler"]);

function toFinding(
  { name, requests, misplaced, copies, first, lastAt }: Client,
  facts: ScanFacts,
  configuration: ScannedFlowConfiguration,
): readonly RuleFinding[] {
  if (first === null) return [];
  const { flowSchema, priorityLevel } = first;
  const seats = nominalSeatsOf(facts, configuration);
  const own = seats[priorityLevel.name];
  const seatsText = own === undefined ? "" : ` with ${formatCount(own)} nominal seats for all of them`;
  const assumed = configuration.isKnown
    ? ""
    : " (the FlowSchemas are taken to be the defaults of the version)";
  return [
    {
      subject: subjectOfClient(name, copies.size),
      message: `${formatCount(misplaced)} of ${formatCount(requests)} requests fall to FlowSchema ${flowSchema.name} and share level ${priorityLevel.name}${seatsText}${assumed}.`,
      evidence: { grade: "measured", source: "audit log", observedAt: lastAt },
      figures: {
        flowSchema: flowSchema.name,
        priorityLevel: priorityLevel.name,
        requests,
        misplacedRequests: misplaced,
        nominalSeats: seats,
      },
    },
  ];
}
