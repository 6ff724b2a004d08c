import type { ReadingValue } from "@/lib/contracts/cluster";
import type { FlowControlResponse, PricingServer } from "@/lib/contracts/flow-control";
import { levelMaxSeats } from "@/lib/domain/cost/level-cap";
import type { StatisticsState } from "@/lib/domain/cost/list-seats";
import { type PricedRequest, type PriceInput, priceRequest } from "@/lib/domain/cost/price-request";
import type { RequestServing } from "@/lib/domain/cost/serving";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount } from "@/lib/format/number";
import type { MatchAnswer } from "./answer-request";
import type { AskedRequest } from "./request-form";

/** One input of a price: what is stored of it, or that it is not known. */
export interface PriceFact {
  readonly label: string;
  readonly text: string;
  readonly isKnown: boolean;
}

/** What a request costs by what is stored. Seats that hang on something unknown are a range. */
export interface PriceAnswer {
  /** Seats held at once: the least and the most that fit what is known. Equal where the price is known. */
  readonly minSeats: number;
  readonly maxSeats: number;
  /** The price at the upper end; its reasons speak for the lower end as well where both are equal. */
  readonly priced: PricedRequest;
  /** Where a LIST is served and what a WATCH begins with, by what is known alone; `null` for other requests. */
  readonly serving: RequestServing | null;
  /** What is not known and would make the price known, one clause each; empty where it is. */
  readonly unknown: readonly string[];
  readonly facts: readonly PriceFact[];
}

/** What may be true of an input. One candidate where it is known. */
interface Candidates {
  readonly fact: PriceFact | null;
  readonly inputs: readonly Partial<PriceInput>[];
}

/** Objects and bytes that no collection exceeds: the API server itself takes these for one it does not know. */
const MANY_OBJECTS = 1_000_000_000;
const LARGE_OBJECT_BYTES = 1_500_000;
/** Watches enough to reach any cap. */
const MANY_WATCHERS = 1_000_000;

/**
 * Prices a request by what is stored of the cluster and the server that it reaches. Inputs that are not known are
 * tried at both ends, so that a price which does not hang on them is known all the same.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function priceAnswer(options: {
  readonly v: string;
  readonly match: MatchAnswer;
  readonly request: AskedRequest;
  readonly response: Pick<FlowControlResponse, "samples">;
  readonly server: PricingServer | null;
}): PriceAnswer {
  const { v, match, request, response, server } = options;
  const { method, path, query } = request;
  const { verb, apiGroup, resource } = match.info;
  const isCounted = verb === "list" || verb === "watch";
  const isWrite = ["create", "update", "patch", "delete"].includes(verb) && match.info.isResourceRequest;
  const sample = response.samples.find((each) => each.group === apiGroup && each.resource === resource);
  const candidates: Candidates[] = [
    capOf(match, server),
    ...(isCounted ? countsOf(match, server) : []),
    ...(isWrite ? [watchersOf(request)] : []),
  ];
  const base: PriceInput = {
    v,
    method,
    path,
    query,
    gates: server?.gates ?? null,
    etcdProgress: request.hasEtcdProgress,
    objectResponseBytes: sample?.jsonBytes ?? null,
  };
  const prices = combine(candidates.map(({ inputs }) => inputs)).map((input) =>
    priceRequest({ ...base, ...input }),
  );
  const seats = prices.map(heldSeats);
  const maxSeats = Math.max(...seats);
  const minSeats = Math.min(...seats);
  const facts = candidates.flatMap(({ fact }) => fact ?? []);
  const known = candidates.flatMap(({ inputs }) => (inputs.length === 1 ? inputs : []));
  return {
    minSeats,
    maxSeats,
    priced: prices[seats.indexOf(maxSeats)] ?? priceRequest(base),
    serving: priceRequest(Object.assign({ ...base }, ...known)).serving,
    unknown: minSeats === maxSeats ? [] : facts.filter(({ isKnown }) => !isKnown).map(({ label }) => label),
    facts: [...facts, gatesFact(server)],
  };
}

/** What is held at once: the wider of the two is taken while the request runs. */
export const heldSeats = ({ initialSeats, finalSeats }: PricedRequest): number =>
  Math.max(initialSeats, finalSeats);

/** Every choice of one input from each list. */
function combine(lists: readonly (readonly Partial<PriceInput>[])[]): Partial<PriceInput>[] {
  return lists.reduce<Partial<PriceInput>[]>(
    (all, list) => all.flatMap((one) => list.map((other) => ({ ...one, ...other }))),
    [{}],
  );
}

/** The most that the level lets one request take. Where its nominal limit is not known: any cap from 1 seat to none. */
function capOf({ classified }: MatchAnswer, server: PricingServer | null): Candidates {
  if (classified === null) return { fact: null, inputs: [{}] };
  const { name, limitResponse, handSize } = classified.priorityLevel;
  if (limitResponse !== "Queue" || handSize === null) return { fact: null, inputs: [{ plMax: 0 }] };
  // A level may have the name of something that every object has.
  const nominal = new Map(Object.entries(server?.nominalSeats ?? {})).get(name);
  const label = `nominal limit of ${name}`;
  if (nominal === undefined) {
    const text = "not known, so neither is the most that one request may take of it";
    return { fact: { label, text, isKnown: false }, inputs: [{ plMax: 1 }, { plMax: 0 }] };
  }
  const plMax = levelMaxSeats(nominal, handSize);
  const text = `${formatCount(nominal)} seats, so one request takes at most ${formatCount(plMax)} of it`;
  return { fact: { label, text, isKnown: true }, inputs: [{ plMax }] };
}

