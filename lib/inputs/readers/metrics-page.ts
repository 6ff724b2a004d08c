import type { ScannedMetricSample } from "../../domain/findings/index.ts";
import { BodyError, MetricNames } from "../../kube/index.ts";
import { MetricsScanner } from "../../kube/metrics-scanner.ts";
import { InputError } from "../input-problem.ts";

export interface MetricsSummary {
  readonly samples: number;
  readonly malformedLines: number;
  /** True where the last line does not end. */
  readonly isCut: boolean;
}

/**
 * Reads a metrics page as it comes and hands over the samples that are wanted. A page whose last line does not end is
 * read without that line: a cut value looks like a smaller one.
 * @throws InputError where it is no metrics page
 */
export async function readMetricsPage(
  chunks: AsyncIterable<Buffer>,
  names: readonly string[],
  onSample: (sample: ScannedMetricSample) => void,
): Promise<MetricsSummary> {
  let samples = 0;
  const scanner = new MetricsScanner({
    names: new MetricNames(names),
    onSample: (sample) => {
      samples++;
      onSample(sample);
    },
  });
  try {
    for await (const chunk of chunks) scanner.push(chunk);
    const { malformedLines } = scanner.end();
    return { samples, malformedLines, isCut: false };
  } catch (error) {
    if (error instanceof BodyError && error.reason === "truncated") {
      return { samples, malformedLines: 0, isCut: true };
    }
    if (error instanceof BodyError) throw new InputError(`expected a metrics page: ${error.message}`);
    throw error;
  }
}
