import type { Representation } from "../agents/agent.ts";
import { baseShare, findCoefficients } from "./engine/request-shape.ts";
import type { ServiceCoefficients, ServiceSource, StormModel } from "./storm-model.ts";

/** One LIST that was measured while little else ran. */
export interface ServiceSample {
  readonly apiGroup: string;
  readonly resource: string;
  readonly representation: Representation;
  readonly source: ServiceSource;
  /** Returned. */
  readonly objects: number;
  /** Of the body, uncompressed. */
  readonly bytes: number;
  /** Work of the API server: its execution time alone on a core, or core-seconds. */
  readonly seconds: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** One resource in one form from one source. */
export interface CalibratedCase {
  readonly apiGroup: string;
  readonly resource: string;
  readonly representation: Representation;
  readonly source: ServiceSource;
  readonly requests: number;
  readonly totalSeconds: number;
  /** Mean service time that was measured, and what the model said before. */
  readonly measuredSeconds: number;
  readonly predictedSeconds: number;
  /** 1 sd of the mean. */
  readonly errorRatio: number;
  /** Enough to be used. */
  readonly isEnough: boolean;
  /** What was done with it, one sentence. */
  readonly text: string;
}

export interface Calibration {
  /** The model with what was measured in front. */
  readonly model: StormModel;
  /** Sorted by group, resource, representation, source. */
  readonly cases: readonly CalibratedCase[];
  /** When the latest sample in use was taken; `null`: none is in use. */
  readonly calibratedAt: number | null;
  /** The largest error among those in use; `null`: none is. */
  readonly errorRatio: number | null;
}

/** The same request varies by a fifth from one time to the next: fewer requests, or less time, say too little. */
export const CALIBRATION_REQUESTS = 20;
export const CALIBRATION_SECONDS = 10;

/** Objects must differ by so much between samples before the base is told from the rest. */
const SPREAD_TO_FIT_BASE = 4;
/** No error below this is believed. */
const ERROR_FLOOR = 0.02;

/**
 * Fits the service time of each resource, representation and source from measured requests: of one size, the model's
 * coefficients are scaled to their mean; of sizes that differ fourfold, base and slope are fitted apart (least squares of
 * relative errors). A case with fewer than 20 requests and under 10 s in all is left as it was, and says so. Samples that
 * are no measurements (not finite, not above 0) are left out.
 */
export function calibrateServiceTime(samples: readonly ServiceSample[], model: StormModel): Calibration {
  const groups = Map.groupBy(samples.filter(isMeasurement), caseKey);
  const fits = [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      return first === undefined ? [] : [fitCase(first, group, model)];
    });
  const used = fits.filter(({ outcome }) => outcome.isEnough);
  const dates = used.map(({ coefficients }) => coefficients.calibratedAt ?? 0);
  return {
    model: { ...model, service: [...used.map(({ coefficients }) => coefficients), ...model.service] },
    cases: fits.map(({ outcome }) => outcome),
    calibratedAt: dates.length === 0 ? null : Math.max(...dates),
    errorRatio: used.length === 0 ? null : Math.max(...used.map(({ outcome }) => outcome.errorRatio)),
  };
}

const isMeasurement = ({ objects, bytes, seconds, at }: ServiceSample): boolean =>
  Number.isFinite(seconds) &&
  seconds > 0 &&
  Number.isFinite(objects) &&
  objects >= 0 &&
  Number.isFinite(bytes) &&
  bytes >= 0 &&
  Number.isFinite(at);

const caseKey = ({ apiGroup, resource, representation, source }: ServiceSample): string =>
  [apiGroup, resource, representation, source].join("\n");

interface Fit {
  readonly outcome: CalibratedCase;
  readonly coefficients: ServiceCoefficients;
}

