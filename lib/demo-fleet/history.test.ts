import { describe, expect, it, onTestFinished } from "vitest";
import type { SeriesSample } from "../domain/clusters/series.ts";
import { demoScenarios, startDemoFleet } from "./demo-fleet.ts";
import { FLEET } from "./fleet-plan.ts";
import { generateEvents, generateHistory } from "./history.ts";
import { valueAt } from "./value-at.ts";

const ANCHOR = Date.UTC(2026, 10, 30, 9, 42, 10);
const DAY = 86_400_000;
const HOUR = 3_600_000;

const history = (cluster: string, from: number, to: number, stepSeconds: number) => [
  ...generateHistory({ cluster, anchorAt: ANCHOR, from, to, stepSeconds }),
];
const sampleOf = (samples: readonly SeriesSample[], metric: string, level: string | null = null) =>
  samples.find(({ key }) => key.metric === metric && key.priorityLevelName === level)?.value;

describe("generateHistory", () => {
  it("has one tick a step, on the step, from the first to before the last instant", () => {
    const ticks = history("dev-eu-west", ANCHOR - 2 * HOUR, ANCHOR, 300);
    expect(ticks).toHaveLength(24);
    expect(ticks.every(({ atSeconds }) => atSeconds % 300 === 0)).toBe(true);
    expect(ticks[0]?.atSeconds).toBeGreaterThanOrEqual((ANCHOR - 2 * HOUR) / 1000);
  });

  it("names a series once per tick", () => {
    for (const { samples } of history("ml-us-east", ANCHOR - HOUR, ANCHOR, 900)) {
      const keys = samples.map(({ key }) => JSON.stringify(key));
      expect(new Set(keys).size).toBe(keys.length);
      expect(samples.every(({ value }) => Number.isFinite(value) && value >= 0)).toBe(true);
    }
  });

  it("agrees with the metrics page of the same instant", async () => {
    const at = ANCHOR - (ANCHOR % 60_000);
    const fleet = await startDemoFleet({ anchorAt: ANCHOR, clock: { now: () => at } });
    onTestFinished(() => fleet.close());
    const server = fleet.clusters[0]?.server;
    const [api] = server?.servers ?? [];
    const response = await fetch(`${api?.url}/metrics`, {
      headers: { authorization: `Bearer ${server?.token}` },
    });
    const page = await response.text();
    const published = (series: string) =>
      Number(
        page
          .split("\n")
          .find((line) => line.startsWith(series))
          ?.split(" ")
          .at(-1),
      );
    const [tick] = history("ml-us-east", at, at + 1, 60);
    const own = tick?.samples.filter(({ key }) => key.serverId === api?.identity) ?? [];
    expect(sampleOf(own, "resident-memory-bytes")).toBe(published("process_resident_memory_bytes"));
    expect(sampleOf(own, "storage-bytes")).toBe(published("apiserver_storage_size_bytes"));
    expect(sampleOf(own, "current-limit-seats", "workload-low")).toBe(
      published('apiserver_flowcontrol_current_limit_seats{priority_level="workload-low"}'),
    );
    expect(sampleOf(own, "executing-seats", "workload-low")).toBe(
      published(
        'apiserver_flowcontrol_current_executing_seats{flow_schema="service-accounts",priority_level="workload-low"}',
      ),
    );
    expect(sampleOf(own, "rejected-per-second", "workload-low")).toBeCloseTo(9.6, 0);
  });

  it("grows prod-us-east from 1,940 to 2,000 nodes and prod-ap-east by 3.4 a day", () => {
    const nodes = (cluster: string, at: number) =>
      sampleOf(history(cluster, at, at + HOUR, 3600)[0]?.samples ?? [], "nodes");
    expect(nodes("prod-us-east", ANCHOR - 3 * DAY)).toBe(1940);
    expect(nodes("prod-us-east", ANCHOR - 1 * DAY)).toBe(2000);
    expect(nodes("prod-ap-east", ANCHOR - 28 * DAY)).toBe(Math.round(520 - 28 * 3.4));
  });

  it("leaves a gap, not zeros, while edge-ap-south does not answer", () => {
    const ticks = history("edge-ap-south", ANCHOR - 5 * HOUR, ANCHOR, 1800);
    expect(ticks.map(({ samples }) => samples.length > 0)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("has no rejection in ml-us-east before its incident, though a day later it comes back", () => {
    const rejected = (from: number, to: number) =>
      history("ml-us-east", from, to, 600).some(
        ({ samples }) => (sampleOf(samples, "rejected-per-second") ?? 0) > 0,
      );
    expect(rejected(ANCHOR - 2 * DAY, ANCHOR - HOUR)).toBe(false);
    expect(rejected(ANCHOR + DAY, ANCHOR + DAY + 3 * HOUR)).toBe(true);
  });
});

describe("valueAt", () => {
  const reading = (name: string, at: number) => {
    const scenario = demoScenarios(ANCHOR).find(({ plan }) => plan.name === name)?.scenario;
    if (!scenario) throw new Error(`no ${name}`);
    return { scenario, serverIndex: 0, at, windowSeconds: 30 };
  };

  it("gives the value of one series, and null where there is none", () => {
    expect(valueAt(reading("ml-us-east", ANCHOR), "current-limit-seats", "workload-low")).toBe(368);
    expect(
      valueAt(reading("ml-us-east", ANCHOR), "rejected-per-second", "workload-low", "time-out"),
    ).toBeCloseTo(9.6, 0);
    expect(valueAt(reading("ml-us-east", ANCHOR), "waiting-requests", "catch-all")).toBeNull();
    expect(valueAt(reading("edge-ap-south", ANCHOR), "up", null)).toBeNull();
  });
});

describe("generateEvents", () => {
  const all = FLEET.flatMap(({ name }) =>
    generateEvents({ cluster: name, anchorAt: ANCHOR, from: ANCHOR - 30 * DAY, to: ANCHOR }),
  );

  it("tells the changes of the pages, none of them after the anchor", () => {
    const kinds = new Set(all.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      "agent-added",
      "agent-image-changed",
      "api-server-restarted",
      "api-service-added",
      "cluster-unreachable",
      "node-count-changed",
      "rejections-ended",
      "rejections-started",
      "version-changed",
    ]);
    expect(all.every(({ at }) => at < ANCHOR && at >= ANCHOR - 30 * DAY)).toBe(true);
  });

  it("gives figures before and after where something changed its value", () => {
    const upgrade = all.find(({ kind }) => kind === "version-changed");
    expect([upgrade?.before, upgrade?.after]).toEqual(["v1.34.1", "v1.34.2"]);
    const growth = all.find(({ after }) => after === "2000");
    expect(growth).toMatchObject({ before: "1940", lead: "1\u202f940 → 2\u202f000 nodes." });
  });

  it("keeps to the range asked for, oldest first", () => {
    const some = generateEvents({
      cluster: "prod-us-east",
      anchorAt: ANCHOR,
      from: ANCHOR - 5 * DAY,
      to: ANCHOR - 2 * DAY,
    });
    expect(some.map(({ kind }) => kind)).toEqual(["node-count-changed"]);
    const sorted = generateEvents({ cluster: "prod-us-east", anchorAt: ANCHOR, from: 0, to: ANCHOR }).map(
      ({ at }) => at,
    );
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
  });
});
