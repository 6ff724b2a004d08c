import { INFORMERS_ANNOTATION } from "../../../agents/agent-workload.ts";
import { subjectOf as resourceName } from "../../../agents/informer-text.ts";
import { parseInformersAnnotation } from "../../../agents/informers-annotation.ts";
import { readManifests } from "../../../agents/manifests/read-manifests.ts";
import { type RbacBound, rbacBound, rbacBoundOfInventory } from "../../../agents/rbac/rbac-bound.ts";
import type { RbacObjects } from "../../../agents/rbac/rbac-objects.ts";
import type { FindingGrade } from "../../finding.ts";
import { formatPosition } from "../../finding.ts";
import { textAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { knowsItsNode, readConfiguration } from "./agent-configuration.ts";
import type { NodeAgent } from "./node-agents.ts";

/** What is known of an agent's cluster-wide reads without having seen it at work. */
export type AgentReads =
  | {
      readonly kind: "known";
      /** `pods`, `replicasets.apps`, `*`; sorted. */
      readonly resources: readonly string[];
      readonly grade: FindingGrade;
      readonly source: string | null;
      /** `lists`, `may list`. */
      readonly verb: string;
      /** A clause that ends the sentence, or empty. */
      readonly because: string;
      /** It may well read less: not worth an error. */
      readonly isGuess: boolean;
    }
  | { readonly kind: "undecided"; readonly missing: string };

/** Resources of which the API server can select those of one node. */
const NODE_SCOPED = new Set([
  "pods",
  "nodes",
  "resourceslices.resource.k8s.io",
  "csinodes.storage.k8s.io",
  "leases.coordination.k8s.io",
]);

const RAISED_BY =
  "An audit log over the start of one copy, or the annotation headroom.dev/informers, would tell.";

/** By the annotation, else by the agent's configuration, else by what RBAC allows; `null`: nothing is known. */
export function readsOfAgent(agent: NodeAgent, facts: ScanFacts): AgentReads | null {
  const { daemonSet } = agent;
  const declared = declaredReads(agent);
  if (declared !== null) return declared;
  const bound = agent.hasToken ? boundOf(agent, facts) : null;
  if (bound === null) return null;
  const allowed = bound.grants.filter(({ namespace, mayList }) => namespace === null && mayList);
  const names = allowed.filter(isServed).map(nameOfGrant);
  const configured = readConfiguration(agent, facts);
  const isAllowed = (resource: string) => names.some((each) => coversName(each, resource));
  const byConfiguration = configured.clusterWide.filter(isAllowed);
  const isToldItsNode = knowsItsNode(agent) || configured.ownNode.length > 0;
  // Objects read from a cluster in part hold no environment: whether it knows its node is not known.
  if (!daemonSet.isWhole && byConfiguration.length === 0) return null;
  const byBound = isToldItsNode ? names.filter((each) => !NODE_SCOPED.has(each)) : names;
  const resources = [...new Set([...byConfiguration, ...byBound])].sort();
  if (resources.length === 0) {
    return bound.unknownRoles.length > 0 && names.length === 0 && !isToldItsNode
      ? { kind: "undecided", missing: `What ${bound.unknownRoles.join(", ")} allows is not in the input.` }
      : null;
  }
  if (byConfiguration.length > 0) {
    return {
      kind: "known",
      resources,
      grade: "declared",
      source: configured.source,
      verb: "lists",
      because: " (so its configuration says)",
      isGuess: false,
    };
  }
  if (isToldItsNode && !isCountedLarge(resources, facts)) return { kind: "undecided", missing: RAISED_BY };
  return {
    kind: "known",
    resources,
    grade: "bounded",
    source: formatPosition(daemonSet.position),
    verb: "may list",
    because: isToldItsNode
      ? "; the node that it is told narrows pods and nodes alone"
      : ", and no container is told the name of its node",
    // Rights to everything say least of what is read.
    isGuess: isToldItsNode || resources.includes("*"),
  };
}

/** Something of it is known to be large: then the bound is worth a word even where it may not be reached. */
function isCountedLarge(resources: readonly string[], { cluster }: ScanFacts): boolean {
  return cluster.collections.some(
    ({ resource, objects }) =>
      (objects ?? 0) > 0 && resources.some((each) => each === resource || each.startsWith(`${resource}.`)),
  );
}

function declaredReads({ daemonSet }: NodeAgent): AgentReads | null {
  const text =
    textAt(daemonSet.body, "metadata", "annotations", INFORMERS_ANNOTATION) ??
    textAt(daemonSet.body, "spec", "template", "metadata", "annotations", INFORMERS_ANNOTATION);
  if (text === null) return null;
  const { informers, problems } = parseInformersAnnotation(text);
  if (problems.length > 0) return null;
  const wide = informers.filter(
    ({ scope, mode, isLeaderOnly }) => scope === "cluster" && mode !== "get" && isLeaderOnly !== true,
  );
  return {
    kind: "known",
    resources: [...new Set(wide.map(resourceName))].sort(),
    grade: "declared",
    source: `annotation ${INFORMERS_ANNOTATION}`,
    verb: "lists",
    because: "",
    isGuess: false,
  };
}

function boundOf({ namespace, accountName }: NodeAgent, facts: ScanFacts): RbacBound | null {
  const account = { namespace, name: accountName };
  const rbac = rbacOf(facts);
  return (
    (rbac === null ? null : rbacBound(rbac, account)) ?? rbacBoundOfInventory(facts.clusterWideLists, account)
  );
}

const rbacKnown = new WeakMap<ScanFacts, RbacObjects | null>();

/** Roles and bindings that were given; `null`: none. Read once a scan. */
function rbacOf(facts: ScanFacts): RbacObjects | null {
  const found = rbacKnown.get(facts);
  if (found !== undefined) return found;
  const bodies = ["ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"].flatMap((kind) =>
    facts.objects.ofKind(kind).map(({ body }) => body),
  );
  const rbac = bodies.length === 0 ? null : readManifests(bodies).rbac;
  rbacKnown.set(facts, rbac);
  return rbac;
}

const nameOfGrant = ({ apiGroup, resource }: { readonly apiGroup: string; readonly resource: string }) =>
  apiGroup === "*" && resource === "*" ? "*" : apiGroup === "" ? resource : `${resource}.${apiGroup}`;

/** Groups of resources that Kubernetes itself serves. A rule with several groups grants each resource in all of them. */
const SERVED_IN: Readonly<Record<string, readonly string[]>> = {
  configmaps: [""],
  endpoints: [""],
  events: ["", "events.k8s.io"],
  limitranges: [""],
  namespaces: [""],
  nodes: ["", "metrics.k8s.io"],
  persistentvolumeclaims: [""],
  persistentvolumes: [""],
  pods: ["", "metrics.k8s.io"],
  replicationcontrollers: [""],
  resourcequotas: [""],
  secrets: [""],
  serviceaccounts: [""],
  services: [""],
  controllerrevisions: ["apps"],
  daemonsets: ["apps"],
  deployments: ["apps"],
  replicasets: ["apps"],
  statefulsets: ["apps"],
  cronjobs: ["batch"],
  jobs: ["batch"],
  horizontalpodautoscalers: ["autoscaling"],
  poddisruptionbudgets: ["policy"],
  leases: ["coordination.k8s.io"],
  endpointslices: ["discovery.k8s.io"],
  ingresses: ["networking.k8s.io"],
  networkpolicies: ["networking.k8s.io"],
  csidrivers: ["storage.k8s.io"],
  csinodes: ["storage.k8s.io"],
  storageclasses: ["storage.k8s.io"],
  volumeattachments: ["storage.k8s.io"],
};
const BUILT_IN_GROUPS = new Set(["extensions", ...Object.values(SERVED_IN).flat()]);

/** False for what a rule of several groups names and nobody serves: `pods.apps`. */
function isServed({ apiGroup, resource }: { readonly apiGroup: string; readonly resource: string }): boolean {
  const groups = SERVED_IN[resource];
  return groups === undefined || groups.includes(apiGroup) || !BUILT_IN_GROUPS.has(apiGroup);
}

/** Whether `pods.*`, `*.apps` or `*` covers a resource. */
function coversName(pattern: string, resource: string): boolean {
  if (pattern === "*" || pattern === resource) return true;
  const dot = resource.indexOf(".");
  const plural = dot < 0 ? resource : resource.slice(0, dot);
  const group = dot < 0 ? "" : resource.slice(dot + 1);
  return pattern === `${plural}.*` || (group !== "" && pattern === `*.${group}`);
}
