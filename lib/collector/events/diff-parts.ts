import type { ClusterEvent } from "../../domain/clusters/event.ts";
import { formatDuration } from "../../format/duration.ts";
import { type ChangeBaseline, findAgents, type ReadParts, WORKLOAD_KINDS } from "./change-baseline.ts";
import { diffAgents } from "./diff-agents.ts";
import { diffConfiguration } from "./diff-configuration.ts";
import { diffRejections } from "./diff-rejections.ts";
import { diffGates, diffVersion } from "./diff-version.ts";
import { diffNames, groupChanges, type NamedChange } from "./group-changes.ts";

/** What one pass changed. */
export interface Changes {
  readonly events: readonly ClusterEvent[];
  /** To measure the next pass against. */
  readonly baseline: ChangeBaseline;
}

export interface DiffInput {
  readonly baseline: ChangeBaseline;
  /** Parts that this pass read, wholly or in part. */
  readonly parts: ReadParts;
  /** Lists of the inventory that this pass did not read (`daemonsets`). */
  readonly notReadLists: ReadonlySet<string>;
  readonly at: number;
}

/**
 * Events of one pass. A list that was not read says nothing, and is compared with what it held before when it is read
 * again; the first reading of anything is no change.
 */
export function diffParts(input: DiffInput): Changes {
  const { baseline, parts, at } = input;
  const { version, servers, inventory, fairness } = parts;
  const events: ClusterEvent[] = [];
  let next = baseline;
  const serverNames = new Map(
    [...baseline.servers.values(), ...(servers?.servers ?? [])].map(({ id, name }) => [id, name]),
  );
  const nameOf = (serverId: string) => serverNames.get(serverId) ?? serverId;

  if (version !== undefined) {
    const readVersions = new Map(
      version.servers.map((each) => [each.serverId, { gitVersion: each.gitVersion, gates: each.gates }]),
    );
    events.push(...diffVersion(baseline.versions, readVersions, { at, nameOf }));
    events.push(...diffGates(baseline.versions, readVersions, { at, nameOf }));
    next = { ...next, versions: mergeVersions(baseline.versions, readVersions) };
  }
  if (servers !== undefined) {
    events.push(...diffRestarts(baseline, servers.servers, at));
    next = { ...next, servers: new Map(servers.servers.map((server) => [server.id, server])) };
  }
  if (inventory !== undefined) {
    const nodes = inventory.nodes?.total ?? null;
    const nodeEvent = diffNodeCount(baseline.nodes, nodes, at);
    if (nodeEvent !== null) events.push(nodeEvent);
    const saysNodes = nodes !== null && (baseline.nodes === null || nodeEvent !== null);
    next = { ...next, nodes: saysNodes ? nodes : baseline.nodes };

    const agents = new Map(baseline.agents);
    for (const kind of WORKLOAD_KINDS) {
      if (input.notReadLists.has(`${kind.toLowerCase()}s`)) continue;
      const after = findAgents(inventory, kind);
      if (after === null) continue;
      const before = baseline.agents.get(kind);
      if (before !== undefined) events.push(...diffAgents(before, after, at));
      agents.set(kind, after);
    }
    next = { ...next, agents };

    if (inventory.apiServices !== null) {
      const after = new Set(inventory.apiServices.map(({ name }) => name));
      events.push(...diffApiServices(baseline.apiServices, after, inventory.apiServices, at));
      next = { ...next, apiServices: after };
    }
    if (inventory.customResourceDefinitions !== null) {
      const after = new Set(inventory.customResourceDefinitions);
      events.push(...diffCustomResourceDefinitions(baseline.customResourceDefinitions, after, at));
      next = { ...next, customResourceDefinitions: after };
    }
  }
  if (fairness !== undefined) {
    const configuration = diffConfiguration(baseline, fairness, at);
    events.push(...configuration.events);
    const rejections = diffRejections(baseline.rejections, fairness.servers, { at, nameOf });
    events.push(...rejections.events);
    next = { ...next, ...configuration.baseline, rejections: rejections.open };
  }
  return { events, baseline: next };
}

/**
 * Whether a change of the node count is worth an event: at least 5 nodes and 1 % of what was said last, or at least
 * 10 % (small clusters). Autoscaling by a few nodes says nothing until it adds up.
 */
export function isNodeCountChange(before: number, after: number): boolean {
  const change = Math.abs(after - before);
  if (change === 0) return false;
  return change >= Math.max(5, before * 0.01) || change >= before * 0.1;
}

