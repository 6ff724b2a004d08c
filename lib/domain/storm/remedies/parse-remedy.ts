import { parseIntOrPercent } from "../../rollout/int-or-percent.ts";
import { REMEDY_NAMES, type RemedySpec } from "./remedy.ts";

/** Parameters where nobody gives any. A ratio is a guess, and said with the result. */
const DEFAULT_RATIO = 0.1;
const DEFAULT_PAGE = 500;
const DEFAULT_READER = 100;
const DEFAULT_JITTER_SECONDS = 120;
const DEFAULT_SHARES = 10;

/** How each is written, for help texts. */
export const REMEDY_FORMS: readonly string[] = [
  "node-selector",
  "namespace[=NAME[:RATIO]]",
  "label-selector[=RATIO]",
  "metadata-only",
  "endpoint-slices",
  "kubelet-pods",
  "paging[=LIMIT]",
  "watch-list",
  "shared-reads[=COPIES]",
  "node-proxy",
  "start-jitter[=SECONDS]",
  "back-off[=BASE/CAP]",
  "max-unavailable[=LIMIT]",
  "max-surge[=LIMIT]",
  "min-ready-seconds[=SECONDS]",
  "on-delete[=PODS/SECONDS]",
  "own-level[=SHARES]",
];

/**
 * A remedy as written on a command line: its name, and after `=` its parameter.
 *
 * @throws {RangeError} with what was expected.
 */
export function parseRemedy(text: string): RemedySpec {
  const at = text.indexOf("=");
  const given = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? null : text.slice(at + 1);
  const name = REMEDY_NAMES.find((each) => each === given);
  switch (name) {
    case "node-selector":
    case "metadata-only":
    case "endpoint-slices":
    case "kubelet-pods":
    case "watch-list":
    case "node-proxy":
      if (value !== null) throw new RangeError(`${name} takes no parameter.`);
      return { name };
    case "namespace": {
      const [namespace = "", ratio] = (value ?? "").split(":");
      return {
        name,
        namespace: namespace === "" ? null : namespace,
        objectsRatio: ratioOf(name, ratio ?? null),
      };
    }
    case "label-selector":
      return { name, objectsRatio: ratioOf(name, value) };
    case "paging":
      return { name, pageSize: countOf(name, value, DEFAULT_PAGE) };
    case "shared-reads":
      return { name, copiesPerReader: countOf(name, value, DEFAULT_READER) };
    case "start-jitter":
      return { name, seconds: secondsOf(name, value, DEFAULT_JITTER_SECONDS) };
    case "min-ready-seconds":
      return { name, seconds: secondsOf(name, value, 60) };
    case "back-off": {
      const [base, cap] = pairOf(name, value, "5/300");
      if (cap < base) throw new RangeError(`${name}: expected BASE/CAP with the base below the cap.`);
      return { name, baseSeconds: base, capSeconds: cap };
    }
    case "max-unavailable":
    case "max-surge":
      return { name, limit: limitOf(name, value ?? "1%") };
    case "on-delete": {
      const [batchSize, intervalSeconds] = pairOf(name, value, "10/60");
      if (!Number.isInteger(batchSize)) throw new RangeError(`${name}: expected a whole number of pods.`);
      return { name, batchSize, intervalSeconds };
    }
    case "own-level":
      return { name, shares: countOf(name, value, DEFAULT_SHARES) };
    default:
      throw new RangeError(`"${given}" is no remedy. Expected one of ${REMEDY_NAMES.join(", ")}.`);
  }
}

/** As `parseRemedy` reads it. */
export function formatRemedy(spec: RemedySpec): string {
  switch (spec.name) {
    case "namespace":
      return `namespace=${spec.namespace ?? ""}:${spec.objectsRatio}`;
    case "label-selector":
      return `label-selector=${spec.objectsRatio}`;
    case "paging":
      return `paging=${spec.pageSize}`;
    case "shared-reads":
      return `shared-reads=${spec.copiesPerReader}`;
    case "start-jitter":
    case "min-ready-seconds":
      return `${spec.name}=${spec.seconds}`;
    case "back-off":
      return `back-off=${spec.baseSeconds}/${spec.capSeconds}`;
    case "max-unavailable":
    case "max-surge":
      return `${spec.name}=${spec.limit}`;
    case "on-delete":
      return `on-delete=${spec.batchSize}/${spec.intervalSeconds}`;
    case "own-level":
      return `own-level=${spec.shares}`;
    default:
      return spec.name;
  }
}

/** Each remedy once, with its usual parameters: what is compared where nobody names any. */
export function usualRemedies(): readonly RemedySpec[] {
  return REMEDY_NAMES.map((name) => parseRemedy(name));
}

function numberOf(name: string, text: string, isRight: (value: number) => boolean, expected: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || !isRight(value))
    throw new RangeError(`${name}: expected ${expected}, not "${text}".`);
  return value;
}

const ratioOf = (name: string, text: string | null) =>
  text === null
    ? DEFAULT_RATIO
    : numberOf(name, text, (value) => value >= 0 && value <= 1, "a ratio from 0 to 1");

const countOf = (name: string, text: string | null, otherwise: number) =>
  text === null
    ? otherwise
    : numberOf(name, text, (value) => Number.isSafeInteger(value) && value > 0, "a whole number above 0");

const WEEK_SECONDS = 604_800;
const secondsOf = (name: string, text: string | null, otherwise: number) =>
  text === null
    ? otherwise
    : numberOf(name, text, (value) => value > 0 && value <= WEEK_SECONDS, "seconds above 0, at most a week");

function pairOf(name: string, text: string | null, otherwise: string): readonly [number, number] {
  const [first, second, ...rest] = (text ?? otherwise).split("/");
  if (first === undefined || second === undefined || rest.length > 0)
    throw new RangeError(`${name}: expected two numbers with / between them, such as ${otherwise}.`);
  return [secondsOf(name, first, 0), secondsOf(name, second, 0)];
}

function limitOf(name: string, text: string): number | string {
  const read = parseIntOrPercent(/^\d+$/.test(text) ? Number(text) : text);
  if (read === null || Number.parseFloat(String(read)) === 0)
    throw new RangeError(`${name}: expected a whole number or a percentage above 0, not "${text}".`);
  return read;
}
