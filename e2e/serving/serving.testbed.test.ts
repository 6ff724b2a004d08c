import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  levelMaxSeats,
  type ObjectVolume,
  type PricedRequest,
  priceRequest,
} from "../../lib/domain/cost/index.ts";
import { describeEachVersion } from "../testbed/describe-each-version.ts";
import { minorOf } from "../testbed/versions.ts";
import { expectSame } from "./compare.ts";
import { Observer } from "./observe.ts";
import { LISTS, QUIET_WATCHES, REFUSED_LISTS, type ServingCase, WATCHES } from "./requests.ts";
import { EVENTS, PODS, type ServedCluster, startServedCluster } from "./served-cluster.ts";
import {
  type CounterReading,
  countedBetween,
  readCounters,
  type ServingCounters,
} from "./server-counters.ts";

/** Of workload-low, which takes the user of these tests: 245 seats, hands of 6. */
const LEVEL_MAX_SEATS = levelMaxSeats(245, 6);

/** The gates that change where requests are served or what they cost, set against their defaults where that is allowed. */
function switchedGates(minor: number): Readonly<Record<string, boolean>> {
  return minor <= 33
    ? { ConsistentListFromCache: false, ListFromCacheSnapshot: true, WatchList: true }
    : { ListFromCacheSnapshot: false, SizeBasedListCostEstimate: false, WatchList: false };
}

type Gates = Readonly<Record<string, boolean>>;

describeEachVersion("where requests are served", ["seed"], (version) => {
  describe("with default gates", () => compareAll(version, {}, () => true));
  const gates = switchedGates(minorOf(version));
  const names = Object.entries(gates).map(([name, isOn]) => `${name} ${isOn ? "on" : "off"}`);
  describe(`with ${names.join(", ")}, of what these change`, () =>
    compareAll(version, gates, (one, query) => isChangedBy(version, gates, one, query)));
});

/** Whether Headroom says something else of a request with these gates. Of what names stand for it needs but the form. */
function isChangedBy(version: string, gates: Gates, { path }: ServingCase, query: string): boolean {
  const [before, after] = [{}, gates].map((set) => {
    const facts = { objects: 500, size: 900, changesSince: 3, plMax: LEVEL_MAX_SEATS };
    const asked = {
      v: version,
      method: "GET",
      path,
      query: query.replaceAll(/\{(past|lost|future)\}/g, "7"),
    };
    const { serving, initialSeats } = priceRequest({ ...asked, ...facts, gates: set });
    return JSON.stringify({ serving, initialSeats });
  });
  return before !== after;
}

const watchQuery = (query: string) => `watch=1${query === "" ? "" : `&${query}`}`;

function compareAll(
  version: string,
  gates: Gates,
  isCompared: (one: ServingCase, query: string) => boolean,
): void {
  let cluster: ServedCluster;
  let observer: Observer;
  beforeAll(async () => {
    cluster = await startServedCluster(version, gates);
    observer = new Observer(cluster);
  }, 240_000);
  afterAll(() => cluster?.bed.stop());

  const compareList = async (one: ServingCase, isUncounted = false) => {
    const query = named(cluster, one.query);
    const path = `${one.path}${query === "" ? "" : `?${query}`}`;
    const observed = await observer.list({ of: one.of, path, accept: one.accept, isUncounted });
    expectSame(cluster, one, observed, answerOf(cluster, one, query, observed.counted));
  };
  const compareWatch = async (one: ServingCase, isUncounted = false) => {
    const query = named(cluster, watchQuery(one.query));
    const priced = answerOf(cluster, one, query, await observer.counters(one.of));
    const observed = await observer.watch(
      { of: one.of, path: `${one.path}?${query}`, isUncounted },
      {
        received: exactly(priced.serving?.received),
        handled: one.of === PODS ? exactly(priced.serving?.handled) : 0,
      },
    );
    expectSame(cluster, one, observed, priced);
  };

  const lists = (cases: readonly ServingCase[]) => titled(cases.filter((one) => isCompared(one, one.query)));
  const watches = (cases: readonly ServingCase[]) =>
    titled(cases.filter((one) => isCompared(one, watchQuery(one.query))));

  it.each(lists(LISTS))("LIST %s", (_, one) => compareList(one));
  it.each(watches(WATCHES))("WATCH %s", (_, one) => compareWatch(one));

  describe("of which nothing is counted", () => {
    let before: CounterReading;
    beforeAll(async () => {
      before = await readCounters(cluster.bed);
    });

    describe.concurrent("all at once", () => {
      it.each(lists(REFUSED_LISTS))("LIST %s", (_, one) => compareList(one, true));
      it.each(watches(QUIET_WATCHES))("WATCH %s", (_, one) => compareWatch(one, true));
    });

    it("and indeed no object was gone through", async () => {
      const after = await readCounters(cluster.bed);
      for (const of of [PODS, EVENTS]) {
        const { cacheLists, cacheFetched, etcdFetched, initialEvents } = countedBetween(
          before(of),
          after(of),
        );
        expect([cacheLists, cacheFetched, etcdFetched, initialEvents], of.resource).toEqual([0, 0, 0, 0]);
      }
    });
  });

  it("is told that a text in place of a continue token is a placeholder, which no API server takes", async () => {
    const one = { path: "/api/v1/pods", query: "continue=next", of: PODS };
    const observed = await observer.list({ of: PODS, path: `${one.path}?${one.query}` });
    const { serving } = answerOf(cluster, one, one.query, observed.counted);
    expect(observed.status).toBe(400);
    expect(serving?.steps.join(" ")).toContain("refused with 400");
  });
}

const titled = (cases: readonly ServingCase[]) =>
  cases.map(
    (one) => [`${one.path}?${one.query}${one.accept === undefined ? "" : ` ${one.accept}`}`, one] as const,
  );

/** The query with what its names stand for. */
function named({ names }: ServedCluster, query: string): string {
  return Object.entries(names).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), query);
}

const exactly = (volume: ObjectVolume | undefined) =>
  volume === undefined || volume.isUpperBound ? 0 : (volume.objects ?? 0);

/** What Headroom says of a request by the sizes that the server publishes. */
function answerOf(
  cluster: ServedCluster,
  { path, facts }: ServingCase,
  query: string,
  { objects, objectBytes }: ServingCounters,
): PricedRequest {
  return priceRequest({
    v: cluster.bed.version,
    gates: cluster.gates,
    method: "GET",
    path,
    query,
    plMax: LEVEL_MAX_SEATS,
    objects,
    size: Math.round(objectBytes),
    ...facts?.(cluster),
  });
}
