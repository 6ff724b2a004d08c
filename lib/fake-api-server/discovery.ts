import { buildInfo, type KubernetesVersion } from "./kubernetes-version.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { type ResourceType, servedVersions } from "./resource-types.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

export interface DiscoveryInput {
  readonly version: KubernetesVersion;
  readonly types: readonly ResourceType[];
  readonly accept: string;
  readonly host: string;
}

/** Answers /version, /api, /apis and the resource list of a group version; `null` for any other path. */
export function discoveryReply(path: string, input: DiscoveryInput): Reply | null {
  const trimmed = path.length > 1 ? path.replace(/\/$/, "") : path;
  if (trimmed === "/version") return jsonReply(buildInfo(input.version));
  if (trimmed === "/api") return aggregated(input, true) ?? jsonReply(coreVersions(input.host));
  if (trimmed === "/apis") return aggregated(input, false) ?? jsonReply(groupList(input));
  const match = /^\/(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(trimmed);
  if (!match) return groupReply(trimmed, input);
  return resourceList(match[2] ?? "", match[1] ?? match[3] ?? "", input);
}

const coreVersions = (host: string) => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: host }],
});

function groupsOf({ types, version }: DiscoveryInput): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const type of types) {
    const versions = groups.get(type.group) ?? [];
    for (const served of servedVersions(type, version.minor))
      if (!versions.includes(served)) versions.push(served);
    if (versions.length > 0) groups.set(type.group, versions);
  }
  return groups;
}

function groupEntry(name: string, versions: readonly string[]) {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function groupList(input: DiscoveryInput) {
  const groups = [...groupsOf(input)].filter(([name]) => name !== "");
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.map(([name, versions]) => groupEntry(name, versions)),
  };
}

function groupReply(path: string, input: DiscoveryInput): Reply | null {
  const name = /^\/apis\/([^/]+)$/.exec(path)?.[1];
  const versions = name === undefined ? undefined : groupsOf(input).get(name);
  if (name === undefined || versions === undefined) return null;
  return jsonReply({ kind: "APIGroup", apiVersion: "v1", ...groupEntry(name, versions) });
}

function resourceList(
  group: string,
  version: string,
  { types, version: { minor } }: DiscoveryInput,
): Reply | null {
  const served = types.filter(
    (type) => type.group === group && servedVersions(type, minor).includes(version),
  );
  if (served.length === 0) return null;
  const resources = served.map((type) => ({
    name: type.resource,
    singularName: type.kind.toLowerCase(),
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: VERBS,
  }));
  const groupVersion = group === "" ? version : `${group}/${version}`;
  return jsonReply({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources });
}

/** One document for all groups, for clients that ask for it: v2beta1 from 1.27, v2 from 1.30. */
function aggregated(input: DiscoveryInput, isCore: boolean): Reply | null {
  const asked = /g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList/.exec(input.accept)?.[1];
  const { minor } = input.version;
  if (asked === undefined || minor < 27 || (asked === "v2" && minor < 30)) return null;
  const items = [...groupsOf(input)]
    .filter(([name]) => (name === "") === isCore)
    .map(([name, versions]) => ({
      metadata: { name, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: input.types
          .filter((type) => type.group === name && servedVersions(type, minor).includes(version))
          .map((type) => ({
            resource: type.resource,
            responseKind: { group: name, version, kind: type.kind },
            scope: type.namespaced ? "Namespaced" : "Cluster",
            singularResource: type.kind.toLowerCase(),
            verbs: VERBS,
          })),
        freshness: "Current",
      })),
    }));
  return jsonReply(
    { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${asked}`, metadata: {}, items },
    200,
    {
      "content-type": `application/json;g=apidiscovery.k8s.io;v=${asked};as=APIGroupDiscoveryList`,
      vary: "Accept",
    },
  );
}
