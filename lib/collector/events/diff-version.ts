import type { ClusterEvent } from "../../domain/clusters/event.ts";
import type { FeatureGate } from "../../domain/clusters/version-part.ts";
import type { ChangeBaseline } from "./change-baseline.ts";

interface Context {
  readonly at: number;
  readonly nameOf: (serverId: string) => string;
}

/** Gates named in one text; the rest is counted. */
const GATES_NAMED = 6;

/** One event per pair of versions, naming the servers: a rolling upgrade says each step once. */
export function diffVersion(
  before: ChangeBaseline["versions"],
  after: ChangeBaseline["versions"],
  { at, nameOf }: Context,
): readonly ClusterEvent[] {
  const steps = new Map<string, { from: string; to: string; servers: string[] }>();
  for (const [serverId, { gitVersion }] of after) {
    const from = before.get(serverId)?.gitVersion;
    if (from === undefined || from === gitVersion) continue;
    const key = `${from} ${gitVersion}`;
    const step = steps.get(key) ?? { from, to: gitVersion, servers: [] };
    steps.set(key, step);
    step.servers.push(nameOf(serverId));
  }
  return [...steps.values()].map(({ from, to, servers }) => ({
    kind: "version-changed",
    severity: minorOf(from) === minorOf(to) ? "info" : "warning",
    at,
    subject: "version",
    lead: `Kubernetes ${to}`,
    text: `on ${servers.sort().join(", ")} (${servers.length} of ${after.size} API servers read), was ${from}.`,
    before: from,
    after: to,
  }));
}

/** Gates that both readings know and that changed; servers with the same changes share an event. */
export function diffGates(
  before: ChangeBaseline["versions"],
  after: ChangeBaseline["versions"],
  { at, nameOf }: Context,
): readonly ClusterEvent[] {
  const groups = new Map<string, { changed: readonly FeatureGate[]; servers: string[] }>();
  for (const [serverId, { gates }] of after) {
    const old = before.get(serverId)?.gates ?? null;
    if (gates === null || old === null) continue;
    const wasEnabled = new Map(old.map((gate) => [gate.name, gate.enabled]));
    const changed = gates.filter((gate) => {
      const was = wasEnabled.get(gate.name);
      return was !== undefined && was !== gate.enabled;
    });
    if (changed.length === 0) continue;
    const key = changed.map((gate) => `${gate.name}=${gate.enabled}`).join(",");
    const group = groups.get(key) ?? { changed, servers: [] };
    groups.set(key, group);
    group.servers.push(nameOf(serverId));
  }
  return [...groups.values()].map(({ changed, servers }) => {
    const first = changed.slice(0, GATES_NAMED);
    const more = changed.length - first.length;
    const named = first.map((gate) => `${gate.name} ${gate.enabled ? "on" : "off"}`).join(", ");
    return {
      kind: "feature-gates-changed",
      severity: "info",
      at,
      subject: changed.length === 1 ? (changed[0]?.name ?? "feature gates") : "feature gates",
      lead: changed.length === 1 ? `Feature gate ${named}` : `${changed.length} feature gates changed`,
      text: `on ${servers.sort().join(", ")}${changed.length === 1 ? "" : `: ${named}${more > 0 ? ` and ${more} more` : ""}`}.`,
      before: describeGates(first.map((gate) => ({ ...gate, enabled: !gate.enabled }))),
      after: describeGates(first),
    };
  });
}

function describeGates(gates: readonly FeatureGate[]): string {
  return gates.map((gate) => `${gate.name}=${gate.enabled}`).join(", ");
}

function minorOf(gitVersion: string): string {
  return /^v?\d+\.\d+/.exec(gitVersion)?.[0] ?? gitVersion;
}
