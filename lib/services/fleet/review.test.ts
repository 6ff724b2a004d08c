import { expect, test } from "vitest";
import { ChangesResponseSchema } from "../../contracts/fleet.ts";
import { addCluster, makeEvent, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { acknowledge } from "./acknowledge.ts";
import { getChanges } from "./get-changes.ts";
import { undoAcknowledge } from "./undo-acknowledge.ts";

const stores = temporaryStores();
const HOUR = 3_600_000;

async function seedChanges() {
  const store = await stores.open();
  const id = await addCluster(store, "prod-us-east", NOON - 100 * HOUR);
  await store.events.append(
    id,
    [
      makeEvent({ kind: "node-count-changed", severity: "info", at: NOON - HOUR, subject: "nodes" }),
      makeEvent({
        kind: "rejections-started",
        severity: "error",
        at: NOON - 2 * HOUR,
        subject: "workload-low",
      }),
      makeEvent({ kind: "cluster-renamed", severity: "info", at: NOON - 50 * HOUR, subject: "prod" }),
    ],
    { isGenerated: false },
  );
  return makeTestContext(store);
}

test("changes stand by day, then severity, each with the page that shows it", async () => {
  const changes = ChangesResponseSchema.parse(await getChanges(await seedChanges()));
  expect(changes).toMatchObject({ now: NOON, lastReviewAt: null, total: 3, acknowledgedTotal: 0 });
  expect(changes.changes.map(({ kind, href, hrefLabel }) => [kind, href, hrefLabel])).toEqual([
    ["rejections-started", "/clusters/prod-us-east/fairness", "Open fairness"],
    ["node-count-changed", "/clusters/prod-us-east/history", "Open history"],
    ["cluster-renamed", "/settings/clusters", "Open settings"],
  ]);
});

test("what somebody acknowledged before, in another tab too, is not in the answer and is not taken back", async () => {
  const context = await seedChanges();
  const [first = "", second = ""] = (await getChanges(context)).changes.map(({ id }) => id);
  await acknowledge(context, { eventIds: [first] });
  const { eventIds } = await acknowledge(context, { eventIds: [first, second] });
  expect(eventIds).toEqual([second]);
  await undoAcknowledge(context, { eventIds });
  expect((await getChanges(context)).changes.map(({ id }) => id)).not.toContain(first);
});

test("what is acknowledged leaves the list, is counted, and comes back when it is taken back", async () => {
  const context = await seedChanges();
  const first = (await getChanges(context)).changes[0]?.id ?? "";
  expect(await acknowledge(context, { eventIds: [first, first] })).toEqual({ eventIds: [first] });
  const after = await getChanges(context);
  expect(after).toMatchObject({ total: 2, acknowledgedTotal: 1, lastReviewAt: NOON });
  expect(after.changes.map((each) => each.id)).not.toContain(first);

  expect(await undoAcknowledge(context, { eventIds: [first] })).toEqual({ eventIds: [first] });
  expect(await getChanges(context)).toMatchObject({ total: 3, acknowledgedTotal: 0 });
});

test("acknowledging all up to an instant keeps what came after it, and names what it took", async () => {
  const context = await seedChanges();
  const { eventIds } = await acknowledge(context, { allUpTo: NOON - 2 * HOUR });
  expect(eventIds).toHaveLength(2);
  expect((await getChanges(context)).changes.map((each) => each.kind)).toEqual(["node-count-changed"]);
});

test("each reviewer has a list of their own", async () => {
  const context = await seedChanges();
  await acknowledge(context, { allUpTo: NOON });
  expect((await getChanges(context)).total).toBe(0);
  expect((await getChanges({ ...context, reviewer: "somebody-else" })).total).toBe(3);
});
