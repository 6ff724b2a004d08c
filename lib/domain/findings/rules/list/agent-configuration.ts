import { listAt, textAt, valueAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { NodeAgent } from "./node-agents.ts";

/** What an agent's own configuration says that it reads of the whole cluster. */
export interface ConfiguredReads {
  /** `pods`, `replicasets.apps`: read by every copy without a filter that the API server knows. */
  readonly clusterWide: readonly string[];
  /** Read of the copy's own node alone. */
  readonly ownNode: readonly string[];
  /** Where that is said, for people. */
  readonly source: string;
}

const NOTHING: ConfiguredReads = { clusterWide: [], ownNode: [], source: "" };

/**
 * What the configuration of an agent tells, for service discovery of Prometheus, Alloy and their kin and for the
 * k8sattributes processor of OpenTelemetry collectors. Relabelling is no filter: it drops targets that were read already.
 * Source: prometheus discovery/kubernetes (v3.0), grafana/alloy discovery.kubernetes (v1.5),
 * opentelemetry-collector-contrib processor/k8sattributesprocessor (v0.115).
 */
export function readConfiguration(agent: NodeAgent, facts: ScanFacts): ConfiguredReads {
  const texts = configurationTexts(agent, facts);
  const found = texts.map(({ text, source }) => readText(text, source)).filter((each) => each !== null);
  if (found.length === 0) return NOTHING;
  const clusterWide = new Set(found.flatMap((each) => each.clusterWide));
  return {
    clusterWide: [...clusterWide].sort(),
    ownNode: [...new Set(found.flatMap((each) => each.ownNode))]
      .filter((each) => !clusterWide.has(each))
      .sort(),
    source: found.map(({ source }) => source).join(", "),
  };
}

interface ConfigurationText {
  readonly text: string;
  readonly source: string;
}

/** ConfigMaps that the pod mounts; where it mounts none, those of its namespace that carry its name. */
function configurationTexts(
  { daemonSet, namespace }: NodeAgent,
  facts: ScanFacts,
): readonly ConfigurationText[] {
  const podSpec = valueAt(daemonSet.body, "spec", "template", "spec");
  const mounted = new Set(
    listAt(podSpec, "volumes").flatMap((volume) => [
      textAt(volume, "configMap", "name"),
      ...listAt(volume, "projected", "sources").map((source) => textAt(source, "configMap", "name")),
    ]),
  );
  mounted.delete(null);
  const configMaps = facts.objects
    .ofKind("ConfigMap")
    .filter((each) => (each.namespace ?? "default") === namespace)
    .filter(({ name }) =>
      mounted.size > 0 ? mounted.has(name) : name === daemonSet.name || name.startsWith(`${daemonSet.name}-`),
    );
  const containers = listAt(podSpec, "containers");
  const inArguments = containers.flatMap((container) =>
    [...listAt(container, "command"), ...listAt(container, "args")].filter(
      (each) => typeof each === "string",
    ),
  );
  return [
    ...configMaps.flatMap(({ body, name }) =>
      Object.entries((valueAt(body, "data") ?? {}) as Readonly<Record<string, unknown>>).flatMap(
        ([key, text]) =>
          typeof text === "string" ? [{ text, source: `ConfigMap ${namespace}/${name} ${key}` }] : [],
      ),
    ),
    ...(inArguments.length === 0 ? [] : [{ text: inArguments.join("\n"), source: "its arguments" }]),
  ];
}

/** Longer texts are no configuration that a person wrote. */
const TEXT_LIMIT = 1_000_000;

function readText(text: string, source: string): ConfiguredReads | null {
  if (text.length > TEXT_LIMIT) return null;
  const found = [...readAlloy(text), ...readServiceDiscovery(text), ...readAttributesProcessor(text)];
  if (found.length === 0) return null;
  const clusterWide = found.filter(({ isOwnNode }) => !isOwnNode).map(({ resource }) => resource);
  return {
    clusterWide,
    ownNode: found.filter(({ isOwnNode }) => isOwnNode).map(({ resource }) => resource),
    source,
  };
}

interface ConfiguredRead {
  readonly resource: string;
  readonly isOwnNode: boolean;
}

/** What each role of Kubernetes service discovery reads. */
const ROLE_RESOURCES: Readonly<Record<string, readonly string[]>> = {
  pod: ["pods"],
  service: ["services"],
  node: ["nodes"],
  endpoints: ["endpoints", "services", "pods"],
  endpointslice: ["endpointslices.discovery.k8s.io", "services", "pods"],
  ingress: ["ingresses.networking.k8s.io"],
};

const NODE_SELECTOR = /field\s*[:=]\s*["']?[^\n]*(?:spec\.nodeName|metadata\.name)\s*=/;

function readsOfRole(role: string, block: string): readonly ConfiguredRead[] {
  const isOwnNode = NODE_SELECTOR.test(block);
  // Namespaces narrow it to what they hold.
  if (/(?:^|\n)\s*namespaces\s*[:{][^}]*?names\s*[:=]\s*(?:\[[^\]\s]|\n\s*-)/.test(block)) return [];
  return (ROLE_RESOURCES[role] ?? []).map((resource) => ({
    resource,
    isOwnNode: isOwnNode && (resource === "pods" || resource === "nodes"),
  }));
}

/** `discovery.kubernetes "name" { role = "pod" … }` */
function readAlloy(text: string): readonly ConfiguredRead[] {
  return [...text.matchAll(/discovery\.kubernetes\s+"[^"\n]*"\s*\{/g)].flatMap((match) => {
    const block = blockFrom(text, (match.index ?? 0) + match[0].length);
    const role = /(?:^|\n)\s*role\s*=\s*"(\w+)"/.exec(`\n${block}`)?.[1] ?? "";
    return readsOfRole(role, block);
  });
}

/** From behind an opening bracket to the one that closes it. */
function blockFrom(text: string, start: number): string {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
}

/** `kubernetes_sd_configs:` with `- role: pod`, in YAML: the entries stand deeper than, or as deep as, the key. */
function readServiceDiscovery(text: string): readonly ConfiguredRead[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const key = /^(\s*)(?:- )?kubernetes_sd_configs:\s*(\[.*)?$/.exec(line);
    if (key === null) return [];
    const indent = key[1]?.length ?? 0;
    const block: string[] = [key[2] ?? ""];
    for (const next of lines.slice(at + 1)) {
      if (next.trim() === "") continue;
      const depth = next.length - next.trimStart().length;
      if (depth < indent || (depth === indent && !next.trimStart().startsWith("- "))) break;
      block.push(next);
    }
    return entriesOf(block).flatMap((entry) =>
      readsOfRole(/\brole:\s*["']?(\w+)/.exec(entry)?.[1] ?? "", entry),
    );
  });
}

/** The entries of a YAML list, by the depth of the first; a list within one line is one entry. */
function entriesOf(block: readonly string[]): readonly string[] {
  const first = block.find((line) => line.trimStart().startsWith("- "));
  if (first === undefined) return [block.join("\n")];
  const start = first.slice(0, first.length - first.trimStart().length + 2);
  const entries: string[][] = [];
  for (const line of block) {
    if (line.startsWith(start)) entries.push([]);
    entries.at(-1)?.push(line);
  }
  return entries.map((lines) => lines.join("\n"));
}

/** The processor watches pods, filtered by node where it is told which; owners and namespaces it watches in whole. */
function readAttributesProcessor(text: string): readonly ConfiguredRead[] {
  if (!/(?:^|\n)\s*k8s_?attributes(?:\/[\w-]+)?:/.test(text)) return [];
  const isFiltered = /\bnode_from_env_var:\s*\S|\bfilter:[^\n]*\n(?:\s+[^\n]*\n)*?\s+node:\s*\S/.test(text);
  const wantsOwners =
    /k8s\.deployment\.(?:name|uid)/.test(text) && !/deployment_name_from_replicaset:\s*true/.test(text);
  const wantsNamespaces = /from:\s*["']?namespace\b|k8s\.namespace\.(?:labels|annotations)/.test(text);
  const isOfNamespace = /\bfilter:[^\n]*\n(?:\s+[^\n]*\n)*?\s+namespace:\s*\S/.test(text);
  if (isOfNamespace) return [];
  return [
    { resource: "pods", isOwnNode: isFiltered },
    ...(wantsOwners ? [{ resource: "replicasets.apps", isOwnNode: false }] : []),
    ...(wantsNamespaces ? [{ resource: "namespaces", isOwnNode: false }] : []),
  ];
}

/** Whether some container is told the node it runs on, by the downward API. */
export function knowsItsNode({ daemonSet }: NodeAgent): boolean {
  const podSpec = valueAt(daemonSet.body, "spec", "template", "spec");
  return [...listAt(podSpec, "containers"), ...listAt(podSpec, "initContainers")]
    .flatMap((container) => listAt(container, "env"))
    .some((variable) => textAt(variable, "valueFrom", "fieldRef", "fieldPath") === "spec.nodeName");
}
