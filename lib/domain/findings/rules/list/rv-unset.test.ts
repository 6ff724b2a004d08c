import { expect, test } from "vitest";
import { collection, copies, request, runRule, short } from "../../testing/audit.ts";
import { daemonSet } from "../../testing/facts.ts";
import { listRvUnset } from "./rv-unset.ts";

const AGENT = daemonSet("agent", { template: { spec: { serviceAccountName: "agent", containers: [] } } });
const cluster = (kubernetesVersion: string | null, more: object = {}) => ({
  cluster: { kubernetesVersion, nodes: 200, collections: [collection("pods", 30_000)], ...more },
});
const OWN_PODS = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1";
const polled = (uri: string) => copies(4, (_, at) => request(uri, { copy: "192.0.2.1", atMs: at * 5000 }));

test.each([
  ["1.26.0 reads etcd, whatever the selector", "1.26.0", {}],
  ["1.30.14 does so too", "v1.30.14-eks-1", {}],
  ["versions older than the known ones do", "1.17.0", {}],
  ["1.31 does with an etcd that knows no progress requests", "1.31.4", { etcdVersion: "3.5.12" }],
  ["and with the gate off", "1.33.1", { featureGates: { ConsistentListFromCache: false } }],
])("%s", (_, version, more) => {
  const found = runRule(listRvUnset, cluster(version, more), { events: polled(OWN_PODS) });
  expect(short(found)).toEqual(["warning ServiceAccount agents/agent"]);
  expect(found.findings[0]?.figures).toMatchObject({ objectsPerList: 30_000, quorumListsPerMinute: 12 });
});

test.each<[string, string, string, object]>([
  ["1.31 serves the latest state from its cache", "1.31.0", OWN_PODS, {}],
  [
    "1.34 does, whatever its gates say",
    "1.34.0",
    OWN_PODS,
    { featureGates: { ConsistentListFromCache: false } },
  ],
  ["etcd 3.5.13 is new enough", "1.33.0", OWN_PODS, { etcdVersion: "3.5.13" }],
  ["resourceVersion=0 reads the cache", "1.24.0", `${OWN_PODS}&resourceVersion=0`, {}],
  ["a page at a time is no read of everything", "1.28.0", "/api/v1/pods?limit=500", {}],
  ["one object by its key", "1.28.0", "/api/v1/nodes?fieldSelector=metadata.name%3Dn1", {}],
  ["one namespace", "1.28.0", "/api/v1/namespaces/a/pods", {}],
  ["a small collection", "1.28.0", "/api/v1/pods", { collections: [collection("pods", 300)] }],
  ["a WATCH is no LIST", "1.28.0", "/api/v1/pods?watch=true", {}],
])("not reported: %s", (_, version, uri, more) => {
  expect(short(runRule(listRvUnset, cluster(version, more), { events: polled(uri) }))).toEqual([]);
});

test("from every node it is an error: the wave is nodes × objects", () => {
  const events = copies(4, (copy) => request(OWN_PODS, { copy }));
  const found = runRule(listRvUnset, { ...cluster("1.24.10"), objects: [AGENT] }, { events });
  expect(short(found)).toEqual(["error ServiceAccount agents/agent"]);
  expect(found.findings[0]?.figures).toMatchObject({
    copies: 200,
    objectsReadFromEtcdPerRelistWave: 6_000_000,
  });
});

test("one LIST of a large collection is a warning, one of a middling one is not", () => {
  const once = [request("/apis/batch/v1/jobs")];
  const of = (objects: number) => cluster("1.29.1", { collections: [collection("jobs.batch", objects)] });
  expect(short(runRule(listRvUnset, of(20_000), { events: once }))).toEqual([
    "warning ServiceAccount agents/agent",
  ]);
  expect(short(runRule(listRvUnset, of(3000), { events: once }))).toEqual([]);
});

test("people write `replicasets` for `replicasets.apps`", () => {
  const facts = cluster("1.29.1", { collections: [collection("replicasets", 20_000)] });
  const found = runRule(listRvUnset, facts, { events: [request("/apis/apps/v1/replicasets")] });
  expect(found.findings[0]?.figures).toMatchObject({ resource: "replicasets.apps", objectsPerList: 20_000 });
});

test("without a version it is not decided, and pages are no question", () => {
  const found = runRule(listRvUnset, cluster(null), { events: polled(OWN_PODS) });
  expect(found.findings).toEqual([]);
  expect(found.undecided).toHaveLength(1);
  const paged = runRule(listRvUnset, cluster(null), { events: polled("/api/v1/pods?limit=500") });
  expect(paged.undecided).toEqual([]);
});

test("refused requests and the first stage of a request count for nothing", () => {
  const refused = polled(OWN_PODS).map((each) => ({ ...each, responseCode: 403 }));
  const announced = polled(OWN_PODS).map((each) => ({ ...each, stage: "RequestReceived" as const }));
  expect(short(runRule(listRvUnset, cluster("1.28.0"), { events: [...refused, ...announced] }))).toEqual([]);
});
