import { expect, test } from "vitest";
import { runRule, short } from "../../testing/audit.ts";
import { apfStarvation } from "./starvation.ts";

const row = (fields: object = {}) => ({
  priorityLevelName: "crds",
  activeQueues: 0,
  isIdle: false,
  isQuiescing: false,
  waitingRequests: 0,
  executingRequests: 5,
  dispatchedRequests: 310,
  rejectedRequests: 1240,
  timedoutRequests: 0,
  cancelledRequests: 0,
  ...fields,
});
const dump = (file: string, ...rows: ReturnType<typeof row>[]) => ({ file, rows });
const compare = (before: object, after: object, facts: object = {}) =>
  runRule(apfStarvation, {
    priorityLevelDumps: [dump("d.1.txt", row(before)), dump("d.2.txt", row(after))],
    hand: { secondsBetweenDumps: 60, nominalSeats: { crds: 5 } },
    ...facts,
  });

test.each<[string, object, object, string]>([
  ["nothing dispatched, rejections grow", {}, { rejectedRequests: 2480 }, "error"],
  ["nothing dispatched, requests wait", { waitingRequests: 9 }, { waitingRequests: 9 }, "error"],
  ["more rejected than served", {}, { dispatchedRequests: 400, rejectedRequests: 1400 }, "error"],
  ["some rejected", {}, { dispatchedRequests: 2000, rejectedRequests: 1300 }, "warning"],
  [
    "a version that counts no dispatches",
    { dispatchedRequests: null },
    { dispatchedRequests: null, rejectedRequests: 1300 },
    "warning",
  ],
])("reported: %s", (_, before, after, severity) => {
  expect(short(compare(before, after))).toEqual([`${severity} PriorityLevelConfiguration crds`]);
});

test("rates are by the seconds between the dumps, and not known without", () => {
  const { findings } = compare({}, { rejectedRequests: 2480 });
  expect(findings[0]?.figures).toMatchObject({ dispatchedDelta: 0, rejectedDelta: 1240, limitSeats: 5 });
  expect(findings[0]?.figures.rejectedPerSecond).toBeCloseTo(20.67, 2);
  const without = compare({}, { rejectedRequests: 2480 }, { hand: {} });
  expect(without.findings[0]?.figures.rejectedPerSecond).toBeNull();
});

test.each<[string, object, object]>([
  ["old rejections that do not grow", {}, { dispatchedRequests: 350 }],
  ["an idle level", { executingRequests: 0 }, { executingRequests: 0 }],
  ["one long request", {}, {}],
  ["requests wait and are served", { waitingRequests: 9 }, { waitingRequests: 9, dispatchedRequests: 900 }],
  [
    "an exempt level without figures",
    { executingRequests: null, dispatchedRequests: null, rejectedRequests: null, waitingRequests: null },
    { executingRequests: null, dispatchedRequests: null, rejectedRequests: null, waitingRequests: null },
  ],
])("not reported: %s", (_, before, after) => {
  expect(compare(before, after)).toEqual({ findings: [], undecided: [] });
});

test("counters that fall are of another server or another run", () => {
  const found = compare({}, { rejectedRequests: 3, dispatchedRequests: 8 });
  expect(found.findings).toEqual([]);
  expect(found.undecided).toHaveLength(1);
});

test("files are taken in the order of their numbers", () => {
  const facts = {
    priorityLevelDumps: [
      dump("d.10.txt", row({ dispatchedRequests: 500 })),
      dump("d.9.txt", row({ dispatchedRequests: 400 })),
    ],
  };
  expect(runRule(apfStarvation, facts)).toEqual({ findings: [], undecided: [] });
});

test("of one dump only a level that is full while requests wait is told", () => {
  const one = (fields: object, hand: object = { nominalSeats: { crds: 5 } }) =>
    short(runRule(apfStarvation, { priorityLevelDumps: [dump("d.txt", row(fields))], hand }));
  expect(one({ waitingRequests: 40 })).toEqual(["warning PriorityLevelConfiguration crds"]);
  expect(one({})).toEqual([]);
  expect(one({ waitingRequests: 40 }, {})).toEqual([]);
});

test("two metrics pages tell the same, over all FlowSchemas of a level", () => {
  const page = (rejected: number, dispatched: number) => [
    ...["queue-full", "time-out"].map((reason) => ({
      name: "apiserver_flowcontrol_rejected_requests_total",
      labels: { priority_level: "workload-low", flow_schema: "service-accounts", reason },
      value: rejected,
    })),
    {
      name: "apiserver_flowcontrol_dispatched_requests_total",
      labels: { priority_level: "workload-low", flow_schema: "service-accounts" },
      value: dispatched,
    },
  ];
  const scan = (later: ReturnType<typeof page>) =>
    runRule(apfStarvation, {}, { metrics: { "metrics.1.txt": page(10, 100), "metrics.2.txt": later } });
  const found = scan(page(60, 100));
  expect(short(found)).toEqual(["error PriorityLevelConfiguration workload-low"]);
  expect(found.findings[0]?.figures).toMatchObject({ rejectedDelta: 100, dispatchedDelta: 0 });
  expect(short(scan(page(10, 400)))).toEqual([]);
});
