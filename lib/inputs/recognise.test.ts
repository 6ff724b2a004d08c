import { expect, test } from "vitest";
import { recognise } from "./recognise.ts";

const AUDIT = '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","verb":"list"}';

test.each<[string, string, string]>([
  ["audit events", "x", `${AUDIT}\n${AUDIT}\n`],
  ["an audit log whose first event is cut", "x.yaml", `b":1}\n${AUDIT}\n`],
  ["audit events behind what a collector wrote", "x", `2026-01-01T00:00:00Z stdout F ${AUDIT}\n`],
  [
    "a list of audit events over lines",
    "x",
    '{\n "kind": "EventList",\n "apiVersion": "audit.k8s.io/v1",\n "items": []\n}',
  ],
])("%s are an audit log", (_, name, text) => {
  expect(recognise(name, Buffer.from(text)).kind).toBe("audit-log");
});

test.each<[string, string, string]>([
  ["metrics by their comment", "m", "# HELP a b\n"],
  ["metrics", "m", 'a_total{x="y"} 1\nb 2.5e3\n'],
  ["log", "kube-apiserver", "I0302 09:00:00.000000       1 main.go:1] started\n"],
  ["log", "any.log", "something\n"],
  ["log", "any.log.1", "something\n"],
  ["log", "events.txt", "Warning  Unhealthy\n"],
  ["watch-stream", "w", '{"type":"ADDED","object":{"kind":"Pod"}}\n'],
  ["health", "h", "[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n"],
  ["dump-priority-levels", "d", "PriorityLevelName, ActiveQueues, IsIdle, WaitingRequests\n"],
  ["dump-queues", "d", "PriorityLevelName, Index, PendingRequests, ExecutingRequests\n"],
  ["dump-requests", "d", "PriorityLevelName, FlowSchemaName, QueueIndex\n"],
  ["json", "j", '{"kind":"Pod"}'],
  ["json", "j.txt", '[\n{"kind":"Pod"}\n]'],
  ["json-lines", "j", '{"kind":"Pod"}\n{"kind":"Pod"}\n'],
  ["yaml", "y", "apiVersion: v1\nkind: Pod\n"],
  ["yaml", "values.yaml", "just: values\n"],
  ["yaml", "y.yml.gz", "- a\n"],
  ["unknown", "README.md", "# Title\n\nSome text.\nkind: of text\n"],
  ["yaml", "facts.yaml", "nodes: 5\npods: 6\n"],
  ["unknown", "empty.yaml", ""],
  ["unknown", "blank.yaml", " \n\n"],
  ["unknown", "image.yaml", "\u0000\u0001\u0002"],
  ["unknown", "d", "PriorityLevelName, Something\n"],
  ["openapi-protobuf", "o", "\u000a\u00032.0\u0012\u0000"],
  ["openapi-protobuf", "o", "\u000a\u00053.0.0\u0012\u0000"],
])("%s: %s", (kind, name, text) => {
  expect(recognise(name, Buffer.from(text, "latin1")).kind).toBe(kind.replace(/ by .*/, ""));
});

test("UTF-16 is named as such, a byte order mark is none", () => {
  expect(recognise("a.yaml", Buffer.from("\ufeffa: 1", "utf16le"))).toEqual({
    kind: "unknown",
    reason: "UTF-16 text; UTF-8 is read",
  });
  expect(recognise("a", Buffer.from("\ufeff{}")).kind).toBe("json");
});
