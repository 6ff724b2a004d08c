import { expect, test } from "vitest";
import { shareGates } from "./share-gates.ts";

const gates = (enabled: boolean) => [
  { name: "WatchList", stage: "BETA", enabled },
  { name: "APIServerIdentity", stage: "", enabled: true },
];

test("equal gates of two servers are one array; others stay apart", () => {
  const first = shareGates(gates(true));
  expect(first).toEqual(gates(true));
  expect(shareGates(gates(true))).toBe(first);
  expect(shareGates(gates(false))).toEqual(gates(false));
});

test("a server that states new gates every time gets what it stated", () => {
  for (let turn = 0; turn < 600; turn++) {
    const stated = [{ name: `Gate${turn}`, stage: "ALPHA", enabled: false }];
    expect(shareGates(stated)).toEqual(stated);
  }
  expect(shareGates(gates(true))).toEqual(gates(true));
});
