import type { FlowControlResponse, PricingServer } from "@/lib/contracts/flow-control";
import type { ObjectVolume, RequestServing } from "@/lib/domain/cost/serving";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount, formatPlural, UNIT_SPACE } from "@/lib/format/number";
import { type MatchAnswer, matchRequest, storedConfiguration } from "./answer-request";
import { type PriceAnswer, priceAnswer } from "./price-answer";
import { type AskedRequest, type ReadForm, type RequestForm, readRequestForm } from "./request-form";

export interface Answered {
  readonly state: "answered";
  readonly request: AskedRequest;
  readonly match: MatchAnswer;
  readonly price: PriceAnswer;
  readonly server: PricingServer | null;
  /** The Service that answers in place of the API server, as `namespace/name`. */
  readonly passedTo: string | null;
}

/** What the tool shows: what is wrong with the question, what is missing of the cluster, or the answer. */
export type ToolState =
  | Exclude<ReadForm, { readonly state: "ready" }>
  /** Not read, so nothing can be matched. */
  | { readonly state: "missing"; readonly missing: readonly string[] }
  /** The API server refuses it before it looks at any FlowSchema. */
  | { readonly state: "refused"; readonly request: AskedRequest; readonly why: string }
  | Answered;

/** Answers the form by what is stored of the cluster, on the server of this id, else the busiest. Asks nobody. */
export function prepareAnswer(
  form: RequestForm,
  response: FlowControlResponse,
  serverId: string | null,
): ToolState {
  // First what no question can be answered without: nobody should fill in a form in vain.
  const stored = storedConfiguration(response, serverId);
  if (stored.state === "missing") return stored;
  const read = readRequestForm(form);
  if (read.state !== "ready") return read;
  const { request } = read;
  const { configuration, server } = stored;
  const match = matchRequest(configuration, request);
  if (match.info.error !== null) return { state: "refused", request, why: match.info.error };
  const price = priceAnswer({ v: configuration.v, match, request, response, server });
  const { isResourceRequest, apiGroup } = match.info;
  const passedTo = isResourceRequest
    ? (response.aggregated?.find(({ group }) => group === apiGroup)?.service ?? null)
    : null;
  return { state: "answered", request, match, price, server, passedTo };
}

export const requestLine = ({ method, path, query }: AskedRequest): string =>
  `${method} ${path}${query === "" ? "" : `?${query}`}`;

/** One line of the result. `kind` says how its figure came about. */
export interface ResultLine {
  readonly id: "result" | "flow" | "hand" | "price" | "served";
  readonly label: string;
  /** The figure or name itself. */
  readonly lead: string;
  /** What it rests on, one sentence each. */
  readonly sentences: readonly string[];
  /** True where it hangs on something that is not known. */
  readonly isOpen: boolean;
}

/** The result in the order of the page: where it goes, its flow, its queues, its price, where it is served. */
export function resultLines({ match, price, passedTo }: Answered): readonly ResultLine[] {
  const { classified, hand } = match;
  if (classified === null) return [];
  const { flowSchema, priorityLevel, flowDistinguisher } = classified;
  const passesBy = !price.priced.isSubjectToFairness;
  const isExempt = priorityLevel.type === "Exempt";
  return [
    {
      id: "result",
      label: "Result",
      lead: `${flowSchema.name} → ${priorityLevel.name}`,
      sentences: [
        ...(passesBy ? ["API Priority and Fairness does not look at such requests: it takes no seats."] : []),
        ...(isExempt ? ["Exempt: it is never held back; its seats are counted all the same."] : []),
        ...(match.rule.note === null ? [] : [match.rule.note]),
      ],
      isOpen: false,
    },
    flowLine(flowSchema.distinguisherMethod, flowDistinguisher, hand !== null, isExempt),
    ...(hand === null
      ? []
      : [
          {
            id: "hand" as const,
            label: "Hand",
            lead: hand.hand.join(" "),
            sentences: [
              `Of ${formatCount(hand.queues)} queues; ${hand.hand.length} × ${formatCount(hand.queueLengthLimit)} = ${formatCount(hand.hand.length * hand.queueLengthLimit)} requests of the flow can wait while all seats are taken; more where the free ones are too few for the next request.`,
            ],
            isOpen: false,
          },
        ]),
    ...(passesBy ? [] : [priceLine(price)]),
    ...(passedTo === null ? [] : [passedLine(passedTo)]),
    ...(passedTo !== null || price.serving === null ? [] : [servedLine(price.serving)]),
  ];
}

