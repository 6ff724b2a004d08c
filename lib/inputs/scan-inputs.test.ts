import { createWriteStream, symlinkSync } from "node:fs";
import path from "node:path";
import { finished } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  ALL_VERSIONS,
  RULES,
  type Rule,
  type ScanFacts,
  type StreamObserver,
} from "../domain/findings/index.ts";
import { type ScanRequest, scanInputs } from "./scan-inputs.ts";
import { folderWith } from "./test-support.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");

/** Scans with one rule that only looks, and says what it saw. */
async function look(folder: string, request: Partial<ScanRequest> = {}) {
  const seen: { facts: ScanFacts | null; audit: number; lines: string[]; metrics: string[]; watch: number } =
    {
      facts: null,
      audit: 0,
      lines: [],
      metrics: [],
      watch: 0,
    };
  const rule: Rule = {
    name: "test.look",
    severity: "info",
    versions: ALL_VERSIONS,
    title: "",
    what: "",
    why: "",
    fix: "",
    sources: [],
    check: {
      kind: "stream",
      metrics: ["wanted_total"],
      begin: (facts): StreamObserver => {
        seen.facts = facts;
        return {
          auditEvent: () => void seen.audit++,
          logLine: (line, { line: number }) => void seen.lines.push(`${number} ${line}`),
          metricSample: ({ value }) => void seen.metrics.push(String(value)),
          watchEvent: () => void seen.watch++,
          finish: () => ({ findings: [] }),
        };
      },
    },
  };
  const report = await scanInputs({ paths: [folder], rules: [rule], now: NOW, ...request });
  const short = (name: string) => path.relative(folder, name);
  return {
    seen,
    report,
    problems: report.problems.map(
      ({ file, line, column, message }) =>
        `${[short(file), line ?? "-", column ?? "-"].join(":")} ${message}`,
    ),
    skipped: report.skipped.map(({ file, reason }) => `${short(file)}: ${reason}`),
    objects: (kind: string) =>
      seen.facts?.objects.ofKind(kind).map(({ name, position }) => `${name} ${position.line}`),
  };
}

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const AUDIT =
  '{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"ID","stage":"ResponseComplete","verb":"list","requestURI":"/api/v1/pods","user":{"username":"u"},"stageTimestamp":"2026-03-02T09:00:00.000000Z","requestReceivedTimestamp":"2026-03-02T09:00:00.000000Z"}\n';

