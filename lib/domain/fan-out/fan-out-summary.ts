import type { Agent } from "../agents/agent.ts";
import type { AgentCost } from "../agents/cost/agent-cost.ts";
import { compareText } from "../clusters/finding.ts";
import type { VerdictName } from "../storm/verdict.ts";
import type { AgentProjection } from "./agent-projection.ts";

/** One agent as the fleet and other clusters need it. */
export interface AgentSummary {
  readonly id: string;
  /** `observability/node-telemetry`, `kubelet`. */
  readonly title: string;
  readonly version: string | null;
  readonly verdict: VerdictName;
  /** What the simulated figures alone say; `null`: it was not simulated. */
  readonly simulated: VerdictName | null;
  readonly copies: number | null;
  /** Median over the seeds; `null`: it does not drain, or was not simulated. */
  readonly drainSeconds: number | null;
  /** Seeds in which it does not drain. */
  readonly undrained: number;
  /** In answers to all copies, before compression; `null`: not known. */
  readonly bytes: number | null;
  readonly seats: number | null;
}

/** The latest projection of a cluster in small. */
export interface FanOutSummary {
  /** When it was computed, milliseconds since the epoch. */
  readonly at: number;
  readonly nodes: number | null;
  /** Worst first. */
  readonly agents: readonly AgentSummary[];
}

export interface FanOutRisk {
  readonly severity: "error" | "warning" | "ok" | "unknown";
  /** Agents with the verdict that decided: unsafe ones, else visible ones. */
  readonly findings: number;
  /** The worst agent where there is trouble. */
  readonly worst: AgentSummary | null;
}

const AGENTS_MAX = 100;

/** `observability/node-telemetry`; the name alone for what lives in no namespace. */
export const titleOfAgent = ({ namespace, name }: Pick<Agent, "namespace" | "name">): string =>
  namespace === null ? name : `${namespace}/${name}`;

export function summariseFanOut(input: {
  readonly at: number;
  readonly nodes: number | null;
  readonly agents: readonly Agent[];
  readonly costs: ReadonlyMap<string, AgentCost>;
  readonly projections: ReadonlyMap<string, AgentProjection>;
}): FanOutSummary {
  const { at, nodes, agents, costs, projections } = input;
  const summaries = agents.map((agent): AgentSummary => {
    const cost = costs.get(agent.id);
    const projection = projections.get(agent.id);
    return {
      id: agent.id,
      title: titleOfAgent(agent),
      version: agent.version,
      verdict: projection?.verdict ?? "inconclusive",
      simulated: projection?.simulated ?? null,
      copies: cost?.copies ?? null,
      drainSeconds: projection?.drainSeconds?.p50 ?? null,
      undrained: projection?.undrained ?? 0,
      bytes: cost?.total?.receivedBytes.value ?? null,
      seats: cost?.total?.seats.value ?? null,
    };
  });
  return { at, nodes, agents: summaries.sort(compareAgents).slice(0, AGENTS_MAX) };
}

/** Order of verdicts, worst first; what is not known stands above what is harmless. */
export const VERDICT_ORDER: readonly VerdictName[] = ["unsafe", "visible", "inconclusive", "invisible"];

interface RankedAgent {
  readonly verdict: VerdictName;
  readonly undrained: number;
  readonly bytes: number | null;
  readonly title: string;
}

/** Worst verdict first; of one verdict what does not drain, then the most bytes, then the name. */
export function compareAgents(a: RankedAgent, b: RankedAgent): number {
  return (
    VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict) ||
    Number(b.undrained > 0) - Number(a.undrained > 0) ||
    (b.bytes ?? -1) - (a.bytes ?? -1) ||
    compareText(a.title, b.title)
  );
}

/**
 * What a cluster's agents come to. `null`: it was never projected. Where nothing is sure and a simulation is worse than
 * harmless, it is unknown; an agent of which only a bound is known, or nothing, decides nothing else.
 */
export function assessFanOut(summary: FanOutSummary | null): FanOutRisk {
  if (summary === null) return { severity: "unknown", findings: 0, worst: null };
  const of = (verdict: VerdictName) => summary.agents.filter((agent) => agent.verdict === verdict);
  const unsafe = of("unsafe");
  if (unsafe.length > 0) return { severity: "error", findings: unsafe.length, worst: unsafe[0] ?? null };
  const visible = of("visible");
  if (visible.length > 0) return { severity: "warning", findings: visible.length, worst: visible[0] ?? null };
  const unsure = of("inconclusive").filter(
    ({ simulated }) => simulated === "unsafe" || simulated === "visible",
  );
  if (unsure.length > 0) return { severity: "unknown", findings: unsure.length, worst: unsure[0] ?? null };
  return { severity: "ok", findings: 0, worst: null };
}
