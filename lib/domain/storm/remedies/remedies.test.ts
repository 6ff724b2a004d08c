import { describe, expect, it } from "vitest";
import { CONTROLLER_RATE } from "../../rollout/client-rate-limit.ts";
import { ASSUMED_DURATIONS } from "../../rollout/pod-durations.ts";
import type { StormAgent, StormCluster, StormInput } from "../storm-input.ts";
import type { StormScenario } from "../storm-scenario.ts";
import {
  makeAgent,
  makeCluster,
  makeCollection,
  makeInformer,
  makeServer,
  makeStorm,
} from "../testing/make-storm.ts";
import { applyRemedies, applyRemedy, describeRemedy } from "./apply-remedies.ts";
import { compareRemedies, type RemedyRow } from "./compare-remedies.ts";
import { formatRemedy, parseRemedy, usualRemedies } from "./parse-remedy.ts";
import { REMEDY_NAMES, type RemedyName } from "./remedy.ts";

const servers = ["api-0", "api-1", "api-2"].map((name) => makeServer({ name, cores: 4 }));
const SLICES = makeCollection({
  apiGroup: "discovery.k8s.io",
  resource: "endpointslices",
  objects: 800,
  storedBytes: 800 * 4000,
});
const pace = { controller: CONTROLLER_RATE, durations: ASSUMED_DURATIONS, jitterRatio: 0.2 };
const update = {
  kind: "rolling-update",
  ...pace,
  maxUnavailable: "100%",
  maxSurge: 0,
  minReadySeconds: 0,
  unavailable: 0,
} as const;

/** 300 copies that each LIST 10,000 pods from API servers of four cores: unsafe as it is. */
function storm(
  agent: Partial<StormAgent> = {},
  scenario: StormScenario = { kind: "start-all", windowSeconds: 2 },
  cluster: Partial<StormCluster> = {},
): StormInput {
  return makeStorm({
    cluster: makeCluster({
      servers,
      collections: [makeCollection({ objects: 10_000 }), SLICES],
      ...cluster,
    }),
    agents: [makeAgent({ replicas: 300, ...agent })],
    scenario,
  });
}

interface Compared {
  readonly asItIs: RemedyRow;
  readonly row: RemedyRow | undefined;
  readonly reason: string | undefined;
}

function compare(text: string, input: StormInput, seeds = [1]): Compared {
  const { asItIs, rows, notApplicable } = compareRemedies(input, seeds, [[parseRemedy(text)]]);
  return { asItIs, row: rows[0], reason: notApplicable[0]?.reason };
}

const drain = (row: RemedyRow | undefined) => row?.bands.figures.drainSeconds?.p50 ?? Number.NaN;
const rejected = (row: RemedyRow | undefined) => row?.bands.figures.rejected?.p50 ?? Number.NaN;
const ownWait = (row: RemedyRow | undefined) => row?.bands.figures.ownWaitSecondsP99?.p50 ?? 0;

