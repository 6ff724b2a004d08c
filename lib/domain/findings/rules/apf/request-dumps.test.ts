import { expect, test } from "vitest";
import type { RequestDumpLine } from "../../scan-facts.ts";
import { request, runRule, START, short } from "../../testing/audit.ts";
import { apfSeatHog } from "./seat-hog.ts";
import { apfWatchHoldsSeat } from "./watch-holds-seat.ts";

const AGENT = "system:serviceaccount:logging:agent";
const line = (fields: Partial<RequestDumpLine> = {}): RequestDumpLine => ({
  priorityLevelName: "workload-low",
  flowSchemaName: "service-accounts",
  queueIndex: 3,
  requestIndexInQueue: -1,
  flowDistinguisher: AGENT,
  arrivedAt: START,
  initialSeats: 10,
  finalSeats: 0,
  additionalLatencySeconds: 0,
  startedAt: START,
  userName: AGENT,
  verb: "list",
  apiPath: "/api/v1/pods",
  namespace: "",
  name: "",
  apiVersion: "v1",
  resource: "pods",
  subResource: "",
  ...fields,
});
const times = (count: number, fields: Partial<RequestDumpLine> = {}) =>
  Array.from({ length: count }, () => line(fields));
const OTHER = "system:serviceaccount:apps:web";
const other = (fields: Partial<RequestDumpLine> = {}) =>
  line({ flowDistinguisher: OTHER, userName: OTHER, initialSeats: 1, verb: "get", ...fields });
const WITHOUT_DETAILS = { userName: null, verb: null, resource: null };
const hog = (rows: readonly RequestDumpLine[], facts: object = {}) =>
  runRule(apfSeatHog, { requestDumps: [{ file: "dump_requests.txt", rows }], ...facts });

test("one flow with most seats is reported, an error while others wait", () => {
  const waiting = other({ requestIndexInQueue: 0, startedAt: null });
  const found = hog([...times(5), other(), waiting, waiting]);
  expect(short(found)).toEqual(["error ServiceAccount logging/agent"]);
  expect(found.findings[0]?.figures).toMatchObject({ seats: 50, levelSeatsInUse: 51, waitingOthers: 2 });
  expect(short(hog([...times(5), other()]))).toEqual(["warning ServiceAccount logging/agent"]);
});

test("a level that is full is an error as well", () => {
  expect(short(hog(times(5), { hand: { seats: { "workload-low": 56 } } }))).toEqual([
    "error ServiceAccount logging/agent",
  ]);
  expect(short(hog(times(5), { hand: { seats: { "workload-low": 245 } } }))).toEqual([
    "warning ServiceAccount logging/agent",
  ]);
});

test("without details the distinguisher tells the user, and where it tells none the FlowSchema", () => {
  expect(short(hog(times(5, WITHOUT_DETAILS)))).toEqual(["warning ServiceAccount logging/agent"]);
  const ofNamespaces = {
    ...WITHOUT_DETAILS,
    flowDistinguisher: "",
    flowSchemaName: "kube-system-service-accounts",
  };
  expect(short(hog(times(5, ofNamespaces)))).toEqual(["warning FlowSchema kube-system-service-accounts"]);
});

test("before 1.28 only waiting requests are listed: these count", () => {
  const rows = times(5, { requestIndexInQueue: 2, startedAt: null });
  expect(short(hog([...rows, other({ requestIndexInQueue: 0 })]))).toEqual([
    "warning ServiceAccount logging/agent",
  ]);
});

test.each([
  ["two flows of one size", [...times(3), ...times(3, { flowDistinguisher: OTHER, userName: OTHER })]],
  ["a few narrow requests", times(5, { initialSeats: 1 })],
  ["the exempt level", times(9, { priorityLevelName: "exempt" })],
  ["an empty dump", []],
])("not reported: %s", (_, rows) => {
  expect(short(hog(rows))).toEqual([]);
});

const watches = (count: number, heldSeconds: number, fields: Partial<RequestDumpLine> = {}) => [
  ...times(count, { verb: "watch", initialSeats: 1, startedAt: START - heldSeconds * 1000, ...fields }),
  other(),
];
const held = (rows: readonly RequestDumpLine[], facts: object = {}) =>
  runRule(apfWatchHoldsSeat, { requestDumps: [{ file: "dump_requests.txt", rows }], ...facts });

test("watches that execute for minutes hold seats", () => {
  const hand = { nominalSeats: { "workload-low": 5 } };
  const found = held(watches(5, 240), { hand });
  expect(short(found)).toEqual(["error PriorityLevelConfiguration workload-low"]);
  expect(found.findings[0]?.figures).toMatchObject({
    watches: 5,
    seats: 5,
    limitSeats: 5,
    longestSeconds: 240,
  });
  expect(short(held(watches(2, 240)))).toEqual(["warning PriorityLevelConfiguration workload-low"]);
});

test.each([
  ["watches that have just begun", watches(40, 4)],
  ["LISTs that take long", watches(4, 240, { verb: "list" })],
  ["watches that wait", watches(4, 240, { requestIndexInQueue: 1 })],
  ["exempt watches", watches(4, 240, { priorityLevelName: "exempt" })],
])("no watch holds a seat: %s", (_, rows) => {
  expect(short(held(rows))).toEqual([]);
});

const AGGREGATED = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.stats.example.io" },
  spec: { group: "stats.example.io", version: "v1", service: { name: "stats", namespace: "ops" } },
};
const watchOf = (group: string, at: number) =>
  request(`/apis/${group}/v1/things?watch=true&resourceVersion=5`, { stage: "ResponseStarted", atMs: at });

test("up to 1.22.3 watches of aggregated APIs hold a seat to their end", () => {
  const events = Array.from({ length: 130 }, (_, at) => watchOf("stats.example.io", at));
  const scan = (kubernetesVersion: string, given = events) =>
    short(
      runRule(
        apfWatchHoldsSeat,
        { objects: [AGGREGATED], cluster: { kubernetesVersion } },
        { events: given },
      ),
    );
  expect(scan("1.22.1")).toEqual(["error PriorityLevelConfiguration workload-low"]);
  expect(scan("1.22.1", events.slice(0, 3))).toEqual(["warning PriorityLevelConfiguration workload-low"]);
  expect(scan("1.22.3")).toHaveLength(1);
  expect(scan("1.22.4")).toEqual([]);
  expect(scan("1.30.0")).toEqual([]);
  expect(scan("1.21.5")).toEqual([]);
  expect(
    scan(
      "1.22.1",
      events.map((_, at) => watchOf("apps", at)),
    ),
  ).toEqual([]);
});

test("a metrics page of such a version tells it by seats in use and open watches", () => {
  const page = (watching: number) => [
    {
      name: "apiserver_longrunning_requests",
      labels: { verb: "WATCH", group: "stats.example.io" },
      value: watching,
    },
    {
      name: "apiserver_flowcontrol_request_concurrency_in_use",
      labels: { priority_level: "workload-low" },
      value: 40,
    },
    {
      name: "apiserver_flowcontrol_request_concurrency_limit",
      labels: { priority_level: "workload-low" },
      value: 49,
    },
  ];
  const facts = { objects: [AGGREGATED], cluster: { kubernetesVersion: "1.22.1" } };
  expect(short(runRule(apfWatchHoldsSeat, facts, { metrics: { "metrics.txt": page(38) } }))).toEqual([
    "error PriorityLevelConfiguration workload-low",
  ]);
  expect(short(runRule(apfWatchHoldsSeat, facts, { metrics: { "metrics.txt": page(3) } }))).toEqual([]);
});
