/** Who talks to an API server: identity, what it reads by which evidence, and what all its copies cost. */
export {
  AGENT_KINDS,
  type Agent,
  type AgentClient,
  type AgentInformer,
  type AgentKind,
  type EvidenceConflict,
  type InformerScope,
  REPRESENTATIONS,
  type ReadMode,
  type Replicas,
  type Representation,
} from "./agent.ts";
export {
  type AgentIdentity,
  type AgentOnCluster,
  agentIdOf,
  type FleetAgent,
  groupFleetAgents,
  identityOfUser,
} from "./agent-identity.ts";
export {
  type AgentContainer,
  type AgentVariable,
  type AgentWorkload,
  INFORMERS_ANNOTATION,
} from "./agent-workload.ts";
export {
  agentsOfCluster,
  agentsOfManifests,
  type ClusterAgentsQuestion,
  type FindMeasured,
} from "./agents-of.ts";
export {
  assessEvidence,
  EVIDENCE_MAX_AGE_DAYS,
  type EvidenceAssessment,
  type EvidenceDoubt,
  type EvidenceDoubtReason,
} from "./assess-evidence.ts";
export { AGENT_CATALOGUE, extendCatalogue } from "./catalogue/catalogue.ts";
export {
  CATALOGUE_CATEGORIES,
  type CatalogueCategory,
  type CatalogueCitation,
  type CatalogueCondition,
  type CatalogueEntry,
  type CatalogueRead,
  type CatalogueVersion,
} from "./catalogue/catalogue-entry.ts";
export { type CatalogueMatch, matchContainer, matchEntry, rangeText } from "./catalogue/match-catalogue.ts";
export { matchImage } from "./catalogue/match-image.ts";
export { type AgentCost, costOfAgent, type LevelDemand, sumStarts, timesStart } from "./cost/agent-cost.ts";
export { type Amount, addAmounts, timesAmount } from "./cost/amount.ts";
export {
  agentAtNodes,
  costAtNodes,
  elasticityOf,
  factsAtNodes,
  type NodeElasticity,
  STATED_ELASTICITIES,
} from "./cost/at-nodes.ts";
export { type ResolvedClient, resolveClient } from "./cost/informer-client.ts";
export type { FlowShare, InformerCost, PricedStartRequest, StartCost } from "./cost/informer-cost.ts";
export type { MemoryCost } from "./cost/memory-cost.ts";
export { type ObjectBytes, objectBytes, storedObjectBytes } from "./cost/object-bytes.ts";
export { type LevelCapacity, type Projection, projectCluster } from "./cost/projection.ts";
export { type StartRequest, startRequests } from "./cost/start-requests.ts";
export type { SteadyCost, WidenedWrite } from "./cost/steady-cost.ts";
export {
  compareEvidence,
  EVIDENCE_GRADES,
  type Evidence,
  type EvidenceGrade,
  weakestGrade,
} from "./evidence.ts";
export {
  compareAgentVersions,
  type ImageReference,
  parseImageReference,
  versionOfTag,
} from "./image-reference.ts";
export { compareInformers, describeInformer, OWN_NODE, ownNodeField, subjectOf } from "./informer-text.ts";
export {
  type AnnotationProblem,
  type DeclaredClient,
  type DeclaredInformer,
  type ParsedAnnotation,
  parseInformersAnnotation,
} from "./informers-annotation.ts";
export { workloadsOfInventory } from "./inventory-workloads.ts";
export type { ManifestProblem } from "./manifests/fields.ts";
export { type ManifestAgents, readManifests } from "./manifests/read-manifests.ts";
export { kubeletAgent, type NodeClientFacts } from "./node-clients.ts";
export {
  type RbacBound,
  type RbacGrant,
  rbacBound,
  rbacBoundOfInventory,
  type ServiceAccountName,
} from "./rbac/rbac-bound.ts";
export type { RbacObjects } from "./rbac/rbac-objects.ts";
export { type EvidenceSources, type MeasuredReads, resolveAgent } from "./resolve-agent.ts";
export { informersOfSamples, type SampledRequest } from "./sampled-reads.ts";
