import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Store } from "./store.ts";
import { startChild } from "./testing/child.ts";
import { addCluster } from "./testing/records.ts";
import { temporaryStores } from "./testing/temporary-store.ts";

const stores = temporaryStores();
const KILLS = 50;
/** Generous, since a busy machine takes several times as long as an idle one (about 20 s). */
const TIMEOUT_MS = 180_000;
/** Each child writes instants of its own. */
const INSTANTS_PER_CHILD = 100_000;

test(`after ${KILLS} kills while writing, everything acknowledged is there and the store is sound`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const url = `file:${stores.path()}`;
  const setUp = await stores.open();
  const clusterId = await addCluster(setUp);
  await setUp.close();

  const start = (index: number) =>
    startChild("write-passes.child.ts", [url, clusterId, String(index * INSTANTS_PER_CHILD)], {
      compileCache: join(stores.directory(), "compiled"),
    });
  const acknowledged: string[] = [];
  // The next child loads while this one writes; it waits for its line before it opens the store.
  let next = start(0);
  for (let index = 0; index < KILLS; index++) {
    const child = next;
    next = start(index + 1);
    expect(await child.nextLine()).toBe("ready");
    // Loading the client for permissions takes most of a child's time, so one in five does.
    child.send(index % 5 === 0 ? "both" : "passes");
    // Killed at its start, between two writes, within one, or while a log of many is written back.
    const acknowledgements = (index * 7) % 23;
    const from = acknowledged.length;
    while (acknowledged.length < from + acknowledgements) {
      const line = await child.nextLine();
      if (line === null) throw new Error(`child ${index} ended by itself`);
      acknowledged.push(line);
    }
    acknowledged.push(...(await child.kill()));

    const store = await stores.open();
    expect(store.origin.asidePath).toBeNull();
    expect(await listMissing(store, clusterId, acknowledged.slice(from))).toEqual([]);
    await store.close();
  }
  await next.kill();

  const store = await stores.open();
  expect(acknowledged.length).toBeGreaterThan(400);
  expect(await listMissing(store, clusterId, acknowledged)).toEqual([]);
  expect(await store.maintenance.check()).toMatchObject({ ok: true, messages: [] });
  expect(readdirSync(stores.directory()).filter((name) => name.includes("corrupt"))).toEqual([]);
});

/** Acknowledged lines of which some part is not stored; a pass is there whole or not at all. */
async function listMissing(
  store: Store,
  clusterId: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const scrapes = new Set(
    (await store.scrapes.list(clusterId, { limit: 1e6 })).map(({ startedAt }) => startedAt),
  );
  const events = new Set((await store.events.list({ clusterId, limit: 1e6 })).events.map(({ at }) => at));
  const series = await store.samples.query(clusterId, {}, { fromSeconds: 0, toSeconds: 1e9, maxPoints: 1e9 });
  const samples = series.map(({ points }) => new Set(points.map(({ atSeconds }) => atSeconds)));
  const cluster = await store.clusters.get(clusterId);
  for (const at of scrapes) {
    if (!events.has(at) || !samples.every((times) => times.has(at))) return [`only a part of ${at}`];
  }
  return lines.filter((line) => {
    const [kind, at] = line.split(" ");
    return kind === "pass" ? !scrapes.has(Number(at)) : cluster?.permissions[`p${at}`] === undefined;
  });
}
