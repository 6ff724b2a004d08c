import { expect, test } from "vitest";
import { AgentLearner } from "../agents/learn/agent-learner.ts";
import { trafficOfLearned, trafficOfSamples } from "./recorded-traffic.ts";

const sample = {
  userName: "system:serviceaccount:lab:agent",
  verb: "list",
  apiGroup: "",
  resource: "pods",
  namespace: "",
  name: "",
  serverName: "api-0",
  observedAt: 0,
};

test("rows of dump_requests are counted by who asks for what", () => {
  const traffic = trafficOfSamples([sample, { ...sample, observedAt: 5 }, { ...sample, verb: "watch" }]);
  expect(traffic.map(({ verb, requests, peakSeats }) => [verb, requests, peakSeats])).toEqual([
    ["list", 2, null],
    ["watch", 1, null],
  ]);
});

test("a log without events has no traffic", () => {
  expect(trafficOfLearned(new AgentLearner().finish("log").agents)).toEqual([]);
});