function flowLine(
  method: "ByUser" | "ByNamespace" | null,
  distinguisher: string,
  hasQueues: boolean,
  isExempt: boolean,
): ResultLine {
  const line = { id: "flow", label: "Flow", isOpen: false } as const;
  if (!hasQueues) {
    const why = isExempt ? "The level has no limit and no queues." : "The level rejects in place of queuing.";
    return { ...line, lead: "none", sentences: [why] };
  }
  if (distinguisher === "") {
    const why =
      method === "ByNamespace"
        ? "Told apart by the namespace of the request; cluster-wide ones share the flow of no namespace."
        : "This FlowSchema does not tell flows apart: all it takes share this one.";
    return { ...line, lead: method === "ByNamespace" ? "no namespace" : "one for all", sentences: [why] };
  }
  const why =
    method === "ByUser"
      ? "Told apart by user: every copy that runs as this one is in it."
      : "Told apart by the namespace of the request, whoever sends it.";
  return { ...line, lead: distinguisher, sentences: [why] };
}

/** `10 seats`, `1 to 10 seats`. */
export function seatsText({ minSeats, maxSeats }: Pick<PriceAnswer, "minSeats" | "maxSeats">): string {
  return minSeats === maxSeats
    ? formatPlural(maxSeats, "seat")
    : `${formatCount(minSeats)} to ${formatPlural(maxSeats, "seat")}`;
}

function priceLine(price: PriceAnswer): ResultLine {
  const { priced, unknown, minSeats, maxSeats } = price;
  const { finalSeats, additionalLatencyMs, summary, gaps } = priced;
  const isOpen = minSeats !== maxSeats;
  return {
    id: "price",
    label: "Price",
    lead: seatsText(price),
    sentences: [
      ...(isOpen ? [`Not known more closely: ${unknown.join(", ")}.`] : []),
      `${isOpen ? "At most, by " : ""}${inPageUnits(summary)}`,
      ...(finalSeats > 0 && !isOpen
        ? [`Held until ${Number(additionalLatencyMs.toPrecision(6))} ms after the answer.`]
        : []),
      ...gaps,
    ],
    isOpen,
  };
}

/** The unit as pages write it. */
const inPageUnits = (text: string): string => text.replace(/ KB\b/g, `${UNIT_SPACE}kB`);

const SOURCES: Readonly<Record<RequestServing["source"], string>> = {
  cache: "from the watch cache",
  snapshot: "from a snapshot of the watch cache",
  history: "from the changes that the watch cache remembers",
  etcd: "from etcd, the whole range in one read",
  "etcd-page": "from etcd, page by page",
  none: "not at all",
};

/** What an aggregated API server reads for an answer, and how much, nobody publishes. */
function passedLine(service: string): ResultLine {
  const sentences = [
    "An aggregated API: this API server passes the request on and holds its seats meanwhile; what is read there is not known.",
  ];
  return { id: "served", label: "Served", lead: `by ${service}`, sentences, isOpen: false };
}

function servedLine(serving: RequestServing): ResultLine {
  const { isWatch, source, freshness, steps, refusal, handled, received } = serving;
  const noun = freshness === "after" ? "change" : "object";
  const before = isWatch ? "Before the first live change the API server" : "The API server";
  const end =
    refusal === null
      ? `${before} goes through ${volumeText(handled, noun)}; the client receives ${volumeText(received, noun)} as JSON.`
      : `Refused with ${refusal.status}${refusal.retryAfterSeconds === null ? "" : `, Retry-After ${refusal.retryAfterSeconds}`}: ${refusal.message}`;
  const isOpen = refusal === null && (handled.objects === null || received.objects === null);
  return { id: "served", label: "Served", lead: SOURCES[source], sentences: [...steps, end], isOpen };
}

function volumeText({ objects, bytes, isUpperBound }: ObjectVolume, noun: string): string {
  if (objects === null) return `a number of ${noun}s that is not known`;
  const size = bytes === null ? ", bytes not known" : `, ≈ ${formatBytes(bytes)}`;
  return `${isUpperBound ? "at most " : ""}${formatPlural(objects, noun)}${size}`;
}