function watchersOf({ watchers }: AskedRequest): Candidates {
  const label = "watches on what it writes";
  if (watchers !== null) {
    return {
      fact: { label, text: `${formatCount(watchers)}, as given`, isKnown: true },
      inputs: [{ watchers }],
    };
  }
  const text = "not known: no API server publishes them by object";
  return { fact: { label, text, isKnown: false }, inputs: [{ watchers: 0 }, { watchers: MANY_WATCHERS }] };
}

/** Objects of the collection and the mean size of one, as the server that is asked knows them. */
function countsOf({ info, rule }: MatchAnswer, server: PricingServer | null): Candidates[] {
  const { apiGroup, resource } = info;
  const name = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  const row = server?.resources.find((each) => each.group === apiGroup && each.resource === resource);
  const label = `objects of ${name}`;
  if (row === undefined) {
    if (server?.countsFrom === "metrics") {
      const text = `${server.name} publishes no count: what it does not track costs 1 seat`;
      return [{ fact: { label, text, isKnown: true }, inputs: [{ stats: "notfound" }] }];
    }
    return [{ fact: { label, text: "not read", isKnown: false }, inputs: UNKNOWN_COLLECTION }];
  }
  const { objects, storedBytes } = row;
  if (objects.state === "unknown") return [unknownCount(label, objects)];
  const count = { label, text: formatCount(objects.value), isKnown: true };
  const counted = { objects: objects.value };
  return [{ fact: count, inputs: [counted] }, sizeOf(name, objects.value, storedBytes, rule.minor)];
}

const UNKNOWN_COLLECTION: readonly Partial<PriceInput>[] = [
  { stats: "notfound" },
  { objects: MANY_OBJECTS, size: LARGE_OBJECT_BYTES },
];

type Unknown = Extract<ReadingValue, { state: "unknown" }>;

function unknownCount(label: string, { reason, assumedBecause }: Unknown): Candidates {
  const why = assumedBecause === null ? "" : `: ${assumedBecause}`;
  switch (reason) {
    case "absent":
      return {
        fact: { label, text: assumedBecause ?? "not tracked", isKnown: true },
        inputs: [{ stats: "notfound" satisfies StatisticsState }],
      };
    case "minus-one":
      // The count failed now; until it is three minutes old the one before is still used, whatever that was.
      return {
        fact: { label, text: `not known${why}`, isKnown: false },
        inputs: [{ objects: 0 }, { stats: "stale" satisfies StatisticsState }],
      };
    default:
      return {
        fact: {
          label,
          text: `${reason === "not-read" ? "not read" : "not published"}${why}`,
          isKnown: false,
        },
        inputs: UNKNOWN_COLLECTION,
      };
  }
}

/** Sizes came into prices with 1.34; where the gate is off they play no role, and both ends give one price. */
function sizeOf(name: string, objects: number, stored: ReadingValue, minor: number): Candidates {
  const label = `stored bytes of ${name}`;
  if (objects === 0) return emptySize(name, minor);
  if (stored.state === "known") {
    const size = Math.round(stored.value / objects);
    const text = `≈ ${formatBytes(stored.value)}, ${formatBytes(size)} an object`;
    return { fact: { label, text, isKnown: true }, inputs: [{ size }] };
  }
  if (stored.reason === "not-published" && minor < SIZED_MINOR) return { fact: null, inputs: [{}] };
  if (stored.reason === "minus-one" || stored.reason === "absent") {
    const text = `not known to the API server: ${stored.assumedBecause ?? "it takes 1.5 MB for each"}`;
    return { fact: { label, text, isKnown: true }, inputs: [{ size: 0 }] };
  }
  const text = stored.reason === "not-read" ? "not read" : "not published";
  return {
    fact: { label, text, isKnown: false },
    inputs: [{ size: 1 }, { size: LARGE_OBJECT_BYTES }],
  };
}

/** An API server may remember a mean size that a sum of nothing does not tell; only a request by name is priced by it. */
function emptySize(name: string, minor: number): Candidates {
  if (minor < SIZED_MINOR) return { fact: null, inputs: [{}] };
  const fact = { label: `bytes of one object of ${name}`, text: "not known: there is none", isKnown: false };
  return { fact, inputs: [{ size: 1 }, { size: LARGE_OBJECT_BYTES }] };
}

const SIZED_MINOR = 34;

function gatesFact(server: PricingServer | null): PriceFact {
  const label = "feature gates";
  return server === null || server.gates === null
    ? { label, text: "not read: taken to be the defaults of this version", isKnown: false }
    : { label, text: `as ${server.name} publishes them`, isKnown: true };
}
