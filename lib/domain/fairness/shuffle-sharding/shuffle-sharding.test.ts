import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { dealHand, findHandFault } from "./deal-hand.ts";
import { formatFlowHash, hashFlow, parseFlowHash } from "./flow-hash.ts";
import { sha256 } from "./sha256.ts";

interface ShuffleVector {
  readonly id: string;
  /** `null`: the dealer was given the hash directly. */
  readonly flowSchema: string | null;
  readonly distinguisher: string;
  readonly queues: number;
  readonly handSize: number;
  readonly hash: string;
  readonly hand: readonly number[] | null;
}

const toHex = (words: Uint32Array) => [...words].map((word) => word.toString(16).padStart(8, "0")).join("");

describe("sha256", () => {
  it("equals Node's for every length around the block boundaries, and for long inputs", () => {
    const lengths = [...Array(200).keys(), 255, 256, 257, 4096, 100_003];
    const bytes = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 31 + (i >> 7)) & 0xff);
    const wrong = lengths.filter((length) => {
      const input = bytes.subarray(0, length);
      return toHex(sha256(input)) !== createHash("sha256").update(input).digest("hex");
    });
    expect(wrong).toEqual([]);
  });
});

describe("shuffle sharding", () => {
  it("hashes and deals as upstream does: 254 vectors", () => {
    const { vectors } = readVectors<ShuffleVector>("shuffle.json");
    const answers = vectors.map(({ id, flowSchema, distinguisher, queues, handSize, hash }) => {
      const own = flowSchema === null ? parseFlowHash(hash) : hashFlow(flowSchema, distinguisher);
      if (own === null) return { id, hash: "not an unsigned 64-bit number", hand: null };
      const isRejected = findHandFault(queues, handSize) !== null;
      return { id, hash: formatFlowHash(own), hand: isRejected ? null : dealHand(own, queues, handSize) };
    });
    expect(answers).toEqual(vectors.map(({ id, hash, hand }) => ({ id, hash, hand })));
    expect(vectors).toHaveLength(254);
  });

  const HANDS: [string, string, number, number, string, number[]][] = [
    [
      "service-accounts",
      "system:serviceaccount:monitoring:agent",
      128,
      6,
      "3313672343408768745",
      [105, 116, 124, 73, 102, 80],
    ],
    [
      "service-accounts",
      "system:serviceaccount:default:default",
      128,
      6,
      "13424615363282033023",
      [127, 66, 18, 15, 64, 74],
    ],
    ["kube-system-service-accounts", "", 128, 6, "7354337382563776849", [81, 71, 107, 50, 116, 127]],
    ["kube-system-service-accounts", "kube-system", 128, 6, "5788695476672829020", [92, 95, 124, 69, 84, 46]],
    ["system-nodes", "system:node:node-1", 64, 6, "11909065898299811039", [31, 41, 53, 23, 38, 17]],
    ["system-nodes", "system:node:node-2", 64, 6, "7769473588754609111", [23, 21, 24, 30, 13, 33]],
    ["system-leader-election", "system:kube-scheduler", 16, 4, "11657850540737501994", [10, 15, 8, 13]],
  ];
  it.each(HANDS)("deals %s / %s from %i queues, %i each", (schema, flow, queues, handSize, hash, hand) => {
    const own = hashFlow(schema, flow);
    expect(formatFlowHash(own)).toBe(hash);
    expect(dealHand(own, queues, handSize)).toEqual(hand);
  });

  const DEALS: [bigint, number, number[]][] = [
    [0n, 128, [0, 1, 2, 3, 4, 5]],
    [1n, 128, [1, 0, 2, 3, 4, 5]],
    [16256n, 128, [0, 1, 3, 2, 4, 5]],
    [2n ** 64n - 1n, 128, [127, 1, 7, 56, 91, 6]],
    [2n ** 64n - 1n, 64, [63, 15, 55, 23, 31, 2]],
  ];
  it.each(DEALS)("deals from the hash %d alone, %i queues", (hash, queues, hand) => {
    const parsed = parseFlowHash(String(hash));
    expect(parsed && dealHand(parsed, queues, 6)).toEqual(hand);
  });

  it("deals distinct queues within the deck, whatever the hash", () => {
    let state = 1;
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state;
    };
    for (let round = 0; round < 5000; round++) {
      const queues = 1 + (next() % 300);
      const handSize = 1 + (next() % Math.min(queues, 8));
      if (findHandFault(queues, handSize) !== null) continue;
      const hand = dealHand({ high: next(), low: next() }, queues, handSize);
      expect(new Set(hand).size).toBe(handSize);
      expect(hand.every((queue) => queue >= 0 && queue < queues)).toBe(true);
    }
  });

  it("refuses what no hand can be dealt from", () => {
    expect(findHandFault(0, 1)).toMatch(/positive/);
    expect(findHandFault(8, 9)).toMatch(/greater than queues 8/);
    expect(findHandFault(2 ** 26 + 1, 1)).toMatch(/greater than/);
    expect(findHandFault(128, 9)).toMatch(/63 bits/);
    expect(() => dealHand({ high: 0, low: 0 }, 4, 5)).toThrow(RangeError);
    expect(parseFlowHash("18446744073709551616")).toBeNull();
    expect(parseFlowHash("-1")).toBeNull();
  });
});
