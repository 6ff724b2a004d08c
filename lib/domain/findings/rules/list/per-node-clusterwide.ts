import { formatCount } from "../../../cost/format-figures.ts";
import type { Figures, FindingGrade, FindingSeverity } from "../../finding.ts";
import { formatPosition } from "../../finding.ts";
import { accountOfUser, subjectOfClient } from "../../reads/client-subject.ts";
import { nameOfResource, sizeOf } from "../../reads/collection-sizes.ts";
import { isKubelets, ledgerOf, type ReadClient, type ReadLedger } from "../../reads/read-ledger.ts";
import {
  ALL_VERSIONS,
  type Rule,
  type RuleAnswer,
  type RuleFinding,
  type StreamObserver,
} from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { subjectOf } from "../../scanned-object.ts";
import { readsOfAgent } from "./agent-reads.ts";
import { type VendorLine, vendorLineOf } from "./fan-out-proxy.ts";
import { copiesOnNodes, type NodeAgent, nodeAgentsOf } from "./node-agents.ts";
import { copiesSeen } from "./serving-of.ts";

/** An agent on every node that reads whole collections of the cluster. */
export const listPerNodeClusterwide: Rule = {
  name: "list.per-node-clusterwide",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Every node lists a whole collection of the cluster",
  what: "Looks at agents that run on every node and read collections of the whole cluster. What an audit log shows decides; without one the annotation headroom.dev/informers, then the agent's own configuration (service discovery, k8sattributes), then what RBAC lets its ServiceAccount list, less pods and nodes where a container is told its node. An error from 300,000 objects that all copies together receive at their start, a warning from 30,000, nothing below.",
  why: "Objects delivered grow as nodes × objects: when all copies start at once, or lose their watches together, the API server sends the whole collection once per node, and every change of an object goes to every node.",
  fix: "Ask for the node's own objects (fieldSelector spec.nodeName, with the node's name from the downward API), read the kubelet's /pods, or let one central informer or proxy serve the nodes. A relabelling rule is no filter: what it drops was read already.",
  sources: [
    {
      text: "Kubernetes API concepts, efficient detection of changes",
      url: "https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes",
    },
    {
      text: "Public report of the outage of 11 December 2024: API operations whose cost grows with the cluster, from every node",
      url: "https://status.openai.com/incidents/ctrsv3lwd797",
    },
  ],
  check: { kind: "stream", begin },
};

/** About 30 s of one core at 90 µs an object (protobuf, 5 kB): as long as the API server's own probes wait. */
const OBJECTS_ERROR = 300_000;
const OBJECTS_WARNING = 30_000;
/** Pods of a node where nobody has counted them. */
const PODS_PER_NODE = 30;

function begin(facts: ScanFacts): StreamObserver {
  const ledger = ledgerOf(facts);
  return {
    auditEvent: (event) => ledger.take(event),
    finish: () => {
      const agents = nodeAgentsOf(facts);
      const measured = [...ledger.clients.values()].flatMap((client) => checkMeasured(client, facts));
      const unmeasured = agents
        .filter((agent) => !isMeasured(agent, ledger))
        .map((agent) => checkAgent(agent, facts));
      return {
        findings: [...measured, ...unmeasured.flatMap(({ findings }) => findings)],
        undecided: unmeasured.flatMap(({ undecided }) => undecided ?? []),
      };
    },
  };
}

/** Somebody watched it at work: what RBAC allows is no evidence against that. */
function isMeasured({ namespace, accountName }: NodeAgent, { clients }: ReadLedger): boolean {
  const client = clients.get(`system:serviceaccount:${namespace}:${accountName}`);
  return client !== undefined && [...client.shapes.values()].some(({ isList }) => isList);
}

/** kube-proxy serves every Service on every node: that is what it is for. */
const isByDesign = ({ name }: ReadClient) =>
  name === "system:kube-proxy" || accountOfUser(name)?.name === "kube-proxy";

interface ClusterRead {
  readonly resource: string;
  readonly objects: number | null;
  /** LISTs of one copy at its start. */
  readonly listsPerAgent: number;
}

