import { expect, test } from "vitest";
import { collection, request, runRule, short } from "../../testing/audit.ts";
import { listLimitIgnored } from "./limit-ignored.ts";

const facts = (kubernetesVersion: string | null, ...collections: ReturnType<typeof collection>[]) => ({
  cluster: { kubernetesVersion, collections },
});
const find = (uri: string, given: ReturnType<typeof facts>) =>
  short(runRule(listLimitIgnored, given, { events: [request(uri), request(uri, { atMs: 1000 })] }));
const FOUND = ["warning ServiceAccount agents/agent"];
const PODS = collection("pods", 12_000);

test.each([
  ["the first LIST of a reflector", "/api/v1/pods?limit=500&resourceVersion=0", "1.30.4"],
  [
    "with NotOlderThan",
    "/api/v1/pods?limit=100&resourceVersion=0&resourceVersionMatch=NotOlderThan",
    "1.33.0",
  ],
  ["on 1.36", "/api/v1/pods?limit=500&resourceVersion=0", "1.36.2"],
  ["on 1.18", "/api/v1/pods?resourceVersion=0&limit=250", "1.18.0"],
])("reported: %s", (_, uri, version) => {
  expect(find(uri, facts(version, PODS))).toEqual(FOUND);
});

test.each([
  ["no limit was asked for", "/api/v1/pods?resourceVersion=0", "1.30.4"],
  ["the latest state comes in pages", "/api/v1/pods?limit=500", "1.30.4"],
  ["on 1.34 too", "/api/v1/pods?limit=500", "1.34.1"],
  ["one resource version exactly comes in pages", "/api/v1/pods?limit=500&resourceVersion=77", "1.30.4"],
  [
    "one node's pods are few",
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=500&resourceVersion=0",
    "1.33.2",
  ],
  ["one namespace", "/api/v1/namespaces/a/pods?limit=500&resourceVersion=0", "1.33.2"],
  [
    "a label selector may leave few",
    "/api/v1/pods?labelSelector=a%3Db&limit=500&resourceVersion=0",
    "1.33.2",
  ],
])("not reported: %s", (_, uri, version) => {
  expect(find(uri, facts(version, PODS))).toEqual([]);
});

test("a collection that is small, of unknown size, or never cached is not reported", () => {
  const uri = "/api/v1/events?limit=500&resourceVersion=0";
  expect(find(uri, facts("1.30.4", collection("events", 90_000)))).toEqual([]);
  const pods = "/api/v1/pods?limit=500&resourceVersion=0";
  expect(find(pods, facts("1.30.4", collection("pods", 400)))).toEqual([]);
  expect(find(pods, facts("1.30.4", collection("pods", 600)))).toEqual([]);
  expect(find(pods, facts("1.30.4"))).toEqual([]);
  expect(find(pods, facts(null, PODS))).toEqual([]);
});

test("few large objects are reported by their bytes", () => {
  const uri = "/api/v1/secrets?limit=100&resourceVersion=0";
  expect(find(uri, facts("1.32.0", collection("secrets", 400, 400_000_000)))).toEqual(FOUND);
});

test("copies and bytes stand among the figures", () => {
  const uri = "/apis/flows.example.io/v1/runs?limit=500&resourceVersion=0";
  const { findings } = runRule(
    listLimitIgnored,
    facts("1.28.6", collection("runs.flows.example.io", 60_000, 900_000_000)),
    { events: [request(uri), request(uri, { atMs: 60_000 })] },
  );
  expect(findings[0]?.figures).toMatchObject({
    lists: 2,
    objectsPerList: 60_000,
    bytesPerUnpagedList: 900_000_000,
    listsPerMinute: 1,
  });
});
