import { describe, expect, test } from "vitest";
import { fairnessFixture } from "@/components/fixtures/cluster-fixture";
import { barScale, chooseShown, sharedSeats, sumFlows } from "./prepare-levels";

const response = fairnessFixture();
const nothing = { server: "", level: "" };
const names = (shown: ReturnType<typeof chooseShown>) => [
  shown.server?.server.name,
  shown.level?.priorityLevelName,
];

describe("which server and level are shown", () => {
  test("the busiest server and its worst level, when nothing was chosen", () => {
    expect(names(chooseShown(response, nothing))).toEqual(["api-1", "workload-low"]);
  });

  test("a server is found by name or id, a level by name", () => {
    expect(names(chooseShown(response, { server: "api-0", level: "system" }))).toEqual(["api-0", "system"]);
    expect(names(chooseShown(response, { server: "server-2", level: "" }))).toEqual([
      "api-2",
      "workload-low",
    ]);
  });

  test("a choice that is gone falls back rather than show nothing", () => {
    expect(names(chooseShown(response, { server: "api-9", level: "gone" }))).toEqual([
      "api-1",
      "workload-low",
    ]);
  });

  test("where none is in trouble, the one with most seats in use, not one of which nothing is known", () => {
    const calm = response.servers.map((server) => ({
      ...server,
      levels: server.levels
        .map((level, index) =>
          index === 6
            ? { ...level, severity: "unknown" as const, executingSeats: null }
            : { ...level, severity: "ok" as const },
        )
        .toReversed(),
    }));
    expect(names(chooseShown({ ...response, servers: calm }, nothing))).toEqual(["api-1", "workload-low"]);
  });

  test("without any server there is nothing", () => {
    expect(chooseShown({ servers: [], busiestServerId: null }, nothing)).toEqual({
      server: null,
      level: null,
    });
  });
});

test("all bars of a server share a scale above every limit; exempt has none and does not count", () => {
  const levels = chooseShown(response, nothing).server?.levels ?? [];
  expect(barScale(levels)).toBe(400);
  expect(barScale([])).toBe(1);
});

test("limited levels share the sum of their nominal seats; it is not known where one is not", () => {
  const levels = chooseShown(response, nothing).server?.levels ?? [];
  expect(sharedSeats(levels)).toBe(602);
  expect(sharedSeats(levels.map((level) => ({ ...level, nominalSeats: null })))).toBeNull();
});

test("flows of a level sum to its row", () => {
  const { server, level } = chooseShown(response, nothing);
  const flows = (server?.flows ?? []).filter((flow) => flow.priorityLevelName === level?.priorityLevelName);
  expect(sumFlows(flows)).toEqual({ executing: 37, seats: 361, waiting: 182 });
  expect(sumFlows(flows).seats).toBe(level?.executingSeats);
});
