import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMPTY_BASELINE } from "../collector/events/change-baseline.ts";
import {
  expectEverywhere,
  expectOnOwnPaths,
  FAULT_CASES,
  type FaultCase,
  PART_PATHS,
} from "../collector/fault-table.ts";
import { readPartsOf, recordScrape } from "../collector/record-scrape.ts";
import { firstPlan } from "../collector/schedule/plan-next.ts";
import type { ScrapeResult } from "../collector/scrape-cluster.ts";
import type { OncePass } from "../collector/scrape-once.ts";
import { type FakeCluster, startFakeCluster } from "../collector/test-support/fake-cluster.ts";
import { openStore } from "../db/open-store.ts";
import type { Store } from "../db/store.ts";
import { PART_NAMES, type PartName } from "../domain/clusters/part.ts";
import { collectExitCode, formatCollectText } from "./output/collect.ts";
import { PLAIN } from "./output/style.ts";

let cluster: FakeCluster;
let store: Store;
let folder: string;
let clusterId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headroom-faults-"));
  store = await openStore({ url: `file:${join(folder, "store.db")}`, mode: "read-write" });
  cluster = await startFakeCluster({
    scenario: { nodes: 20, servers: 1, kubernetesVersion: "1.34.2" },
    limits: { requestsPerMinute: 100_000 },
  });
  const target = {
    source: "flag" as const,
    kubeconfigPath: cluster.kubeconfigPath,
    context: "c",
    name: "c",
    role: null,
    labels: {},
    isInsecure: false,
    isDemo: false,
  };
  ({ clusterId } = await store.clusters.addTarget(target, 0));
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** One pass under a fault, by a collector that has just started. */
async function passUnder({ fault }: FaultCase, due: readonly PartName[], path: RegExp | null) {
  await cluster.forget();
  if (fault === "refused") await cluster.server.setRefusing("all", true);
  else cluster.server.faults.add({ fault, ...(path === null ? {} : { path }) });
  try {
    return await cluster.scrape({ due, impatientFor: path ?? /./ });
  } finally {
    cluster.server.faults.clear();
    await cluster.server.setRefusing("all", false);
  }
}

async function storeAndReadBack(result: ScrapeResult, part: PartName) {
  await recordScrape({
    store,
    clusterId,
    clusterName: "c",
    result,
    plan: firstPlan(result.startedAt, 0, () => 0),
    isIncident: false,
    baseline: EMPTY_BASELINE,
    reachability: { hasAnswered: true, failures: 0, firstFailedAt: null, isSaid: false },
    permissions: {},
    events: [],
  });
  return store.parts.get(clusterId, part);
}

function asOncePass(result: ScrapeResult): OncePass {
  return {
    cluster: "c",
    server: cluster.server.url,
    isInsecure: false,
    clusterUid: result.clusterUid,
    startedAt: result.startedAt,
    durationSeconds: result.durationSeconds,
    requests: result.requests,
    wireBytes: result.wireBytes,
    decodedBytes: result.decodedBytes,
    outcomes: result.parts.map(({ outcome }) => outcome),
    values: readPartsOf(result),
    result,
  };
}

/** The lines of the command line that speak of the part. */
function linesOf(result: ScrapeResult, part: PartName): string {
  const lines = formatCollectText([asOncePass(result)], { style: PLAIN, isQuiet: false });
  const from = lines.findIndex((line) => line.startsWith(`  ${part}`));
  const rest = lines.slice(from + 1);
  const next = rest.findIndex((line) => !line.includes("not read:"));
  return [lines[from], ...rest.slice(0, Math.max(0, next))].join("\n");
}

describe.each(FAULT_CASES)("$name on every path", (fault) => {
  const expected = expectEverywhere(fault);

  test(`every part is ${expected.status}, and the exit code is ${expected.exitCode}`, async () => {
    const result = await passUnder(fault, PART_NAMES, null);
    for (const part of PART_NAMES) {
      const state = await storeAndReadBack(result, part);
      expect([part, state?.latest.status, state?.latest.failure?.reason ?? null]).toEqual([
        part,
        expected.status,
        expected.reason,
      ]);
      const lines = linesOf(result, part);
      expect(lines).toContain(expected.status);
      expect(lines).toContain(fault.says);
    }
    if (fault.endsPass)
      expect(result.parts.slice(1).every(({ outcome }) => outcome.requests === 0)).toBe(true);
    expect(collectExitCode([asOncePass(result)])).toBe(expected.exitCode);
  });
});

describe.each(FAULT_CASES.filter(({ isPerPath }) => isPerPath))("$name on the paths of one part", (fault) => {
  test.each(PART_NAMES)("%s is partial at most: what comes from elsewhere is still there", async (part) => {
    const expected = expectOnOwnPaths(fault, part);
    const result = await passUnder(fault, [part], PART_PATHS[part]);
    const state = await storeAndReadBack(result, part);
    expect([state?.latest.status, state?.latest.failure?.reason ?? null]).toEqual([
      expected.status,
      expected.reason,
    ]);
    expect(result.parts[0]?.value === null).toBe(expected.status === "failed");
    const lines = linesOf(result, part);
    expect(lines).toContain(expected.status);
    expect(lines).toContain(fault.says);
    expect(collectExitCode([asOncePass(result)])).toBe(expected.exitCode);
  });
});

test("a part that fails keeps its last good value and its age", async () => {
  await cluster.forget();
  const good = await cluster.scrape();
  const before = await storeAndReadBack(good, "fairness");
  const failed = await passUnder(FAULT_CASES[0] as FaultCase, PART_NAMES, null);
  const after = await storeAndReadBack(failed, "fairness");
  expect(after?.latest.status).toBe("failed");
  expect(after?.value).toEqual(before?.value);
  expect(after?.valueAt).toBe(before?.valueAt);
});
