import { type AgentInformer, REPRESENTATIONS } from "./agent.ts";

/** `pods`, `endpointslices.discovery.k8s.io`, `*.apps`; `*` where any group and resource is meant. */
export function subjectOf({ apiGroup, resource }: Pick<AgentInformer, "apiGroup" | "resource">): string {
  if (apiGroup === "") return resource;
  return apiGroup === "*" && resource === "*" ? "*" : `${resource}.${apiGroup}`;
}

/** The node that a copy runs on, in a selector. */
export const OWN_NODE = "$(NODE_NAME)";

/** Resources that a field selector narrows to what belongs to a node; of others the object of the node's name is meant. */
const BY_NODE_NAME = new Set([
  "pods",
  "resourceslices.resource.k8s.io",
  "podcertificaterequests.certificates.k8s.io",
]);

/** The field by which a resource is narrowed to a copy's own node: `spec.nodeName`, or `metadata.name`. */
export function ownNodeField(informer: Pick<AgentInformer, "apiGroup" | "resource">): string {
  return BY_NODE_NAME.has(subjectOf(informer)) ? "spec.nodeName" : "metadata.name";
}

/** What an informer reads and how, in the words of the annotation, without its evidence: `pods@node protobuf`. */
export function describeInformer(informer: Omit<AgentInformer, "evidence">): string {
  const parts = [`${subjectOf(informer)}${scopeText(informer)}`];
  if (informer.mode !== "informer") parts.push(modeText(informer));
  else if (informer.periodSeconds !== null) parts.push(`relist=${informer.periodSeconds}s`);
  if (informer.representation !== null) parts.push(informer.representation);
  const field = furtherFieldSelector(informer);
  if (field !== "") parts.push(`field=${field}`);
  if (informer.labelSelector !== null) parts.push(`label=${informer.labelSelector}`);
  if (informer.resourceVersion !== null)
    parts.push(`rv=${informer.resourceVersion === "0" ? "0" : "latest"}`);
  if (informer.pageSize !== null) parts.push(`limit=${informer.pageSize}`);
  if (informer.watchList !== null) parts.push(`watchlist=${informer.watchList ? "on" : "off"}`);
  if (informer.isLeaderOnly === true) parts.push("leader");
  return parts.join(" ");
}

function scopeText({ scope, namespace, fieldSelector }: Omit<AgentInformer, "evidence">): string {
  switch (scope) {
    case "cluster":
      return "";
    case "own-node":
      return "@node";
    case "namespace":
      return namespace === null ? "@namespace" : `@namespace=${namespace}`;
    case "single-object":
      return `@object=${namespace === null ? "" : `${namespace}/`}${fieldSelector?.slice(NAME_FIELD.length) ?? ""}`;
  }
}

function modeText({ mode, periodSeconds }: Omit<AgentInformer, "evidence">): string {
  return mode === "poll" ? `poll=${periodSeconds === null ? "?" : `${periodSeconds}s`}` : mode;
}

const NAME_FIELD = "metadata.name=";

/** What the field selector says beyond the scope. */
function furtherFieldSelector(informer: Omit<AgentInformer, "evidence">): string {
  const { scope, fieldSelector } = informer;
  if (fieldSelector === null || scope === "single-object") return "";
  const own = `${ownNodeField(informer)}=${OWN_NODE}`;
  if (scope !== "own-node" || !fieldSelector.startsWith(own)) return fieldSelector;
  return fieldSelector.slice(own.length).replace(/^,/, "");
}

/** By resource, group, scope, then by all else that tells two apart. */
export function compareInformers(a: AgentInformer, b: AgentInformer): number {
  return (
    compareText(a.resource, b.resource) ||
    compareText(a.apiGroup, b.apiGroup) ||
    compareText(a.scope, b.scope) ||
    compareText(describeInformer(a), describeInformer(b)) ||
    compareText(a.container ?? "", b.container ?? "")
  );
}

export const isRepresentation = (text: string): text is NonNullable<AgentInformer["representation"]> =>
  (REPRESENTATIONS as readonly string[]).includes(text);

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
