import { describe, expect, it } from "vitest";
import { readVectors } from "../../vectors/read-vectors.ts";
import { hasLevelCap, levelMaxSeats, nextLevelMaxSeats } from "./level-cap.ts";

/** The defaults carry their name beside the spec, the objects of a vector in their metadata. */
interface Level {
  readonly name?: string;
  readonly metadata?: { readonly name: string };
  readonly spec: {
    readonly limited?: {
      readonly limitResponse: { readonly type: string; readonly queuing?: { readonly handSize: number } };
    };
  };
}
type Limits = Readonly<Record<string, { readonly nominalCL: number; readonly maxSeats: number }>>;
interface Configuration {
  readonly priorityLevels: readonly ("defaults" | Level)[];
}
interface Vector extends Configuration {
  readonly id: string;
  readonly versions: readonly string[];
  readonly limits: Limits;
  readonly second?: Configuration | null;
  readonly secondLimits?: Limits | null;
}
interface Defaults {
  readonly priorityLevelConfigurations?: readonly Level[];
}

/** Hand sizes of the levels that queue, by name, as a configuration and the defaults of a minor give them. */
function handSizes({ priorityLevels }: Configuration, minor: string): Map<string, number> {
  const levels = priorityLevels.flatMap((level) => (level === "defaults" ? defaultLevels(minor) : [level]));
  const sizes = new Map<string, number>();
  for (const level of levels) {
    const name = level.name ?? level.metadata?.name ?? "";
    const { queuing, type } = level.spec.limited?.limitResponse ?? {};
    sizes.delete(name);
    if (type === "Queue") sizes.set(name, queuing?.handSize ?? 8);
  }
  return sizes;
}

function defaultLevels(minor: string): readonly Level[] {
  const file: unknown = readVectors(`defaults/${minor}.json`);
  return (file as Defaults).priorityLevelConfigurations ?? [];
}

describe("levelMaxSeats", () => {
  it("agrees with the cap of every level of the 80 recorded configurations, and of those after them", () => {
    const { vectors } = readVectors<Vector>("max-seats.json");
    expect(vectors).toHaveLength(80);
    let levels = 0;
    const wrong = vectors.flatMap((vector) =>
      vector.versions.flatMap((version) => {
        const minor = version.split(".").slice(0, 2).join(".");
        const caps = new Map<string, number>();
        const rounds = [{ configuration: vector as Configuration, limits: vector.limits }];
        if (vector.second && vector.secondLimits) {
          rounds.push({ configuration: vector.second, limits: vector.secondLimits });
        }
        return rounds.flatMap(({ configuration, limits }, round) => {
          const hands = handSizes(configuration, minor);
          for (const name of caps.keys()) if (!(name in limits)) caps.delete(name);
          return Object.entries(limits).flatMap(([name, { nominalCL, maxSeats }]) => {
            levels += 1;
            const cap = nextLevelMaxSeats(caps.get(name) ?? 0, nominalCL, hands.get(name) ?? null);
            caps.set(name, cap);
            return cap === maxSeats
              ? []
              : [`${vector.id} ${version} round ${round + 1} ${name}: ${cap}, recorded ${maxSeats}`];
          });
        });
      }),
    );
    expect(wrong).toEqual([]);
    expect(levels).toBeGreaterThan(80 * 2);
  });

  it.each([
    [400, [3, 10, 8, 10, 25, 5]],
    [600, [4, 15, 12, 15, 37, 8]],
    [800, [5, 20, 15, 20, 50, 10]],
    [3000, [19, 74, 56, 74, 184, 37]],
  ])("gives the default levels of a server with %i seats their caps", (seats, expected) => {
    const levels = [
      [10, 4],
      [40, 6],
      [30, 6],
      [40, 6],
      [100, 6],
      [20, 6],
    ] as const;
    expect(
      levels.map(([shares, handSize]) => levelMaxSeats(Math.ceil((seats * shares) / 245), handSize)),
    ).toEqual(expected);
  });

  it("is none for a level that does not queue, and 1 at least for one that does", () => {
    expect(levelMaxSeats(13, null)).toBe(0);
    expect(levelMaxSeats(1, 8)).toBe(1);
    expect(levelMaxSeats(0, 1)).toBe(1);
  });

  it("is kept by a level that stops queuing", () => {
    expect(nextLevelMaxSeats(37, 245, null)).toBe(37);
    expect(nextLevelMaxSeats(37, 100, 6)).toBe(15);
  });
});

describe("hasLevelCap", () => {
  it("begins with 1.28.0, 1.27.5 and 1.26.8", () => {
    expect(hasLevelCap({ minor: 26, patch: 7 })).toBe(false);
    expect(hasLevelCap({ minor: 26, patch: 8 })).toBe(true);
    expect(hasLevelCap({ minor: 27, patch: 4 })).toBe(false);
    expect(hasLevelCap({ minor: 27, patch: null })).toBe(true);
    expect(hasLevelCap({ minor: 28, patch: 0 })).toBe(true);
  });
});