describe("objects", () => {
  test("documents, lists and single objects in YAML and JSON, packed too, with the line they begin on", async () => {
    const folder = folderWith({
      "a.yaml": `# head\n---\n${configMap("one")}---\n# nothing\n---\n\n${configMap("two")}`,
      "b.json": JSON.stringify(
        {
          apiVersion: "v1",
          kind: "List",
          items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "three" } }],
        },
        null,
        1,
      ),
      "c.json": JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMapList",
        items: [{ metadata: { name: "four" } }],
      }),
      "d.yaml.gz": gzipSync(configMap("five")),
      "e.jsonl":
        `${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "six" } })}\n`.repeat(2),
      "f.yaml": `apiVersion: v1\nitems:\n- ${configMap("seven").trim().replaceAll("\n", "\n  ")}\n- ${configMap("eight").trim().replaceAll("\n", "\n  ")}\nkind: List\nmetadata:\n  resourceVersion: ""\n`,
    });
    const { objects, problems, skipped, report } = await look(folder);
    expect(objects("ConfigMap")).toEqual([
      "one 3",
      "two 11",
      "three 1",
      "four 1",
      "five 1",
      "six 1",
      "six 2",
      "seven 3",
      "eight 7",
    ]);
    expect([problems, skipped, report.figures]).toEqual([[], [], { files: 6, objects: 9 }]);
  });

  test("what no rule may see is not kept: values of Secrets, copies of the object", async () => {
    const folder = folderWith({
      "a.json": JSON.stringify({
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "s",
          managedFields: [{}],
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", keep: "x" },
        },
        data: { password: "c2VjcmV0" },
        stringData: { token: "t" },
      }),
    });
    const { seen } = await look(folder);
    expect(seen.facts?.objects.find("Secret", null, "s")?.body).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", annotations: { keep: "x" } },
    });
  });

  test("beyond a bound they are packed and read as before", async () => {
    const folder = folderWith({ "a.yaml": [configMap("one"), configMap("two")].join("---\n") });
    const { seen } = await look(folder, { limits: { plainObjectBytes: 0 } });
    expect(seen.facts?.objects.ofKind("ConfigMap").map(({ body }) => body)).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two" } },
    ]);
  });

  test("a JSON list longer than a document may be is read item by item", async () => {
    const items = Array.from({ length: 3000 }, (_, index) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${index}`, labels: { filler: "x".repeat(40) } },
    }));
    const folder = folderWith({ "pods.json": JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
    const { seen, problems } = await look(folder, { limits: { documentBytes: 100_000 } });
    expect([seen.facts?.objects.ofKind("Pod").length, problems]).toEqual([3000, []]);
  });
});

describe("a fault costs its file or its document, is named with its place, and the rest is answered", () => {
  test("documents of YAML", async () => {
    const folder = folderWith({
      "a.yaml": `${configMap("one")}---\na: [1\n---\n${configMap("two")}---\nb: c: d\n`,
    });
    const { objects, problems } = await look(folder);
    expect(objects("ConfigMap")).toEqual(["one 1", "two 8"]);
    expect(problems).toEqual([
      "a.yaml:7:1 expected valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
      "a.yaml:13:4 expected valid YAML: Nested mappings are not allowed in compact mappings",
    ]);
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    [
      "alias bomb",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghij"].map((name, index) => `${name}: &${name} [${new Array(9).fill(`*${"abcdefghij"[index]}`).join(",")}]`).join("\n")}\n`,
      /^x\.yaml:1:- expected aliases that unfold to a bounded size$/,
    ],
    [
      "deep nesting in brackets",
      `a: ${"[".repeat(100_000)}`,
      /^x\.yaml:1:\d+ expected (less nesting|valid YAML)/,
    ],
    ["deep nesting of sequences", `${"- ".repeat(50_000)}x`, /^x\.yaml:1:\d+ expected less nesting/],
    [
      "bytes that are not UTF-8",
      Buffer.concat([Buffer.from("a: 1\nb: "), Buffer.from([0xff, 0xfe, 0x41])]),
      /^x\.yaml:2:- expected UTF-8$/,
    ],
    [
      "a document that is too long",
      `a: |\n${"  x\n".repeat(30_000)}`,
      /^x\.yaml:1:- expected a YAML document of at most/,
    ],
    [
      "a line that is too long",
      `a: ${"x".repeat(200_000)}\n`,
      /^x\.yaml:1:- expected a YAML document of at most/,
    ],
    [
      "gzip that is cut",
      gzipSync(configMap("one").repeat(50)).subarray(0, 60),
      /^x\.yaml:-:- expected gzip data to its end; it is cut short$/,
    ],
    ["a tab", "a:\n\t- b\n", /^x\.yaml:2:1 expected valid YAML: Tabs are not allowed as indentation$/],
  ])("%s", async (_, content, problem) => {
    const folder = folderWith({ "x.yaml": content, "good.yaml": configMap("one") });
    const { problems, objects } = await look(folder, { limits: { yamlDocumentBytes: 110_000 } });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(objects("ConfigMap")).toEqual(["one 1"]);
  });

  test.each<[string, string, RegExp]>([
    ["JSON that is cut", '{"kind": "Pod", ', /^x\.json:1:\d+ expected valid JSON: it ends too early$/],
    [
      "deep nesting",
      `${"[".repeat(40_000)}${"]".repeat(40_000)}`,
      /^x\.json:1:501 expected at most 500 levels of nesting$/,
    ],
    [
      "more than a document may be",
      `{"a": "${"x".repeat(200_000)}"}`,
      /^x\.json:-:- expected a JSON document of at most/,
    ],
    [
      "a list whose item is damaged",
      `{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","metadata":{"name":"p"},"apiVersion":"v1","x":"${"x".repeat(110_000)}"},{"kind" "Pod"}]}`,
      /^x\.json:-:- expected valid JSON: a colon is missing, in item 2 of the list$/,
    ],
  ])("%s", async (_, content, problem) => {
    const folder = folderWith({ "x.json": content, "good.yaml": configMap("one") });
    const { problems, objects } = await look(folder, { limits: { documentBytes: 100_000 } });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(objects("ConfigMap")).toEqual(["one 1"]);
  });

  test("a line of a stream that is longer than allowed is not held", async () => {
    const folder = folderWith({ "good.yaml": configMap("one") });
    const file = path.join(folder, "huge.log");
    const stream = createWriteStream(file);
    const piece = Buffer.alloc(1024 * 1024, 0x61);
    for (let index = 0; index < 40; index++) stream.write(piece);
    stream.end("\nshort\n");
    await finished(stream);
    const { problems, seen } = await look(folder);
    expect(problems).toEqual([`huge.log:1:- expected a line of at most ${16 * 1024 * 1024} bytes`]);
    expect(seen.lines).toEqual(["2 short"]);
  });

  test("a file of more than is read whole is named and skipped; a stream may be longer", async () => {
    const folder = folderWith({ "a.yaml": configMap("one"), "audit.jsonl": AUDIT });
    const { skipped, problems, seen } = await look(folder, { limits: { fileBytes: 32 } });
    expect([skipped, problems, seen.audit]).toEqual([[expect.stringMatching(/^a\.yaml: more than /)], [], 1]);
  });

  test("what could not be read leaves the verdict unknown", async () => {
    const { report } = await look(folderWith({ "x.yaml": "a: [", "good.yaml": configMap("one") }));
    expect([report.verdict, report.problems.length]).toEqual(["unknown", 1]);
  });

  test("a folder that links to itself", async () => {
    const folder = folderWith({ "good.yaml": configMap("one") });
    symlinkSync(".", path.join(folder, "self"));
    const { problems, objects } = await look(folder);
    expect(problems).toEqual([
      "self:-:- expected a folder that does not lead back to one it lies in; not followed",
    ]);
    expect(objects("ConfigMap")).toEqual(["one 1"]);
  });
});

