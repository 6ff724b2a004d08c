import { expect, test } from "vitest";
import { copies, request, runRule, short } from "../../testing/audit.ts";
import { clientHotLoop } from "./hot-loop.ts";

const POD = "/api/v1/namespaces/team-a/pods/big-pod";
const every = (gapMs: number, count = 40, uri = POD, fields: object = {}) =>
  Array.from({ length: count }, (_, at) => request(uri, { atMs: at * gapMs, ms: 0.4, ...fields }));
const find = (events: readonly ReturnType<typeof request>[]) => runRule(clientHotLoop, {}, { events });

test.each([
  ["2 000 identical GETs a second", every(0.5), "error"],
  ["100 a second", every(10), "error"],
  ["20 a second", every(50), "warning"],
  ["conflicts that are not resolved", every(5, 40, POD, { verb: "update", responseCode: 409 }), "error"],
  ["a 404 that is asked again", every(20, 40, POD, { responseCode: 404 }), "error"],
  ["a LIST five times a second", every(200, 40, "/api/v1/nodes?resourceVersion=0"), "warning"],
  [
    "a WATCH that ends at once, from another resource version each time",
    Array.from({ length: 40 }, (_, at) =>
      request(`/api/v1/pods?watch=true&resourceVersion=${at}&timeoutSeconds=${300 + at}`, {
        atMs: at * 500,
        ms: 2,
      }),
    ),
    "warning",
  ],
])("reported: %s", (_, events, severity) => {
  expect(short(find(events))).toEqual([`${severity} ServiceAccount agents/agent`]);
});

test("requests of many addresses count where each begins when the one before is answered", () => {
  const events = copies(40, (copy, at) => request(POD, { copy, atMs: at * 0.5, ms: 0.4 }));
  const found = find(events);
  expect(short(found)).toEqual(["error ServiceAccount agents/agent"]);
  expect(found.findings[0]?.figures).toMatchObject({ requests: 40, requestsPerSecond: 2000 });
});

test.each([
  ["ten a minute", every(6000)],
  ["a short burst", every(0.5, 10)],
  ["five a second", every(200)],
  [
    "copies that start together and ask the same thing once each",
    copies(200, (copy, at) => request("/api/v1/namespaces/a/configmaps/c", { copy, atMs: at * 3, ms: 20 })),
  ],
  ["different objects", Array.from({ length: 60 }, (_, at) => request(`${POD}-${at}`, { atMs: at }))],
  ["leader election", every(5, 60, "/apis/coordination.k8s.io/v1/namespaces/a/leases/l", { verb: "update" })],
  ["creations", every(1, 60, "/api/v1/namespaces/a/events", { verb: "create" })],
  ["health checks", every(1, 60, "/readyz", { verb: "get" })],
  ["what only began", every(1, 60, POD, { stage: "RequestReceived" })],
])("not reported: %s", (_, events) => {
  expect(short(find(events))).toEqual([]);
});

test("the fastest run of a client stands, its others are named beside it", () => {
  const found = find([...every(10), ...every(1, 40, `${POD}-2`)]);
  expect(found.findings).toHaveLength(1);
  expect(found.findings[0]?.figures).toMatchObject({ request: `${POD}-2`, requestsPerSecond: 1000 });
  expect(found.findings[0]?.related).toEqual([`get ${POD}: 100 a second`]);
});
