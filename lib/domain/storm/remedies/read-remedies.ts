import { isNamespacedByDefault } from "../../cost/serving.ts";
import { clientGoRules } from "../../informers/client-go.ts";
import { isGateEnabled } from "../../kubernetes/feature-gates.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import type { StormInformer, StormInput } from "../storm-input.ts";
import {
  applied,
  changeInformers,
  isPerNode,
  isPods,
  isWide,
  matchingOf,
  notApplicable,
  type RemedyAnswer,
} from "./remedy.ts";

/** Remedies that change what a copy asks for. */

const NODE_FIELDS: Readonly<Record<string, string>> = {
  pods: "spec.nodeName=$(NODE_NAME)",
  nodes: "metadata.name=$(NODE_NAME)",
};

export function nodeSelector(input: StormInput): RemedyAnswer {
  const objectsPerNode = (informer: StormInformer) =>
    informer.resource === "nodes"
      ? 1
      : (input.cluster.collections.find((one) => isPods(one))?.objectsPerNode ?? 0);
  const changed = changeInformers(input, (informer, agent) => {
    const field = informer.apiGroup === "" ? NODE_FIELDS[informer.resource] : undefined;
    if (field === undefined || !isPerNode(agent) || informer.fieldSelector !== "") return informer;
    if (informer.scope !== "cluster") return informer;
    return {
      ...informer,
      scope: "own-node",
      fieldSelector: field,
      matchingObjects: Math.min(matchingOf(informer, input), objectsPerNode(informer)),
    };
  });
  if (changed !== null) return applied(changed);
  if (!input.agents.some(isPerNode))
    return notApplicable("Its copies do not run one on each node: no node selects what a copy needs.");
  return notApplicable("No copy reads the pods or nodes of the whole cluster.");
}

export function inNamespace(
  input: StormInput,
  { namespace, objectsRatio }: { readonly namespace: string | null; readonly objectsRatio: number },
): RemedyAnswer {
  const changed = changeInformers(input, (informer, agent) => {
    const { apiGroup, resource, scope } = informer;
    const name = namespace ?? agent.namespace;
    if (scope !== "cluster" || name === "" || !isNamespacedByDefault(apiGroup, resource)) return informer;
    return {
      ...informer,
      scope: "namespace",
      namespace: name,
      matchingObjects: Math.ceil(objectsRatio * matchingOf(informer, input)),
    };
  });
  if (changed === null)
    return notApplicable("No copy reads a namespaced resource in all namespaces, or no namespace is named.");
  return applied(changed, [`The namespace is taken to hold ${percent(objectsRatio)} of the objects.`]);
}

export function labelSelector(
  input: StormInput,
  { objectsRatio }: { readonly objectsRatio: number },
): RemedyAnswer {
  const changed = changeInformers(input, (informer) => {
    if (informer.labelSelector !== "" || (informer.scope !== "cluster" && informer.scope !== "namespace"))
      return informer;
    return {
      ...informer,
      labelSelector: "headroom.dev/selected=true",
      matchingObjects: Math.ceil(objectsRatio * matchingOf(informer, input)),
    };
  });
  if (changed === null)
    return notApplicable("All that its copies read is narrowed to labels, a node or an object already.");
  return applied(changed, [`The labels are taken to select ${percent(objectsRatio)} of the objects.`]);
}

export function metadataOnly(input: StormInput): RemedyAnswer {
  const changed = changeInformers(input, (informer) =>
    informer.representation.startsWith("metadata-")
      ? informer
      : { ...informer, representation: "metadata-protobuf" },
  );
  return changed === null
    ? notApplicable("Its copies read nothing, or metadata only already.")
    : applied(changed);
}

export function endpointSlices(input: StormInput): RemedyAnswer {
  const slices = input.cluster.collections.find(
    ({ apiGroup, resource }) => apiGroup === "discovery.k8s.io" && resource === "endpointslices",
  );
  if (slices === undefined) return notApplicable("How many EndpointSlices the cluster has is not known.");
  const changed = changeInformers(input, (informer) =>
    isPods(informer) && isWide(informer)
      ? {
          ...informer,
          apiGroup: "discovery.k8s.io",
          resource: "endpointslices",
          matchingObjects: null,
        }
      : informer,
  );
  return changed === null ? notApplicable("No copy reads the pods of the whole cluster.") : applied(changed);
}

export function kubeletPods(input: StormInput): RemedyAnswer {
  if (!input.agents.some(isPerNode))
    return notApplicable(
      "Its copies do not run one on each node: there is no kubelet that knows their pods.",
    );
  const changed = changeInformers(input, (informer, agent) =>
    isPods(informer) && isPerNode(agent) ? null : informer,
  );
  return changed === null ? notApplicable("Its copies read no pods.") : applied(changed);
}

export function paging(input: StormInput, { pageSize }: { readonly pageSize: number }): RemedyAnswer {
  const changed = changeInformers(input, (informer) => {
    const { mode, resourceVersion, watchList } = informer;
    if (mode === "watch" || informer.scope === "single-object") return informer;
    if (resourceVersion === "" && informer.pageSize === pageSize && !watchList) return informer;
    return { ...informer, resourceVersion: "", pageSize, watchList: false };
  });
  return changed === null
    ? notApplicable("Its copies ask for nothing, or in such pages already.")
    : applied(changed);
}

/** The first client-go that has it on. */
const WATCH_LIST_CLIENT = "0.35";

export function watchList(input: StormInput): RemedyAnswer {
  const { kubernetesVersion, featureGates } = input.cluster;
  const version = ruleVersion(kubernetesVersion);
  if (!isGateEnabled("WatchList", version, featureGates)) {
    return notApplicable(
      `The API servers of ${kubernetesVersion} have WatchList off: a client that asks for it falls back to LIST.`,
    );
  }
  const changed = changeInformers(input, (informer, { client }) => {
    if (informer.mode !== "informer") return informer;
    const hasIt = informer.watchList && clientGoRules(client.clientGoVersion).hasWatchList;
    return hasIt ? informer : { ...informer, watchList: true };
  });
  const reads = input.agents.some(({ informers }) => informers.some(({ mode }) => mode === "informer"));
  if (!reads) return notApplicable("Its copies have no informers.");
  // An older client knows the option but not the request.
  const agents = (changed ?? input).agents.map((agent) =>
    clientGoRules(agent.client.clientGoVersion).hasWatchList
      ? agent
      : { ...agent, client: { ...agent.client, clientGoVersion: WATCH_LIST_CLIENT } },
  );
  if (changed === null && agents.every((agent, index) => agent === input.agents[index]))
    return notApplicable("Its informers ask for WatchList already.");
  return applied({ ...(changed ?? input), agents });
}

const percent = (ratio: number) => `${Math.round(1000 * ratio) / 10} %`;
