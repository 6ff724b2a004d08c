import { type RequestUser, serviceAccountUser, userOf } from "../fairness/matching/request-user.ts";
import type { Agent, AgentClient, AgentInformer, EvidenceConflict } from "./agent.ts";
import { agentIdOf } from "./agent-identity.ts";
import { type AgentWorkload, INFORMERS_ANNOTATION } from "./agent-workload.ts";
import type { CatalogueEntry } from "./catalogue/catalogue-entry.ts";
import { type CatalogueMatch, matchContainer } from "./catalogue/match-catalogue.ts";
import { compareEvidence, type Evidence } from "./evidence.ts";
import { compareAgentVersions, parseImageReference, versionOfTag } from "./image-reference.ts";
import { compareInformers, subjectOf } from "./informer-text.ts";
import { parseInformersAnnotation } from "./informers-annotation.ts";
import { type EvidenceLayer, mergeLayers } from "./merge-layers.ts";
import type { RbacBound } from "./rbac/rbac-bound.ts";
import { findForbidden, informersOfBound } from "./rbac/rbac-informers.ts";
import { informersOfSamples, type SampledRequest } from "./sampled-reads.ts";

/** What an audit log says of one agent. */
export interface MeasuredReads {
  readonly informers: readonly AgentInformer[];
  /** `null`: not told by the user agent. */
  readonly client: AgentClient | null;
  readonly userAgent: string | null;
  /** Version of the agent at that time; `null`: not known. */
  readonly agentVersion: string | null;
  /** True where the log covers the start of a copy, so that what it does not show is not read. */
  readonly isComplete: boolean;
}

/** All that may be known of a workload, each absent where nobody has it. */
export interface EvidenceSources {
  readonly measured?: MeasuredReads | null | undefined;
  /** Samples of any users; those of the agent's user are taken. */
  readonly sampled?: readonly SampledRequest[] | undefined;
  readonly catalogue?: readonly CatalogueEntry[] | undefined;
  readonly rbac?: RbacBound | null | undefined;
  /** Where the roles and bindings come from: `manifests`, `inventory of prod-us-east`. */
  readonly rbacSource?: string | undefined;
}

const NO_LAYER: EvidenceLayer = { informers: [], isKnown: false, isComplete: false, evidence: null };

/**
 * What a workload reads, by the best evidence there is of each resource: an audit log, samples of `dump_requests`, the
 * annotation, the catalogue, and, where nothing else says anything, the bound that RBAC sets. What two of them say
 * differently is kept as a conflict. An annotation that does not parse counts for nothing and is named among the
 * assumptions. Source of the order: evidence grades, see `EVIDENCE_GRADES`.
 */
export function resolveAgent(workload: AgentWorkload, sources: EvidenceSources): Agent {
  const { kind, namespace, name, labels, replicas } = workload;
  const catalogue = sources.catalogue ?? [];
  const matches = workload.containers.flatMap((container) => matchContainer(catalogue, container) ?? []);
  const main = mainImage(workload, matches);
  const version = versionOf(main, labels);
  const user = userOfWorkload(workload, matches);
  const assumptions: string[] = matches.flatMap((match) => match.assumptions);
  const declared = declaredLayer(workload, assumptions);
  const measured = measuredLayer(sources.measured ?? null, version);
  const catalogued = cataloguedLayer(workload, matches);
  const samples = informersOfSamples(sources.sampled ?? [], user?.name ?? "");
  const bounded = boundedLayer(sources);
  const merged = mergeLayers({ measured, samples, declared: declared.layer, catalogued, bounded });
  const informers = merged.informers.toSorted(compareInformers);
  noteUnknownContainers(workload, matches, merged.source, assumptions);
  if (workload.isKeptFromNodes === true && replicas.kind === "per-node" && replicas.count === null) {
    assumptions.push(
      "A nodeSelector or affinity keeps it from some nodes; one copy on every node is assumed.",
    );
  }
  return {
    id: agentIdOf({ kind, namespace, name }),
    kind,
    namespace,
    name,
    userName: user?.name ?? null,
    userGroups: user?.groups ?? [],
    userAgent: sources.measured?.userAgent ?? null,
    image: main,
    version,
    replicas,
    client: clientOf(sources.measured?.client ?? null, declared.client, matches),
    informers,
    isKnown: merged.isKnown,
    conflicts: [...merged.conflicts, ...forbiddenConflicts(informers, sources)],
    labels,
    catalogueIds: [...new Set(matches.map(({ entry }) => entry.id))].sort(),
    assumptions: [...new Set(assumptions)],
  };
}

/** A sidecar that reads nothing tells nothing of the unknown container beside it. */
function cataloguedLayer({ containers }: AgentWorkload, matches: readonly CatalogueMatch[]): EvidenceLayer {
  const informers = matches.flatMap((match) => match.informers);
  const hasAll = matches.length === containers.length && matches.length > 0;
  return {
    informers,
    isKnown: hasAll || informers.length > 0,
    isComplete: hasAll,
    evidence: matches[0]?.client.evidence ?? null,
  };
}

/** The image of the container that reads most by the catalogue, else of the first; `null`: none. */
function mainImage({ containers }: AgentWorkload, matches: readonly CatalogueMatch[]): string | null {
  const most = matches.reduce<CatalogueMatch | null>(
    (best, each) => (best === null || each.informers.length > best.informers.length ? each : best),
    null,
  );
  const named = containers.find(({ name }) => most?.informers.some(({ container }) => container === name));
  return (named ?? containers.find(({ image }) => image !== ""))?.image || null;
}

