import type { LearnedAgent } from "../../domain/agents/learn/learned-agents.ts";
import type { AgentProjection } from "../../domain/fan-out/agent-projection.ts";
import type { FanOutSummary } from "../../domain/fan-out/fan-out-summary.ts";
import type { StoredParts } from "../../domain/fan-out/open-fan-out.ts";

/** What the thread that simulates is asked. */
export interface ProjectionQuestion {
  readonly clusterName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: StoredParts;
  /** What an audit log told of its users. */
  readonly learned: readonly LearnedAgent[];
  readonly now: number;
  /** Of what is stored; `null`: nothing is. */
  readonly previousHash: string | null;
  readonly seeds: readonly number[];
  /** CPU time for seeds after the first of each agent. */
  readonly budgetSeconds: number;
}

/** What it answers. `nothing-known`: workloads were never read. `unchanged`: what is stored still holds. */
export type ProjectionAnswer =
  | { readonly kind: "nothing-known" | "unchanged" }
  | {
      readonly kind: "projected";
      readonly inputsHash: string;
      readonly summary: FanOutSummary;
      readonly projections: readonly AgentProjection[];
      readonly durationSeconds: number;
    }
  | { readonly kind: "failed"; readonly message: string };
