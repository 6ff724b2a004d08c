import { describe, expect, test } from "vitest";
import { describeInformer } from "./informer-text.ts";
import { parseInformersAnnotation } from "./informers-annotation.ts";

const parse = (text: string) => parseInformersAnnotation(text);

describe("the annotation headroom.dev/informers", () => {
  test("pods@node is a LIST and WATCH by spec.nodeName of the copy's own node", () => {
    expect(parse("pods@node protobuf").informers).toEqual([
      {
        apiGroup: "",
        resource: "pods",
        scope: "own-node",
        namespace: null,
        fieldSelector: "spec.nodeName=$(NODE_NAME)",
        labelSelector: null,
        representation: "protobuf",
        mode: "informer",
        periodSeconds: null,
        resourceVersion: null,
        pageSize: null,
        watchList: null,
      },
    ]);
  });

  test.each([
    ["pods"],
    ["nodes@node"],
    ["ciliumnodes.cilium.io@node json"],
    ["configmaps@namespace=kube-system label=app=agent"],
    ["secrets@namespace"],
    ["* metadata-json"],
    ["*.apps leader"],
    ["resourceslices.resource.k8s.io@node"],
    ["leases.coordination.k8s.io@object=kube-node-lease/x poll=60s"],
    ["nodes poll=300s json rv=0 limit=500"],
    ["pods@node get"],
    ["endpointslices.discovery.k8s.io relist=600s metadata-json watchlist=on leader"],
    ["pods@node field=status.phase!=Succeeded"],
  ])("%s is written as it is read", (text) => {
    const { informers, problems } = parse(text);
    expect(problems).toEqual([]);
    expect(informers.map(describeInformer)).toEqual([text]);
  });

  test("entries stand on lines or are parted by semicolons; units are seconds, minutes, hours", () => {
    const { informers } = parse(
      "pods@node; nodes poll=5m\n\n  services list ;namespaces metadata relist=1h\r\n",
    );
    expect(informers.map(describeInformer)).toEqual([
      "pods@node",
      "nodes poll=300s",
      "services list",
      "namespaces relist=3600s metadata-json",
    ]);
  });

  test("the client is told by library, version and limits", () => {
    expect(parse("client client-go/0.34.1 qps=5 burst=10 gzip=off; pods").client).toEqual({
      library: "client-go",
      version: "0.34.1",
      qps: 5,
      burst: 10,
      acceptsGzip: false,
    });
    expect(parse("client other; pods").client?.version).toBeNull();
    expect(parse("client other")).toMatchObject({ informers: [], tellsInformers: false, problems: [] });
  });

  test("none alone says that nothing is read", () => {
    expect(parse("none")).toEqual({ informers: [], tellsInformers: true, client: null, problems: [] });
    expect(parse("none; client other")).toMatchObject({ informers: [], tellsInformers: true, problems: [] });
  });

  test.each<[string, string, number, number]>([
    ["pods@nodes", "@node, @namespace", 1, 1],
    ["pods\n  services poll=0s", "poll=60s", 2, 12],
    ["pods; Services", "a resource as in", 1, 7],
    ["pods json protobuf", "one form of pods", 1, 11],
    ["pods list poll=60s", "one mode of pods", 1, 11],
    ["pods frobnicate", "json, protobuf", 1, 6],
    ["pods limit=-1", "limit=500", 1, 6],
    ["pods rv=7", "rv=0 or rv=latest", 1, 6],
    ["pods watchlist", "watchlist=on", 1, 6],
    ["pods label=", "label=SELECTOR", 1, 6],
    ["pods list relist=5m", "relist only of what is listed and watched", 1, 11],
    ["pods@object=a field=b=c", "no field beside @object", 1, 15],
    ["pods; none", "none to stand alone", 1, 7],
    ["pods;pods", "every entry once", 1, 6],
    ["client", "client LIBRARY/VERSION", 1, 1],
    ["client fabric8/7", "client LIBRARY/VERSION", 1, 8],
    ["client client-go/new", "a version as in", 1, 8],
    ["client other qps=fast", "qps=5", 1, 14],
    ["client other; client other", "one client entry", 1, 15],
    ["", "entries such as pods@node", 1, 1],
    [" ;; \n", "entries such as pods@node", 1, 1],
    ["pods@", "@node, @namespace", 1, 1],
    ["p*ds", "a resource as in", 1, 1],
    ["pods.*", "a resource as in", 1, 1],
    ["apps/v1/deployments", "a resource as in", 1, 1],
  ])("%j is refused with its place and what was expected", (text, expected, line, column) => {
    const { problems, informers } = parse(text);
    expect(informers).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, column });
    expect(problems[0]?.expected).toContain(expected);
  });

  test("every fault is told, not the first alone", () => {
    expect(parse("Pods; nodes frobnicate; services poll=x").problems.map(({ column }) => column)).toEqual([
      1, 13, 34,
    ]);
  });

  test("a text of thousands of entries ends in one problem", () => {
    const { problems } = parse(Array.from({ length: 100_000 }, (_, i) => `r${i}`).join(";"));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.expected).toBe("at most 500 entries");
  });
});