describe("remedies that change what a copy reads", () => {
  it("node-selector: makes an unsafe storm invisible at the same seats", () => {
    const { asItIs, row } = compare("node-selector", storm());
    expect([asItIs.verdict, row?.verdict]).toEqual(["unsafe", "invisible"]);
    expect(row?.start.seats).toBe(asItIs.start.seats);
    expect(row?.saves.wireBytesRatio).toBeGreaterThan(0.99);
  });

  it("node-selector: is nothing for a Deployment, nor for what reads its own node already", () => {
    expect(compare("node-selector", storm({ kind: "Deployment" })).reason).toContain("one on each node");
    const own = makeInformer({ scope: "own-node", fieldSelector: "spec.nodeName=$(NODE_NAME)" });
    expect(compare("node-selector", storm({ informers: [own] })).reason).toContain("No copy reads");
  });

  it("node-selector: selects the one node by its name", () => {
    const answer = applyRemedy(storm({ informers: [makeInformer({ resource: "nodes" })] }), {
      name: "node-selector",
    });
    expect(answer.isApplicable && answer.input.agents[0]?.informers[0]?.fieldSelector).toBe(
      "metadata.name=$(NODE_NAME)",
    );
  });

  it("namespace: saves what other namespaces hold, and nothing where one holds all", () => {
    expect(compare("namespace=team:0.1", storm()).row?.verdict).toBe("invisible");
    const all = compare("namespace=team:1", storm());
    expect([all.row?.verdict, all.row?.saves.wireBytes]).toEqual(["unsafe", 0]);
  });

  it("namespace: is nothing for nodes, which are in none", () => {
    const input = storm({ informers: [makeInformer({ resource: "nodes" })] });
    expect(compare("namespace=team", input).reason).toContain("namespaced");
  });

  it("label-selector: helps by what it leaves out, and not where all bear the label", () => {
    const { row, asItIs } = compare("label-selector=0.1", storm());
    expect([asItIs.verdict, row?.verdict]).toEqual(["unsafe", "invisible"]);
    expect(row?.start.seats).toBe(asItIs.start.seats);
    expect(compare("label-selector=1", storm()).row?.verdict).toBe("unsafe");
    const labelled = makeInformer({ labelSelector: "app=web" });
    expect(compare("label-selector=0.1", storm({ informers: [labelled] })).reason).toContain("already");
  });

  it("metadata-only: is milder at the same seats, and nothing for what reads metadata already", () => {
    const { row, asItIs } = compare("metadata-only", storm());
    expect([asItIs.verdict, row?.verdict, row?.saves.seats]).toEqual(["unsafe", "visible", 0]);
    const metadata = makeInformer({ representation: "metadata-protobuf" });
    expect(compare("metadata-only", storm({ informers: [metadata] })).reason).toContain("already");
  });

  it("endpoint-slices: helps where they are few, and not where they are as many as the pods", () => {
    expect(compare("endpoint-slices", storm()).row?.verdict).toBe("invisible");
    const many = { ...SLICES, objects: 20_000, storedBytes: 80_000_000, protobufObjectBytes: 4000 };
    const input = storm({}, undefined, { collections: [makeCollection({ objects: 10_000 }), many] });
    expect(compare("endpoint-slices", input).row?.verdict).toBe("unsafe");
  });

  it("endpoint-slices: is not compared where their number is not known", () => {
    const input = storm({}, undefined, { collections: [makeCollection({ objects: 10_000 })] });
    expect(compare("endpoint-slices", input).reason).toContain("not known");
  });

  it("kubelet-pods: asks the API server for no pods, and leaves what else is read", () => {
    const { row } = compare("kubelet-pods", storm());
    expect([row?.verdict, row?.start.requests, row?.bands.undrained]).toEqual(["invisible", 0, 0]);
    const nodes = makeInformer({ resource: "nodes" });
    const both = compare("kubelet-pods", storm({ informers: [makeInformer(), nodes] }));
    expect(both.row?.start.requests).toBe(300);
    expect(compare("kubelet-pods", storm({ informers: [nodes] })).reason).toBe("Its copies read no pods.");
    expect(compare("kubelet-pods", storm({ kind: "Deployment" })).reason).toContain("kubelet");
  });

  it("paging: waits less and works more; a cluster without load gets only the work", () => {
    const { asItIs, row } = compare("paging=500", storm());
    expect(ownWait(row)).toBeLessThan(ownWait(asItIs));
    expect(row?.start.cpuSeconds).toBeGreaterThan(asItIs.start.cpuSeconds);
    expect(row?.start.requests).toBe(20 * asItIs.start.requests);
    const small = compare("paging=500", storm({ replicas: 5 }));
    expect([small.asItIs.verdict, small.row?.verdict]).toEqual(["invisible", "invisible"]);
    expect(drain(small.row)).toBeGreaterThan(drain(small.asItIs));
    const paged = makeInformer({ resourceVersion: "", pageSize: 500 });
    expect(compare("paging=500", storm({ informers: [paged] })).reason).toContain("already");
  });

  it("watch-list: ends a collapse at the deadline, and makes an ordinary storm longer", () => {
    const collapse = makeStorm({ patienceSeconds: 120 });
    const { asItIs, row } = compare("watch-list", collapse);
    expect(asItIs.bands.undrained).toBe(1);
    expect(row?.bands.figures.timeouts?.p50).toBe(0);
    expect(row?.bands.undrained).toBe(0);
    const ordinary = compare("watch-list", storm());
    expect(drain(ordinary.row)).toBeGreaterThan(drain(ordinary.asItIs));
    expect(ordinary.row?.saves.memoryBytes).toBeGreaterThan(0);
  });

  it("watch-list: is nothing where the API server has it off, nor for pollers", () => {
    const off = storm({}, undefined, { featureGates: { WatchList: false } });
    expect(compare("watch-list", off).reason).toContain("WatchList off");
    const poll = makeInformer({ mode: "poll", periodSeconds: 60 });
    expect(compare("watch-list", storm({ informers: [poll] })).reason).toContain("no informers");
  });
});