describe("what is no fault", () => {
  test("files of a folder that are nothing are skipped with a reason; a file that somebody names is meant", async () => {
    const folder = folderWith({
      "README.md": "# x\n",
      "values.yaml": "a: 1\n",
      "templates/a.yaml": "a: {{ .Values.a }}\nb: [\n",
      "x.bin": "\u0000",
    });
    const { problems, skipped, report } = await look(folder);
    expect(problems).toEqual([]);
    expect(skipped).toEqual([
      "README.md: none of the kinds of input that are read",
      "templates/a.yaml: a template that is not rendered: give what helm template prints",
      "values.yaml: neither a Kubernetes object nor another kind that is read",
      "x.bin: binary data of no known kind",
    ]);
    expect([report.isNothingGiven, report.verdict]).toEqual([true, "unknown"]);
    const named = await look(folder, {
      paths: [path.join(folder, "README.md"), path.join(folder, "values.yaml")],
    });
    expect(named.problems).toEqual([
      "README.md:-:- expected an input of a known kind: none of the kinds of input that are read",
      "values.yaml:-:- expected an input of a known kind: neither a Kubernetes object nor another kind that is read",
    ]);
  });

  test("a stream that ends within an event, and a metrics page within a line", async () => {
    const folder = folderWith({
      "audit.log": `${AUDIT}${AUDIT.replace("ID", "ID2").slice(0, 80)}`,
      "metrics.txt": "# TYPE wanted_total counter\nwanted_total 1\nother 2\nwanted_total 3",
      "watch.jsonl": '{"type":"ADDED","object":{"kind":"Pod"}}\n{"type":"ADD',
    });
    const { problems, skipped, seen, report } = await look(folder);
    expect(problems).toEqual([]);
    expect(skipped.sort()).toEqual([
      "audit.log: it ends within an event: written still, or cut by rotation",
      "metrics.txt: the last line does not end: it is left out",
      "watch.jsonl: line 2, the last, is cut short",
    ]);
    expect([seen.audit, seen.metrics, seen.watch]).toEqual([1, ["1"], 1]);
    expect(report.figures).toEqual({
      files: 3,
      objects: 0,
      auditEvents: 1,
      metricSamples: 1,
      watchEvents: 1,
    });
  });
});