function checkMeasured(client: ReadClient, facts: ScanFacts): readonly RuleFinding[] {
  if (isKubelets(client) || isByDesign(client)) return [];
  const shapes = [...client.shapes.values()].filter(({ scope }) => scope === "cluster");
  const byResource = Map.groupBy(shapes, ({ apiGroup, resource }) => nameOfResource(apiGroup, resource));
  let copies: number | null = null;
  let lists = 0;
  let lastAt: number | null = null;
  let isSelected = true;
  const reads = [...byResource].flatMap(([resource, ofResource]): readonly ClusterRead[] => {
    const [first] = ofResource;
    const seen = new Set(ofResource.flatMap((each) => [...each.copies]));
    const onNodes = first === undefined ? null : copiesOnNodes(client, { copies: seen }, facts);
    if (first === undefined || onNodes === null || onNodes < 2) return [];
    const count = ofResource.filter(({ isList }) => isList).reduce((sum, each) => sum + each.count, 0);
    const agents = copiesSeen(seen.size, facts.cluster.nodes);
    copies = Math.max(copies ?? 0, onNodes);
    lists += count;
    lastAt = Math.max(lastAt ?? 0, ...ofResource.map((each) => each.lastAt ?? 0));
    isSelected &&= ofResource.every(({ hasLabelSelector }) => hasLabelSelector);
    return [
      {
        resource,
        objects:
          sizeOf(facts.cluster, first.apiGroup, first.resource).objects ?? assumedObjects(resource, onNodes),
        listsPerAgent: Math.max(1, agents === 0 ? 1 : count / agents),
      },
    ];
  });
  if (reads.length === 0) return [];
  const seen = new Set(shapes.flatMap((each) => [...each.copies])).size;
  const severity = severityOf(reads, copies, isSelected);
  if (severity === null) return [];
  return [
    {
      subject: subjectOfClient(client.name, seen),
      severity,
      message: `Its copies list ${listed(reads)} of the whole cluster${sumText(reads, copies)}.`,
      evidence: { grade: "measured", source: "audit log", observedAt: lastAt },
      figures: {
        ...figuresOf(reads, copies),
        lists,
        agents: copiesSeen(seen, facts.cluster.nodes),
        listsPerAgent: Math.max(...reads.map(({ listsPerAgent }) => listsPerAgent)),
        objectsPerList: Math.max(...reads.map(({ objects }) => objects ?? 0)) || null,
        objectsTotal: totalOf(reads, copies),
        listsPerFleetRestart: listsPerRestart(client, copies, facts),
      },
    },
  ];
}

/** One LIST of each thing that it listed, or may list where RBAC says it: times the copies. */
function listsPerRestart(client: ReadClient, copies: number | null, facts: ScanFacts): number | null {
  const account = accountOfUser(client.name);
  const listedResources = new Set(
    [...client.shapes.values()]
      .filter(({ isList }) => isList)
      .map(({ apiGroup, resource }) => nameOfResource(apiGroup, resource)),
  );
  const may = facts.clusterWideLists?.find(
    ({ serviceAccount }) => account !== null && serviceAccount === `${account.namespace}/${account.name}`,
  );
  for (const each of may?.resources ?? []) if (!each.includes("*")) listedResources.add(each);
  return copies === null ? null : copies * listedResources.size;
}

function checkAgent(agent: NodeAgent, facts: ScanFacts): RuleAnswer {
  const { daemonSet, copies } = agent;
  const subject = subjectOf(daemonSet);
  const known = readsOfAgent(agent, facts);
  if (known === null) return { findings: [] };
  if (known.kind === "undecided") return { findings: [], undecided: [{ subject, missing: known.missing }] };
  const reads = known.resources.map((resource) => {
    const { apiGroup, plural } = splitName(resource);
    return {
      resource,
      objects:
        sizeOf(facts.cluster, apiGroup, plural).objects ??
        (copies === null ? null : assumedObjects(resource, copies)),
      listsPerAgent: 1,
    };
  });
  if (reads.length === 0) return { findings: [] };
  const vendor = vendorLineOf(agent, facts);
  if (vendor !== null) return { findings: judgeVendor(agent, vendor, reads) };
  const severity = severityOf(reads, copies, known.isGuess);
  if (severity === null) return { findings: [] };
  return {
    findings: [
      {
        subject,
        severity,
        message: `Every copy ${known.verb} ${listed(reads)} of the whole cluster${sumText(reads, copies)}${known.because}.`,
        evidence: {
          grade: known.grade,
          source: known.source ?? formatPosition(daemonSet.position),
          observedAt: null,
        },
        figures: figuresOf(reads, copies),
        position: daemonSet.position,
      },
    ],
  };
}