describe("remedies that share reads", () => {
  it("shared-reads: three readers in place of 300, and nothing for three copies", () => {
    const { row } = compare("shared-reads=100", storm());
    expect([row?.verdict, row?.start.requests]).toEqual(["invisible", 3]);
    expect(compare("shared-reads=100", storm({ replicas: 100 })).row?.start.requests).toBe(1);
    expect(compare("shared-reads=1", storm()).reason).toContain("more than 1 copies");
  });

  it("shared-reads: readers of new nodes run already", () => {
    const scenario = { kind: "node-scale-out", addedNodes: 200, nodesPerMinute: 6000 } as const;
    const { asItIs, row } = compare("shared-reads=100", storm({}, scenario));
    expect(asItIs.start.requests).toBe(200);
    expect(row?.start.requests).toBe(0);
  });

  it("node-proxy: halves what two agents read alike, and is nothing for one", () => {
    const other = makeAgent({ id: "daemonset/other", name: "other", replicas: 300 });
    const two = { ...storm(), agents: [...storm().agents, other] };
    const { asItIs, row } = compare("node-proxy", two);
    expect(row?.start.seats).toBe(asItIs.start.seats / 2);
    expect(drain(row)).toBeLessThan(drain(asItIs));
    expect(compare("node-proxy", storm()).reason).toContain("No two agents");
  });
});

describe("remedies that change when a copy asks", () => {
  it("start-jitter: makes an unsafe start invisible, and does nothing for a lost API server", () => {
    expect(compare("start-jitter=120", storm()).row?.verdict).toBe("invisible");
    const lost = storm({}, { kind: "api-server-loss", server: 0, noticedWithinSeconds: 1, resumedRatio: 0 });
    expect(compare("start-jitter=120", lost).reason).toContain("run already");
    expect(compare("start-jitter=60", storm({ startJitterSeconds: 60 })).reason).toContain("already");
  });

  it("start-jitter: a wait of half a second helps nobody", () => {
    expect(compare("start-jitter=0.5", storm()).row?.verdict).toBe("unsafe");
  });

  it("back-off: fewer are rejected again and again; where nobody is rejected it changes nothing", () => {
    const many = storm({ replicas: 600 }, undefined, {
      servers: [makeServer({ cores: 4 })],
      collections: [makeCollection({ objects: 5000 })],
    });
    const helped = compare("back-off=5/300", many);
    expect(rejected(helped.asItIs)).toBeGreaterThan(0);
    expect(rejected(helped.row)).toBeLessThan(rejected(helped.asItIs));
    const few = compare("back-off=5/300", storm({ replicas: 10 }));
    expect([rejected(few.asItIs), few.row?.saves.drainSeconds]).toEqual([0, 0]);
  });

  it("max-unavailable: paces a healthy update, and is not looked at where no pod is Available", () => {
    const healthy = compare("max-unavailable=1%", storm({}, { ...update }));
    expect([healthy.asItIs.verdict, healthy.row?.verdict]).not.toEqual(["invisible", "invisible"]);
    expect(healthy.row?.verdict).toBe("invisible");
    const broken = compare("max-unavailable=1%", storm({}, { ...update, unavailable: 300 }));
    expect(broken.row?.saves.drainSeconds).toBe(0);
    expect(broken.row?.verdict).toBe(broken.asItIs.verdict);
    expect(compare("max-unavailable=1%", storm()).reason).toContain("rolling update");
  });

  it("max-surge: paces a healthy update; a StatefulSet has none", () => {
    expect(compare("max-surge=3", storm({}, { ...update })).row?.verdict).toBe("invisible");
    const set = storm({ kind: "StatefulSet" }, { ...update });
    expect(compare("max-surge=3", set).reason).toContain("StatefulSet");
    expect(() => applyRemedy(storm(), { name: "max-surge", limit: "many" })).toThrow(RangeError);
  });

  it("min-ready-seconds: makes each turn of an update longer, and a broken one no longer", () => {
    const paced = { ...update, maxUnavailable: "20%" };
    const { asItIs, row } = compare("min-ready-seconds=60", storm({}, paced));
    expect(drain(row)).toBeGreaterThan(drain(asItIs) + 120);
    const broken = compare("min-ready-seconds=60", storm({}, { ...paced, unavailable: 300 }));
    expect(broken.row?.saves.drainSeconds).toBe(0);
  });

  it("on-delete: batches that the cluster can take; one batch of all is a start of all", () => {
    const broken = { ...update, unavailable: 300 };
    const batches = compare("on-delete=10/60", storm({}, broken));
    expect([batches.asItIs.verdict, batches.row?.verdict]).not.toEqual(["invisible", "invisible"]);
    expect(batches.row?.verdict).toBe("invisible");
    expect(compare("on-delete=300/60", storm({}, broken)).row?.verdict).toBe("unsafe");
    expect(compare("on-delete", storm({ kind: "Deployment" }, { ...update })).reason).toContain("OnDelete");
  });
});

