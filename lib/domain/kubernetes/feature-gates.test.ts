import { describe, expect, it } from "vitest";
import { gateState, isGateEnabled, SERVER_GATES, type ServerGate } from "./feature-gates.ts";

const MINORS = Array.from({ length: 12 }, (_, i) => 26 + i);

/** One letter a minor from 1.26 to 1.37: `-` no gate, `a`/`A` alpha off/on, `b`/`B` beta, `G` GA, `+` removed, always on. */
const letters = (gate: ServerGate) =>
  MINORS.map((minor) => {
    const { stage, enabled } = gateState(gate, minor);
    if (stage === null) return enabled ? "+" : "-";
    const letter = stage === "GA" ? "G" : stage.charAt(0);
    return enabled ? letter : letter.toLowerCase();
  }).join("");

describe("gateState", () => {
  it.each([
    ["APIListChunking", "BBBGGGG+++++"],
    ["BtreeWatchCache", "------BGGGG+"],
    ["ConsistentListFromCache", "--aaaBBBGGG+"],
    ["ConsistentListFromCacheSkipTimeoutFallback", "-----------a"],
    ["EtcdRangeStream", "-----------B"],
    ["ListFromCacheSnapshot", "-------aBBBB"],
    ["ResilientWatchCacheInitialization", "-----BBBGGG+"],
    ["SizeBasedListCostEstimate", "--------BBBB"],
    ["StreamingCollectionEncodingToJSON", "-------BGGG+"],
    ["StreamingCollectionEncodingToProtobuf", "-------BGGG+"],
    ["WatchList", "-aaaaaBbBBBB"],
  ] as const)("%s from 1.26 to 1.37 is %s", (gate, expected) => {
    expect(letters(gate)).toBe(expected);
  });

  it("locks a gate that is GA, missing or removed", () => {
    for (const gate of SERVER_GATES) {
      for (const minor of MINORS) {
        const { stage, isLocked } = gateState(gate, minor);
        expect(isLocked).toBe(stage === null || stage === "GA");
      }
    }
  });
});

describe("isGateEnabled", () => {
  it("takes the setting of a gate that may be set, and ignores it otherwise", () => {
    expect(isGateEnabled("WatchList", { minor: 33 })).toBe(false);
    expect(isGateEnabled("WatchList", { minor: 33 }, { WatchList: true })).toBe(true);
    expect(isGateEnabled("WatchList", { minor: 26 }, { WatchList: true })).toBe(false);
    expect(isGateEnabled("ConsistentListFromCache", { minor: 33 }, { ConsistentListFromCache: false })).toBe(
      false,
    );
    expect(isGateEnabled("ConsistentListFromCache", { minor: 34 }, { ConsistentListFromCache: false })).toBe(
      true,
    );
    expect(isGateEnabled("ConsistentListFromCache", { minor: 37 }, { ConsistentListFromCache: false })).toBe(
      true,
    );
  });
});
