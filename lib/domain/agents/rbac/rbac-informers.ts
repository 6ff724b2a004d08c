import type { AgentInformer } from "../agent.ts";
import type { Evidence } from "../evidence.ts";
import { covers, type RbacBound, type RbacGrant } from "./rbac-bound.ts";

/** The most that RBAC lets it read, as informers: an upper bound, not what it does. */
export function informersOfBound(bound: RbacBound, source: string): AgentInformer[] {
  const evidence = boundEvidence(bound, source);
  return bound.grants.map((grant) => ({
    apiGroup: grant.apiGroup,
    resource: grant.resource,
    scope: grant.namespace === null ? "cluster" : "namespace",
    namespace: grant.namespace,
    fieldSelector: null,
    labelSelector: null,
    representation: null,
    mode: modeOf(grant),
    periodSeconds: null,
    resourceVersion: null,
    pageSize: null,
    watchList: null,
    evidence,
  }));
}

export interface ForbiddenRead {
  readonly informer: AgentInformer;
  readonly evidence: Evidence;
}

/** Informers that the bound does not allow. The bound must be known whole. */
export function findForbidden(
  informers: readonly AgentInformer[],
  bound: RbacBound,
  source: string,
): ForbiddenRead[] {
  const evidence = boundEvidence(bound, source);
  return informers
    .filter(
      // One object may be allowed by its name, which the bound leaves out; so may a GET.
      (each) => each.scope !== "single-object" && each.mode !== "get" && !isAllowed(each, bound.grants),
    )
    .map((informer) => ({ informer, evidence }));
}

function isAllowed(
  { apiGroup, resource, scope, namespace, mode }: AgentInformer,
  grants: readonly RbacGrant[],
): boolean {
  if (scope === "namespace" && namespace === null) {
    return grants.some((grant) =>
      covers({ ...grant, namespace: null }, { ...wanted(apiGroup, resource, mode), namespace: null }),
    );
  }
  const grant = { ...wanted(apiGroup, resource, mode), namespace: scope === "namespace" ? namespace : null };
  return grants.some((each) => covers(each, grant));
}

const wanted = (apiGroup: string, resource: string, mode: AgentInformer["mode"]) => ({
  apiGroup,
  resource,
  mayList: mode !== "watch",
  mayWatch: mode === "informer" || mode === "watch",
});

function modeOf({ mayList, mayWatch }: RbacGrant): AgentInformer["mode"] {
  if (mayList && mayWatch) return "informer";
  return mayList ? "list" : "watch";
}

function boundEvidence({ through, unknownRoles }: RbacBound, source: string): Evidence {
  const missing = unknownRoles.length === 0 ? "" : `; not given: ${unknownRoles.join(", ")}`;
  return {
    grade: "bounded",
    source: `RBAC in ${source}: ${through.length === 0 ? "nothing granted" : through.join(", ")}${missing}`,
    observedAt: null,
    citation: null,
    raisedBy:
      "An audit log over the start of one copy, or the annotation headroom.dev/informers on the workload.",
  };
}
