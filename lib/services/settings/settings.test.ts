import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ConnectionTestResponseSchema, SettingsClustersResponseSchema } from "../../contracts/settings.ts";
import { makeTarget, NOON } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { addTarget } from "./add-target.ts";
import { getConnectionTest, requestConnectionTest } from "./connection-tests.ts";
import { getSettingsClusters } from "./get-settings-clusters.ts";
import { removeTarget } from "./remove-target.ts";

const stores = temporaryStores();

describe("connections", () => {
  test("stand with their source, and only what the page added can be removed there", async () => {
    const store = await stores.open();
    await store.clusters.addTarget(makeTarget({ context: "a" }), NOON);
    const context = makeTestContext(store);
    await addTarget(context, { kubeconfigPath: "~/k.yaml", context: "b", role: "production" });
    const settings = SettingsClustersResponseSchema.parse(await getSettingsClusters(context));
    expect(
      settings.targets.map(({ source, kubeconfigPath, context: name, canRemove }) => [
        source,
        kubeconfigPath,
        name,
        canRemove,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["configuration-file", "/etc/headroom/kubeconfig", "a", false],
        ["page", path.join(homedir(), "k.yaml"), "b", true],
      ]),
    );
    expect(settings).toMatchObject({
      configurationFile: null,
      budget: { requestsPerMinute: 120, bytesPerMinute: 268_435_456 },
      retention: { fine: 7200 },
    });
    expect(settings.clusterRoleYaml).toContain("kind: ClusterRole\n");
  });

  test("the configuration file wins over the page where both name one cluster, and the page says so", async () => {
    const store = await stores.open();
    const context = makeTestContext(store);
    const added = await addTarget(context, { kubeconfigPath: "/k.yaml", context: "b" });
    const named = await store.clusters.addTarget(makeTarget({ context: "a" }), NOON);
    await store.clusters.recordIdentity(added.targetId, "uid-1", NOON);
    await store.clusters.recordIdentity(named.id, "uid-1", NOON);
    const { targets } = await getSettingsClusters(context);
    expect(targets.find((each) => each.source === "page")?.overriddenBy).toBe("the configuration file");
    expect(targets.find((each) => each.source === "configuration-file")?.overriddenBy).toBeNull();
  });

  test("every permission is listed, tried or not", async () => {
    const store = await stores.open();
    const { clusterId } = await store.clusters.addTarget(makeTarget(), NOON);
    await store.clusters.mergePermissions(clusterId, {
      "get-metrics": { state: "refused", at: NOON },
      "get-version": { state: "granted", at: NOON },
    });
    const { targets } = await getSettingsClusters(makeTestContext(store));
    const states = new Map(targets[0]?.permissions.map((each) => [each.permission, each.state]));
    expect(states.get("get /metrics")).toBe("refused");
    expect(states.get("get /version")).toBe("granted");
    expect(states.get("list nodes")).toBe("not-tried");
  });

  test("the same context of the same file is not added twice, however its path is written", async () => {
    const context = makeTestContext(await stores.open());
    await addTarget(context, { kubeconfigPath: "~/k.yaml", context: "b" });
    await expect(
      addTarget(context, { kubeconfigPath: path.join(homedir(), "k.yaml"), context: "b" }),
    ).rejects.toMatchObject({ code: "conflict" });
  });

  test("one that was added can be removed, once; one that is named elsewhere cannot", async () => {
    const store = await stores.open();
    const context = makeTestContext(store);
    const { targetId } = await addTarget(context, { kubeconfigPath: "/k.yaml", context: "b" });
    expect(await removeTarget(context, { targetId })).toEqual({ targetId });
    await expect(removeTarget(context, { targetId })).rejects.toMatchObject({ code: "not-found" });
    const named = await store.clusters.addTarget(makeTarget(), NOON);
    await expect(removeTarget(context, { targetId: named.id })).rejects.toMatchObject({ code: "conflict" });
  });

  test("labels of the configuration give a role to a cluster of that name", async () => {
    const context = makeTestContext(await stores.open());
    const { clusters } = context.config;
    const labelled = {
      ...context,
      config: { ...context.config, clusters: { ...clusters, labels: { b: { role: "ci" } } } },
    };
    const { clusterId } = await addTarget(labelled, { kubeconfigPath: "/k.yaml", context: "b" });
    expect(await context.store.clusters.get(clusterId)).toMatchObject({ role: "ci", labels: { role: "ci" } });
  });
});

describe("connection tests", () => {
  const request = { kubeconfigPath: "/k.yaml", context: null };

  async function startCollector(context: ReturnType<typeof makeTestContext>) {
    await context.store.collector.start(4711, HEADROOM_VERSION, NOON);
  }

  test("without a collector nobody will answer, and that is said at once", async () => {
    const context = makeTestContext(await stores.open());
    const test = ConnectionTestResponseSchema.parse(await requestConnectionTest(context, request));
    expect(test.state).toBe("no-collector");
  });

  test("wait for the collector, then hold what it found", async () => {
    const context = makeTestContext(await stores.open());
    await startCollector(context);
    const { id, state } = await requestConnectionTest(context, request);
    expect(state).toBe("waiting");
    await context.store.connectionTests.claim(NOON);
    await context.store.connectionTests.answer(
      id,
      "succeeded",
      {
        error: null,
        gitVersion: "v1.37.0",
        clusterUid: "uid",
        knownClusterId: null,
        contexts: ["a", "b"],
        permissions: { "get-version": { state: "granted", at: NOON } },
        isInsecure: false,
      },
      NOON,
    );
    const answered = ConnectionTestResponseSchema.parse(await getConnectionTest(context, { testId: id }));
    expect(answered).toMatchObject({
      state: "succeeded",
      result: { gitVersion: "v1.37.0", contexts: ["a", "b"] },
    });
    expect(answered.result?.permissions.find((each) => each.id === "get-version")?.state).toBe("granted");
  });

  test("time out after 10 s although a collector runs", async () => {
    const context = makeTestContext(await stores.open());
    await startCollector(context);
    const { id } = await requestConnectionTest(context, request);
    context.setNow(NOON + 10_001);
    expect((await getConnectionTest(context, { testId: id })).state).toBe("timed-out");
  });

  test("an unknown id is not found", async () => {
    const context = makeTestContext(await stores.open());
    await expect(getConnectionTest(context, { testId: "nope" })).rejects.toMatchObject({ code: "not-found" });
  });
});
