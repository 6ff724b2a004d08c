import { expect, test } from "vitest";
import { copies, request, runRule, short } from "../../testing/audit.ts";
import { listRelistHerd } from "./relist-herd.ts";

const expired = { responseCode: 410, responseReason: "Expired" } as const;
const NODE_PODS = (node: string) => `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`;

/** Kubelets whose watches expire and who list again, `gapMs` later. */
const kubelets = (count: number, gapMs = 500, startMs = 0) =>
  copies(count, (_, at) => {
    const userName = `system:node:n${at}`;
    const uri = `${NODE_PODS(`n${at}`)}&resourceVersion=1000&watch=true`;
    return request(uri, { userName, atMs: startMs + at * 20, ...expired });
  }).flatMap((watch, at) => [
    watch,
    request(NODE_PODS(`n${at}`), { userName: watch.userName, atMs: startMs + at * 20 + gapMs, ms: 4000 }),
  ]);

const agents = (count: number, relist: string, first: object = expired) =>
  copies(count, (copy) =>
    request("/api/v1/services?watch=true&resourceVersion=9", { copy, ...first }),
  ).flatMap((watch, at) => [watch, request(relist, { sourceIps: watch.sourceIps, atMs: 1000 + at })]);

const on = (kubernetesVersion: string) => ({ cluster: { kubernetesVersion, nodes: 20 } });

test("one wave is a warning, a second one minutes later an error", () => {
  expect(short(runRule(listRelistHerd, on("1.17.0"), { events: kubelets(8) }))).toEqual([
    "warning 8 kubelets",
  ]);
  const twice = [...kubelets(8), ...kubelets(8, 500, 900_000)];
  const found = runRule(listRelistHerd, on("1.17.0"), { events: twice });
  expect(short(found)).toEqual(["error 8 kubelets"]);
  expect(found.findings[0]?.figures).toMatchObject({
    clients: 8,
    watch410: 16,
    relistsRvUnset: 16,
    waves: 2,
  });
});

test("copies of one account count as one client", () => {
  const found = runRule(listRelistHerd, on("1.24.0"), { events: agents(6, "/api/v1/services") });
  expect(short(found)).toEqual(["warning ServiceAccount agents/agent"]);
});

test("on 1.31 whole collections are still read, one node's pods are not", () => {
  expect(
    short(runRule(listRelistHerd, on("1.31.2"), { events: agents(6, "/api/v1/services") })),
  ).toHaveLength(1);
  expect(short(runRule(listRelistHerd, on("1.31.2"), { events: kubelets(8) }))).toEqual([]);
});

test.each([
  ["four copies are no herd", kubelets(4)],
  ["a LIST a minute later is another matter", kubelets(8, 60_000)],
  ["a LIST from the last resource version", agents(6, "/api/v1/services?resourceVersion=9")],
  ["a LIST from the cache", agents(6, "/api/v1/services?resourceVersion=0")],
  ["watches that end as they should", agents(6, "/api/v1/services", { responseCode: 200 })],
  ["LISTs without any 410", copies(9, (copy) => request("/api/v1/services", { copy }))],
  ["a 410 of one resource and a LIST of another", agents(6, "/api/v1/secrets")],
])("not reported: %s", (_, events) => {
  expect(short(runRule(listRelistHerd, on("1.17.0"), { events }))).toEqual([]);
});

test("a LIST that is told 410 begins a relist as well", () => {
  const events = copies(5, (copy) =>
    request("/api/v1/services?resourceVersion=9", { copy, ...expired }),
  ).flatMap((list) => [list, request("/api/v1/services", { sourceIps: list.sourceIps, atMs: 10 })]);
  expect(short(runRule(listRelistHerd, on("1.22.0"), { events }))).toHaveLength(1);
});
