import { expect, test } from "vitest";
import { evaluateRules } from "../../evaluate-rules.ts";
import { daemonSet, factsWith } from "../../testing/facts.ts";
import { rolloutUnpaced } from "./unpaced.ts";

const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });

const find = (spec: object, status?: object, nodes: number | null = null) =>
  evaluateRules(
    [rolloutUnpaced],
    factsWith({ objects: [daemonSet("agent", spec, status)], cluster: { nodes } }),
  ).findings.map(({ severity, subject, figures }) => ({ severity, subject, figures }));

test.each<[string, object, object | undefined, number | null, object]>([
  [
    "100 % unavailable",
    rolling({ maxUnavailable: "100%" }),
    undefined,
    null,
    { maxUnavailable: "100%", pods: null },
  ],
  [
    "100 % surge",
    rolling({ maxUnavailable: 0, maxSurge: "100%" }),
    undefined,
    40,
    { maxSurge: "100%", pods: 40 },
  ],
  [
    "a number that reaches the status",
    rolling({ maxUnavailable: 12 }),
    { desiredNumberScheduled: 12 },
    null,
    { maxUnavailable: 12, pods: 12 },
  ],
  [
    "a number above the nodes",
    rolling({ maxUnavailable: 500 }),
    undefined,
    400,
    { maxUnavailable: 500, pods: 400 },
  ],
])("%s is reported", (_, spec, status, nodes, figures) => {
  expect(find(spec, status, nodes)).toEqual([
    { severity: "error", subject: "DaemonSet agents/agent", figures },
  ]);
});

test("half of many pods at once is a warning", () => {
  expect(find(rolling({ maxUnavailable: "50%" }), undefined, 200)).toEqual([
    { severity: "warning", subject: "DaemonSet agents/agent", figures: { maxUnavailable: "50%", pods: 200 } },
  ]);
  expect(find(rolling({ maxUnavailable: "50%" }), undefined, 40)).toEqual([]);
  expect(find(rolling({ maxUnavailable: "33%" }), undefined, 900)).toEqual([]);
});

test.each<[string, object, object | undefined, number | null]>([
  ["the default of one pod", {}, undefined, 400],
  ["ten percent", rolling({ maxUnavailable: "10%" }), undefined, 400],
  ["a number where the nodes are not known", rolling({ maxUnavailable: 500 }), undefined, null],
  ["one node alone", rolling({ maxUnavailable: "100%" }), undefined, 1],
  [
    "OnDelete",
    { updateStrategy: { type: "OnDelete", rollingUpdate: { maxUnavailable: "100%" } } },
    undefined,
    400,
  ],
  ["what is no limit", rolling({ maxUnavailable: "all" }), undefined, 400],
])("%s is not reported", (_, spec, status, nodes) => {
  expect(find(spec, status, nodes)).toEqual([]);
});

test("a timeline of the last such rollout stands among the figures", () => {
  const value = { deploy: "23:58", impact_start: "00:02", impact_end: "04:24" };
  const facts = factsWith({
    objects: [daemonSet("agent", rolling({ maxUnavailable: "100%" }))],
    measurements: [{ name: "timeline.json", file: "timeline.json", value }],
  });
  expect(evaluateRules([rolloutUnpaced], facts).findings[0]?.figures).toMatchObject({
    minutesDeployToImpact: 4,
    impactMinutes: 262,
  });
});
