import { expect, test } from "vitest";
import { collection, request, runRule, short } from "../../testing/audit.ts";
import { apfListCostHidden } from "./list-cost-hidden.ts";

const find = (
  uri: string,
  kubernetesVersion: string | null,
  ...collections: ReturnType<typeof collection>[]
) => runRule(apfListCostHidden, { cluster: { kubernetesVersion, collections } }, { events: [request(uri)] });
const PODS = collection("pods", 10_000, 100_000_000);
const FOUND = ["warning ServiceAccount agents/agent"];

test.each([
  ["a WATCH from no resource version is one seat up to 1.34", "/api/v1/pods?watch=true", "1.34.2", PODS, 1],
  ["from 0 as well", "/api/v1/pods?watch=true&resourceVersion=0", "1.30.0", PODS, 1],
  [
    "limit 10 at resourceVersion 0 from 1.34 on",
    "/api/v1/pods?limit=10&resourceVersion=0",
    "1.34.2",
    PODS,
    1,
  ],
  [
    "few large objects before 1.34",
    "/api/v1/secrets?resourceVersion=0",
    "1.32.0",
    collection("secrets", 400, 400_000_000),
    4,
  ],
  [
    "a collection far beyond the cap",
    "/apis/a.example/v1/runs?resourceVersion=0",
    "1.35.0",
    collection("runs.a.example", 60_000, 900_000_000),
    10,
  ],
])("reported: %s", (_, uri, version, size, seats) => {
  const found = find(uri, version, size);
  expect(short(found)).toEqual(FOUND);
  expect(found.findings[0]?.figures).toMatchObject({ seats });
});

test.each([
  ["from 1.35 a WATCH is priced like a LIST", "/api/v1/pods?watch=true&resourceVersion=0", "1.35.0", PODS],
  ["a WatchList is, where the gate is on", "/api/v1/pods?watch=true&sendInitialEvents=true", "1.34.2", PODS],
  [
    "the first LIST of a reflector costs 10 seats",
    "/api/v1/pods?limit=500&resourceVersion=0",
    "1.34.2",
    PODS,
  ],
  ["many small objects cost 10 seats", "/api/v1/pods?resourceVersion=0", "1.30.0", PODS],
  ["a WATCH of changes moves little", "/api/v1/pods?watch=true&resourceVersion=77", "1.34.2", PODS],
  ["one node's pods", "/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn", "1.34.2", PODS],
  ["a page of the latest state", "/api/v1/pods?limit=10", "1.34.2", PODS],
  ["a small collection", "/api/v1/pods?watch=true", "1.34.2", collection("pods", 100, 900_000)],
  ["a collection of unknown size", "/api/v1/pods?resourceVersion=0", "1.34.2", collection("pods", 90_000)],
])("not reported: %s", (_, uri, version, size) => {
  expect(short(find(uri, version, size))).toEqual([]);
});

test("a WATCH of many objects of unknown size is reported by their number", () => {
  const found = find("/api/v1/pods?watch=true", "1.33.0", collection("pods", 50_000));
  expect(short(found)).toEqual(FOUND);
  expect(found.findings[0]?.figures).toMatchObject({ bytes: null, seats: 1 });
});

test("without a version nothing is priced", () => {
  expect(short(find("/api/v1/pods?watch=true", null, PODS))).toEqual([]);
});
