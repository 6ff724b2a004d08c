import { describe, expect, test } from "vitest";
import type { ClusterEvent } from "../../domain/clusters/event.ts";
import { addCluster, makeEvent, makeTarget, NOON } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();
const DAY = 86_400_000;
const measured = { isGenerated: false };

async function openWithEvents(events: readonly ClusterEvent[]) {
  const store = await stores.open();
  const clusterId = await addCluster(store);
  await store.events.append(clusterId, events, measured);
  return { store, clusterId };
}

const numbered = (count: number): ClusterEvent[] =>
  Array.from({ length: count }, (_, index) => makeEvent({ subject: `agent-${index}`, at: NOON + index }));

describe("events", () => {
  test("come newest first, page by page, each once", async () => {
    // Half of them at one instant: the cursor must tell them apart.
    const events = numbered(25).map((event, index) => ({ ...event, at: NOON + Math.max(0, index - 12) }));
    const { store } = await openWithEvents(events);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof store.events.list>> = await store.events.list({
        limit: 7,
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...page.events.map(({ subject }) => subject));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(events.map(({ subject }) => subject).reverse());
    await expect(store.events.list({ limit: 1, cursor: "1; DROP TABLE events" })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });

  test("are filtered by cluster, kind and time, and carry the cluster's present name", async () => {
    const { store, clusterId } = await openWithEvents([
      makeEvent(),
      makeEvent({ kind: "crd-added", at: NOON + 1 }),
    ]);
    const other = await addCluster(store, "other");
    await store.events.append(other, [makeEvent()], { isGenerated: true });
    const list = async (query: Partial<Parameters<typeof store.events.list>[0]>) =>
      (await store.events.list({ limit: 10, ...query })).events.map(({ clusterName, kind, isGenerated }) => [
        clusterName,
        kind,
        isGenerated,
      ]);
    expect(await list({ clusterId: other })).toEqual([["other", "node-count-changed", true]]);
    expect(await list({ kinds: ["crd-added", "crd-removed"] })).toEqual([
      ["prod-us-east", "crd-added", false],
    ]);
    expect(await list({ from: NOON + 1 })).toEqual([["prod-us-east", "crd-added", false]]);
    expect(await list({ clusterId, kinds: ["node-count-changed"], from: NOON })).toHaveLength(1);
  });

  test("are recorded once however often they are appended", async () => {
    const { store, clusterId } = await openWithEvents([makeEvent()]);
    await store.events.append(clusterId, [makeEvent(), makeEvent({ subject: "other" })], measured);
    expect((await store.events.list({ limit: 10 })).events).toHaveLength(2);
    await expect(store.events.append("no-such", [makeEvent()], measured)).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

describe("reviews", () => {
  test("a reviewer who never reviewed has everything before them: by day, then severity, then time", async () => {
    const { store } = await openWithEvents([
      makeEvent({ subject: "old error", severity: "error", at: NOON - DAY }),
      makeEvent({ subject: "early info", at: NOON }),
      makeEvent({ subject: "warning", severity: "warning", at: NOON + 1 }),
      makeEvent({ subject: "late info", at: NOON + 2 }),
      makeEvent({ subject: "error", severity: "error", at: NOON - 1 }),
    ]);
    const { events, total, acknowledgedTotal } = await store.reviews.listUnacknowledged("ada", 10);
    expect(events.map(({ subject }) => subject)).toEqual([
      "error",
      "warning",
      "late info",
      "early info",
      "old error",
    ]);
    expect({ total, acknowledgedTotal }).toEqual({ total: 5, acknowledgedTotal: 0 });
    expect(await store.reviews.lastReviewAt("ada")).toBeNull();
    expect((await store.reviews.listUnacknowledged("ada", 2)).events).toHaveLength(2);
  });

  test("acknowledging is per reviewer, names what is new, and ignores what is unknown", async () => {
    const { store } = await openWithEvents(numbered(3));
    const [first, second] = (await store.reviews.listUnacknowledged("ada", 10)).events.map(({ id }) => id);
    const ids = [first ?? "", second ?? "", "999999", "no-number"];
    expect((await store.reviews.acknowledge("ada", ids, NOON + DAY)).toSorted()).toEqual(
      [first, second].toSorted(),
    );
    expect(await store.reviews.acknowledge("ada", ids, NOON + 2 * DAY)).toEqual([]);
    expect(await store.reviews.listUnacknowledged("ada", 10)).toMatchObject({
      total: 1,
      acknowledgedTotal: 2,
    });
    expect(await store.reviews.listUnacknowledged("grace", 10)).toMatchObject({
      total: 3,
      acknowledgedTotal: 0,
    });
    expect(await store.reviews.lastReviewAt("ada")).toBe(NOON + DAY);
    expect(await store.reviews.lastReviewAt("grace")).toBeNull();
  });

  test("taking back shows the event again; acknowledging once more counts again", async () => {
    const { store } = await openWithEvents(numbered(2));
    const ids = (await store.reviews.listUnacknowledged("ada", 10)).events.map(({ id }) => id);
    await store.reviews.acknowledge("ada", ids, NOON + 1);
    expect(await store.reviews.undo("grace", ids, NOON + 2)).toBe(0);
    expect(await store.reviews.undo("ada", ids.slice(0, 1), NOON + 2)).toBe(1);
    expect(await store.reviews.undo("ada", ids.slice(0, 1), NOON + 3)).toBe(0);
    expect((await store.reviews.listUnacknowledged("ada", 10)).events.map(({ id }) => id)).toEqual(
      ids.slice(0, 1),
    );
    expect(await store.reviews.acknowledge("ada", ids, NOON + 4)).toEqual(ids.slice(0, 1));
    expect(await store.reviews.lastReviewAt("ada")).toBe(NOON + 4);
    expect((await store.events.list({ limit: 10 })).events).toHaveLength(2);
  });

  test("acknowledging all keeps what came after it was seen, and can be taken back whole", async () => {
    const { store } = await openWithEvents(numbered(30));
    const ids = await store.reviews.acknowledgeAll("ada", NOON + 19, NOON + DAY);
    expect(ids).toHaveLength(20);
    expect((await store.reviews.listUnacknowledged("ada", 100)).total).toBe(10);
    expect(await store.reviews.undo("ada", ids, NOON + DAY + 1)).toBe(20);
    expect((await store.reviews.listUnacknowledged("ada", 100)).total).toBe(30);
  });

  test("events of a removed cluster ask nobody for a review, and come back with it", async () => {
    const store = await stores.open();
    const target = makeTarget({ source: "page" });
    const { id, clusterId } = await store.clusters.addTarget(target, NOON);
    await store.events.append(clusterId, [makeEvent()], measured);
    await store.clusters.removeTarget(id, NOON);
    expect(await store.reviews.listUnacknowledged("ada", 10)).toMatchObject({ total: 0, events: [] });
    expect(await store.reviews.acknowledgeAll("ada", NOON, NOON)).toEqual([]);
    expect((await store.events.list({ limit: 10 })).events).toEqual([]);
    expect((await store.events.list({ limit: 10, clusterId })).events).toHaveLength(1);
    await store.clusters.addTarget(target, NOON);
    expect((await store.reviews.listUnacknowledged("ada", 10)).total).toBe(1);
  });

  test("ten thousand events are counted, listed and acknowledged", async () => {
    const { store } = await openWithEvents(numbered(10_000));
    expect(await store.reviews.listUnacknowledged("ada", 200)).toMatchObject({ total: 10_000 });
    expect(await store.reviews.acknowledgeAll("ada", NOON + 4_999, NOON + DAY)).toHaveLength(5_000);
    const { events, total, acknowledgedTotal } = await store.reviews.listUnacknowledged("ada", 200);
    expect(events).toHaveLength(200);
    expect({ total, acknowledgedTotal }).toEqual({ total: 5_000, acknowledgedTotal: 5_000 });
  });
});