describe("streams", () => {
  test("come after everything that is read whole, and are packed or not", async () => {
    const folder = folderWith({ "audit.jsonl.gz": gzipSync(AUDIT), "z.yaml": configMap("one") });
    const { seen } = await look(folder);
    expect([seen.audit, seen.facts?.objects.size, seen.facts?.given]).toEqual([
      1,
      1,
      new Set(["audit-log", "manifests"]),
    ]);
  });

  test("that no rule reads are not read, and that is said", async () => {
    const folder = folderWith({ "audit.jsonl": AUDIT });
    const { report } = await look(folder, { rules: [] });
    expect(report.skipped.map(({ reason }) => reason)).toEqual(["no rule that was asked reads it"]);
  });
});

describe("facts given by hand", () => {
  test("of several files the later one counts where it says something", async () => {
    const folder = folderWith({
      "a/cluster.yaml": "kubernetesVersion: 1.34.2\nnodes: 100\nobjects: { pods: 5, deployments.apps: 2 }\n",
      "b/cluster.json":
        '{"nodes": 200, "objects": {"pods": null, "widgets.example.com": 7}, "flowcontrol": "defaults", "note": "x"}',
    });
    const { seen, problems } = await look(folder);
    expect(problems).toEqual([]);
    expect(seen.facts?.cluster).toMatchObject({
      kubernetesVersion: "1.34.2",
      nodes: 200,
      nodesNotReady: null,
    });
    expect(
      seen.facts?.cluster.collections.map(({ apiGroup, resource, objects }) => [apiGroup, resource, objects]),
    ).toEqual([
      ["", "pods", 5],
      ["apps", "deployments", 2],
      ["example.com", "widgets", 7],
    ]);
    expect(seen.facts?.hand).toMatchObject({ note: "x", hasDefaultFlowControl: true });
  });

  test("a wrong field is named with its place and the others count; an unknown one is named", async () => {
    const folder = folderWith({
      "cluster.yaml":
        "nodes: many\nkubernetesVersion: new\nnodesNotReady: 3\nbytes:\n  pods: -1\nsurprise: 1\n",
    });
    const { seen, problems, skipped } = await look(folder);
    expect(problems).toEqual([
      "cluster.yaml:2:20 kubernetesVersion: expected a Kubernetes version as text, such as 1.34.2",
      "cluster.yaml:1:8 nodes: expected a whole number of at least 0, or null where it is not known",
      "cluster.yaml:5:9 bytes.pods: expected a number of at least 0, or null where it is not known",
    ]);
    expect(skipped[0]).toMatch(/^cluster\.yaml: surprise is no field of cluster facts; known are name, /);
    expect(seen.facts?.cluster).toMatchObject({ nodes: null, nodesNotReady: 3, collections: [] });
  });

  test("facts that are no mapping are a fault", async () => {
    expect((await look(folderWith({ "cluster.json": "[1]" }))).problems).toEqual([
      "cluster.json:1:- expected the facts of a cluster as keys and values",
    ]);
  });
});

test("waivers and ignored rules are set apart, and the verdict follows what is left", async () => {
  const folder = folderWith({
    "a.yaml":
      "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: a, namespace: n }\nspec:\n  updateStrategy: { rollingUpdate: { maxUnavailable: 100% } }\n",
  });
  const request = { paths: [folder], rules: RULES, now: NOW };
  const plain = await scanInputs(request);
  expect([plain.verdict, plain.findings.map(({ rule }) => rule)]).toEqual(["fail", ["rollout.unpaced"]]);
  const waiver = { rule: "rollout.unpaced", subject: "DaemonSet n/a", reason: "lab", until: "2026-12-31" };
  const waived = await scanInputs({ ...request, waivers: [waiver] });
  expect([waived.verdict, waived.findings, waived.waived.map((each) => each.waiver.reason)]).toEqual([
    "pass",
    [],
    ["lab"],
  ]);
  const ignored = await scanInputs({ ...request, ignored: [{ rule: "rollout.*", subject: null }] });
  expect([ignored.verdict, ignored.ignored]).toEqual(["pass", 1]);
});
