/**
 * `npm run bench:storm [-- --only PART --repeat N --out FILE]`: runs the storms of the test bed's list against real API
 * servers, predicts each from single requests before it, and prints what was predicted, what happened, and how far apart
 * they are. One line of JSON a storm goes to FILE. It wants the machine for itself.
 */
import { appendFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { compareStorm, endingOf, predictedEnding } from "../../e2e/testbed/storm/compare-storm.ts";
import { measureSingles, measureStorm, startStormBed } from "../../e2e/testbed/storm/measure-storm.ts";
import { predictStorm } from "../../e2e/testbed/storm/predict-storm.ts";
import type { StormCase } from "../../e2e/testbed/storm/storm-case.ts";
import { STORMS } from "../../e2e/testbed/storm/storms.ts";
import { median, percentile } from "./support/figure.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    repeat: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
const repeat = Number(values.repeat);
const chosen = STORMS.filter(({ id }) => id.includes(values.only));
if (chosen.length === 0 || !Number.isInteger(repeat) || repeat < 1) {
  console.error(`--only: a part of one of ${STORMS.map(({ id }) => id).join(", ")}; --repeat: 1 or more`);
  process.exit(2);
}

const drainErrors: number[] = [];
const spreads: number[] = [];
let wrongEndings = 0;
console.log(
  `${"storm".padEnd(38)} ${"figure".padEnd(26)} ${"predicted".padStart(10)} ${"measured".padStart(10)} ${"error".padStart(8)}`,
);
for (const group of groupsOf(chosen)) {
  const [first] = group;
  if (first === undefined) continue;
  await using bed = await startStormBed(first.version, first.inflight);
  for (const stormCase of group) {
    const drains: number[] = [];
    for (let round = 0; round < repeat; round++) {
      const measurement = await measureStorm(bed, stormCase, (resource) =>
        measureSingles(bed, resource, { gzip: stormCase.gzip, watchList: stormCase.watchList }),
      );
      const prediction = predictStorm(measurement);
      const figures = compareStorm(measurement, prediction);
      const ending = endingOf(measurement);
      const foreseen = predictedEnding(prediction, stormCase.limitSeconds);
      if (ending !== foreseen) wrongEndings++;
      console.log(
        `${stormCase.id.padEnd(38)} ${"ending".padEnd(26)} ${foreseen.padStart(10)} ${ending.padStart(10)}`,
      );
      for (const { what, predicted, measured, errorRatio } of figures) {
        const error = errorRatio === null ? "" : `${(100 * errorRatio).toFixed(1)} %`;
        console.log(
          `${"".padEnd(38)} ${what.padEnd(26)} ${number(predicted)} ${number(measured)} ${error.padStart(8)}`,
        );
        if (what.startsWith("time to drain") && errorRatio !== null) drainErrors.push(Math.abs(errorRatio));
      }
      if (measurement.storm.outcome.drained) drains.push(measurement.storm.outcome.drainSeconds);
      if (values.out !== undefined) {
        const line = { measurement, prediction, load: loadavg()[0] };
        appendFileSync(values.out, `${JSON.stringify(line)}\n`);
      }
    }
    if (drains.length > 1) spreads.push(deviationRatio(drains));
  }
}
const within = (limit: number) =>
  `${drainErrors.filter((error) => error <= limit).length} of ${drainErrors.length}`;
if (drainErrors.length > 0) {
  console.log(
    `time to drain: median error ${(100 * median(drainErrors)).toFixed(1)} % (aim 8 %), p90 ${(100 * percentile(drainErrors, 0.9)).toFixed(1)} %, within 15 %: ${within(0.15)}, within 30 %: ${within(0.3)}`,
  );
}
console.log(`endings not foreseen: ${wrongEndings}`);
if (spreads.length > 0) {
  console.log(
    `the same storm repeated: ${(100 * median(spreads)).toFixed(1)} % (1 sd) of the time to drain, ${repeat} rounds each`,
  );
}

/** Storms that one server can serve, one after the other. */
function groupsOf(storms: readonly StormCase[]): StormCase[][] {
  return [...Map.groupBy(storms, ({ version, inflight }) => JSON.stringify([version, inflight])).values()];
}

function number(value: number): string {
  return (value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1)).padStart(10);
}

function deviationRatio(sample: readonly number[]): number {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1);
  return Math.sqrt(variance) / mean;
}