function versionOf(image: string | null, labels: Readonly<Record<string, string>>): string | null {
  const tag = image === null ? null : (parseImageReference(image)?.tag ?? null);
  const label = labels["app.kubernetes.io/version"] ?? null;
  return versionOfTag(tag) ?? versionOfTag(label);
}

function userOfWorkload(
  { userName, namespace, serviceAccountName }: AgentWorkload,
  matches: readonly CatalogueMatch[],
): RequestUser | null {
  if (userName !== undefined) return userOf(userName);
  if (serviceAccountName !== null) return serviceAccountUser(namespace, serviceAccountName);
  // A static pod has no ServiceAccount: the catalogue may know the user of its kubeconfig.
  const known = matches.find(({ entry }) => entry.userName !== undefined)?.entry.userName;
  return known === undefined ? null : userOf(known);
}

function measuredLayer(measured: MeasuredReads | null, version: string | null): EvidenceLayer {
  if (measured === null) return NO_LAYER;
  const { informers, agentVersion, isComplete } = measured;
  const isOther =
    agentVersion !== null &&
    version !== null &&
    agentVersion !== version &&
    compareAgentVersions(agentVersion, version) !== 0;
  return {
    informers: isOther
      ? informers.map((each) => ({ ...each, evidence: { ...each.evidence, otherVersion: agentVersion } }))
      : informers,
    isKnown: informers.length > 0 || isComplete,
    // What another version left alone, this one may read.
    isComplete: isComplete && !isOther,
    evidence: null,
  };
}

interface DeclaredLayer {
  readonly layer: EvidenceLayer;
  readonly client: AgentClient | null;
}

function declaredLayer(
  { informersAnnotation, declaredIn }: AgentWorkload,
  assumptions: string[],
): DeclaredLayer {
  if (informersAnnotation === null) return { layer: NO_LAYER, client: null };
  const { informers, tellsInformers, client, problems } = parseInformersAnnotation(informersAnnotation);
  const [problem] = problems;
  const where = declaredIn ?? `annotation ${INFORMERS_ANNOTATION}`;
  if (problem !== undefined) {
    assumptions.push(
      `The ${where} is not used: line ${problem.line}, column ${problem.column}: "${problem.found}" found, ${problem.expected} expected.`,
    );
    return { layer: NO_LAYER, client: null };
  }
  const evidence: Evidence = {
    grade: "declared",
    source: where,
    observedAt: null,
    citation: null,
    raisedBy: "An audit log over the start of one copy.",
  };
  return {
    layer: tellsInformers
      ? {
          informers: informers.map((each) => ({ ...each, evidence })),
          isKnown: true,
          isComplete: true,
          evidence,
        }
      : NO_LAYER,
    client: client === null ? null : { ...client, evidence },
  };
}

function boundedLayer({ rbac, rbacSource }: EvidenceSources): EvidenceLayer {
  if (rbac === null || rbac === undefined) return NO_LAYER;
  return {
    informers: informersOfBound(rbac, rbacSource ?? "manifests"),
    // Roles that were not given may grant anything: then nothing found is nothing known.
    isKnown: rbac.grants.length > 0 || rbac.unknownRoles.length === 0,
    isComplete: rbac.unknownRoles.length === 0,
    evidence: null,
  };
}

/** Of the library: the best evidence; where there is none, client-go is assumed and stands among the weakest. */
function clientOf(
  measured: AgentClient | null,
  declared: AgentClient | null,
  matches: readonly CatalogueMatch[],
): AgentClient {
  const fromCatalogue = matches
    .toSorted((a, b) => b.informers.length - a.informers.length)
    .map(({ client }) => client);
  const known = [measured, declared, ...fromCatalogue].filter((each) => each !== null);
  const [best] = known.toSorted((a, b) => compareEvidence(a.evidence, b.evidence));
  return best ?? UNKNOWN_CLIENT;
}

const UNKNOWN_CLIENT: AgentClient = {
  library: "client-go",
  version: null,
  qps: null,
  burst: null,
  acceptsGzip: null,
  evidence: {
    grade: "bounded",
    source: "assumed: most agents use client-go",
    observedAt: null,
    citation: null,
    raisedBy: "The user agent in an audit log, or a client entry in the annotation headroom.dev/informers.",
  },
};

function noteUnknownContainers(
  { containers }: AgentWorkload,
  matches: readonly CatalogueMatch[],
  source: "measured" | "declared" | "catalogued" | "bounded" | null,
  assumptions: string[],
): void {
  if (source !== "catalogued" || matches.length === containers.length) return;
  const known = new Set(matches.map(({ container }) => container));
  for (const { name, image } of containers) {
    if (known.has(name)) continue;
    assumptions.push(
      `Container ${name} (${image || "no image"}) is not in the catalogue: it is taken to read nothing.`,
    );
  }
}

/** Claims that RBAC, where it is known whole, does not allow. */
function forbiddenConflicts(
  informers: readonly AgentInformer[],
  { rbac, rbacSource }: EvidenceSources,
): EvidenceConflict[] {
  if (rbac === null || rbac === undefined || rbac.unknownRoles.length > 0) return [];
  return findForbidden(informers, rbac, rbacSource ?? "manifests").map(({ informer, evidence }) => ({
    subject: subjectOf(informer),
    claims: [
      { says: "is read", evidence: informer.evidence },
      { says: "may not be listed or watched there: 403, which takes seats all the same", evidence },
    ],
  }));
}
