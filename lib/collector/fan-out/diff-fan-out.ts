import type { ClusterEvent, Severity } from "../../domain/clusters/event.ts";
import type { AgentSummary, FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import type { VerdictName } from "../../domain/storm/verdict.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount } from "../../format/number.ts";
import { groupChanges, type NamedChange } from "../events/group-changes.ts";

/** Growth from which an agent became dearer, and how much it must come to. */
const DEARER_RATIO = 1.15;
const DEARER_BYTES = 100_000_000;

const SEVERITIES: Readonly<Record<VerdictName, Severity>> = {
  unsafe: "error",
  visible: "warning",
  invisible: "info",
  inconclusive: "info",
};

/** Agents whose verdict changed or that became dearer since the projection before. New agents are told elsewhere. */
export function diffFanOut(before: FanOutSummary | null, after: FanOutSummary): readonly ClusterEvent[] {
  if (before === null) return [];
  const known = new Map(before.agents.map((agent) => [agent.id, agent]));
  const changed: { readonly verdict: VerdictName; readonly change: NamedChange }[] = [];
  const dearer: NamedChange[] = [];
  for (const agent of after.agents) {
    const old = known.get(agent.id);
    if (old === undefined) continue;
    if (old.verdict !== agent.verdict && !isOnlyDoubt(old, agent)) {
      changed.push({ verdict: agent.verdict, change: describeVerdict(old, agent) });
    } else if (isDearer(old, agent)) {
      dearer.push(describeDearer(old, agent));
    }
  }
  const verdicts = Map.groupBy(changed, ({ verdict }) => verdict);
  return [
    ...[...verdicts].flatMap(([verdict, alike]) =>
      groupChanges(
        {
          kind: "agent-verdict-changed",
          severity: SEVERITIES[verdict],
          at: after.at,
          many: `agents are ${verdict} now`,
        },
        alike.map(({ change }) => change),
      ),
    ),
    ...groupChanges(
      { kind: "agent-dearer", severity: "info", at: after.at, many: "agents became dearer" },
      dearer,
    ),
  ];
}

/**
 * The figures say the same as before, and only what they rest on became doubtful or ceased to be: an incident that begins
 * and ends makes no change of each agent.
 */
const isOnlyDoubt = (old: AgentSummary, agent: AgentSummary): boolean =>
  (old.verdict === "inconclusive" || agent.verdict === "inconclusive") &&
  old.simulated !== null &&
  old.simulated === agent.simulated;

function isDearer(old: AgentSummary, agent: AgentSummary): boolean {
  if (old.bytes === null || agent.bytes === null) return false;
  return agent.bytes >= DEARER_BYTES && agent.bytes >= DEARER_RATIO * old.bytes;
}

function describeVerdict(old: AgentSummary, agent: AgentSummary): NamedChange {
  return {
    subject: agent.id,
    lead: `${nameOf(agent)} is ${agent.verdict}.`,
    text: `If all copies LIST at once: ${outcomeOf(agent)}. Before it was ${old.verdict}: ${outcomeOf(old)}.`,
    before: old.verdict,
    after: agent.verdict,
  };
}

function describeDearer(old: AgentSummary, agent: AgentSummary): NamedChange {
  return {
    subject: agent.id,
    lead: `${nameOf(agent)} became dearer.`,
    text: `If all copies LIST at once: ${costOf(agent)}, before ${costOf(old)}. It stays ${agent.verdict}.`,
    before: costOf(old),
    after: costOf(agent),
  };
}

const nameOf = ({ title, version }: AgentSummary) => (version === null ? title : `${title} ${version}`);

function costOf({ bytes, seats, copies }: AgentSummary): string {
  if (bytes === null || copies === null) return "not known";
  const cost = `≈ ${formatBytes(bytes)} for ${formatCount(copies)} ${copies === 1 ? "copy" : "copies"}`;
  return seats === null ? cost : `${cost}, ${formatCount(seats)} seats`;
}

function outcomeOf(agent: AgentSummary): string {
  if (agent.undrained > 0) return `${costOf(agent)}, does not drain (simulated)`;
  if (agent.drainSeconds === null) return costOf(agent);
  return `${costOf(agent)}, drains in ${formatDuration(agent.drainSeconds)} (simulated)`;
}
