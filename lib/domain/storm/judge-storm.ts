import type { StormDrain, StormNeighbour, StormPeaks, StormTotals } from "./storm-result.ts";
import {
  VERDICT_THRESHOLDS,
  type Verdict,
  type VerdictName,
  type VerdictReason,
  type VerdictReasonName,
} from "./verdict.ts";

/** The figures that a verdict looks at. */
export interface JudgedFigures {
  readonly drain: Pick<StormDrain, "outcome" | "afterLastStartSeconds" | "why">;
  readonly totals: Pick<StormTotals, "rejectedAll" | "neighboursRejected" | "timeouts">;
  /** Highest p99 of the agents' own requests in queues; `null`: none came to one. */
  readonly ownWaitSecondsP99: number | null;
  readonly neighbours: readonly Pick<StormNeighbour, "waitSecondsP99" | "isOwnFlow" | "flowDistinguisher">[];
  readonly linkRatio: number | null;
  readonly memory: Pick<StormPeaks, "memoryBytes" | "memoryLowBytes"> & {
    readonly limitBytes: number | null;
  };
}

const HARM: Readonly<Record<VerdictName, number>> = { unsafe: 0, inconclusive: 1, visible: 2, invisible: 3 };

/**
 * The verdict of one storm. `invisible`: nobody is rejected, neighbours wait at most 1 s at p99, the agents' own requests at
 * most 3 s, the link is used at most 80 %. `visible`: only the agents themselves are rejected, neighbours wait at most
 * 5 s, it drains within 60 s of the last start. `unsafe`: anything worse, or it does not drain. With doubts about the
 * evidence: `inconclusive`, whatever the figures say.
 */
export function judgeStorm(figures: JudgedFigures, doubts: readonly string[] = []): Verdict {
  const found = reasonsOf(figures).sort((a, b) => HARM[a.verdict] - HARM[b.verdict]);
  const worst = found[0]?.verdict ?? "invisible";
  const simulated = worst === "inconclusive" ? "unsafe" : worst;
  if (doubts.length === 0) return { verdict: simulated, reasons: found, simulated };
  const evidence = doubts.map(
    (text): VerdictReason => ({ reason: "evidence", verdict: "inconclusive", text }),
  );
  return { verdict: "inconclusive", reasons: [...evidence, ...found], simulated };
}

function reasonsOf({
  drain,
  totals,
  ownWaitSecondsP99,
  neighbours,
  linkRatio,
  memory,
}: JudgedFigures): VerdictReason[] {
  const reasons: VerdictReason[] = [];
  const add = (reason: VerdictReasonName, verdict: VerdictName, text: string) =>
    reasons.push({ reason, verdict, text });
  const limits = VERDICT_THRESHOLDS;
  if (drain.outcome !== "drained") {
    add(drain.outcome, "unsafe", drain.why ?? "It does not drain.");
  } else if ((drain.afterLastStartSeconds ?? 0) > limits.visibleDrainSeconds) {
    add(
      "drain",
      "unsafe",
      `It drains ${seconds(drain.afterLastStartSeconds)} after the last copy started, more than ${limits.visibleDrainSeconds} s.`,
    );
  }
  if (totals.timeouts > 0)
    add("timeouts", "unsafe", `${totals.timeouts} LISTs are aborted at the request deadline.`);
  if (totals.neighboursRejected > 0)
    add("neighbours-rejected", "unsafe", `${totals.neighboursRejected} requests of others are rejected.`);
  const worst = worstNeighbour(neighbours);
  if (worst !== null && worst.wait > limits.invisibleNeighbourWaitSeconds) {
    const isUnsafe = worst.wait > limits.visibleNeighbourWaitSeconds;
    const threshold = isUnsafe ? limits.visibleNeighbourWaitSeconds : limits.invisibleNeighbourWaitSeconds;
    add(
      "neighbours-wait",
      isUnsafe ? "unsafe" : "visible",
      `${worst.name} waits ${seconds(worst.wait)} at p99, more than ${threshold} s.`,
    );
  }
  if (totals.rejectedAll > 0)
    add("own-rejected", "visible", `${totals.rejectedAll} of its requests are rejected.`);
  if ((ownWaitSecondsP99 ?? 0) > limits.invisibleOwnWaitSeconds) {
    add(
      "own-wait",
      "visible",
      `Its own requests wait ${seconds(ownWaitSecondsP99)} at p99, more than ${limits.invisibleOwnWaitSeconds} s.`,
    );
  }
  if ((linkRatio ?? 0) > limits.invisibleLinkRatio) {
    add(
      "link",
      "visible",
      `It takes ${Math.round(100 * (linkRatio ?? 0))} % of an API server's link, more than ${100 * limits.invisibleLinkRatio} %.`,
    );
  }
  const { limitBytes, memoryBytes, memoryLowBytes } = memory;
  if (limitBytes !== null && memoryBytes > limitBytes) {
    // Over it even at the low end of the band it is sure to end; in between it may.
    add(
      "memory",
      "unsafe",
      `An API server grows to ${gibibytes(memoryBytes)}${memoryLowBytes > limitBytes ? " and more" : ""}, and has ${gibibytes(limitBytes)}.`,
    );
  }
  return reasons;
}

function worstNeighbour(
  neighbours: JudgedFigures["neighbours"],
): { readonly wait: number; readonly name: string } | null {
  let worst: { wait: number; name: string } | null = null;
  for (const { waitSecondsP99, isOwnFlow, flowDistinguisher } of neighbours) {
    if (isOwnFlow || waitSecondsP99 === null || waitSecondsP99 <= (worst?.wait ?? -1)) continue;
    worst = { wait: waitSecondsP99, name: flowDistinguisher === "" ? "A neighbour" : flowDistinguisher };
  }
  return worst;
}

const seconds = (value: number | null) => `${Math.round(10 * (value ?? 0)) / 10} s`;
const gibibytes = (bytes: number) => `${Math.round((10 * bytes) / 2 ** 30) / 10} GiB`;