describe("the comparison", () => {
  it("ranks by verdict, then by who has to change what", () => {
    const { rows } = compareRemedies(
      storm(),
      [1],
      ["watch-list", "kubelet-pods", "own-level=10", "node-selector"].map((text) => [parseRemedy(text)]),
    );
    expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["node-selector", "invisible"],
      ["kubelet-pods", "invisible"],
      ["own-level=10", "visible"],
      ["watch-list", "unsafe"],
    ]);
  });

  it("applies combinations in order, and says which part of one does not apply", () => {
    const both = applyRemedies(storm(), [parseRemedy("metadata-only"), parseRemedy("start-jitter=30")]);
    expect(both.isApplicable && both.input.agents[0]?.startJitterSeconds).toBe(30);
    expect(both.isApplicable && both.input.agents[0]?.informers[0]?.representation).toBe("metadata-protobuf");
    const twice = applyRemedies(storm(), [parseRemedy("kubelet-pods"), parseRemedy("node-selector")]);
    expect(twice.isApplicable).toBe(false);
    expect(!twice.isApplicable && twice.reason).toContain("spec.nodeName field selector: ");
  });

  it("leaves the input as it was, and is the same twice", () => {
    const input = storm();
    const before = JSON.stringify(input);
    const once = compareRemedies(input, [1], [[parseRemedy("own-level")], [parseRemedy("paging")]]);
    expect(JSON.stringify(input)).toBe(before);
    expect(compareRemedies(input, [1], [[parseRemedy("own-level")], [parseRemedy("paging")]])).toEqual(once);
  });

  it("has a cost in words for each remedy, and reads each as it writes it", () => {
    const usual = usualRemedies();
    expect(usual.map(({ name }) => name)).toEqual([...REMEDY_NAMES]);
    for (const spec of usual) {
      expect(describeRemedy(spec).costs).toMatch(/\.$/);
      expect(parseRemedy(formatRemedy(spec))).toEqual(spec);
    }
  });

  it("refuses what it cannot read", () => {
    const wrong: readonly (readonly [RemedyName | string, string])[] = [
      ["prayer", "is no remedy"],
      ["paging=0", "whole number above 0"],
      ["label-selector=2", "ratio from 0 to 1"],
      ["on-delete=10", "two numbers"],
      ["on-delete=1.5/60", "whole number"],
      ["back-off=60/5", "base below the cap"],
      ["max-unavailable=0", "above 0"],
      ["node-proxy=3", "no parameter"],
      ["start-jitter=", "seconds above 0"],
    ];
    for (const [text, expected] of wrong) expect(() => parseRemedy(text)).toThrow(expected);
  });
});
