import { type StormBands, stormBands } from "../bands.ts";
import { priceFirstRequests } from "../price-first-requests.ts";
import type { StormInput } from "../storm-input.ts";
import type { VerdictName } from "../verdict.ts";
import { applyRemedies, applyRemedy, describeRemedy } from "./apply-remedies.ts";
import { formatRemedy, usualRemedies } from "./parse-remedy.ts";
import { REMEDY_EFFORTS, type RemedyEffort, type RemedySpec } from "./remedy.ts";

/** First requests of all copies, before any of them is repeated. */
export interface StartFigures {
  readonly copies: number;
  readonly requests: number;
  readonly seats: number;
  /** On the wire; the last page of several is taken for a full one. */
  readonly wireBytes: number;
  readonly cpuSeconds: number;
}

/** What a row has less than the storm as it is; negative where it has more; `null` where either has no such figure. */
export interface RemedySavings {
  readonly wireBytes: number;
  readonly wireBytesRatio: number | null;
  readonly seats: number;
  readonly cpuSeconds: number;
  /** Medians over the seeds. */
  readonly drainSeconds: number | null;
  readonly rejected: number | null;
  readonly neighbourWaitSeconds: number | null;
  readonly memoryBytes: number | null;
}

export interface RemedyRow {
  readonly specs: readonly RemedySpec[];
  /** As `parseRemedy` reads them, joined by `+`; `as-it-is` for none. */
  readonly id: string;
  readonly title: string;
  readonly costs: readonly string[];
  /** The greatest of its parts; `null` for the storm as it is. */
  readonly effort: RemedyEffort | null;
  /** Worst of the seeds. */
  readonly verdict: VerdictName;
  readonly start: StartFigures;
  readonly bands: StormBands;
  readonly saves: RemedySavings;
  readonly assumptions: readonly string[];
}

export interface RemedyComparison {
  readonly seeds: readonly number[];
  readonly asItIs: RemedyRow;
  /** Best first: verdict, then effort, then how soon it drains. */
  readonly rows: readonly RemedyRow[];
  readonly notApplicable: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
}

const RANK: Readonly<Record<VerdictName, number>> = { invisible: 0, visible: 1, inconclusive: 2, unsafe: 3 };

/**
 * Simulates the storm with each remedy, or combination of remedies, and ranks them. Costs (1 + rows) × seeds simulations.
 *
 * @throws {RangeError} as `simulateStorm`.
 */
export function compareRemedies(
  input: StormInput,
  seeds: readonly number[],
  combinations: readonly (readonly RemedySpec[])[] = usualRemedies().map((spec) => [spec]),
): RemedyComparison {
  if (seeds.length === 0) throw new RangeError("Remedies are compared over seeds: at least one.");
  const asItIs = rowOf({ input, specs: [], assumptions: [], seeds, asItIs: null });
  const rows: RemedyRow[] = [];
  const notApplicable: RemedyComparison["notApplicable"][number][] = [];
  for (const specs of combinations) {
    if (specs.length === 0) continue;
    const [only] = specs;
    const answer =
      specs.length === 1 && only !== undefined ? applyRemedy(input, only) : applyRemedies(input, specs);
    if (answer.isApplicable)
      rows.push(rowOf({ input: answer.input, specs, assumptions: answer.assumptions, seeds, asItIs }));
    else notApplicable.push({ ...nameOf(specs), reason: answer.reason });
  }
  return { seeds, asItIs, rows: rows.sort(compareRows), notApplicable };
}

interface RowQuestion {
  readonly input: StormInput;
  readonly specs: readonly RemedySpec[];
  readonly assumptions: readonly string[];
  readonly seeds: readonly number[];
  readonly asItIs: RemedyRow | null;
}

function rowOf({ input, specs, assumptions, seeds, asItIs }: RowQuestion): RemedyRow {
  const bands = stormBands(input, seeds);
  const start = startFigures(input);
  const texts = specs.map(describeRemedy);
  const { id, title } = nameOf(specs);
  return {
    specs,
    id,
    title,
    costs: texts.map(({ costs }) => costs),
    effort:
      texts
        .map(({ effort }) => effort)
        .toSorted((a, b) => REMEDY_EFFORTS.indexOf(b) - REMEDY_EFFORTS.indexOf(a))[0] ?? null,
    verdict: worstVerdict(bands),
    start,
    bands,
    saves: savingsOf(asItIs?.start ?? start, asItIs?.bands ?? bands, start, bands),
    assumptions,
  };
}

const nameOf = (specs: readonly RemedySpec[]) => ({
  id: specs.length === 0 ? "as-it-is" : specs.map(formatRemedy).join("+"),
  title: specs.length === 0 ? "as it is" : specs.map((spec) => describeRemedy(spec).title).join(" + "),
});

/** The worst verdict among seeds. */
export function worstVerdict({ verdicts }: Pick<StormBands, "verdicts">): VerdictName {
  const names: readonly VerdictName[] = ["unsafe", "inconclusive", "visible"];
  return names.find((name) => (verdicts[name] ?? 0) > 0) ?? "invisible";
}

/** What all copies ask for first. */
export function startFigures(input: StormInput): StartFigures {
  const { scenario } = input;
  const copiesOf = (replicas: number) =>
    scenario.kind === "node-scale-out" ? scenario.addedNodes : replicas;
  const replicas = new Map(input.agents.map((agent) => [agent.id, copiesOf(agent.replicas)]));
  let [requests, seats, wireBytes, cpuSeconds] = [0, 0, 0, 0];
  for (const price of priceFirstRequests(input)) {
    const times = (replicas.get(price.agentId) ?? 0) * price.pages;
    requests += times;
    seats += times * price.seats;
    wireBytes += times * price.wireBytes;
    cpuSeconds += times * price.cpuSeconds;
  }
  const copies = [...replicas.values()].reduce((sum, count) => sum + count, 0);
  return { copies, requests, seats, wireBytes, cpuSeconds };
}

function savingsOf(
  before: StartFigures,
  beforeBands: StormBands,
  after: StartFigures,
  afterBands: StormBands,
): RemedySavings {
  // A median over the seeds that drain says nothing of those that do not.
  const drains = beforeBands.undrained === 0 && afterBands.undrained === 0;
  const less = (figure: keyof StormBands["figures"]) => {
    const [was, is] = [beforeBands.figures[figure], afterBands.figures[figure]];
    return was === null || is === null ? null : was.p50 - is.p50;
  };
  return {
    wireBytes: before.wireBytes - after.wireBytes,
    wireBytesRatio: before.wireBytes === 0 ? null : (before.wireBytes - after.wireBytes) / before.wireBytes,
    seats: before.seats - after.seats,
    cpuSeconds: before.cpuSeconds - after.cpuSeconds,
    drainSeconds: drains ? less("drainSeconds") : null,
    rejected: less("rejected"),
    neighbourWaitSeconds: less("neighbourWaitSecondsP99"),
    memoryBytes: less("memoryBytes"),
  };
}

function compareRows(a: RemedyRow, b: RemedyRow): number {
  const effort = ({ effort }: RemedyRow) => (effort === null ? 0 : REMEDY_EFFORTS.indexOf(effort));
  const drain = ({ bands }: RemedyRow) =>
    bands.undrained > 0 ? Number.POSITIVE_INFINITY : (bands.figures.drainSeconds?.p50 ?? Number.MAX_VALUE);
  return (
    RANK[a.verdict] - RANK[b.verdict] ||
    effort(a) - effort(b) ||
    a.specs.length - b.specs.length ||
    compareNumbers(drain(a), drain(b)) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Infinity minus itself is no number. */
const compareNumbers = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);
