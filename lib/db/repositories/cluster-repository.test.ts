import { describe, expect, test } from "vitest";
import { makePass, makeTarget, NOON } from "../testing/records.ts";
import { temporaryStores } from "../testing/temporary-store.ts";

const stores = temporaryStores();
const later = NOON + 60_000;

describe("targets", () => {
  test("syncing twice changes nothing; a target that is named again keeps its id, absent ones are removed", async () => {
    const { clusters } = await stores.open();
    const wanted = [makeTarget({ context: "a", name: "a" }), makeTarget({ context: "b", name: "b" })];
    const first = await clusters.syncTargets(["configuration-file"], wanted, NOON);
    const second = await clusters.syncTargets(["configuration-file"], wanted, later);
    expect(second).toEqual(first);

    const third = await clusters.syncTargets(["configuration-file"], wanted.slice(0, 1), later);
    expect(third.map(({ id }) => id)).toEqual([first[0]?.id]);
    expect((await clusters.list()).map(({ id }) => id)).toEqual(["a"]);
    expect((await clusters.get("b"))?.removedAt).toBe(later);

    const back = await clusters.syncTargets(["configuration-file"], wanted, later);
    expect(back.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
    expect((await clusters.get("b"))?.removedAt).toBeNull();
  });

  test("syncing one source leaves the others alone", async () => {
    const { clusters } = await stores.open();
    await clusters.addTarget(makeTarget({ source: "page", context: "p", name: "p" }), NOON);
    await clusters.syncTargets(["flag"], [makeTarget({ source: "flag", context: "f", name: "f" })], NOON);
    await clusters.syncTargets(["flag"], [], later);
    expect((await clusters.list()).map(({ id }) => id)).toEqual(["p"]);
  });

  test("a target of a source that is not synchronised is refused, and nothing is changed", async () => {
    const { clusters } = await stores.open();
    await expect(
      clusters.syncTargets(["flag"], [makeTarget({ source: "page" })], NOON),
    ).rejects.toMatchObject({ code: "invalid-input" });
    expect(await clusters.listTargets()).toEqual([]);
  });

  test("one place named by two sources is one cluster, and the earlier source wins", async () => {
    const { clusters } = await stores.open();
    const page = await clusters.addTarget(makeTarget({ source: "page", name: "from page" }), NOON);
    const [file] = await clusters.syncTargets(
      ["configuration-file"],
      [makeTarget({ name: "from file" })],
      later,
    );
    expect(file?.clusterId).toBe(page.clusterId);
    expect(file?.overriddenByTargetId).toBeNull();
    expect((await clusters.listTargets()).find(({ id }) => id === page.id)?.overriddenByTargetId).toBe(
      file?.id,
    );
    expect((await clusters.list()).map(({ id, name }) => [id, name])).toEqual([["from-page", "from file"]]);

    await clusters.syncTargets(["configuration-file"], [], later);
    expect((await clusters.list()).map(({ name }) => name)).toEqual(["from page"]);
    expect((await clusters.listTargets()).map(({ overriddenByTargetId }) => overriddenByTargetId)).toEqual([
      null,
      null,
    ]);
  });

  test("demo targets have only a name, and each is a cluster of its own", async () => {
    const { clusters } = await stores.open();
    const demo = ["one", "two"].map((name) =>
      makeTarget({ source: "demo", kubeconfigPath: null, context: null, name, isDemo: true }),
    );
    await clusters.syncTargets(["demo"], demo, NOON);
    expect((await clusters.list()).map(({ id, isDemo }) => [id, isDemo])).toEqual([
      ["one", true],
      ["two", true],
    ]);
  });

  test("ids are made of names, and a second cluster of one name is counted", async () => {
    const { clusters } = await stores.open();
    const names = ["Prod/US East_1", "prod us east 1", "ÄÖ", "x".repeat(200)];
    for (const [index, name] of names.entries()) {
      await clusters.addTarget(makeTarget({ context: `c${index}`, name }), NOON);
    }
    expect((await clusters.listTargets()).map(({ clusterId }) => clusterId).sort()).toEqual([
      "cluster",
      "prod-us-east-1",
      "prod-us-east-1-2",
      "x".repeat(58),
    ]);
  });

  test("adding what is there is a conflict; removing it makes room, and what was stored comes back with it", async () => {
    const store = await stores.open();
    const target = makeTarget({ source: "page" });
    const added = await store.clusters.addTarget(target, NOON);
    await store.parts.recordPass(makePass(added.clusterId));
    await expect(store.clusters.addTarget(target, later)).rejects.toMatchObject({ code: "conflict" });
    await store.clusters.removeTarget(added.id, later);
    await store.clusters.removeTarget(added.id, later + 1);
    expect(await store.clusters.list()).toEqual([]);
    const again = await store.clusters.addTarget(target, later);
    expect(again).toMatchObject({ id: added.id, clusterId: added.clusterId, removedAt: null, addedAt: NOON });
    expect(await store.parts.get(again.clusterId, "servers")).not.toBeNull();
    await expect(store.clusters.removeTarget("no-such", later)).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("identity", () => {
  test("the first answer is learnt, the same again changes nothing", async () => {
    const { clusters } = await stores.open();
    const { id, clusterId } = await clusters.addTarget(makeTarget(), NOON);
    expect(await clusters.recordIdentity(id, "uid-1", later)).toMatchObject({
      kind: "learnt",
      cluster: { id: clusterId, uid: "uid-1" },
    });
    expect(await clusters.recordIdentity(id, "uid-1", later)).toMatchObject({ kind: "unchanged" });
  });

  test("a renamed context stays one cluster: id and history stay, the name follows", async () => {
    const store = await stores.open();
    const [old] = await store.clusters.syncTargets(
      ["flag"],
      [makeTarget({ source: "flag", context: "old", name: "old" })],
      NOON,
    );
    await store.clusters.recordIdentity(old?.id ?? "", "uid-1", NOON);
    await store.parts.recordPass(makePass("old"));

    const [renamed] = await store.clusters.syncTargets(
      ["flag"],
      [makeTarget({ source: "flag", context: "new", name: "new" })],
      later,
    );
    expect((await store.clusters.list()).map(({ id }) => id)).toEqual(["new"]);
    expect(await store.clusters.recordIdentity(renamed?.id ?? "", "uid-1", later)).toMatchObject({
      kind: "same-cluster",
      formerName: "old",
      cluster: { id: "old", name: "new", removedAt: null },
    });
    expect((await store.clusters.list()).map(({ id, name }) => [id, name])).toEqual([["old", "new"]]);
    expect(await store.parts.get("old", "servers")).not.toBeNull();
  });

  test("a second context of a known cluster joins it and leaves its name", async () => {
    const { clusters } = await stores.open();
    const one = await clusters.addTarget(makeTarget({ context: "one", name: "one" }), NOON);
    const two = await clusters.addTarget(makeTarget({ context: "two", name: "two" }), later);
    await clusters.recordIdentity(one.id, "uid-1", later);
    expect(await clusters.recordIdentity(two.id, "uid-1", later)).toMatchObject({
      kind: "same-cluster",
      formerName: "one",
      cluster: { id: "one", name: "one" },
    });
    const targets = await clusters.listTargets();
    expect(targets.find(({ id }) => id === two.id)).toMatchObject({
      clusterId: "one",
      overriddenByTargetId: one.id,
    });
    expect((await clusters.list()).map(({ id }) => id)).toEqual(["one"]);
  });

  test("a context that leads to another cluster becomes that one; the former keeps its history", async () => {
    const { clusters } = await stores.open();
    const { id } = await clusters.addTarget(makeTarget({ name: "prod" }), NOON);
    await clusters.recordIdentity(id, "uid-1", NOON);
    expect(await clusters.recordIdentity(id, "uid-2", later)).toMatchObject({
      kind: "repointed",
      formerClusterId: "prod",
      cluster: { id: "prod-2", uid: "uid-2", name: "prod" },
    });
    expect(await clusters.get("prod")).toMatchObject({ uid: "uid-1", removedAt: later });
    // Pointed back, it is the first one again.
    expect(await clusters.recordIdentity(id, "uid-1", later)).toMatchObject({
      kind: "repointed",
      cluster: { id: "prod", removedAt: null },
    });
    expect((await clusters.list()).map(({ id: clusterId }) => clusterId)).toEqual(["prod"]);
  });

  test("targets of one place move together", async () => {
    const { clusters } = await stores.open();
    const page = await clusters.addTarget(makeTarget({ source: "page" }), NOON);
    const [file] = await clusters.syncTargets(["configuration-file"], [makeTarget()], NOON);
    await clusters.recordIdentity(file?.id ?? "", "uid-1", NOON);
    await clusters.recordIdentity(file?.id ?? "", "uid-2", later);
    const ids = new Set((await clusters.listTargets()).map(({ clusterId }) => clusterId));
    expect([...ids]).toEqual([`${page.clusterId}-2`]);
  });

  test("a target removed while its API server answered learns nothing", async () => {
    const { clusters } = await stores.open();
    const { id } = await clusters.addTarget(makeTarget(), NOON);
    await clusters.removeTarget(id, NOON);
    expect(await clusters.recordIdentity(id, "uid-1", later)).toMatchObject({
      kind: "unchanged",
      cluster: { uid: null },
    });
    await expect(clusters.recordIdentity("no-such", "uid-1", later)).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

test("permissions are merged by id, and an outage has a start and an end", async () => {
  const { clusters } = await stores.open();
  const { clusterId } = await clusters.addTarget(makeTarget({ labels: { role: "prod" } }), NOON);
  await clusters.mergePermissions(clusterId, {
    nodes: { state: "granted", at: NOON },
    pods: { state: "refused", at: NOON },
  });
  await clusters.mergePermissions(clusterId, { pods: { state: "granted", at: later } });
  await clusters.setUnreachableSince(clusterId, later);
  expect(await clusters.get(clusterId)).toMatchObject({
    labels: { role: "prod" },
    unreachableSince: later,
    permissions: { nodes: { state: "granted", at: NOON }, pods: { state: "granted", at: later } },
  });
  await clusters.setUnreachableSince(clusterId, null);
  expect((await clusters.get(clusterId))?.unreachableSince).toBeNull();
  await expect(clusters.setUnreachableSince("no-such", null)).rejects.toMatchObject({ code: "not-found" });
  expect(await clusters.get("no-such")).toBeNull();
});
