import { expect, test } from "vitest";
import { auditEvent } from "../../domain/agents/audit/test-events.ts";
import { AgentLearner } from "../../domain/agents/learn/agent-learner.ts";
import { addCluster, NOON } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();

function learned(agents: number) {
  const learner = new AgentLearner();
  for (let i = 0; i < agents; i++) {
    const at = NOON + i * 1000;
    learner.observe(auditEvent({ auditId: `${i}`, userName: `user-${i}`, receivedAt: at, stageAt: at + 3 }));
  }
  return learner.finish("audit webhook");
}

test("what was learned comes back as it was stored, small and large, and is none of another cluster's", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store);
  expect(await store.learnedAgents.list(clusterId)).toEqual([]);
  for (const [index, count] of [1, 200].entries()) {
    const span = { source: "webhook" as const, startedAt: NOON + index, storedAt: NOON + index };
    await store.learnedAgents.record(clusterId, span, learned(count));
    expect((await store.learnedAgents.list(clusterId))[0]).toEqual({ ...span, learned: learned(count) });
  }
  expect(await store.learnedAgents.list("another")).toEqual([]);
});

test("a span is replaced by what is learned later, never by what was before; sources stand side by side", async () => {
  const store = await stores.open();
  const clusterId = await addCluster(store);
  const record = (source: "webhook" | "file", startedAt: number, storedAt: number, count: number) =>
    store.learnedAgents.record(clusterId, { source, startedAt, storedAt }, learned(count));
  await record("webhook", NOON, NOON + 2, 2);
  await record("webhook", NOON, NOON + 1, 1);
  await record("file", NOON, NOON + 3, 3);
  const list = async () =>
    (await store.learnedAgents.list(clusterId)).map(({ source, startedAt, learned: { requests } }) => [
      source,
      startedAt - NOON,
      requests,
    ]);
  expect(await list()).toEqual([
    ["file", 0, 3],
    ["webhook", 0, 2],
  ]);
  for (const span of [1, 2, 3]) await record("webhook", NOON + span, NOON + 10 + span, 1);
  expect(await list()).toEqual([
    ["webhook", 3, 1],
    ["webhook", 2, 1],
    ["webhook", 1, 1],
    ["file", 0, 3],
  ]);
});