function diffNodeCount(before: number | null, after: number | null, at: number): ClusterEvent | null {
  if (before === null || after === null || !isNodeCountChange(before, after)) return null;
  const change = after - before;
  const percent = before === 0 ? null : Math.round((change / before) * 100);
  // A loss of a tenth of a cluster of some size is rarely meant.
  const isLoss = change <= -5 && change <= -0.1 * before;
  return {
    kind: "node-count-changed",
    severity: isLoss ? "warning" : "info",
    at,
    subject: "nodes",
    lead: `${after.toLocaleString("en-US")} nodes`,
    text: `were ${before.toLocaleString("en-US")} (${change > 0 ? "+" : "−"}${Math.abs(change).toLocaleString("en-US")}${percent === null || percent === 0 ? "" : `, ${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`}).`,
    before: String(before),
    after: String(after),
  };
}

/** A later start time of the same server. Less than 6 s is a clock that was set. */
function diffRestarts(
  baseline: ChangeBaseline,
  servers: readonly { readonly id: string; readonly name: string; readonly processStartAt: number | null }[],
  at: number,
): readonly ClusterEvent[] {
  const changes = servers.flatMap(({ id, name, processStartAt }): NamedChange[] => {
    const before = baseline.servers.get(id)?.processStartAt ?? null;
    if (before === null || processStartAt === null || processStartAt - before < 6000) return [];
    return [
      {
        subject: name,
        lead: `${name} restarted`,
        text: `${describeRun(processStartAt - before)}. Every informer connected to it lists again.`,
        before: isoSecond(before),
        after: isoSecond(processStartAt),
      },
    ];
  });
  return groupChanges(
    { kind: "api-server-restarted", severity: "warning", at, many: "API servers restarted" },
    changes,
  );
}

function diffApiServices(
  before: ReadonlySet<string> | null,
  after: ReadonlySet<string>,
  services: readonly { readonly name: string; readonly service: string | null }[],
  at: number,
): readonly ClusterEvent[] {
  if (before === null) return [];
  const { added, removed } = diffNames(before, after);
  const serviceOf = new Map(services.map(({ name, service }) => [name, service]));
  return [
    ...groupChanges(
      { kind: "api-service-added", severity: "info", at, many: "APIServices added" },
      added.map((name) => {
        const service = serviceOf.get(name) ?? null;
        return {
          subject: name,
          lead: `APIService ${name} added`,
          text: service === null ? "served by the API server itself." : `served by Service ${service}.`,
          before: null,
          after: service ?? "local",
        };
      }),
    ),
    ...groupChanges(
      { kind: "api-service-removed", severity: "info", at, many: "APIServices removed" },
      removed.map((name) => ({
        subject: name,
        lead: `APIService ${name} removed`,
        text: "clients of this API get 404 from now on.",
        before: name,
        after: null,
      })),
    ),
  ];
}

function diffCustomResourceDefinitions(
  before: ReadonlySet<string> | null,
  after: ReadonlySet<string>,
  at: number,
): readonly ClusterEvent[] {
  if (before === null) return [];
  const { added, removed } = diffNames(before, after);
  return [
    ...groupChanges(
      { kind: "crd-added", severity: "info", at, many: "CustomResourceDefinitions added" },
      added.map((name) => ({
        subject: name,
        lead: `CustomResourceDefinition ${name} added`,
        text: `the cluster has ${after.size} now.`,
        before: null,
        after: name,
      })),
    ),
    ...groupChanges(
      { kind: "crd-removed", severity: "info", at, many: "CustomResourceDefinitions removed" },
      removed.map((name) => ({
        subject: name,
        lead: `CustomResourceDefinition ${name} removed`,
        text: `its objects went with it; the cluster has ${after.size} left.`,
        before: name,
        after: null,
      })),
    ),
  ];
}

/** Servers that were not read this time keep what was known of them, gates that were not read as well. */
function mergeVersions(
  before: ChangeBaseline["versions"],
  after: ChangeBaseline["versions"],
): ChangeBaseline["versions"] {
  const merged = new Map(before);
  for (const [serverId, each] of after) {
    merged.set(serverId, { ...each, gates: each.gates ?? before.get(serverId)?.gates ?? null });
  }
  return merged;
}

/** How long it had run: at most from one start to the next, since when it ended is not known. */
function describeRun(betweenStartsMs: number): string {
  return `after a run of at most ${formatDuration(betweenStartsMs / 1000)}`;
}

function isoSecond(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
