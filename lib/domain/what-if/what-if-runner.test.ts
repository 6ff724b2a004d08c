import { describe, expect, test } from "vitest";
import { evidenceFor, informersOf, NOW } from "../agents/testing/agents.ts";
import { clusterFor } from "../agents/testing/facts.ts";
import { simulateSeed, simulateStorm } from "../storm/index.ts";
import { makeAgent, makeStorm } from "../storm/testing/make-storm.ts";
import { drawStorm } from "./drawn-storm.ts";
import { WHAT_IF_SCENARIOS } from "./scenarios.ts";
import { defaultReplicas, prepareWhatIf, type WhatIfSubject } from "./what-if-input.ts";
import { type WhatIfAsk, type WhatIfReply, WhatIfRunner } from "./what-if-runner.ts";

/** A runner whose clock moves with every look at it, so that it pauses often. */
function makeRunner(onReply: (reply: WhatIfReply) => void = () => undefined) {
  const replies: WhatIfReply[] = [];
  let now = 0;
  const runner = new WhatIfRunner({
    reply: (reply) => {
      replies.push(reply);
      onReply(reply);
    },
    pause: () => Promise.resolve(),
    now: () => (now += 20),
  });
  return { runner, replies };
}

const ask = (over: Partial<WhatIfAsk> = {}): WhatIfAsk => ({
  id: 1,
  input: makeStorm(),
  sides: [],
  laterSides: [],
  furtherSeeds: [],
  ...over,
});
const kinds = (replies: readonly WhatIfReply[]) => [...new Set(replies.map(({ kind }) => kind))];

