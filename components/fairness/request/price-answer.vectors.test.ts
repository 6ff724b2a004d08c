import { expect, test } from "vitest";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import type { ReadingValue } from "@/lib/contracts/cluster";
import type { FlowControlResponse, PricingServer } from "@/lib/contracts/flow-control";
import type { SeatsInput } from "@/lib/domain/cost/index";
import { parseRequest } from "@/lib/domain/kubernetes/request";
import { ruleVersion } from "@/lib/domain/kubernetes/version";
import { readVectors } from "@/lib/vectors/read-vectors";
import { type Answered, prepareAnswer } from "./prepare-answer";
import type { RequestForm } from "./request-form";
import { EMPTY_FORM } from "./request-form.test-support";

interface SeatsVector extends SeatsInput {
  readonly id: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
}

const LEVEL = "own";
const [model] = flowControlFixture().flowSchemas ?? [];
const [levelModel] = flowControlFixture().priorityLevels ?? [];

/** A cluster of which just that is stored which an API server knew when it priced a recorded request. */
function clusterOf(vector: SeatsVector): FlowControlResponse {
  const { v, gates, plMax } = vector;
  if (model === undefined || levelModel === undefined) throw new Error("no object to start from");
  const hasCap = plMax !== null && plMax !== undefined && plMax > 0;
  const server: PricingServer = {
    id: "s",
    name: "api-0",
    gitVersion: v,
    gates: gates ? { ...gates } : null,
    // A hand of one: the cap is 15 % of the nominal limit, rounded up.
    nominalSeats: hasCap ? { [LEVEL]: Math.floor((plMax * 100) / 15) } : {},
    countsFrom: "metrics",
    resources: resourcesOf(vector),
  };
  return flowControlFixture({
    gitVersion: v,
    servers: [server],
    busiestServerId: "s",
    aggregated: [],
    flowSchemas: [
      {
        ...model,
        name: LEVEL,
        matchingPrecedence: 2,
        priorityLevelName: LEVEL,
        rules: [
          {
            subjects: [{ kind: "Group", group: { name: "all" } }],
            resourceRules: [
              { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
            ],
            nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
          },
        ],
      },
    ],
    priorityLevels: [
      {
        ...levelModel,
        name: LEVEL,
        type: "Limited",
        nominalConcurrencyShares: 10,
        ...(hasCap
          ? { limitResponse: "Queue" as const, queues: 8, handSize: 1, queueLengthLimit: 50 }
          : { limitResponse: "Reject" as const, queues: null, handSize: null, queueLengthLimit: null }),
      },
    ],
  });
}

/** The count and size as this server would publish them; a resource that it does not track has no row. */
function resourcesOf({
  v,
  method,
  path,
  query,
  stats,
  objects,
  size,
}: SeatsVector): PricingServer["resources"] {
  if (stats === "notfound" || stats === undefined || stats === null) return [];
  const { apiGroup, resource } = parseRequest(method, path, query ?? "", ruleVersion(v).minor);
  const unknown: ReadingValue = {
    state: "unknown",
    reason: "minus-one",
    assumed: null,
    assumedBecause: null,
  };
  const isSized = size !== null && size !== undefined && size > 0;
  const count = objects ?? 0;
  return [
    {
      group: apiGroup,
      resource,
      objects: stats === "ok" ? { state: "known", value: count } : unknown,
      storedBytes: isSized ? { state: "known", value: size * count } : unknown,
    },
  ];
}

function ask(vector: SeatsVector): Answered | string {
  const { method, path, query, watchers, etcdProgress } = vector;
  const form: RequestForm = {
    ...EMPTY_FORM,
    who: "user",
    user: "u",
    groups: "all",
    by: "path",
    method: method as RequestForm["method"],
    path: query ? `${path}?${query}` : path,
    progress: etcdProgress !== false,
    watchers: watchers === null || watchers === undefined ? "" : String(watchers),
  };
  const state = prepareAnswer(form, clusterOf(vector), null);
  return state.state === "answered" ? state : JSON.stringify(state);
}

test.each([
  ["seats-list.json.gz", 5399],
  ["seats-watch.json", 1941],
  ["seats-mutating.json", 1962],
])("%s: the tool's price is the API server's wherever it can be known: %i recorded requests", (file, all) => {
  const { vectors } = readVectors<SeatsVector>(file);
  const wrong: object[] = [];
  for (const vector of vectors) {
    const answer = ask(vector);
    const seats = Math.max(vector.initialSeats, vector.finalSeats);
    if (typeof answer === "string") {
      wrong.push({ id: vector.id, answer });
      continue;
    }
    const { minSeats, maxSeats } = answer.price;
    // A count that failed may still be fresh or stale already: the recorded one is the dearer.
    const isDearest = vector.stats === "stale" || vector.stats === "error";
    // What an empty collection's mean size was, its sum of bytes does not tell.
    const isWithin = vector.objects === 0 && (vector.size ?? 0) > 0;
    const isRight =
      (isWithin ? maxSeats >= seats : maxSeats === seats) &&
      (isWithin || isDearest ? minSeats <= seats : minSeats === seats);
    if (!isRight) wrong.push({ id: vector.id, minSeats, maxSeats, seats });
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(vectors).toHaveLength(all);
});
