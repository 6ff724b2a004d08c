import { type Figures, formatPosition } from "../../finding.ts";
import { listAt, textAt } from "../../json-value.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";

/** An agent on every node that reads whole collections of the cluster. */
export const listPerNodeClusterwide: Rule = {
  name: "list.per-node-clusterwide",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Every node lists a whole collection of the cluster",
  what: "Looks at DaemonSets whose ServiceAccount may list collections of the whole cluster and whose containers are not told which node they run on, so that they cannot ask for their own node's objects alone. Where an audit log is given, what the account really asked for decides.",
  why: "Objects delivered grow as nodes × objects: when all copies start at once, or lose their watches together, the API server sends the whole collection once per node, and every change of an object goes to every node.",
  fix: "Ask for the node's own objects (fieldSelector spec.nodeName, with the node's name from the downward API), read the kubelet's /pods, or let one central informer or proxy serve the nodes.",
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

/** What an account asked for in the audit log. */
interface Asked {
  lists: number;
  /** `resource.group` of LISTs over all namespaces without a selector of the node. */
  readonly clusterWide: Set<string>;
}

/** Resources kept per account: more of them say no more. */
const RESOURCES_KEPT = 50;

function begin(facts: ScanFacts): StreamObserver {
  const candidates = facts.objects.ofKind("DaemonSet").flatMap((daemonSet) => {
    const account = `${daemonSet.namespace ?? "default"}/${serviceAccountOf(daemonSet)}`;
    const may = facts.clusterWideLists?.find(({ serviceAccount }) => serviceAccount === account);
    return may === undefined ? [] : [{ daemonSet, account, resources: may.resources }];
  });
  const asked = new Map<string, Asked>(
    candidates.map(({ account }) => [userNameOf(account), { lists: 0, clusterWide: new Set() }]),
  );
  return {
    auditEvent: ({ userName, verb, objectRef, requestUri }) => {
      const known = asked.get(userName);
      if (known === undefined || verb !== "list" || objectRef === null) return;
      known.lists++;
      const isOwnNode = /[?&](?:fieldSelector=[^&]*(?:spec\.nodeName|metadata\.name)(?:%3D|=))/.test(
        requestUri,
      );
      if (objectRef.namespace !== "" || isOwnNode || known.clusterWide.size >= RESOURCES_KEPT) return;
      const { resource, apiGroup } = objectRef;
      known.clusterWide.add(apiGroup === "" ? resource : `${resource}.${apiGroup}`);
    },
    finish: () => ({
      findings: candidates.flatMap(({ daemonSet, account, resources }): readonly RuleFinding[] => {
        const seen = asked.get(userNameOf(account));
        // Somebody watched it at work: RBAC alone is no evidence against that.
        if (seen !== undefined && seen.lists > 0) return [];
        if (!daemonSet.isWhole || knowsItsNode(daemonSet)) return [];
        return [describeAgent(daemonSet, resources, facts)];
      }),
    }),
  };
}

function describeAgent(
  daemonSet: ScannedObject,
  resources: readonly string[],
  facts: ScanFacts,
): RuleFinding {
  const { position } = daemonSet;
  const names = resources.includes("*") ? "everything" : resources.join(", ");
  const { nodes } = facts.cluster;
  const figures: Figures = { nodes, resources: [...resources] };
  return {
    subject: subjectOf(daemonSet),
    message: `Every copy may list ${names} of the whole cluster, and no container is told the name of its node.`,
    evidence: { grade: "bounded", source: formatPosition(position), observedAt: null },
    figures,
    position,
  };
}

const userNameOf = (account: string) => `system:serviceaccount:${account.replace("/", ":")}`;

const serviceAccountOf = ({ body }: ScannedObject) =>
  textAt(body, "spec", "template", "spec", "serviceAccountName") || "default";

/** True where the downward API hands some container the name of its node. */
function knowsItsNode({ body }: ScannedObject): boolean {
  const containers = [
    ...listAt(body, "spec", "template", "spec", "containers"),
    ...listAt(body, "spec", "template", "spec", "initContainers"),
  ];
  return containers
    .flatMap((container) => listAt(container, "env"))
    .some((variable) => textAt(variable, "valueFrom", "fieldRef", "fieldPath") === "spec.nodeName");
}
