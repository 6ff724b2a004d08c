import type { NodeCount } from "@/lib/domain/storm/solvers/forecast-nodes";
import { type LargestInvisible, largestInvisible } from "@/lib/domain/storm/solvers/largest-invisible";
import { type VerdictForecast, verdictForecast } from "@/lib/domain/storm/solvers/verdict-forecast";
import type { StormInput } from "@/lib/domain/storm/storm-input";

/** How many copies may start at once unseen, and at how many nodes the verdict changes. */
export interface ForecastTask {
  readonly input: StormInput;
  readonly points: readonly NodeCount[];
  /** Most numbers that are simulated for each of the two. */
  readonly budget: number;
}

export type ForecastMessage =
  | { readonly kind: "largest"; readonly largest: LargestInvisible }
  | { readonly kind: "forecast"; readonly forecast: VerdictForecast }
  | { readonly kind: "failed"; readonly message: string };

const say = (message: ForecastMessage) => globalThis.postMessage(message);

globalThis.onmessage = ({ data: { input, points, budget } }: MessageEvent<ForecastTask>) => {
  try {
    say({ kind: "largest", largest: largestInvisible(input, "share", { budget }) });
    say({ kind: "forecast", forecast: verdictForecast(input, points, { budget }) });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
};
