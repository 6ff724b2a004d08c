import type { ObjectVolume, PricedRequest, RequestServing } from "../../domain/cost/index.ts";
import { formatNumber } from "../../domain/rollout/figure.ts";
import { formatBytes } from "../../format/bytes.ts";
import type { Style } from "./style.ts";

/** What a request costs, in lines. `where`: what sets the most that one request takes, ` at workload-low`. */
export function formatPriceLines(priced: PricedRequest, style: Style, where = ""): readonly string[] {
  const { initialSeats, finalSeats, additionalLatencyMs, summary, gaps, isSubjectToFairness, rule } = priced;
  if (!isSubjectToFairness)
    return ["It takes no seats: API Priority and Fairness does not look at such requests."];
  // The wider of the two is held the whole time.
  const held = Math.max(initialSeats, finalSeats);
  const later = finalSeats > 0 ? `, held until ${formatNumber(additionalLatencyMs)} ms after the answer` : "";
  return [
    `Costs ${style.bold(seats(held))}${later} ${style.dim(`(one request takes at most ${priced.maximumSeats}${where})`)}`,
    `  ${plain(summary)}`,
    ...gaps.map((gap) => style.yellow(`  ${gap}`)),
    ...(rule.note === null ? [] : [style.yellow(`  ${rule.note}`)]),
  ];
}

const SOURCES: Readonly<Record<RequestServing["source"], string>> = {
  cache: "from the watch cache",
  snapshot: "from a snapshot of the watch cache",
  history: "from the changes that the watch cache remembers",
  etcd: "from etcd, the whole range in one read",
  "etcd-page": "from etcd, page by page",
  none: "not at all",
};

/** Where a LIST is served, or what a WATCH begins with, in lines. */
export function formatServingLines(serving: RequestServing, style: Style): readonly string[] {
  const { isWatch, source, freshness, refusal, steps, handled, received } = serving;
  const noun = freshness === "after" ? "change" : "object";
  const before = isWatch ? "Before the first live change the API server" : "The API server";
  const lines = [`Served ${style.bold(SOURCES[source])}`, ...steps.map((step) => `  ${plain(step)}`)];
  if (refusal !== null) {
    const retry = refusal.retryAfterSeconds === null ? "" : `, Retry-After ${refusal.retryAfterSeconds}`;
    return [...lines, `  Refused with ${refusal.status}${retry}: ${refusal.message}`];
  }
  return [
    ...lines,
    `  ${before} goes through ${formatVolume(handled, noun)}; the client receives ${formatVolume(received, noun)}.`,
  ];
}

function formatVolume({ objects, bytes, isUpperBound }: ObjectVolume, noun: string): string {
  if (objects === null) return `an unknown number of ${noun}s`;
  const most = isUpperBound ? "at most " : "";
  const size = bytes === null ? "" : ` (${plain(formatBytes(bytes))})`;
  return `${most}${formatNumber(objects)} ${objects === 1 ? noun : `${noun}s`}${size}`;
}

const seats = (count: number): string => `${formatNumber(count)} ${count === 1 ? "seat" : "seats"}`;

/** With plain blanks, and digits grouped as all others are here: a terminal's reader searches and splits by them. */
export const plain = (text: string): string =>
  text.replace(/(?<=\d)\u202f(?=\d{3})/g, ",").replace(/[\u00a0\u202f]/g, " ");