function fitCase(first: ServiceSample, samples: readonly ServiceSample[], model: StormModel): Fit {
  const { apiGroup, resource, representation, source } = first;
  const before = findCoefficients(model, first, source);
  const { base, slope } = fitLine(samples, before, model);
  const after: ServiceCoefficients = {
    ...before,
    apiGroup,
    resource,
    representation,
    source,
    baseSeconds: base,
    secondsPerObject: before.secondsPerObject * slope,
    secondsPerByte: before.secondsPerByte * slope,
    errorRatio: 0,
    provenance: `measured here: ${samples.length} requests`,
    calibratedAt: Math.max(...samples.map(({ at }) => at)),
  };
  const measuredSeconds = meanOf(samples.map(({ seconds }) => seconds));
  const errors = samples.map((sample) => sample.seconds / predict(sample, after, model) - 1);
  const errorRatio = Math.max(ERROR_FLOOR, deviationOf(errors) / Math.sqrt(samples.length));
  const totalSeconds = samples.reduce((sum, { seconds }) => sum + seconds, 0);
  const isEnough = samples.length >= CALIBRATION_REQUESTS || totalSeconds >= CALIBRATION_SECONDS;
  const outcome: CalibratedCase = {
    apiGroup,
    resource,
    representation,
    source,
    requests: samples.length,
    totalSeconds,
    measuredSeconds,
    predictedSeconds: meanOf(samples.map((sample) => predict(sample, before, model))),
    errorRatio,
    isEnough,
    text: isEnough
      ? `Calibrated from ${samples.length} requests, ± ${Math.round(100 * errorRatio)} %.`
      : `${samples.length} requests in ${Math.round(10 * totalSeconds) / 10} s are too few: ${CALIBRATION_REQUESTS} requests or ${CALIBRATION_SECONDS} s are needed, so it stays as it was (${before.provenance}).`,
  };
  return { outcome, coefficients: { ...after, errorRatio } };
}

interface Line {
  readonly base: number;
  /** Factor on what the model has per object and per byte. */
  readonly slope: number;
}

/** Base and slope where sizes differ enough; else both scaled alike. */
function fitLine(samples: readonly ServiceSample[], before: ServiceCoefficients, model: StormModel): Line {
  const counts = samples.map(({ objects }) => objects);
  const smallest = Math.min(...counts);
  const rates = samples.map((sample) => slopeOf(sample, before));
  if (Math.max(...counts) >= SPREAD_TO_FIT_BASE * Math.max(1, smallest) && rates.some((rate) => rate > 0)) {
    const fitted = leastSquares(samples, rates, model);
    if (fitted !== null) return fitted;
  }
  const measured = meanOf(samples.map(({ seconds }) => Math.max(0, seconds - model.requestSeconds)));
  const modelled = meanOf(samples.map((sample) => predict(sample, before, model) - model.requestSeconds));
  const scale = modelled > 0 ? measured / modelled : 1;
  return { base: before.baseSeconds * scale, slope: scale };
}

/** Minimises Σ ((base + slope × rate) ÷ seconds − 1)²; `null` where the base or the slope would be negative. */
function leastSquares(
  samples: readonly ServiceSample[],
  rates: readonly number[],
  model: StormModel,
): Line | null {
  let aa = 0;
  let ab = 0;
  let bb = 0;
  let a = 0;
  let b = 0;
  for (const [index, { seconds }] of samples.entries()) {
    const one = 1 / seconds;
    const rate = (rates[index] ?? 0) / seconds;
    const rest = 1 - model.requestSeconds / seconds;
    aa += one * one;
    ab += one * rate;
    bb += rate * rate;
    a += one * rest;
    b += rate * rest;
  }
  const determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-9 * aa * bb)) return null;
  const base = (a * bb - b * ab) / determinant;
  const slope = (aa * b - ab * a) / determinant;
  return base >= 0 && slope > 0 ? { base, slope } : null;
}

const slopeOf = ({ objects, bytes }: ServiceSample, coefficients: ServiceCoefficients): number =>
  coefficients.secondsPerObject * objects + coefficients.secondsPerByte * bytes;

function predict(sample: ServiceSample, coefficients: ServiceCoefficients, model: StormModel): number {
  return (
    model.requestSeconds +
    coefficients.baseSeconds * baseShare(sample.objects) +
    slopeOf(sample, coefficients)
  );
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function deviationOf(values: readonly number[]): number {
  if (values.length < 2) return 1;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
