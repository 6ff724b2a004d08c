import type { Elsewhere, FanOutAgent, FanOutResponse } from "../../contracts/fan-out.ts";
import type { StoredFanOut } from "../../db/store.ts";
import type { CapacityRow } from "../../domain/fan-out/capacity-rows.ts";
import { VERDICT_THRESHOLDS } from "../../domain/storm/verdict.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatPlural, formatSignificant } from "../../format/number.ts";

export interface NoticeInput {
  /** Worst first. */
  readonly agents: readonly FanOutAgent[];
  readonly capacity: readonly CapacityRow[];
  readonly elsewhere: readonly Elsewhere[];
  readonly clusterName: string;
  /** Whether the workloads were ever read. */
  readonly hasFacts: boolean;
  readonly stored: StoredFanOut | null;
}

/** The worst thing in two sentences; of a cluster where nothing would be noticed that it is so, and by which threshold. */
export function describeNotice(input: NoticeInput): FanOutResponse["notice"] {
  const { agents, hasFacts, stored } = input;
  if (!hasFacts || stored === null) return null;
  const of = (verdict: string) => agents.filter(({ projection }) => projection?.verdict === verdict);
  const unsafe = of("unsafe");
  const visible = of("visible");
  const [worst] = unsafe.length > 0 ? unsafe : visible;
  if (worst === undefined) return describeQuiet(input);
  const word = unsafe.length > 0 ? "unsafe" : "visible";
  return {
    severity: unsafe.length > 0 ? "error" : "warning",
    lead: `${formatPlural(unsafe.length > 0 ? unsafe.length : visible.length, "agent is", "agents are")} ${word}.`,
    text: [describeAgent(worst), describeGrowth(worst, input)].filter(Boolean).join(" "),
    agentId: worst.agent.id,
  };
}

const nameOf = ({ agent }: FanOutAgent) =>
  agent.version === null ? agent.name : `${agent.name} ${agent.version}`;

function describeAgent(worst: FanOutAgent): string {
  const { levels, linkSeconds, projection } = worst;
  const [level] = levels;
  const asks =
    level?.ofCeilingRatio == null
      ? null
      : `asks for ${formatSignificant(level.ofCeilingRatio)} × the seats that ${level.priorityLevelName} can ever borrow`;
  const link =
    linkSeconds === null || linkSeconds < 1
      ? null
      : `needs each API server’s network link for ≈ ${formatDuration(linkSeconds)}`;
  return `${nameOf(worst)} ${[asks, link, drainOf(projection)].filter(Boolean).join(", ")}.`;
}

function drainOf(projection: FanOutAgent["projection"]): string | null {
  if (projection === null) return null;
  if (projection.undrained > 0)
    return projection.collapsed > 0
      ? "collapses and does not drain (simulated)"
      : "does not drain (simulated)";
  return projection.drainSeconds === null
    ? null
    : `drains in ${formatDuration(projection.drainSeconds.p50)} (simulated)`;
}

/** The smallest cluster that runs the same version, where that is much smaller. */
function describeGrowth({ agent, projection }: FanOutAgent, { elsewhere }: NoticeInput): string | null {
  const smallest = elsewhere.find(
    ({ agentId, version, drainSeconds }) =>
      agentId === agent.id && version === agent.version && drainSeconds !== null,
  );
  const here = projection?.drainSeconds?.p50 ?? Number.POSITIVE_INFINITY;
  if (smallest === undefined || smallest.drainSeconds === null || smallest.drainSeconds * 3 > here)
    return null;
  return `On ${smallest.clusterName} with ${formatCount(smallest.nodes)} nodes the same version drains in ${formatDuration(smallest.drainSeconds)} (simulated).`;
}

function describeQuiet({ agents, capacity, clusterName }: NoticeInput): FanOutResponse["notice"] {
  const { invisibleNeighbourWaitSeconds, invisibleOwnWaitSeconds, invisibleLinkRatio } = VERDICT_THRESHOLDS;
  const unsure = agents.filter(
    ({ projection }) => (projection?.verdict ?? "inconclusive") === "inconclusive",
  );
  const doubtful = unsure.filter(
    ({ projection }) => projection?.simulated === "unsafe" || projection?.simulated === "visible",
  );
  if (doubtful.length > 0) {
    return {
      severity: "unknown",
      lead: `Nothing is sure: ${formatPlural(doubtful.length, "agent", "agents")} would be noticed by the figures, on evidence that is too weak.`,
      text: doubtful[0]?.projection?.reasons[0]?.text ?? "",
      agentId: doubtful[0]?.agent.id ?? null,
    };
  }
  const [busiest] = capacity;
  const most =
    busiest?.ofCeilingRatio == null
      ? ""
      : ` All agents together ask for ${formatSignificant(busiest.ofCeilingRatio)} × what ${busiest.priorityLevelName} can borrow.`;
  return {
    severity: "ok",
    lead: `${clusterName}: roll normally.`,
    text: `If all copies of an agent LIST at once, nobody is rejected, neighbours wait at most ${invisibleNeighbourWaitSeconds} s at p99, its own requests at most ${invisibleOwnWaitSeconds} s, and links stay below ${100 * invisibleLinkRatio} %.${most}${
      unsure.length === 0
        ? ""
        : ` ${formatPlural(unsure.length, "agent is", "agents are")} inconclusive: too little is known of what ${unsure.length === 1 ? "it reads" : "they read"}.`
    }`,
    agentId: null,
  };
}
