import { expect, test } from "vitest";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import type { ReadingValue } from "@/lib/contracts/cluster";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import { SeededRandom } from "@/lib/domain/fairness/testing/seeded-random";
import { VERBS } from "@/lib/domain/kubernetes/resource-request";
import { prepareAnswer, resultLines } from "./prepare-answer";
import { METHODS, type RequestForm } from "./request-form";
import { EMPTY_FORM } from "./request-form.test-support";

const CASES = 4000;
const PIECES = [
  "",
  "/",
  "api",
  "apis",
  "v1",
  "pods",
  "watch",
  "proxy",
  "namespaces",
  "a",
  "%",
  "%zz",
  "é",
  "?",
  "&",
  "=",
  "limit",
  "-1",
  "*",
  "\n",
  "system:",
  ":",
  "0",
] as const;
const READINGS: readonly [ReadingValue, ...ReadingValue[]] = [
  { state: "known", value: 0 },
  { state: "known", value: 19_200 },
  ...(["minus-one", "absent", "not-published", "not-read"] as const).map(
    (reason): ReadingValue => ({ state: "unknown", reason, assumed: null, assumedBecause: null }),
  ),
];

const words = (random: SeededRandom, most: number) =>
  Array.from({ length: random.integer(0, most) }, () => random.pick(PIECES)).join("");

function anyForm(random: SeededRandom): RequestForm {
  return {
    ...EMPTY_FORM,
    who: random.pick(["account", "user"]),
    account: random.pick(["", "a/b", "kube-system/x", words(random, 4)]),
    user: random.pick(["", "root", "system:node:n1", words(random, 4)]),
    groups: random.pick([null, "", "system:masters\nx", words(random, 3)]),
    by: random.pick(["resource", "path"]),
    verb: random.pick(["list", ...VERBS]),
    resource: random.pick(["pods", "pods/exec", "widgets.example.io", "events", words(random, 3)]),
    namespace: random.pick(["", "a", words(random, 2)]),
    name: random.pick(["", "n", words(random, 2)]),
    limit: random.pick(["", "0", "500", "x"]),
    rv: random.pick(["", "0", "17", "y"]),
    match: random.pick([null, "Exact", "NotOlderThan"]),
    fields: random.pick(["", "spec.nodeName=n1", words(random, 3)]),
    labels: random.pick(["", "a in (b)", words(random, 3)]),
    initial: random.next() < 0.5,
    method: random.pick(["GET", ...METHODS]),
    path: random.pick(["", "/api/v1/pods?limit=5", "/healthz", "/api/v1/watch", `/${words(random, 9)}`]),
    progress: random.next() < 0.8,
    watchers: random.pick(["", "0", "100", "-1"]),
  };
}

function anyCluster(random: SeededRandom): FlowControlResponse {
  const plain = flowControlFixture();
  const [server] = plain.servers;
  if (server === undefined) throw new Error("no server");
  const v = random.pick(["v1.25.0", "v1.26.3", "v1.28.9", "v1.31.2", "v1.34.3", "v1.37.0-beta.0", "v1.99.0"]);
  return {
    ...plain,
    gitVersion: v,
    busiestServerId: server.id,
    servers: [
      {
        ...server,
        gitVersion: v,
        gates: random.pick([null, {}, { SizeBasedListCostEstimate: false, WatchList: true }]),
        nominalSeats: random.pick([{}, { "workload-low": 1 }, server.nominalSeats]),
        countsFrom: random.pick([null, "lists", "metrics"]),
        resources: random.pick([
          [],
          [
            {
              group: "",
              resource: "pods",
              objects: random.pick(READINGS),
              storedBytes: random.pick(READINGS),
            },
          ],
        ]),
      },
    ],
  };
}

test(`${CASES} questions to any cluster are answered or refused, never thrown at, and no price is below its least`, () => {
  const random = new SeededRandom(7);
  const seen = new Map<string, number>();
  const wrong: object[] = [];
  for (let i = 0; i < CASES; i++) {
    const form = anyForm(random);
    const cluster = anyCluster(random);
    const state = prepareAnswer(form, cluster, null);
    seen.set(state.state, (seen.get(state.state) ?? 0) + 1);
    if (state.state !== "answered") continue;
    const { minSeats, maxSeats, unknown, facts, serving } = state.price;
    const lines = resultLines(state);
    const isOpen = minSeats !== maxSeats;
    const isSound =
      minSeats >= 1 &&
      maxSeats >= minSeats &&
      maxSeats <= 100 &&
      unknown.length > 0 === isOpen &&
      unknown.every((label) => facts.some((fact) => fact.label === label && !fact.isKnown)) &&
      (serving === null) === !["list", "watch"].includes(state.match.info.verb) &&
      lines[0]?.id === "result" &&
      lines.every(({ lead }) => lead !== "");
    if (!isSound) wrong.push({ form, minSeats, maxSeats, unknown, facts, lines });
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  for (const state of ["answered", "empty", "invalid", "refused"]) {
    expect(seen.get(state) ?? 0, state).toBeGreaterThan(CASES / 200);
  }
});