describe("a question", () => {
  test("gets the storm of simulateStorm, whatever pauses there were", async () => {
    const { runner, replies } = makeRunner();
    const input = makeStorm({ seed: 7 });
    await runner.ask(ask({ input }));
    const storm = replies.find((reply) => reply.kind === "storm");
    expect(storm?.kind === "storm" && storm.storm).toEqual(drawStorm(simulateStorm(input)));
    expect(replies.filter(({ kind }) => kind === "progress").length).toBeGreaterThan(0);
  });

  test("gets pictures on the way, the storm, its sides in their order, bands, and an end", async () => {
    const { runner, replies } = makeRunner();
    const input = makeStorm({ agents: [makeAgent({ replicas: 20 })] });
    const sides = ["a", "b"].map((key, index) => ({ key, input: { ...input, seed: 10 + index } }));
    const laterSides = [{ key: "c", input }];
    await runner.ask(ask({ input, sides, laterSides, furtherSeeds: [2, 3] }));
    expect(kinds(replies.filter(({ kind }) => kind !== "progress"))).toEqual([
      "storm",
      "side",
      "bands",
      "done",
    ]);
    const told = replies.flatMap((reply) => (reply.kind === "side" ? [reply] : []));
    expect(told.map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect(replies.at(-2)?.kind).toBe("side");
    expect(told[1]?.side?.drainSeconds).toBe(simulateStorm({ ...input, seed: 11 }).drain.seconds);
    const bands = replies.findLast((reply) => reply.kind === "bands");
    expect(bands?.kind === "bands" && bands.bands.seeds).toEqual([1, 2, 3]);
    expect(bands?.kind === "bands" && bands.bands.figures.drainSeconds?.seeds).toBe(3);
    expect(bands?.kind === "bands" && bands.seedsWanted).toBe(3);
    expect(simulateSeed(input, 2).figures.drainSeconds).toBeGreaterThan(0);
  });

  test("that cannot be simulated fails in words; a side that cannot is told as such, and the rest goes on", async () => {
    const { runner, replies } = makeRunner();
    await runner.ask(ask({ input: makeStorm({ seed: 0.5 }) }));
    expect(replies).toEqual([{ kind: "failed", id: 1, message: "seed must be a whole number, not 0.5." }]);
    replies.length = 0;
    await runner.ask(ask({ id: 2, sides: [{ key: "bad", input: makeStorm({ seed: 0.5 }) }] }));
    expect(replies.find(({ kind }) => kind === "side")).toEqual({
      kind: "side",
      id: 2,
      key: "bad",
      side: null,
    });
    expect(replies.at(-1)).toEqual({ kind: "done", id: 2 });
  });

  test("that is newer ends an older one: nothing more is told of that", async () => {
    const newer = ask({ id: 2 });
    let isAsked = false;
    const { runner, replies } = makeRunner(({ kind }) => {
      if (kind !== "progress" || isAsked) return;
      isAsked = true;
      void runner.ask(newer);
    });
    await runner.ask(ask({ id: 1, furtherSeeds: [2, 3, 4] }));
    const first = replies.findIndex(({ id }) => id === 2);
    expect(first).toBeGreaterThan(0);
    expect(replies.slice(first).every(({ id }) => id === 2)).toBe(true);
    expect(replies.some(({ id, kind }) => id === 1 && kind === "storm")).toBe(false);
    expect(replies.at(-1)).toEqual({ kind: "done", id: 2 });
  });
});

describe("a prepared what-if", () => {
  const subject: WhatIfSubject = {
    agent: {
      id: "daemonset/observability/node-telemetry",
      kind: "DaemonSet",
      namespace: "observability",
      name: "node-telemetry",
      userName: null,
      userGroups: [],
      userAgent: null,
      image: null,
      version: "2.6.3",
      replicas: { kind: "per-node", count: 40 },
      client: {
        library: "client-go",
        version: "0.34.1",
        qps: null,
        burst: null,
        acceptsGzip: false,
        evidence: evidenceFor(),
      },
      informers: informersOf("pods protobuf"),
      isKnown: true,
      conflicts: [],
    },
    facts: clusterFor({ nodes: 40 }),
    copies: 40,
    doubts: [],
    now: NOW,
  };
  const choice = { scenario: "start-all", replicas: 40, jitterSeconds: 0, seed: 1 } as const;

  test.each(WHAT_IF_SCENARIOS)("%s can be simulated", (scenario) => {
    const { input, chosen } = prepareWhatIf(subject, { ...choice, scenario });
    expect(chosen.name).toBe(scenario);
    expect(simulateStorm({ ...input, patienceSeconds: 60 }).drain.copies).toBeGreaterThan(0);
  });

  test("replicas, jitter and seed go into the input; the cluster stays as it is", () => {
    const { input } = prepareWhatIf(subject, { ...choice, replicas: 400, jitterSeconds: 30, seed: 9 });
    expect(input.agents[0]).toMatchObject({ replicas: 400, startJitterSeconds: 30 });
    expect([input.seed, input.cluster.nodes]).toEqual([9, 40]);
  });

  test("the loss of the only API server is not offered, and asked for it is start-all", () => {
    const alone = { ...subject, facts: clusterFor({ nodes: 40, apiServers: 1 }) };
    const { offered, chosen } = prepareWhatIf(alone, { ...choice, scenario: "server-loss" });
    expect(offered.map(({ name }) => name)).not.toContain("server-loss");
    expect(chosen.name).toBe("start-all");
  });

  test("doubts about cluster and evidence end in the input, and the control starts at what runs", () => {
    const old = { ...subject, doubts: ["The figures are old."], now: NOW + 90 * 86_400_000 };
    expect(prepareWhatIf(old, choice).input.doubts[0]).toBe("The figures are old.");
    expect(prepareWhatIf(old, choice).input.doubts.join(" ")).toContain("days old");
    expect(defaultReplicas(subject)).toBe(40);
    expect(defaultReplicas({ copies: null, facts: clusterFor({ nodes: 12 }) })).toBe(12);
    expect(defaultReplicas({ copies: null, facts: clusterFor({ nodes: null }) })).toBe(1);
  });
});
