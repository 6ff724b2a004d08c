import type { StormMeasurement } from "./measure-storm.ts";
import type { StormPrediction } from "./predict-storm.ts";

/** One figure of a storm as predicted and as measured. */
export interface ComparedFigure {
  readonly what: string;
  readonly predicted: number;
  readonly measured: number;
  /** (predicted − measured) ÷ measured; `null` where nothing was measured to be off from. */
  readonly errorRatio: number | null;
}

/** How a storm ended, in the words that both sides have. */
export type StormEnding = "drained" | "collapse" | "not-drained";

/** A storm that is cut while its LISTs are aborted at the deadline is what the simulation calls a collapse. */
export function endingOf({ storm }: StormMeasurement): StormEnding {
  if (storm.outcome.drained) return "drained";
  return storm.cutByDeadline > 0 ? "collapse" : "not-drained";
}

export function predictedEnding(
  { outcome, drainSeconds }: StormPrediction,
  limitSeconds: number,
): StormEnding {
  if (outcome === "collapse") return "collapse";
  return outcome === "drained" && drainSeconds.p50 <= limitSeconds ? "drained" : "not-drained";
}

export function compareStorm(measurement: StormMeasurement, prediction: StormPrediction): ComparedFigure[] {
  const { storm } = measurement;
  const figure = (what: string, predicted: number, measured: number): ComparedFigure => ({
    what,
    predicted,
    measured,
    errorRatio: measured === 0 ? null : (predicted - measured) / measured,
  });
  const isDrained = storm.outcome.drained && Number.isFinite(prediction.drainSeconds.p50);
  return [
    ...(isDrained
      ? [figure("time to drain, s", prediction.drainSeconds.p50, storm.outcome.drainSeconds)]
      : []),
    figure("most seats", prediction.seatsMax, storm.seatsMax),
    figure("most waiting", prediction.waitingMax, storm.waitingMax),
    figure("cut by the deadline", prediction.timeouts, storm.cutByDeadline),
    ...["queue-full", "time-out", "concurrency-limit"]
      .map((reason) =>
        figure(`rejected: ${reason}`, prediction.rejected[reason] ?? 0, storm.rejected[reason] ?? 0),
      )
      .filter(({ predicted, measured }) => predicted > 0 || measured > 0),
  ];
}
