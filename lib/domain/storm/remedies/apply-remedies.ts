import type { StormInput } from "../storm-input.ts";
import { ownLevel } from "./own-level.ts";
import {
  backOff,
  maxSurge,
  maxUnavailable,
  minReadySeconds,
  onDelete,
  startJitter,
} from "./pace-remedies.ts";
import {
  endpointSlices,
  inNamespace,
  kubeletPods,
  labelSelector,
  metadataOnly,
  nodeSelector,
  paging,
  watchList,
} from "./read-remedies.ts";
import type { RemedyAnswer, RemedySpec, RemedyText } from "./remedy.ts";
import { nodeProxy, sharedReads } from "./share-remedies.ts";

/** One remedy. Pure; an input to which it does not apply is left alone, with the reason. */
export function applyRemedy(input: StormInput, spec: RemedySpec): RemedyAnswer {
  switch (spec.name) {
    case "node-selector":
      return nodeSelector(input);
    case "namespace":
      return inNamespace(input, spec);
    case "label-selector":
      return labelSelector(input, spec);
    case "metadata-only":
      return metadataOnly(input);
    case "endpoint-slices":
      return endpointSlices(input);
    case "kubelet-pods":
      return kubeletPods(input);
    case "paging":
      return paging(input, spec);
    case "watch-list":
      return watchList(input);
    case "shared-reads":
      return sharedReads(input, spec);
    case "node-proxy":
      return nodeProxy(input);
    case "start-jitter":
      return startJitter(input, spec);
    case "back-off":
      return backOff(input, spec);
    case "max-unavailable":
      return maxUnavailable(input, spec);
    case "max-surge":
      return maxSurge(input, spec);
    case "min-ready-seconds":
      return minReadySeconds(input, spec);
    case "on-delete":
      return onDelete(input, spec);
    case "own-level":
      return ownLevel(input, spec);
  }
}

/** Several, one after the other, each on what the one before left. The first that does not apply ends it with its reason. */
export function applyRemedies(input: StormInput, specs: readonly RemedySpec[]): RemedyAnswer {
  let changed = input;
  const assumptions: string[] = [];
  for (const spec of specs) {
    const answer = applyRemedy(changed, spec);
    if (!answer.isApplicable)
      return { isApplicable: false, reason: `${describeRemedy(spec).title}: ${answer.reason}` };
    changed = answer.input;
    assumptions.push(...answer.assumptions);
  }
  return { isApplicable: true, input: changed, assumptions };
}

/** What a remedy is called, what it costs, and who has to change what. */
export function describeRemedy(spec: RemedySpec): RemedyText {
  switch (spec.name) {
    case "node-selector":
      return {
        title: "spec.nodeName field selector",
        costs: "A copy sees only its own node; the price in seats stays, since APF ignores selectors.",
        effort: "agent-line",
      };
    case "namespace":
      return {
        title: `one namespace${spec.namespace === null ? "" : ` (${spec.namespace})`}`,
        costs: "A copy sees one namespace; the price in seats stays, since all namespaces are counted.",
        effort: "agent-line",
      };
    case "label-selector":
      return {
        title: "label selector",
        costs: "Objects must bear the label; the API server still looks at each, and the seats stay.",
        effort: "agent-line",
      };
    case "metadata-only":
      return {
        title: "metadata only",
        costs: "Spec and status are lost; the API server still reads whole objects, and the seats stay.",
        effort: "agent-source",
      };
    case "endpoint-slices":
      return {
        title: "EndpointSlices instead of pods",
        costs: "Addresses and readiness are all that is left, and only of pods behind Services.",
        effort: "agent-source",
      };
    case "kubelet-pods":
      return {
        title: "kubelet /pods",
        costs: "A copy needs access to the kubelet API of its node, polls it, and sees only that node.",
        effort: "agent-source",
      };
    case "paging":
      return {
        title: `pages of ${spec.pageSize} (resourceVersion unset)`,
        costs: "Each start costs a request a page, dearer per object, and a page may expire on the way.",
        effort: "agent-line",
      };
    case "watch-list":
      return {
        title: "WatchList",
        costs:
          "As many bytes at the same seats, never compressed, and no deadline; it needs client-go 0.35 or the gate.",
        effort: "agent-line",
      };
    case "shared-reads":
      return {
        title: `one reader for ${spec.copiesPerReader} copies`,
        costs: "Readers have to be run and be there first; the copies see what is as old as their reader.",
        effort: "agent-design",
      };
    case "node-proxy":
      return {
        title: "node-local proxy",
        costs: "One more process on each node, on which all agents there depend.",
        effort: "agent-design",
      };
    case "start-jitter":
      return {
        title: `jitter of ${spec.seconds} s at start`,
        costs: `A copy has its state up to ${spec.seconds} s later at every start.`,
        effort: "agent-line",
      };
    case "back-off":
      return {
        title: `back-off of ${spec.baseSeconds} to ${spec.capSeconds} s`,
        costs: "A copy that was rejected has its state later; what it asks for stays as dear.",
        effort: "agent-line",
      };
    case "max-unavailable":
      return {
        title: `maxUnavailable ${spec.limit}`,
        costs:
          "The update takes longer; old pods that are not Available are replaced outside it all the same.",
        effort: "rollout",
      };
    case "max-surge":
      return {
        title: `maxSurge ${spec.limit}`,
        costs: "Two copies run on a node for a while: ports of the host and memory must allow that.",
        effort: "rollout",
      };
    case "min-ready-seconds":
      return {
        title: `minReadySeconds ${spec.seconds}`,
        costs: "The update takes longer by that for every pod of a node's turn.",
        effort: "rollout",
      };
    case "on-delete":
      return {
        title: `OnDelete, ${spec.batchSize} every ${spec.intervalSeconds} s`,
        costs: "Somebody has to delete the pods, and a pod that is lost meanwhile comes back new.",
        effort: "rollout",
      };
    case "own-level":
      return {
        title: "FlowSchema and level of its own",
        costs: "The agent itself waits and is rejected more; cores, link and memory are shared as before.",
        effort: "cluster",
      };
  }
}
