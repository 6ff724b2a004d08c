import { readManifests } from "../../../agents/manifests/read-manifests.ts";
import { listAt, numberAt, textAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { ScannedObject } from "../../scanned-object.ts";
import type { NodeAgent } from "./node-agents.ts";

/** What a vendor says of its own agent's fan-out proxy. */
export interface VendorLine {
  readonly agent: string;
  readonly proxy: string;
  readonly warnAboveNodes: number;
  readonly failAboveNodes: number;
  readonly replicasRecommendedMin: number;
  /** False: the proxy runs, and the nodes ask it. */
  readonly isProxyMissing: boolean;
}

/**
 * Calico's agent reads policies, nodes and endpoints of the whole cluster by design; its vendor has Typha for that: of
 * use above 50 nodes, essential above 100, three replicas at least. `null` for another agent, or one that keeps its
 * state in etcd. Source: projectcalico/calico manifests/calico.yaml and calico-typha.yaml at 87c1590.
 */
export function vendorLineOf({ daemonSet, namespace }: NodeAgent, facts: ScanFacts): VendorLine | null {
  if (!mayBeCalico(daemonSet)) return null;
  const configMaps = facts.objects
    .ofKind("ConfigMap")
    .filter((each) => (each.namespace ?? "default") === namespace)
    .map(({ body }) => body);
  const [workload] = readManifests([daemonSet.body, ...configMaps]).workloads;
  const variables = workload?.containers.flatMap((each) => each.variables ?? []) ?? [];
  const variableOf = (name: string) => variables.find((each) => each.name === name)?.value ?? null;
  if (variableOf("DATASTORE_TYPE") !== "kubernetes") return null;
  const names = variables.map(({ name }) => name);
  if (daemonSet.name !== "calico-node" && !names.some((each) => each.startsWith("FELIX_"))) return null;
  const service = variableOf("FELIX_TYPHAK8SSERVICENAME") ?? variableOf("FELIX_TYPHAADDR") ?? "none";
  const typha = facts.objects.find("Deployment", namespace, "calico-typha");
  const isScaledDown = typha !== null && numberAt(typha.body, "spec", "replicas") === 0;
  return {
    agent: "Calico",
    proxy: "Typha",
    warnAboveNodes: 50,
    failAboveNodes: 100,
    replicasRecommendedMin: 3,
    isProxyMissing: service === "" || service === "none" || isScaledDown,
  };
}

/** A look at the names alone, before everything is resolved. */
function mayBeCalico({ body }: ScannedObject): boolean {
  return listAt(body, "spec", "template", "spec", "containers").some((container) =>
    listAt(container, "env").some((variable) => textAt(variable, "name") === "DATASTORE_TYPE"),
  );
}
