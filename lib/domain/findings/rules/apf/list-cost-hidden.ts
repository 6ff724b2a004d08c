import { formatCount } from "../../../cost/format-figures.ts";
import { CACHED_LIST_BYTES_LIMIT } from "../../../cost/list-seats.ts";
import { priceRequest } from "../../../cost/price-request.ts";
import { parseVersion, ruleVersion } from "../../../kubernetes/version.ts";
import { subjectOfClient } from "../../reads/client-subject.ts";
import { hasEtcdProgress, nameOfResource, sizeOf } from "../../reads/collection-sizes.ts";
import { asksInitialState, ledgerOf, type ReadClient, type ReadShape } from "../../reads/read-ledger.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";

/** Reads of a whole collection that API Priority and Fairness prices as if they were small. */
export const apfListCostHidden: Rule = {
  name: "apf.list-cost-hidden",
  severity: "warning",
  versions: ALL_VERSIONS,
  title: "A read of a whole collection costs next to no seats",
  what: "Prices LISTs and WATCHes of an audit log by the estimator of the version and compares with what they move, where counts and sizes are given: reports reads of at least 10 MB that take no more than half the seats that a LIST of so many bytes takes from 1.34 on (one per 100 kB, at most 10 where the watch cache serves it, else 100), or that move 25 MB for each seat. Such are a small limit at resourceVersion 0 (1.34 and later), WATCHes from no resource version before 1.35 (of 5,000 objects and more, where their size is not known), few large objects before 1.34, and collections far beyond the cap.",
  why: "Fairness lets as many of them run at once as it has seats: memory and CPU of the API server grow with what they move, and nothing is queued or rejected before it is out of either.",
  fix: "Ask for less at once: pages without resourceVersion=0, a selector, metadata only. Until then a FlowSchema and priority level of their own with few seats bound how many run together. From 1.34 LISTs, from 1.35 WATCHes are priced by size.",
  sources: [
    {
      text: "kubernetes/kubernetes#134580: WATCHes without resource version are charged one seat",
      url: "https://github.com/kubernetes/kubernetes/issues/134580",
    },
    {
      text: "kubernetes/kubernetes#132233: seats by size",
      url: "https://github.com/kubernetes/kubernetes/issues/132233",
    },
    {
      text: "kubernetes/apiserver pkg/util/flowcontrol/request/list_work_estimator.go, v0.26 to v0.37",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/util/flowcontrol/request/list_work_estimator.go",
    },
  ],
  check: { kind: "stream", begin },
};

const BYTES_WORTH_A_WORD = 10_000_000;
const BYTES_PER_SEAT = 100_000;
/** The price is hidden where it is at most this share of what the bytes would cost. */
const HIDDEN_SHARE = 0.5;
const BYTES_OF_A_SEAT = 25_000_000;
/** Of a WATCH at one seat, where nobody knows the size of an object. */
const OBJECTS_WORTH_A_WORD = 5000;

function begin(facts: ScanFacts): StreamObserver {
  const ledger = ledgerOf(facts);
  return {
    auditEvent: (event) => ledger.take(event),
    finish: () => ({ findings: [...ledger.clients.values()].flatMap((client) => check(client, facts)) }),
  };
}

interface Hidden {
  readonly shape: ReadShape;
  readonly objects: number;
  /** `null`: not known. */
  readonly bytes: number | null;
  readonly seats: number;
  readonly fairSeats: number | null;
}

function check(client: ReadClient, facts: ScanFacts): readonly RuleFinding[] {
  const hidden = [...client.shapes.values()]
    .flatMap((shape) => judge(shape, facts))
    .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || b.objects - a.objects);
  const [worst] = hidden;
  if (worst === undefined) return [];
  const { shape, objects, bytes, seats, fairSeats } = worst;
  const name = nameOfResource(shape.apiGroup, shape.resource);
  const verb = shape.isWatch ? "WATCHes" : "LISTs";
  return [
    {
      subject: subjectOfClient(client.name, shape.copies.size),
      message: `${verb} of ${name} move ${formatCount(objects)} objects${bytes === null ? "" : ` (${formatCount(bytes)} bytes as stored)`} for ${formatCount(seats)} seat${seats === 1 ? "" : "s"} each${fairSeats === null || fairSeats <= seats ? "" : `; by size they would take ${formatCount(fairSeats)}`}.`,
      evidence: { grade: "measured", source: "audit log", observedAt: shape.lastAt },
      figures: {
        resource: name,
        requests: shape.count,
        objects,
        bytes,
        seats,
        seatsBySize: fairSeats,
      },
      related: hidden
        .slice(1)
        .map(
          (each) =>
            `${nameOfResource(each.shape.apiGroup, each.shape.resource)}: ${formatCount(each.seats)} seats for ${formatCount(each.objects)} objects`,
        ),
    },
  ];
}

function judge(shape: ReadShape, facts: ScanFacts): readonly Hidden[] {
  const v = facts.cluster.kubernetesVersion;
  if (v === null || parseVersion(v) === null) return [];
  if (shape.scope !== "cluster" || shape.hasLabelSelector) return [];
  const { objects, storedBytes, objectBytes } = sizeOf(facts.cluster, shape.apiGroup, shape.resource);
  if (objects === null) return [];
  const isLarge = storedBytes === null ? objects >= OBJECTS_WORTH_A_WORD : storedBytes >= BYTES_WORTH_A_WORD;
  if (!isLarge) return [];
  const priced = priceRequest({
    v,
    gates: facts.cluster.featureGates,
    etcdProgress: hasEtcdProgress(facts.cluster),
    method: "GET",
    path: shape.path,
    query: shape.query,
    objects,
    size: objectBytes,
  });
  const { serving } = priced;
  const isWhole = shape.isWatch
    ? asksInitialState(shape.request)
    : serving !== null && !serving.isLimitHonoured;
  if (!isWhole || serving?.source === "none") return [];
  // Before 1.23 everything was one seat, and nothing else could be.
  if (ruleVersion(v).isClamped && (parseVersion(v)?.minor ?? 0) < 23) return [];
  const seats = Math.max(priced.initialSeats, priced.finalSeats);
  // Where no size is known only the one seat of a WATCH tells that its size was not looked at.
  if (storedBytes === null) {
    return shape.isWatch && seats === 1 ? [{ shape, objects, bytes: null, seats, fairSeats: null }] : [];
  }
  const isCached = shape.isWatch || serving?.source === "cache" || serving?.source === "snapshot";
  const pricedBytes = isCached ? Math.min(storedBytes, CACHED_LIST_BYTES_LIMIT) : storedBytes;
  const fairSeats = Math.min(MOST_SEATS, Math.ceil(pricedBytes / BYTES_PER_SEAT));
  const isHidden = seats <= HIDDEN_SHARE * fairSeats || storedBytes / seats >= BYTES_OF_A_SEAT;
  return isHidden ? [{ shape, objects, bytes: storedBytes, seats, fairSeats }] : [];
}

/** What one LIST may take from 1.34 on. */
const MOST_SEATS = 100;
