import { CLUSTER_RULE_NAMES, type ClusterRuleName } from "../../../clusters/rule-names.ts";
import { ALL_VERSIONS, type Rule, type RuleDescription, type RuleSource } from "../../rule.ts";

type Described = Omit<RuleDescription, "name" | "versions">;

const PRIORITY_AND_FAIRNESS: RuleSource = {
  text: "Kubernetes, API Priority and Fairness",
  url: "https://kubernetes.io/docs/concepts/cluster-administration/flow-control/",
};
const OWN = (text: string): readonly RuleSource[] => [{ text: `Headroom: ${text}`, url: null }];

/** What the collector and the pages find over time. A name without a description does not compile. */
const DESCRIBED: Readonly<Record<ClusterRuleName, Described>> = {
  "collector.insecure-tls": {
    severity: "warning",
    title: "The certificate of the API server is not checked",
    what: "Reports a cluster whose kubeconfig sets insecure-skip-tls-verify.",
    why: "Whoever sits between Headroom and the API server can read the credential and change every figure that is shown.",
    fix: "Put the CA into the kubeconfig (certificate-authority-data) and take insecure-skip-tls-verify out.",
    sources: [
      {
        text: "Kubernetes, Organizing Cluster Access Using kubeconfig Files",
        url: "https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/",
      },
    ],
  },
  "collector.part-not-read": {
    severity: "warning",
    title: "A part of the cluster could not be read, or not whole",
    what: "Reports each part (version, servers, sizes, fairness, inventory) whose latest attempt failed, was skipped or is missing something, with what is missing and the cause.",
    why: "Figures that rest on that part are old or absent, and rules that need them stay silent.",
    fix: "Grant the permission that is named; where the budget was the cause, raise it in headroom.yaml; where the API server was, look there.",
    sources: OWN("permissions it asks for, under Settings → Clusters"),
  },
  "collector.servers-not-read": {
    severity: "warning",
    title: "Not every API server is read",
    what: "Compares the API servers that gave a metrics page with how many there are by their identity Leases or EndpointSlices.",
    why: "Seats, limits and rejections of an API server that is not read are not known; the one that is missing may be the one in trouble.",
    fix: "Let Headroom reach each API server by its own address, or raise the budget so that it meets every one behind the shared address.",
    sources: [
      {
        text: "Kubernetes, Lease-based API server identity",
        url: "https://kubernetes.io/docs/concepts/architecture/leases/",
      },
    ],
  },
  "collector.servers-not-told-apart": {
    severity: "info",
    title: "How many API servers there are is not known",
    what: "Reports a cluster in which neither the identity Leases nor the EndpointSlices of default/kubernetes can be read.",
    why: "Another API server may stand behind the same address, unseen.",
    fix: "Grant get and list of Leases in kube-system, or of EndpointSlices in default, as the ClusterRole under Settings → Clusters does.",
    sources: [
      {
        text: "Kubernetes, Lease-based API server identity",
        url: "https://kubernetes.io/docs/concepts/architecture/leases/",
      },
    ],
  },
  "collector.sizes-unknown": {
    severity: "info",
    title: "Counts or sizes of resources are not known",
    what: "Reports resources whose number of objects or stored bytes the API server publishes as unknown (−1), or not at all.",
    why: "The API server does not know them either and prices their LISTs by what it assumes, which is shown in their place.",
    fix: "Usually nothing: they come back within minutes of the API server's start, or when an object changes.",
    sources: [
      {
        text: "kubernetes/apiserver pkg/util/flowcontrol/request/list_work_estimator.go, v1.34",
        url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/util/flowcontrol/request/list_work_estimator.go",
      },
    ],
  },
  "collector.stored-value-unreadable": {
    severity: "warning",
    title: "A stored part cannot be read",
    what: "Reports a part whose value in the store does not have the shape that this release reads.",
    why: "What was known of that part is not shown until it is read anew; other parts are not affected.",
    fix: "Wait for the next pass over the part, which replaces it. If it comes back, check the store with `headroom db check`.",
    sources: OWN("the store, `headroom db check`"),
  },
  "collector.unreachable": {
    severity: "error",
    title: "The cluster does not answer",
    what: "Reports a cluster of which no API server answers, from the first failed attempt on.",
    why: "Nothing newer than the last known good figures is known; what happens there now is not seen.",
    fix: "Follow the cause that the finding names: address, certificate, credential, network, or an API server that is down.",
    sources: OWN("the collector, how an outage is told from a part that fails"),
  },
  "fairness.crowded": {
    severity: "warning",
    title: "A priority level is crowded, or rejected lately",
    what: "Reports a priority level on one API server whose requests wait while at least 90 % of its current limit is in use, or that rejected within the last hour.",
    why: "The next burst of this level waits or is refused; clients with few retries give up.",
    fix: "Find the flow that takes the seats on the fairness page; narrow its LISTs or give it a FlowSchema and a priority level of its own.",
    sources: [PRIORITY_AND_FAIRNESS],
  },
  "fairness.rejecting": {
    severity: "error",
    title: "A priority level rejects requests",
    what: "Reports a priority level on one API server whose count of rejected requests grows.",
    why: "Clients of this level get 429 and must retry; those that do not lose the request, and controllers fall behind.",
    fix: "Find the flow that takes the seats on the fairness page and slow it down; then narrow its LISTs or give it a priority level of its own.",
    sources: [PRIORITY_AND_FAIRNESS],
  },
  "fan-out.unsafe": {
    severity: "error",
    title: "An agent is unsafe to start everywhere at once",
    what: "Simulates a start of all copies of each agent within 2 s, over several seeds, on the counts, sizes, seats and steady load of the cluster; reports an agent that never drains, drains later than 60 s after the last start, has LISTs aborted at their deadline, or makes others wait longer than 5 s or be rejected.",
    why: "A rollout that goes wrong, a node pool that comes back or a restart of the API servers starts all copies at once: then everybody who shares the priority level waits or is refused, and the API servers may not come out of it by themselves.",
    fix: "Narrow what each copy reads (its own node, metadata only, EndpointSlices), spread its starts, or give it a FlowSchema and a priority level of its own; until then roll it out in batches.",
    sources: OWN("the verdict rule under the table of agents, on the fan-out page of a cluster"),
  },
  "fan-out.visible": {
    severity: "warning",
    title: "A start of all copies of an agent would be noticed",
    what: "As fan-out.unsafe: reports an agent whose own requests are rejected or wait longer than 3 s, whose neighbours wait longer than 1 s at p99, or which fills a link by more than 80 %.",
    why: "The agent is late, and others feel it for a minute at most; with more nodes or larger objects it becomes unsafe, since what it costs grows with the square of the number of nodes.",
    fix: "Roll it out in stages, and look at the node count at which its drain time passes the queue wait limit.",
    sources: OWN("the verdict rule under the table of agents, on the fan-out page of a cluster"),
  },
};

export const CLUSTER_RULES: readonly Rule[] = CLUSTER_RULE_NAMES.map((name) => ({
  name,
  versions: ALL_VERSIONS,
  ...DESCRIBED[name],
  check: { kind: "collector" },
}));
