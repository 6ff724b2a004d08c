import { expect, test } from "vitest";
import { request, runRule, short } from "../../testing/audit.ts";
import { watchlistNoBookmark } from "./no-bookmark.ts";

const object = (
  fields: object = {},
  apiVersion = "controlplane.example.io/v1beta2",
  kind = "AddressGroup",
) => ({
  apiVersion,
  kind,
  metadata: { name: "a", resourceVersion: "7", ...fields },
});
const added = (apiVersion?: string, kind?: string) => ({
  type: "ADDED",
  object: object({}, apiVersion, kind),
});
const bookmark = (annotations?: object) => ({
  type: "BOOKMARK",
  object: object(annotations === undefined ? {} : { annotations }),
});
const END = { "k8s.io/initial-events-end": "true" };
const find = (...watch: { type: string; object: Readonly<Record<string, unknown>> }[]) =>
  runRule(watchlistNoBookmark, {}, { watch });
const FOUND = ["error APIService v1beta2.controlplane.example.io"];

test.each([
  ["no bookmark at all", [added(), added()]],
  ["a bookmark without the annotation", [added(), bookmark(), bookmark({ other: "true" })]],
  ["the annotation with another value", [added(), bookmark({ "k8s.io/initial-events-end": "false" })]],
  ["an empty collection whose bookmark lacks it", [bookmark()]],
  ["changes before the end of the initial events", [added(), { type: "MODIFIED", object: object() }]],
])("reported: %s", (_, events) => {
  expect(short(find(...events))).toEqual(FOUND);
});

test.each([
  ["the bookmark comes", [added(), added(), bookmark(END)]],
  ["it comes first for an empty collection", [bookmark(END)]],
  ["changes alone: a WATCH that went on", [{ type: "MODIFIED", object: object() }]],
  ["an error alone", [{ type: "ERROR", object: { kind: "Status", apiVersion: "v1", code: 410 } }]],
])("not reported: %s", (_, events) => {
  expect(short(find(...events))).toEqual([]);
});

test("a built-in resource is named as such, and the request where the log has it", () => {
  expect(short(find(added("v1", "Pod")))).toEqual(["error pods"]);
  const uri = "/apis/controlplane.example.io/v1beta2/addressgroups?watch=true&sendInitialEvents=true";
  const events = [request(uri, { ms: 300_000 }), request(uri, { ms: 300_000 })];
  const found = runRule(watchlistNoBookmark, {}, { watch: [added()], events });
  expect(found.findings[0]?.figures).toMatchObject({ watchLists: 2, longestSeconds: 300 });
});

test("before 1.27 nobody asks for it", () => {
  const facts = { cluster: { kubernetesVersion: "1.26.3" } };
  expect(short(runRule(watchlistNoBookmark, facts, { watch: [added()] }))).toEqual([]);
});

test("a reflector that waits says so every ten seconds", () => {
  const line =
    'W0716 10:00:00.1 reflector.go:1] "event bookmark expired" err="hasn\'t received required bookmark event marking the end of initial events stream" type="*v1beta2.AddressGroup"';
  expect(short(runRule(watchlistNoBookmark, {}, { lines: [line, line, line] }))).toEqual([
    "error AddressGroup",
  ]);
  expect(short(runRule(watchlistNoBookmark, {}, { lines: [line] }))).toEqual(["warning AddressGroup"]);
  expect(short(runRule(watchlistNoBookmark, {}, { lines: ["Starting reflector *v1.Pod"] }))).toEqual([]);
});
