import { expect, test } from "vitest";
import { collection, request, runRule, short } from "../../testing/audit.ts";
import { readListFailure } from "./list-log-line.ts";
import { listTimeout } from "./timeout.ts";

const RUNS = "/apis/flows.example.io/v1/runs?resourceVersion=0";
const late = (atMs: number, fields: object = {}) =>
  request(RUNS, { atMs, ms: 60_000, responseCode: 504, responseReason: "Timeout", ...fields });

test("three LISTs that end with 504 are an error, with what they list", () => {
  const facts = { cluster: { collections: [collection("runs.flows.example.io", 90_000)] } };
  const found = runRule(listTimeout, facts, { events: [late(0), late(61_000), late(122_000)] });
  expect(short(found)).toEqual(["error ServiceAccount agents/agent"]);
  expect(found.findings[0]?.figures).toMatchObject({
    resource: "runs.flows.example.io",
    timeouts: 3,
    secondsEach: 60,
    objects: 90_000,
  });
});

test("one among many is a warning", () => {
  const events = [late(0), ...[1, 2, 3].map((at) => request(RUNS, { atMs: at * 1000 }))];
  expect(short(runRule(listTimeout, {}, { events }))).toEqual(["warning ServiceAccount agents/agent"]);
});

test("a streamed LIST that is cut at the deadline counts as answered, and is found by its length", () => {
  const events = [0, 1, 2].map((at) => late(at * 61_000, { responseCode: 200, responseReason: null }));
  expect(short(runRule(listTimeout, {}, { events }))).toEqual(["error ServiceAccount agents/agent"]);
});

test.each([
  ["a slow LIST that ends", request(RUNS, { ms: 42_000 })],
  ["a long WATCH", request(`${RUNS}&watch=true`, { ms: 480_000 })],
  ["a resource version that the cache has not yet", late(0, { ms: 3000, stageAt: null, receivedAt: null })],
  ["a GET that times out", request("/api/v1/namespaces/a/pods/p", { ms: 60_000, responseCode: 504 })],
])("not reported: %s", (_, event) => {
  expect(short(runRule(listTimeout, {}, { events: [event, event, event] }))).toEqual([]);
});

test.each([
  [
    'E0302 09:01:00.1 1 reflector.go:150] "Failed to watch" err="failed to list *v1.ReplicaSet: Timeout: request did not complete within requested timeout - context deadline exceeded"',
    { resource: "replicasets" },
  ],
  [
    "W0302 reflector.go:547] failed to list *v1alpha1.NetworkPolicy: the server was unable to return a response in the time allotted, but may still be processing requests (get networkpolicies.crd.example.io)",
    { resource: "networkpolicies", apiGroup: "crd.example.io" },
  ],
  [
    'I0302 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods?resourceVersion=0" latency="1m0.003s" userAgent="agent/1.0" srcIP="192.0.2.7" apf_pl="workload-low" apf_iseats=10 resp=504',
    { resource: "pods", program: "agent/1.0", seconds: 60.003 },
  ],
  [
    "failed to list *unstructured.Unstructured: stream error: stream ID 7; INTERNAL_ERROR; received from peer",
    { resource: "unstructureds" },
  ],
])("a log line tells of it: %s", (line, expected) => {
  expect(readListFailure(line)).toMatchObject(expected);
});

test.each([
  'I0302 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods" latency="812ms" userAgent="agent/1.0" resp=200',
  "E0302 failed to list *v1.Pod: pods is forbidden: User cannot list resource",
  'I0302 httplog.go:134] "HTTP" verb="WATCH" URI="/api/v1/pods?watch=true" latency="8m0s" userAgent="agent/1.0" resp=200',
  "webhook call failed: context deadline exceeded",
  "x".repeat(50_000),
])("a log line tells of none: %#", (line) => {
  expect(readListFailure(line)).toBeNull();
});

test("lines of one resource add up to one finding with its first place", () => {
  const line = "failed to list *v1.Pod: Timeout: request did not complete within requested timeout";
  const found = runRule(listTimeout, {}, { lines: ["started", line, line, line] });
  expect(short(found)).toEqual(["error pods"]);
  expect(found.findings[0]?.position).toEqual({ file: "a.log", line: 2 });
});