function judgeVendor(
  { daemonSet, copies }: NodeAgent,
  vendor: VendorLine,
  reads: readonly ClusterRead[],
): readonly RuleFinding[] {
  const { warnAboveNodes, failAboveNodes, replicasRecommendedMin, proxy, agent } = vendor;
  if (!vendor.isProxyMissing || copies === null || copies <= warnAboveNodes) return [];
  const grade: FindingGrade = "declared";
  return [
    {
      subject: subjectOf(daemonSet),
      severity: copies > failAboveNodes ? "error" : "warning",
      message: `${agent} reads ${listed(reads)} of the whole cluster from each of ${formatCount(copies)} nodes, and no ${proxy} stands between: its vendor advises one above ${warnAboveNodes} nodes and calls it essential above ${failAboveNodes}.`,
      fix: `Run ${proxy} with at least ${replicasRecommendedMin} replicas and name its Service to the agent (FELIX_TYPHAK8SSERVICENAME).`,
      evidence: { grade, source: formatPosition(daemonSet.position), observedAt: null },
      figures: {
        ...figuresOf(reads, copies),
        vendorWarnAbove: warnAboveNodes,
        vendorFailAbove: failAboveNodes,
        replicasRecommendedMin,
      },
      position: daemonSet.position,
    },
  ];
}

/** Nodes from which a collection of unknown size is worth a warning. */
const NODES_OF_UNKNOWN_OBJECTS = 50;

/** `null`: too little to be seen. Where neither objects nor copies are known, the worst is taken. */
function severityOf(
  reads: readonly ClusterRead[],
  copies: number | null,
  isGuess: boolean,
): FindingSeverity | null {
  if (copies !== null && copies < 2) return null;
  const total = totalOf(reads, copies) ?? 0;
  const bySize =
    copies === null || total >= OBJECTS_ERROR ? "error" : total >= OBJECTS_WARNING ? "warning" : null;
  const isUnknown = reads.some(({ objects }) => objects === null);
  const severity = bySize ?? (isUnknown && (copies ?? 0) >= NODES_OF_UNKNOWN_OBJECTS ? "warning" : null);
  return severity === "error" && isGuess ? "warning" : severity;
}

const totalOf = (reads: readonly ClusterRead[], copies: number | null): number | null => {
  const known = reads.filter(({ objects }) => objects !== null);
  if (copies === null || known.length === 0) return null;
  return known.reduce((sum, { objects, listsPerAgent }) => sum + (objects ?? 0) * listsPerAgent, 0) * copies;
};

function figuresOf(reads: readonly ClusterRead[], copies: number | null): Figures {
  const total = totalOf(reads, copies);
  const ofPods = reads.find(({ resource }) => resource === "pods");
  const ofReplicaSets = reads.find(({ resource }) => resource === "replicasets.apps");
  const times = (objects: number | null | undefined) =>
    copies === null || objects === null || objects === undefined ? null : objects * copies;
  return {
    nodes: copies,
    resources: reads.map(({ resource }) => resource),
    objectsByResource: Object.fromEntries(reads.map(({ resource, objects }) => [resource, objects])),
    objectsAtFleetStart: total,
    watchEventsPerChange: copies,
    ...(ofPods === undefined
      ? {}
      : { cachedPodObjectsFleet: times(ofPods.objects), watchEventsPerPodChange: copies }),
    ...(ofReplicaSets === undefined ? {} : { cachedReplicasetsFleet: times(ofReplicaSets.objects) }),
  };
}

/** Pods are taken to be 30 a node, nodes as many as there are; nothing is assumed of the rest. */
function assumedObjects(resource: string, nodes: number): number | null {
  if (resource === "pods") return nodes * PODS_PER_NODE;
  return resource === "nodes" ? nodes : null;
}

const listed = (reads: readonly ClusterRead[]) => {
  const names = reads.map(({ resource, objects }) =>
    objects === null ? resource : `${resource} (${formatCount(objects)} objects)`,
  );
  return reads.length === 1 && reads[0]?.resource === "*" ? "everything" : names.join(", ");
};

const sumText = (reads: readonly ClusterRead[], copies: number | null) => {
  const total = totalOf(reads, copies);
  if (copies === null) return "";
  return total === null
    ? ` on ${formatCount(copies)} nodes`
    : `: on ${formatCount(copies)} nodes that is ${formatCount(total)} objects when all copies start`;
};

function splitName(name: string): { readonly apiGroup: string; readonly plural: string } {
  const dot = name.indexOf(".");
  return dot < 0
    ? { apiGroup: "", plural: name }
    : { apiGroup: name.slice(dot + 1), plural: name.slice(0, dot) };
}
