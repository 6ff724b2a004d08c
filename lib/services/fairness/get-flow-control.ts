import type {
  Account,
  FlowControlResponse,
  MissingObjects,
  PricingServer,
} from "../../contracts/flow-control.ts";
import { compareText } from "../../domain/clusters/finding.ts";
import type { InventoryPart, Workload } from "../../domain/clusters/inventory-part.ts";
import type { PartOutcome } from "../../domain/clusters/part.ts";
import type { ResourceSize, ServerVersion } from "../../domain/clusters/version-part.ts";
import type { FairnessPart } from "../../domain/fairness/fairness-part.ts";
import { SERVER_GATES } from "../../domain/kubernetes/feature-gates.ts";
import { type ClusterPage, loadClusterPage } from "../clusters/load-cluster-page.ts";
import type { ServiceContext } from "../context.ts";

const WORKLOADS_NAMED = 3;
/** Lists of the inventory whose items name a ServiceAccount. */
const WORKLOAD_LISTS: readonly string[] = ["daemonsets", "deployments", "statefulsets"];
const PRICED_GATES: ReadonlySet<string> = new Set(SERVER_GATES);

/** The stored objects that decide where requests go and what they cost. @throws AppError `not-found` */
export async function getFlowControl(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
): Promise<FlowControlResponse> {
  const page = await loadClusterPage(context, clusterId);
  const fairness = page.parts.fairness?.value ?? null;
  const sizes = page.parts.sizes;
  const inventory = page.parts.inventory;
  const flowSchemas = fairness?.flowSchemas ?? null;
  return {
    now: page.frame.now,
    clusterName: page.header.name,
    gitVersion: page.parts.version?.value?.gitVersion ?? null,
    flowSchemas: flowSchemas?.map((each) => ({ ...each, rules: [...each.rules] })) ?? null,
    priorityLevels: fairness?.priorityLevels?.map((each) => ({ ...each })) ?? null,
    configurationReadAt: fairness?.configurationReadAt ?? null,
    configurationApiVersion: fairness?.configurationApiVersion ?? null,
    servers: listServers(page, fairness),
    busiestServerId: page.one.summary?.busiest?.serverId ?? null,
    sizesReadAt: sizes?.valueAt ?? null,
    samples: (sizes?.value?.samples ?? []).flatMap(({ group, resource, jsonBytes }) =>
      jsonBytes === null ? [] : [{ group, resource, jsonBytes }],
    ),
    aggregated: inventory?.value ? listAggregated(inventory.value) : null,
    accounts: inventory?.value ? listAccounts(inventory.value) : null,
    podsTotal: inventory?.value?.pods ?? null,
    accountsReadAt: inventory?.valueAt ?? null,
    accountsNotRead: (inventory?.latest.notRead ?? [])
      .filter(({ what }) => WORKLOAD_LISTS.includes(what))
      .map(({ what, failure }) => ({ what, failure: { ...failure } })),
    missing: listMissing(page),
  };
}

/** What was never read, and what its latest attempt came to. */
function listMissing({ parts }: ClusterPage): MissingObjects[] {
  const { fairness, version, inventory } = parts;
  return [
    ...(fairness?.value?.flowSchemas ? [] : [missing("FlowSchemas", fairness?.latest, "flowschemas")]),
    ...(fairness?.value?.priorityLevels
      ? []
      : [missing("priority levels", fairness?.latest, "prioritylevelconfigurations")]),
    ...(version?.value?.gitVersion ? [] : [missing("version", version?.latest)]),
    ...(inventory?.value ? [] : [missing("workloads", inventory?.latest)]),
  ];
}

function missing(
  what: MissingObjects["what"],
  latest: PartOutcome | undefined,
  list?: string,
): MissingObjects {
  const own = latest?.notRead.find(
    (each) => list !== undefined && each.what.split(", ").includes(list),
  )?.failure;
  // A part that failed as a whole fails all that it reads.
  const failure =
    own ?? (latest?.status === "partial" && list !== undefined ? null : latest?.failure) ?? null;
  return { what, failure: failure && { ...failure } };
}

function listServers(page: ClusterPage, fairness: FairnessPart | null): PricingServer[] {
  const versions = new Map(page.parts.version?.value?.servers.map((each) => [each.serverId, each]));
  const levels = new Map(fairness?.servers.map((each) => [each.serverId, each.levels]));
  const resources = Map.groupBy(page.parts.sizes?.value?.resources ?? [], ({ serverId }) => serverId);
  return page.servers.map(({ id, name, gitVersion }) => {
    const rows = resources.get(id) ?? [];
    return {
      id,
      name,
      gitVersion,
      gates: gatesOf(versions.get(id)),
      nominalSeats: Object.fromEntries(
        (levels.get(id) ?? []).flatMap(({ priorityLevelName, nominalSeats }) =>
          nominalSeats === null ? [] : [[priorityLevelName, nominalSeats]],
        ),
      ),
      countsFrom: countsFrom(rows),
      resources: rows.map(({ group, resource, objects, storedBytes }) => ({
        group,
        resource,
        objects: { ...objects },
        storedBytes: { ...storedBytes },
      })),
    };
  });
}

function gatesOf(version: ServerVersion | undefined): Record<string, boolean> | null {
  const gates = version?.gates ?? null;
  return (
    gates &&
    Object.fromEntries(
      gates.filter(({ name }) => PRICED_GATES.has(name)).map(({ name, enabled }) => [name, enabled]),
    )
  );
}

/** A server that publishes counts publishes all it has; what was counted by LISTs is a choice of ours. */
function countsFrom(rows: readonly ResourceSize[]): PricingServer["countsFrom"] {
  if (rows.length === 0) return null;
  return rows.some(({ objectsSource }) => objectsSource?.startsWith("apiserver_")) ? "metrics" : "lists";
}

/** An APIService is named `version.group`; those of the API server itself have no Service behind them. */
function listAggregated({ apiServices }: InventoryPart): FlowControlResponse["aggregated"] {
  const groups = apiServices?.flatMap(({ name, service }) =>
    service === null ? [] : [[name.slice(name.indexOf(".") + 1), service] as const],
  );
  return groups === undefined ? null : [...new Map(groups)].map(([group, service]) => ({ group, service }));
}

function listAccounts({ workloads }: InventoryPart): Account[] {
  const byAccount = Map.groupBy(workloads, (each) => `${each.namespace}/${each.serviceAccountName}`);
  return [...byAccount.values()].map(toAccount).sort(compareAccounts);
}

function toAccount(workloads: readonly Workload[]): Account {
  const [first] = workloads;
  const largest = workloads.toSorted((a, b) => b.desiredReplicas - a.desiredReplicas);
  return {
    namespace: first?.namespace ?? "",
    name: first?.serviceAccountName ?? "",
    pods: workloads.reduce((sum, { desiredReplicas }) => sum + desiredReplicas, 0),
    workloads: largest.slice(0, WORKLOADS_NAMED).map(({ kind, name }) => `${kind}/${name}`),
    workloadsTotal: workloads.length,
  };
}

const compareAccounts = (a: Account, b: Account) =>
  b.pods - a.pods || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
